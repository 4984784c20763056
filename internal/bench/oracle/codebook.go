package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// codebook translates filters into conditions on the numbers of the coded tables and reads the answers. Every
// value of a small dimension is held here, so that the engine is asked about numbers alone.
type codebook struct {
	db      *sql.DB
	partial []int
	// contains selects the ids of the texts with these words.
	contains func(table, words string, stems []string) string
	// wide says that there are two tables of grants, sorted both ways, which hold the fields of an answer as well.
	wide bool

	funders    map[ein.EIN]int64
	recipients map[ein.EIN]int64
	dims       map[string][]value
	funderZIPs []string
}

type value struct {
	id   int64
	text string
}

func readCodebook(ctx context.Context, db *sql.DB, s *snapshot.Snapshot) (*codebook, error) {
	b := &codebook{db: db, partial: s.Manifest.Counts.PartialFiscalYear, funders: map[ein.EIN]int64{}, recipients: map[ein.EIN]int64{}, dims: map[string][]value{}}
	for _, d := range [...]string{"state", "zip", "county", "country", "ntee", "inferred", "kind"} {
		list, err := values(ctx, db, "SELECT id, value FROM "+d)
		if err != nil {
			return nil, err
		}
		b.dims[d] = list
	}
	var err error
	if b.dims["city"], err = values(ctx, db, "SELECT id, city_key FROM filed_city"); err != nil {
		return nil, err
	}
	zips, err := values(ctx, db, "SELECT DISTINCT 0, zip FROM funder WHERE zip <> ''")
	if err != nil {
		return nil, err
	}
	b.funderZIPs = each.Append(b.funderZIPs, zips, func(v value) string { return v.text })
	for table, ids := range map[string]map[ein.EIN]int64{"funder": b.funders, "recipient": b.recipients} {
		list, err := values(ctx, db, "SELECT id, ein FROM "+table+" WHERE ein <> ''")
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			ids[einOf(v.text)] = v.id
		}
	}
	return b, nil
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
	case !b.wide:
		return "coded"
	case len(f.Recipients)+len(f.Unlinked) > 0 || recipients && len(f.Funders) == 0:
		return "by_recipient"
	}
	return "by_funder"
}

// clause is a filter in SQL: the tables made for it, each followed by a comma, and the condition on rows of grants, called g.
type clause struct{ with, where string }

// alone is the tables as the beginning of a statement.
func (c *clause) alone() string {
	if c.with == "" {
		return ""
	}
	return "WITH " + strings.TrimSuffix(c.with, ", ") + " "
}

func (b *codebook) clause(f *graph.Filter, recipients bool) clause {
	var with strings.Builder
	var parts []string
	and := func(s string) { parts = append(parts, s) }
	if len(f.Funders) > 0 {
		and(oneOf("g.funder", lookup(b.funders, f.Funders)))
	}
	if len(f.Recipients)+len(f.Unlinked) > 0 {
		and("(" + oneOf("g.recipient", lookup(b.recipients, f.Recipients)) +
			" OR g.recipient IN (SELECT id FROM recipient WHERE recip_id IN ('" + strings.Join(f.Unlinked, "', '") + "')))")
	}
	if s := spans(f.Years); s != "" {
		and(s)
	}
	if !f.Subject.Empty() {
		under := func(s string) bool { return f.Subject.Matches(ntee.Code(s)) }
		registered := oneOf("g.ntee", b.codes("ntee", under))
		if f.SubjectBasis == ntee.Any {
			registered = "(" + registered + " OR " + oneOf("g.inferred", b.codes("inferred", under)) + ")"
		}
		and(registered)
	}
	if len(f.Place.Values) > 0 || f.Place.Near != (graph.Near{}) {
		and(b.location(f, b.table(f, recipients)))
	}
	if len(f.Countries) > 0 {
		and(oneOf("g.country", b.codes("country", func(s string) bool { return slices.Contains(f.Countries, s) })))
	}
	for _, t := range f.Query.Must {
		and(b.text(&with, t))
	}
	for _, t := range f.Query.MustNot {
		and("NOT " + b.text(&with, t))
	}
	if f.Support != 0 {
		and(fmt.Sprintf("g.support & %d <> 0", f.Support))
	}
	if f.FunderKind != "" {
		and(b.equal("kind", f.FunderKind))
	}
	if f.Accepts != "" {
		and("g.funder IN (SELECT id FROM funder WHERE accepts = '" + f.Accepts + "')")
	}
	if f.Exclude != 0 {
		and(fmt.Sprintf("g.class & %d = 0", f.Exclude))
	}
	if len(f.Keys) > 0 {
		list := each.Of(f.Keys, quote)
		and("g.key IN (" + strings.Join(list, ", ") + ")")
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
		var ids []int64
		for _, r := range f.Sources {
			ids = append(ids, int64(r))
		}
		and(oneOf("g.rule", ids))
	}
	if len(parts) == 0 {
		parts = []string{"TRUE"}
	}
	return clause{with.String(), strings.Join(parts, " AND ")}
}

func oneOf(column string, ids []int64) string {
	texts := each.Of(ids, func(id int64) string { return strconv.FormatInt(id, 10) })
	switch len(ids) {
	case 0:
		return "FALSE"
	case 1:
		return column + " = " + texts[0]
	}
	return column + " IN (" + strings.Join(texts, ", ") + ")"
}

func (b *codebook) codes(dim string, fits func(string) bool) []int64 {
	var ids []int64
	for _, v := range b.dims[dim] {
		if fits(v.text) {
			ids = append(ids, v.id)
		}
	}
	return ids
}

func (b *codebook) equal(column, want string) string {
	return oneOf("g."+column, b.codes(column, func(s string) bool { return s == want }))
}

func lookup(ids map[ein.EIN]int64, eins []ein.EIN) []int64 {
	var list []int64
	for _, e := range eins {
		if id, ok := ids[e]; ok {
			list = append(list, id)
		}
	}
	return list
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

// text is the condition that a row holds a term. DuckDB is given the texts as tables of their own, which it
// searches once; PostgreSQL as arrays, for which it uses the indexes on grants. Stems are letters and digits
// only, so they can stand in the statement.
func (b *codebook) text(with *strings.Builder, t graph.Term) string {
	w := phrase(t.Words)
	stems := strings.Fields(w)
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
	if p.Of == graph.FunderPlace {
		var both []string
		if len(p.Values) > 0 {
			both = append(both, "("+funderPlace(p)+")")
		}
		if p.Near != (graph.Near{}) {
			both = append(both, b.funderNear(p.Near))
		}
		return "g.funder IN (SELECT id FROM funder WHERE " + strings.Join(both, " AND ") + ")"
	}
	var parts []string
	for _, v := range p.Values {
		switch p.Kind {
		case graph.State:
			parts = append(parts, b.equal("state", v.Name))
		case graph.ZIP:
			parts = append(parts, oneOf("g.zip", b.codes("zip", func(s string) bool {
				return s == v.Name || len(v.Name) == 3 && strings.HasPrefix(s, v.Name)
			})))
		case graph.City:
			part := b.equal("city", v.Name)
			if v.State != "" {
				part = "(" + part + " AND " + b.equal("state", v.State) + ")"
			}
			parts = append(parts, part)
		case graph.County:
			parts = append(parts, b.equal("county", v.Name))
		case graph.Country:
			parts = append(parts, b.equal("country", v.Name))
		}
	}
	var both []string
	if len(parts) > 0 {
		both = append(both, "("+strings.Join(parts, " OR ")+")")
	}
	if p.Near != (graph.Near{}) {
		both = append(both, oneOf("g.zip", b.codes("zip", func(s string) bool { return milesApart(p.Near.ZIP, s) <= float64(p.Near.Miles) })))
	}
	where := strings.Join(both, " AND ")
	if p.Of == graph.AreaServed {
		if s := spans(f.Years); s != "" {
			where += " AND " + s
		}
		return "g.funder IN (SELECT g.funder FROM " + table + " g WHERE " + where + ")"
	}
	return where
}

// funderPlace is a condition on the table of funders, which is small.
func funderPlace(p *graph.Place) string {
	var parts []string
	for _, v := range p.Values {
		name := quote(v.Name)
		switch p.Kind {
		case graph.State:
			parts = append(parts, "state = "+name)
		case graph.ZIP:
			parts = append(parts, "(zip = "+name+" OR length("+name+") = 3 AND left(zip, 3) = "+name+")")
		case graph.City:
			part := "city_key = " + name
			if v.State != "" {
				part = "(" + part + " AND state = " + quote(v.State) + ")"
			}
			parts = append(parts, part)
		case graph.County:
			parts = append(parts, "county = "+name)
		default:
			parts = append(parts, "FALSE")
		}
	}
	return strings.Join(parts, " OR ")
}

// funderNear is a condition on the table of funders. Those whose ZIP code no grant has are few.
func (b *codebook) funderNear(n graph.Near) string {
	list := []string{"NULL"}
	for _, zip := range b.funderZIPs {
		if milesApart(n.ZIP, zip) <= float64(n.Miles) {
			list = append(list, quote(zip))
		}
	}
	return "zip IN (" + strings.Join(list, ", ") + ")"
}

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
