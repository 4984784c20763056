package warehouse

// FindOrg describes the only function that the warehouse adds.
const FindOrg = "`find_org(name)` finds an organization by name, as /search does: a misspelling, initials or a former name will do. " +
	"As a value it is the EIN of the organization that the name means: `WHERE funder_ein = find_org('kellogg foundation')`. " +
	"If that is not clear, the value is null; a warning in the answer then names the nearest organization. " +
	"Add a state to tell namesakes apart: `find_org('carnegie hall, NY')`. As a table it is the candidates, likeliest first: " +
	"`SELECT * FROM find_org('red cross')` has the columns ein, name, city, state, kind, ntee_cd, revenue, score and probability."

type Schema struct {
	Dialect   string     `json:"dialect"`
	Tables    []View     `json:"tables"`
	Functions []Function `json:"functions"`
	Rules     []string   `json:"rules"`
}

type TableGroup struct {
	Name   string
	Tables []View
}

// Groups are the tables by their groups, in their order.
func (s *Schema) Groups() (list []TableGroup) {
	for _, v := range s.Tables {
		if n := len(list); n == 0 || list[n-1].Name != v.Group {
			list = append(list, TableGroup{Name: v.Group})
		}
		last := &list[len(list)-1]
		last.Tables = append(last.Tables, v)
	}
	return list
}

// Function is a function that DuckDB itself does not have.
type Function struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

var rules = []string{
	"One statement, beginning with SELECT, WITH or DESCRIBE. It only reads.",
	"Names of tables are lower-case and case-sensitive.",
	"EINs are text of nine digits, with leading zeros, and are compared as text.",
	"Names of organizations are capitals as filed; match text with ILIKE.",
	"At most 2,000 rows are returned; truncated is true when there were more. A query is stopped after 30 seconds: narrow it by tax_year or funder_ein.",
	"UK rows are not in orgs and do not join to grants on an EIN; a join by name is a best-effort candidate.",
	"orgs holds the latest return of each organization; do not filter it by year for questions about all of them.",
	"recipient_country is a FIPS 10-4 code (IN is India); recipient_state is a postal code (IN is Indiana).",
	"Values can be bound: write ? or $name in the text and send them as params.",
}

func Describe() Schema {
	return Schema{Dialect: "DuckDB", Tables: views, Functions: []Function{{Name: "find_org", Meaning: FindOrg}}, Rules: rules}
}
