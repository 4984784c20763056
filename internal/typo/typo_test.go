package typo

import (
	"strings"
	"testing"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	names := []string{"funder_id", "recip_id", "year", "min_year", "max_year", "amount", "q"}
	for in, want := range map[string]string{
		"funder_idd": "funder_id", "fundre_id": "funder_id", "Funder-ID": "funder_id", "recipid": "recip_id", "yaer": "year",
		"m_year": "", "count": "", "zebra": "", "": "", "w": "", strings.Repeat("y", 100): "",
	} {
		if got := Meant(in, names); got != want {
			t.Errorf("%q is taken for %q, want %q", in, got, want)
		}
	}
}
