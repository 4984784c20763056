package ingest

import (
	"strings"
	"testing"
)

// TestStagedHeads holds that a shard which says what no return can is refused, not
// built from: whoever wrote it, its checksums may be right.
func TestStagedHeads(t *testing.T) {
	t.Parallel()
	good := stagedHead{SHA256: strings.Repeat("0f", 32), PeriodEnd: "2023-12-31", Lines: 3}
	for name, damage := range map[string]func(*stagedHead){
		"":             func(*stagedHead) {},
		"ends on":      func(r *stagedHead) { r.PeriodEnd = "2023" },
		"checksum of":  func(r *stagedHead) { r.SHA256 = "0f" },
		"has -1 lines": func(r *stagedHead) { r.Lines = -1 },
	} {
		r := good
		damage(&r)
		if err := r.check(); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFormatDate(t *testing.T) {
	t.Parallel()
	for n, want := range map[int32]string{0: "", 20231231: "2023-12-31", 50101: "0005-01-01"} {
		if got := formatDate(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}
