package abroad

import (
	"slices"
	"strings"

	"grantgraph/internal/typo"
)

// oneEditApart reports whether two names, ignoring spaces, are one typing error apart: a letter too many, missing,
// wrong, or swapped with the next. Some single letters make a different name and do not count: a letter or roman
// numeral that distinguishes two bodies, and the ending that distinguishes NIÑOS from NIÑAS.
func oneEditApart(a, b string) bool {
	s, t := strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", "")
	if min(len(s), len(t)) < minEdit || !typo.OneSlip(s, t) {
		return false
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if d, e := designators(x), designators(y); len(d) > 0 && len(e) > 0 && !slices.Equal(d, e) {
		return false
	}
	if len(x) == len(y) {
		for i := range x {
			if x[i] != y[i] && gendered(x[i], y[i]) {
				return false
			}
		}
	}
	return true
}

// designators are the words that number things without digits.
func designators(words []string) (d []string) {
	for _, w := range words {
		if len(w) == 1 || strings.Trim(w, "IVX") == "" {
			d = append(d, w)
		}
	}
	return d
}

// gendered reports whether two words differ by O or A in their ending.
func gendered(v, w string) bool {
	v, w = strings.TrimSuffix(v, "S"), strings.TrimSuffix(w, "S")
	n := len(v)
	if n < 2 || len(w) != n || v[:n-1] != w[:n-1] {
		return false
	}
	return v[n-1] == 'O' && w[n-1] == 'A' || v[n-1] == 'A' && w[n-1] == 'O'
}
