package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot/remote"
)

func slugOf(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return fmt.Sprint(err)
}

// openFolder is a store in a folder of the test's.
func openFolder(t testing.TB, dir string) remote.Store {
	t.Helper()
	s, err := remote.Open(dir, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stagedWorld stages a world into a shared stage.
func stagedWorld(t *testing.T, root string) (*stage.Shared, *stage.Plan) {
	t.Helper()
	shared := stage.OpenShared(openFolder(t, t.TempDir()))
	p, err := stage.MakePlan(t.Context(), stage.PlanOptions{Sources: root, ShardBytes: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	id, err := shared.PutPlan(t.Context(), p)
	if err == nil {
		err = shared.PointTo(t.Context(), id, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	if p, err = shared.Plan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r, err := stage.NewReader(t.Context(), p.Sources(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for s := range p.Shards() {
		if _, err := r.Stage(t.Context(), p, s.Key, shared); err != nil {
			t.Fatal(err)
		}
	}
	return shared, p
}

// TestSharedStage builds from a shared stage, without the archives, and compares
// with a build that reads them; then it spoils the stage.
func TestSharedStage(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	want, err := Run(t.Context(), Options{Sources: root, Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	shared, p := stagedWorld(t, root)
	keys := slices.Collect(p.Shards())
	first := keys[0].Key
	rest := sample()
	for name := range rest {
		if strings.HasPrefix(name, "990/") {
			delete(rest, name)
		}
	}
	without := rest.lay(t)
	build := func(data string, opt Options) (*Result, error) {
		opt.Sources, opt.Data, opt.Stage = without, data, shared
		return Run(t.Context(), opt)
	}
	data := t.TempDir()
	got, err := build(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Snapshot.Manifest.Content != want.Snapshot.Manifest.Content || got.Staged != len(keys) || got.Staged < 3 {
		t.Errorf("%d shards, content %s, read here %s", got.Staged, got.Snapshot.Manifest.Content, want.Snapshot.Manifest.Content)
	}
	if !slices.Equal(got.Snapshot.Manifest.Sources, want.Snapshot.Manifest.Sources) {
		t.Errorf("sources %+v, read here %+v", got.Snapshot.Manifest.Sources, want.Snapshot.Manifest.Sources)
	}
	// A second build takes nothing again.
	if got, err = build(data, Options{}); err != nil || got.Reused != got.Staged {
		t.Errorf("%d of %d were there, %v", got.Reused, got.Staged, err)
	}

	path := filepath.Join(shared.String(), "stage/shards/"+first)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoiled := range map[string][]byte{
		"cut": body[:len(body)-3], "longer": append(slices.Clone(body), 1), "empty": {}, "head": body[:20],
		"flipped": append(append(slices.Clone(body[:len(body)-9]), body[len(body)-9]^1), body[len(body)-8:]...),
	} {
		if err := os.WriteFile(path, spoiled, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_damaged" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_incomplete" || !strings.Contains(err.Error(), "1 of ") {
		t.Error(err)
	}
	// What is in quarantine is left out only if one says so, and then it is told.
	if err := shared.Quarantine(t.Context(), first, stage.Refused{Archive: "990/2022_TEOS_XML_01A.zip", Reason: "it has changed"}); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_quarantined" || !strings.Contains(err.Error(), "it has changed") {
		t.Error(err)
	}
	got, err = build(t.TempDir(), Options{WithoutQuarantined: true})
	if err != nil || !strings.Contains(strings.Join(got.Report.Warnings, "\n"), "it has changed") {
		t.Errorf("%v: %v", err, got)
	}
	if err := shared.ReleaseAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_incomplete" {
		t.Error(err)
	}
	// A stage without a plan, and one whose plan is another's.
	shared = stage.OpenShared(openFolder(t, t.TempDir()))
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_empty" {
		t.Error(err)
	}
	if err := shared.PointTo(t.Context(), strings.Repeat("0", 24), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_mismatch" {
		t.Error(err)
	}
	if err := shared.PointTo(t.Context(), strings.Repeat("1", 24), ""); slugOf(err) != "plan_conflict" {
		t.Error(err)
	}
}
