package ingest

import (
	"testing"
)

func TestFormatDate(t *testing.T) {
	t.Parallel()
	for n, want := range map[int32]string{0: "", 20231231: "2023-12-31", 50101: "0005-01-01"} {
		if got := formatDate(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}
