package main

import (
	"strings"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/terminal"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"2GiB": 2 << 30, "1.5GiB": 3 << 29, "512 MiB": 512 << 20, "100000000": 100_000_000, "": defaultMemory()} {
		if got, err := parseMemory(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"1", "1MiB", "2GB", "-2GiB", "NaN", "9999999TiB", "much", "GiB"} {
		if got, err := parseMemory(text); err == nil {
			t.Errorf("%q is %d", text, got)
		} else if f, ok := fault.Of(err); !ok || !strings.Contains(f.Hint, "--memory") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if defaultMemory() < leastMemory {
		t.Errorf("%d bytes for all requests", defaultMemory())
	}
	_, out, errs := command(t, "serve", "--print-config")
	if !strings.Contains(out, "memory") || !strings.Contains(out, terminal.Bytes(defaultMemory())) {
		t.Errorf("%s%s", out, errs)
	}
}
