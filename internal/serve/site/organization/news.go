package organization

import (
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/site/frame"
)

// news is what is new in an organization's own returns in this build.
type news struct {
	Since string // date of the previous build
	Text  string
}

// newsOf returns what is new since the previous build. It is nil if nothing is new,
// there was no previous build, or the file is unavailable.
func newsOf(x *change.Index, e ein.EIN) *news {
	if x == nil {
		return nil
	}
	version, c := x.Latest(e)
	if version == "" || c.None() {
		return nil
	}
	var said []string
	for _, part := range []struct {
		n    uint32
		what string
	}{
		{c.ReturnsNew, "new return"}, {c.ReturnsAmended, "amended return"}, {c.ReturnsRemoved, "withdrawn return"},
		{c.RowsAdded, "added grant"}, {c.RowsChanged, "changed grant"}, {c.RowsRemoved, "removed grant"},
	} {
		if part.n > 0 {
			said = append(said, things(int64(part.n), part.what))
		}
	}
	return &news{Since: frame.Day(version[:4] + "-" + version[4:6] + "-" + version[6:8]), Text: strings.Join(said, ", ")}
}
