package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// codebook translates filters into conditions on tables of grants and reads the answers. In the coded tables every value of a
// small dimension is a number that is held here, so that the engine is asked about numbers alone. In the plain table it is a text.
type codebook struct {
	db      *sql.DB
	partial []int
	// contains selects the ids of the texts with these words.
	contains func(table, words string, stems []string) string
	plain    bool
	// wide says that there are two tables of grants, sorted both ways, which hold the fields of an answer as well.
	wide bool
	// holds is the condition of ClickHouse, and of no other, that a row has these words: its table of grants has an index of them.
	holds func(words string, stems []string) string

	dims       map[string]map[string][]int64 // the numbers of a text in each dimension
	funderZIPs []string
}

// plainDims are the dimensions of the plain table in which conditions look for texts.
var plainDims = map[string]string{
	"zip": "SELECT DISTINCT 0, zip FROM grants", "ntee": "SELECT DISTINCT 0, ntee FROM recipient",
	"inferred": "SELECT DISTINCT 0, inferred FROM recipient",
}

var codedDims = map[string]string{"city": "SELECT id, city_key FROM filed_city", "funder": "SELECT id, ein FROM funder"}

func init() {
	for _, d := range [...]string{"state", "zip", "county", "country", "ntee", "inferred", "kind", "rule"} {
		codedDims[d] = "SELECT id, value FROM " + d
	}
}

func (b *codebook) read(ctx context.Context, db *sql.DB, s *snapshot.Snapshot) error {
	b.db, b.partial, b.dims = db, s.Manifest.Counts.PartialFiscalYear, map[string]map[string][]int64{}
	dims := codedDims
	if b.plain {
		dims = plainDims
	}
	for d, query := range dims {
		list, err := values(ctx, db, query)
		if err != nil {
			return err
		}
		b.dims[d] = map[string][]int64{}
		for _, v := range list {
			b.dims[d][v.text] = append(b.dims[d][v.text], v.id)
		}
	}
	zips, err := values(ctx, db, "SELECT DISTINCT 0, zip FROM funder WHERE zip <> ''")
	b.funderZIPs = each.Append(b.funderZIPs, zips, func(v value) string { return v.text })
	return err
}

type value struct {
	id   int64
	text string
}

func values(ctx context.Context, db *sql.DB, query string) ([]value, error) {
	return collect(ctx, db, func(rows *sql.Rows) (v value, err error) {
		err = rows.Scan(&v.id, &v.text)
		return v, err
	}, query)
}

// table is the table of grants in which a question about the filter touches the fewest rows.
func (b *codebook) table(f *graph.Filter, recipients bool) string {
	switch {
	case b.plain:
		return "grants"
	case !b.wide:
		return "coded"
	case len(f.Recipients)+len(f.Unlinked) > 0 || recipients && len(f.Funders) == 0:
		return "by_recipient"
	}
	return "by_funder"
}

// clause is a filter in SQL: the tables made for it, each followed by a comma, and the condition on rows of grants, called g.
type clause struct{ with, where string }

func (c *clause) alone() string {
	if c.with == "" {
		return ""
	}
	return "WITH " + strings.TrimSuffix(c.with, ", ") + " "
}

// id is what a table of one side is joined by.
func (b *codebook) id(side string) string {
	switch {
	case !b.plain:
		return "id"
	case side == "funder":
		return "ein"
	}
	return "recip_id"
}

// named is the table that the names of one side are read from. ClickHouse has a dictionary beside the table.
func (b *codebook) named(side string) string {
	if b.holds != nil {
		return side + "_by_id"
	}
	return side
}

// sides have the columns that the plain table of grants has not.
var sides = map[string]string{"kind": "funder", "ntee": "recipient", "inferred": "recipient"}

// of is the condition that the funder or the recipient meets another.
func (b *codebook) of(side, condition string) string {
	return "g." + side + " IN (SELECT " + b.id(side) + " FROM " + side + " WHERE " + condition + ")"
}

func (b *codebook) in(column string, values ...string) string {
	var list []string
	for _, v := range values {
		if b.plain {
			list = append(list, quote(v))
			continue
		}
		for _, id := range b.dims[column][v] {
			list = append(list, strconv.FormatInt(id, 10))
		}
	}
	switch among := column + " IN (" + strings.Join(list, ", ") + ")"; {
	case len(list) == 0:
		return "FALSE"
	case b.plain && sides[column] != "":
		return b.of(sides[column], among)
	default:
		return "g." + among
	}
}

// fitting is the condition that a dimension has a value that fits.
func (b *codebook) fitting(column string, fits func(string) bool) string {
	return b.in(column, slices.DeleteFunc(slices.Sorted(maps.Keys(b.dims[column])), func(s string) bool { return !fits(s) })...)
}

func (b *codebook) clause(f *graph.Filter, recipients bool) clause {
	var with strings.Builder
	var parts []string
	and := func(s string) { parts = append(parts, s) }
	if len(f.Funders) > 0 {
		and(b.in("funder", each.Of(f.Funders, ein.EIN.String)...))
	}
	if len(f.Recipients)+len(f.Unlinked) > 0 {
		and(b.of("recipient", among("ein", each.Of(f.Recipients, ein.EIN.String))+" OR "+among("recip_id", f.Unlinked)))
	}
	if s := spans(f.Years); s != "" {
		and(s)
	}
	if !f.Subject.Empty() {
		under := func(code string) bool {
			return slices.ContainsFunc(f.Subject.Items, func(it ntee.Item) bool { return isUnder(code, &it) })
		}
		registered := b.fitting("ntee", under)
		if f.SubjectBasis == ntee.Any {
			registered = "(" + registered + " OR " + b.fitting("inferred", under) + ")"
		}
		and(registered)
	}
	if len(f.Place.Values) > 0 || f.Place.Near != (graph.Near{}) {
		and(b.location(f, b.table(f, recipients)))
	}
	if len(f.Countries) > 0 {
		and(b.in("country", each.Of(f.Countries, countryFiled)...))
	}
	for _, t := range f.Query.Must {
		and(b.text(&with, t))
	}
	for _, t := range f.Query.MustNot {
		and("NOT " + b.text(&with, t))
	}
	if f.Support != 0 {
		and(b.masked("g.support", f.Support) + " <> 0")
	}
	if f.FunderKind != "" {
		and(b.in("kind", f.FunderKind))
	}
	if f.Accepts != "" {
		and(b.of("funder", among("accepts", []string{f.Accepts})))
	}
	if f.Exclude != 0 {
		and(b.masked("g.class", f.Exclude) + " = 0")
	}
	if len(f.Keys) > 0 {
		and(among("g.key", f.Keys))
	}
	if f.MinAmount != nil {
		and(fmt.Sprintf("g.amount >= %d", *f.MinAmount))
	}
	if f.MaxAmount != nil {
		and(fmt.Sprintf("g.amount <= %d", *f.MaxAmount))
	}
	if f.MinProb != nil {
		and("g.linked AND g.prob >= " + strconv.FormatFloat(*f.MinProb, 'e', -1, 64) + "::DOUBLE PRECISION")
	}
	if len(f.Sources) > 0 {
		and(b.in("rule", each.Of(f.Sources, grant.Rule.String)...))
	}
	if len(parts) == 0 {
		parts = []string{"TRUE"}
	}
	return clause{with.String(), strings.Join(parts, " AND ")}
}

// masked are those bits of a column that are in a mask as well.
func (b *codebook) masked(column string, mask any) string {
	if b.holds != nil {
		return fmt.Sprintf("bitAnd(%s, %d)", column, mask)
	}
	return fmt.Sprintf("%s & %d", column, mask)
}

func among(column string, texts []string) string {
	if len(texts) == 0 {
		return "FALSE"
	}
	return column + " IN (" + strings.Join(each.Of(texts, quote), ", ") + ")"
}

// isUnder states what package ntee does: a code has the prefix of an item, or its letter is one of the item's.
func isUnder(code string, it *ntee.Item) bool {
	if it.Kind == ntee.Prefix {
		return strings.HasPrefix(code, string(it.Prefix))
	}
	return code != "" && it.Majors>>(code[0]-'A')&1 != 0
}

func spans(list []graph.Span) string {
	var parts []string
	for _, s := range list {
		part := "TRUE"
		switch {
		case s.From != 0 && s.From == s.To:
			part = fmt.Sprintf("g.year = %d", s.From)
		case s.From != 0 && s.To != 0:
			part = fmt.Sprintf("g.year BETWEEN %d AND %d", s.From, s.To)
		case s.From != 0:
			part = fmt.Sprintf("g.year >= %d", s.From)
		case s.To != 0:
			part = fmt.Sprintf("g.year <= %d", s.To)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// text is the condition that a row holds a term. DuckDB is given the texts as tables of their own, which it searches
// once; PostgreSQL as arrays, for which it uses the indexes on grants; ClickHouse has an index of the words of each row. Stems are letters and digits
// only, so they can stand in the statement.
func (b *codebook) text(with *strings.Builder, t graph.Term) string {
	w := phrase(t.Words)
	if b.plain {
		has := func(column string) string { return "contains(" + column + ", " + quote(w) + ")" }
		return "(" + has("g.purpose_words") + " OR " + has("g.raw_words") + " OR " + b.of("recipient", has("words")) + ")"
	}
	stems := strings.Fields(w)
	if b.holds != nil {
		return b.holds(w, stems)
	}
	texts, named := b.contains("filed_text", w, stems), b.contains("recipient", w, stems)
	if !b.wide {
		return "(g.purpose = ANY (ARRAY(" + texts + ")) OR g.raw = ANY (ARRAY(" + texts + ")) OR g.recipient = ANY (ARRAY(" + named + ")))"
	}
	n := strings.Count(with.String(), " AS ")
	fmt.Fprintf(with, "q%d AS MATERIALIZED (%s), q%d AS MATERIALIZED (%s), ", n, texts, n+1, named)
	return fmt.Sprintf("(g.purpose IN (SELECT id FROM q%d) OR g.raw IN (SELECT id FROM q%[1]d) OR g.recipient IN (SELECT id FROM q%d))", n, n+1)
}

func (b *codebook) location(f *graph.Filter, table string) string {
	p := &f.Place
	var either, both []string
	for _, v := range p.Values {
		either = append(either, b.at(p, v))
	}
	if len(either) > 0 {
		both = append(both, "("+strings.Join(either, " OR ")+")")
	}
	near := func(zip string) bool { return milesApart(p.Near.ZIP, zip) <= float64(p.Near.Miles) }
	switch {
	case p.Near == graph.Near{}:
	case p.Of == graph.FunderPlace: // those whose ZIP code no grant has are few
		both = append(both, among("zip", slices.DeleteFunc(slices.Clone(b.funderZIPs), func(zip string) bool { return !near(zip) })))
	default:
		both = append(both, b.fitting("zip", near))
	}
	where := strings.Join(both, " AND ")
	switch s := spans(f.Years); {
	case p.Of == graph.FunderPlace:
		return b.of("funder", where)
	case p.Of == graph.AreaServed:
		if s != "" {
			where += " AND " + s
		}
		return "g.funder IN (SELECT g.funder FROM " + table + " g WHERE " + where + ")"
	}
	return where
}

// at is the condition that a grant, or a row of the table of funders, is at one place.
func (b *codebook) at(p *graph.Place, v graph.PlaceValue) string {
	is := func(column, text string) string { return b.in(column, text) }
	if p.Of == graph.FunderPlace {
		is = func(column, text string) string { return column + " = " + quote(text) }
	}
	switch p.Kind {
	case graph.State:
		return is("state", v.Name)
	case graph.ZIP:
		switch {
		case len(v.Name) != 3:
			return is("zip", v.Name)
		case p.Of == graph.FunderPlace:
			return "left(zip, 3) = " + quote(v.Name)
		}
		return b.fitting("zip", func(s string) bool { return strings.HasPrefix(s, v.Name) })
	case graph.City:
		column := "city"
		if p.Of == graph.FunderPlace {
			column = "city_key"
		}
		if v.State == "" {
			return is(column, v.Name)
		}
		return "(" + is(column, v.Name) + " AND " + is("state", v.State) + ")"
	case graph.County:
		return is("county", v.Name)
	case graph.Country:
		if p.Of != graph.FunderPlace {
			return is("country", countryFiled(v.Name))
		}
	}
	return "FALSE"
}

// countryFiled is the country of the lines that a code means: those in the United States have none.
func countryFiled(code string) string { return strings.TrimPrefix(code, "US") }

// milesApart is the great-circle distance of two ZIP codes by the law of haversines.
func milesApart(a, b string) float64 {
	p, ok := place.Shipped().Point(a)
	q, known := place.Shipped().Point(b)
	if !ok || !known {
		return math.Inf(1)
	}
	hav := func(degrees float64) float64 { s := math.Sin(degrees * math.Pi / 360); return s * s }
	return 2 * 3958.7613 * math.Asin(math.Sqrt(hav(p.Lat-q.Lat)+math.Cos(p.Lat*math.Pi/180)*math.Cos(q.Lat*math.Pi/180)*hav(p.Lon-q.Lon)))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// words writes the words of a text, each reduced to its stem, with a space on either side of every one. A phrase of stems
// written the same way is then found by a search for a substring. A text without words is empty.
func words(text string) string {
	folded := orgname.Fold(text)
	if len(text) > 1<<10 {
		// Folding bounds what it reads, so a long text is folded word by word.
		fields := strings.Fields(text)
		for i, f := range fields {
			fields[i] = orgname.Fold(f)
		}
		folded = strings.Join(fields, " ")
	}
	var b strings.Builder
	from := -1
	for i := 0; i <= len(folded); i++ {
		if i < len(folded) && (folded[i] >= 'A' && folded[i] <= 'Z' || folded[i] >= '0' && folded[i] <= '9') {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			b.WriteByte(' ')
			b.WriteString(stemOf(folded[from:i]))
			from = -1
		}
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	return b.String()
}

// stemOf takes the longest of the endings ING, ED, ES and S off a word, but not the S of a double S, and then an E at the end,
// where at least four characters remain each time. Then plurals without an ending become singular, Y after a consonant becomes
// I, and a double consonant a single one; a word of four letters loses its S, unless it is that of SS, US or IS.
func stemOf(word string) string {
	switch {
	case endsIn(word, "ING"):
		word = word[:len(word)-3]
	case endsIn(word, "ED"), endsIn(word, "ES"):
		word = word[:len(word)-2]
	case endsIn(word, "S") && !strings.HasSuffix(word, "SS"):
		word = word[:len(word)-1]
	}
	if endsIn(word, "E") {
		word = word[:len(word)-1]
	}
	switch word {
	case "MEN", "MENS":
		return "MAN"
	case "WOMEN":
		return "WOMAN"
	case "CHILDREN", "CHILDRENS":
		return "CHILD"
	case "WOLV", "CALV":
		return word[:3] + "F"
	case "AIDS", "NEWS", "LENS":
		return word
	}
	switch {
	case doubled.MatchString(word):
		return word[:len(word)-1]
	case yEnding.MatchString(word):
		return strings.TrimSuffix(word, "Y") + "I"
	case len(word) == 4 && !strings.HasSuffix(word, "SS") && !strings.HasSuffix(word, "US") && !strings.HasSuffix(word, "IS"):
		return strings.TrimSuffix(word, "S")
	}
	return word
}

var (
	doubled = regexp.MustCompile(`^.{3,}(BB|DD|GG|MM|NN|PP|RR|TT)$`)
	yEnding = regexp.MustCompile(`^.{2,}[^AEIOU]Y$`)
)

// endsIn reports whether a word has an ending that can be taken off.
func endsIn(word, ending string) bool {
	return strings.HasSuffix(word, ending) && len(word)-len(ending) >= 4
}

// phrase writes the words of a term in the form of words.
func phrase(term []string) string { return words(strings.Join(term, " ")) }
