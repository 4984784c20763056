package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
)

// TestBarFitsTheTerminal draws bars for terminals of several widths: a line
// that is wider than its terminal wraps, and stays behind when it is drawn anew.
func TestBarFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{0, 40, 60, 80, 100, 200} {
		for description, bytesShown := range map[string]bool{"  resolve   ": false, "  read      ": true, "  usaspending FY2024_All_Assistance_Full.zip   ": true} {
			var out bytes.Buffer
			bar := progressbar.NewOptions64(20_000_000, barOptions(&out, columns, description, bytesShown)...)
			_ = bar.Set64(12_345_678)
			room := columns
			if room == 0 {
				room = 80
			}
			for line := range strings.SplitSeq(out.String(), "\r") {
				if n := utf8.RuneCountInString(strings.TrimRight(line, " ")); n > room {
					t.Errorf("%d columns: %d in %q", columns, n, line)
				}
			}
			if !strings.Contains(out.String(), "61%") || strings.Contains(out.String(), "/20") != (room >= len(description)+54) {
				t.Errorf("%d columns: %q", columns, out.String())
			}
		}
	}
}
