package abroad

import (
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// Kind is the kind of a recipient. Recipients of different kinds never merge.
type Kind uint8

const (
	Org Kind = iota
	Gov
	Person
)

// String is the kind as the tables have it.
func (k Kind) String() string {
	switch k {
	case Gov:
		return "gov"
	case Person:
		return "person"
	}
	return "org"
}

// KindOf returns the kind of a line's recipient. status is the foundation status on the line; person is true if the
// line pays a person.
func KindOf(name, status string, person bool) Kind {
	status = strings.Join(strings.FieldsFunc(strings.ToUpper(status), func(r rune) bool { return r < 'A' || r > 'Z' }), " ")
	switch {
	case person, status == "I", status == "INDIVIDUAL":
		return Person
	case governmentStatus[status], government(name):
		return Gov
	}
	return Org
}

var governmentStatus = map[string]bool{
	"GOV": true, "GOVT": true, "GOVERNMENT": true,
	"FOREIGN GOV": true, "FOREIGN GOVT": true, "FOREIGN GOVERNMENT": true,
}

// Phrases that begin the name of a government, and phrases that mark one anywhere in the name.
var (
	governmentStarts = []string{
		"DEPARTMENT OF", "DEPT OF", "STATE OF", "CITY OF", "REPUBLIC OF",
		"GOBIERNO", "AYUNTAMIENTO", "MUNICIPIO DE", "MUNICIPALIDAD", "ALCALDIA", "MINISTERE",
	}
	governmentPhrases = []string{
		"MINISTRY OF", "GOVERNMENT OF", "MUNICIPALITY", "MINISTERIO DE", "MINISTERIO DEL", "GOBIERNO DE", "GOBIERNO DEL", "AYUNTAMIENTO DE", "EMBASSY",
	}
	// othersPhrases mark bodies that are named after a government, work with one, or have a religious ministry.
	othersPhrases = []string{
		"FRIENDS OF", "FOUNDATION", "FUNDACION", "ASSOCIATION", "ASOCIACION", "SCHOOL", "UNIVERSITY", "MUSEUM", "SA DE CV", "LTD", "LIMITED", "INC",
		"CHURCH", "CHRIST", "CHRISTIAN", "JESUS", "GOD", "GOSPEL", "WORD", "IGLESIA", "CRISTO", "CRISTIANO", "EVANGELICO", "DIOS",
	}
)

func government(name string) bool {
	name = orgname.Fold(name)
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }), " ")
	name = " " + strings.TrimPrefix(name, "THE ") + " "
	has := func(p string) bool { return strings.Contains(name, " "+p+" ") }
	begins := func(p string) bool { return strings.HasPrefix(name, " "+p+" ") }
	return !slices.ContainsFunc(othersPhrases, has) && (slices.ContainsFunc(governmentStarts, begins) || slices.ContainsFunc(governmentPhrases, has))
}
