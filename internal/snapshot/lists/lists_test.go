package lists_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

// publish makes an edition with one list.
func publish(t *testing.T, data string, state lists.Status) {
	t.Helper()
	w, err := snapshot.Create(lists.Dir(data), noon)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	body, err := json.Marshal(lists.Report{Lists: []lists.Status{state}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Publish(snapshot.Manifest{Report: body}); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsNotClear(t *testing.T) {
	t.Parallel()
	c, err := lists.Read(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lists.Names() {
		if s := c.Edition.Status(name); s.Loaded || s.Problem == "" {
			t.Errorf("%s of no edition: %+v", name, s)
		}
		if _, ok := c.Check(name); ok {
			t.Errorf("%s was looked at by nobody", name)
		}
	}
	if c.Version() != "" {
		t.Errorf("version %q", c.Version())
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	want := lists.Status{Name: lists.OFAC, Loaded: true, Rows: 12_000, FetchedAt: noon, Revised: "2026-10-01", RevisedNewest: "2026-10-01"}
	publish(t, data, want)
	before, err := lists.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := before.Edition.Status(lists.OFAC); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if s := before.Edition.Status(lists.BMF); s.Loaded {
		t.Errorf("a list that is not in the edition: %+v", s)
	}

	checks := []lists.Check{{Name: lists.Pub78, CheckedAt: noon}, {Name: lists.OFAC, CheckedAt: noon, UpstreamRevised: "2026-10-04", Problem: "empty"}}
	if err := lists.WriteChecks(data, checks); err != nil {
		t.Fatal(err)
	}
	after, err := lists.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := after.Check(lists.OFAC); !ok || c.UpstreamRevised != "2026-10-04" || c.Problem != "empty" {
		t.Errorf("%+v %v", c, ok)
	}
	if before.Version() != after.Version() || before.Stamp() == after.Stamp() {
		t.Errorf("versions %q %q, stamps %q %q", before.Version(), after.Version(), before.Stamp(), after.Stamp())
	}
}

func TestDamagedChecks(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.MkdirAll(lists.Dir(data), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lists.Dir(data), "checks.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if now, err := lists.Read(data); err != nil || now.BadChecks == nil || !strings.Contains(now.BadChecks.Error(), "checks.json") {
		t.Errorf("err %v", err)
	}
}
