package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/graph"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
)

// Coded is DuckDB over integer-coded tables, with the grants sorted both ways.
// Beside the codes that conditions are on, the tables hold every field of an
// answer, so that a page is read without a join.
type Coded struct {
	*codebook
	db *database
}

// OpenCoded loads a snapshot into a DuckDB file that is gone after Close.
func OpenCoded(ctx context.Context, s *snapshot.Snapshot) (*Coded, error) {
	db, err := openDuck(ctx)
	if err != nil {
		return nil, err
	}
	c := &Coded{db: db}
	err = db.stage(ctx, s)
	if err == nil {
		err = db.run(ctx, codedSQL...)
	}
	if err == nil {
		err = db.run(ctx,
			"CREATE TABLE by_funder AS "+wideSQL+" ORDER BY g.funder, g.recipient, g.year, g.amount, g.rank",
			"CREATE TABLE by_recipient AS SELECT * FROM by_funder ORDER BY recipient, funder, year, amount, rank")
	}
	if err == nil {
		c.codebook, err = readCodebook(ctx, db.DB, s)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("loading the snapshot into coded DuckDB tables: %w", err)
	}
	c.contains = func(table, words string, _ []string) string {
		return "SELECT id FROM " + table + " WHERE contains(words, '" + words + "')"
	}
	c.wide = true
	return c, nil
}

// Name is how the engine is called in tables.
func (*Coded) Name() string { return "coded DuckDB" }

// Close removes the database.
func (c *Coded) Close() error { return c.db.Close() }

// codedSQL makes the view coded of the staged tables: every condition is on a
// number. The rank of a row is that of its key.
var codedSQL = []string{
	dimension("filed", "state"), dimension("filed", "zip"), dimension("filed", "county"), dimension("filed", "country"),
	dimension("recipient", "ntee"), dimension("funder", "kind"),
	"CREATE TABLE rule (id INTEGER, value VARCHAR)", rulesSQL(),
	"CREATE TABLE filing AS SELECT row_number() OVER (ORDER BY filing, object_id, return_type, period_end) - 1 id, * FROM (SELECT DISTINCT filing, object_id, return_type, period_end FROM filed)",
	`CREATE VIEW coded AS SELECT f.grant_key AS key, (row_number() OVER (ORDER BY f.grant_key))::INTEGER AS rank, u.id::INTEGER AS funder, r.id::INTEGER AS recipient,
		(f.recipient_ein <> '') AS linked, w.id::INTEGER AS raw, c.id::INTEGER AS city, s.id::SMALLINT AS state, z.id::INTEGER AS zip, n.id::INTEGER AS county,
		o.id::SMALLINT AS country, f.amount, f.tax_year::SMALLINT AS year, p.id::INTEGER AS purpose, l.id::SMALLINT AS rule, f.match_prob AS prob,
		f.source_tier = 'matched' AS matched, (f.is_daf::INT + 2 * f.is_individual::INT + 4 * f.is_related_party::INT)::SMALLINT AS class,
		f.support::INTEGER AS support, t.id::SMALLINT AS ntee, k.id::SMALLINT AS kind, x.id::INTEGER AS filing
	FROM filed f JOIN funder u ON u.ein = f.funder_ein JOIN recipient r ON r.recip_id = f.recip_id
		JOIN filed_text w ON w.value = f.recipient_raw JOIN filed_text p ON p.value = f.purpose JOIN filed_city c ON c.value = f.city
		JOIN state s ON s.value = f.state JOIN zip z ON z.value = f.zip JOIN county n ON n.value = f.county JOIN country o ON o.value = f.country
		JOIN rule l ON l.value = f.ein_source JOIN ntee t ON t.value = r.ntee JOIN kind k ON k.value = u.kind
		JOIN filing x ON x.filing = f.filing AND x.object_id = f.object_id AND x.return_type = f.return_type AND x.period_end = f.period_end`,
}

// dimension numbers the values of a column in their order.
func dimension(table, column string) string {
	return fmt.Sprintf("CREATE TABLE %s AS SELECT row_number() OVER (ORDER BY value) - 1 id, value FROM (SELECT DISTINCT %[1]s AS value FROM %s)", column, table)
}

// answerColumns are the fields of a row of transactions, each with where it
// is found by the joins of answerJoins.
var answerColumns = [...]struct{ name, from string }{
	{"key", "g.key"}, {"funder_ein", "f.ein"}, {"funder_name", "f.name"}, {"funder_city", "f.city"}, {"funder_state", "f.state"}, {"funder_kind", "f.kind"},
	{"recip_id", "r.recip_id"}, {"recip_ein", "r.ein"}, {"recip_name", "r.name"}, {"recip_city", "r.city"}, {"recip_state", "r.state"},
	{"recip_zip", "r.zip"}, {"recip_country", "r.country"}, {"raw_text", "w.value"}, {"city_text", "c.value"}, {"state_text", "s.value"},
	{"zip_text", "z.value"}, {"country_text", "o.value"}, {"amount", "g.amount"}, {"year", "g.year"}, {"ntee_text", "r.ntee"}, {"support", "g.support"},
	{"purpose_text", "p.value"}, {"object_id", "x.object_id"}, {"filing_text", "x.filing"}, {"return_type", "x.return_type"}, {"period_end", "x.period_end"},
	{"rule", "g.rule"}, {"prob", "g.prob"}, {"matched", "g.matched"}, {"class", "g.class"},
}

const answerJoins = ` JOIN funder f ON f.id = g.funder JOIN recipient r ON r.id = g.recipient JOIN filed_text w ON w.id = g.raw
	JOIN filed_text p ON p.id = g.purpose JOIN filed_city c ON c.id = g.city JOIN state s ON s.id = g.state
	JOIN zip z ON z.id = g.zip JOIN country o ON o.id = g.country JOIN filing x ON x.id = g.filing`

// answerFields lists the fields of a row, in a wide table or by joins.
func answerFields(wide bool) string {
	list := make([]string, len(answerColumns))
	for i, c := range answerColumns {
		if list[i] = c.from; wide {
			list[i] = "g." + c.name
		}
	}
	return strings.Join(list, ", ")
}

// wideSQL puts the fields of an answer beside the codes.
var wideSQL = func() string {
	list := []string{"g.*"}
	for _, c := range answerColumns {
		if !strings.HasPrefix(c.from, "g.") {
			list = append(list, c.from+" AS "+c.name)
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM coded g" + answerJoins
}()

// rulesSQL numbers the rules as package grant does.
func rulesSQL() string {
	rows := []string{"(0, '')"}
	for _, r := range grant.Rules() {
		rows = append(rows, fmt.Sprintf("(%d, '%s')", r, r))
	}
	return "INSERT INTO rule VALUES " + strings.Join(rows, ", ")
}

// codebook translates filters into conditions on the numbers of the coded
// tables and reads the answers. Every value of a small dimension is held here,
// so that the engine is asked about numbers alone.
type codebook struct {
	db      *sql.DB
	partial []int
	// contains selects the ids of the texts with these words.
	contains func(table, words string, stems []string) string
	// wide says that there are two tables of grants, sorted both ways, which
	// hold the fields of an answer as well.
	wide bool

	funders    map[ein.EIN]int64
	recipients map[ein.EIN]int64
	dims       map[string][]value
}

// value is one value of a dimension with its code.
type value struct {
	id   int64
	text string
}

func readCodebook(ctx context.Context, db *sql.DB, s *snapshot.Snapshot) (*codebook, error) {
	b := &codebook{db: db, partial: s.Manifest.Counts.PartialFiscalYear, funders: map[ein.EIN]int64{}, recipients: map[ein.EIN]int64{}, dims: map[string][]value{}}
	for _, d := range [...]string{"state", "zip", "county", "country", "ntee", "kind"} {
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
	for table, ids := range map[string]map[ein.EIN]int64{"funder": b.funders, "recipient": b.recipients} {
		list, err := values(ctx, db, "SELECT id, ein FROM "+table+" WHERE ein <> ''")
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			ids[number(v.text)] = v.id
		}
	}
	return b, nil
}

func values(ctx context.Context, db *sql.DB, query string) ([]value, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []value
	for rows.Next() {
		var v value
		if err := rows.Scan(&v.id, &v.text); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// oneOf is the condition that a column has one of the codes.
func oneOf(column string, ids []int64) string {
	switch len(ids) {
	case 0:
		return "FALSE"
	case 1:
		return column + " = " + strconv.FormatInt(ids[0], 10)
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(id, 10)
	}
	return column + " IN (" + strings.Join(texts, ", ") + ")"
}

// codes are the codes of the values that fit.
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

// table is the table of grants in which a question about the filter touches
// the fewest rows.
func (b *codebook) table(f *graph.Filter, recipients bool) string {
	switch {
	case !b.wide:
		return "coded"
	case len(f.Recipients) > 0 || recipients && len(f.Funders) == 0:
		return "by_recipient"
	}
	return "by_funder"
}

// clause is a filter in SQL: the tables made for it, each followed by a comma,
// and the condition on rows of grants, called g.
type clause struct{ with, where string }

// alone is the tables as the beginning of a statement.
func (c *clause) alone() string {
	if c.with == "" {
		return ""
	}
	return "WITH " + strings.TrimSuffix(c.with, ", ") + " "
}

// clause translates a filter.
func (b *codebook) clause(f *graph.Filter, recipients bool) clause {
	var with strings.Builder
	var parts []string
	and := func(s string) { parts = append(parts, s) }
	if len(f.Funders) > 0 {
		and(oneOf("g.funder", lookup(b.funders, f.Funders)))
	}
	if len(f.Recipients) > 0 {
		and(oneOf("g.recipient", lookup(b.recipients, f.Recipients)))
	}
	if s := spans(f.Years); s != "" {
		and(s)
	}
	if !f.Subject.Empty() {
		and(oneOf("g.ntee", b.codes("ntee", func(s string) bool { return f.Subject.Matches(ntee.Code(s)) })))
	}
	if len(f.Place.Values) > 0 {
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
	if f.Exclude != 0 {
		and(fmt.Sprintf("g.class & %d = 0", f.Exclude))
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

// text is the condition that a row holds a term. DuckDB is given the texts as
// tables of their own, which it searches once; PostgreSQL as arrays, for which
// it uses the indexes on grants. Stems are letters and digits only, so they
// can stand in the statement.
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
		return "g.funder IN (SELECT id FROM funder WHERE " + funderPlace(p) + ")"
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
	where := "(" + strings.Join(parts, " OR ") + ")"
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

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Transactions are the matching rows.
func (b *codebook) Transactions(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.Grant, int64, error) {
	table, c := b.table(f, false), b.clause(f, false)
	var hits int64
	// Two statements are faster than one, unless the condition is dear.
	once := b.wide && c.with != ""
	if !once {
		if err := b.db.QueryRowContext(ctx, c.alone()+"SELECT count(*) FROM "+table+" g WHERE "+c.where).Scan(&hits); err != nil {
			return nil, 0, err
		}
		if int64(page.Offset) >= hits {
			return []graph.Grant{}, hits, nil
		}
	}
	// For few rows, PostgreSQL would still walk all grants in the order asked
	// for; a fence makes it find the rows first.
	fenced := !b.wide && hits < fewRows
	rows, err := b.db.QueryContext(ctx, b.pageSQL(table, &c, s, page, once, fenced))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list := []graph.Grant{}
	for rows.Next() {
		g := graph.Grant{Funder: new(graph.Funder), Recipient: new(graph.Recipient)}
		var funder, recipient string
		var n int64
		if err := rows.Scan(&n, &g.Key, &funder, &g.Funder.Name, &g.Funder.City, &g.Funder.State, &g.Funder.Kind,
			&g.Recipient.ID, &recipient, &g.Recipient.Name, &g.Recipient.City, &g.Recipient.State, &g.Recipient.ZIP, &g.Recipient.Country,
			&g.NameFiled, &g.City, &g.State, &g.ZIP, &g.Country, &g.Amount, &g.FiscalYear, &g.NTEE, &g.Support, &g.Purpose,
			&g.ObjectID, &g.Filing, &g.ReturnType, &g.PeriodEnd, &g.Rule, &g.Prob, &g.Matched, &g.Classes); err != nil {
			return nil, 0, err
		}
		g.Funder.EIN, g.Recipient.EIN = number(funder), number(recipient)
		hits = max(hits, n)
		list = append(list, g)
	}
	if err := rows.Err(); err != nil || len(list) > 0 || !once {
		return list, hits, err
	}
	err = b.db.QueryRowContext(ctx, c.alone()+"SELECT count(*) FROM "+table+" g WHERE "+c.where).Scan(&hits)
	return list, hits, err
}

// fewRows is how many rows are sorted rather than met on the way through an
// index.
const fewRows = 10_000

// pageSQL reads a page of rows, each with the number of all rows before it
// where it is counted in the same statement, else 0.
func (b *codebook) pageSQL(table string, c *clause, s graph.Sort, page graph.Page, counted, fenced bool) string {
	column, from := "g.amount", table+" g"
	switch s.By {
	case graph.ByYear:
		column = "g.year"
	case graph.ByFunderName:
		column, from = "f.name", from+" JOIN funder f ON f.id = g.funder"
	case graph.ByFunderState:
		column, from = "f.state", from+" JOIN funder f ON f.id = g.funder"
	case graph.ByRecipName:
		column, from = "r.name", from+" JOIN recipient r ON r.id = g.recipient"
	case graph.ByRecipState:
		column = "g.state" // codes are in the order of the texts
	}
	order := fmt.Sprintf("%s, g.amount DESC, g.rank", direction(s))
	cut := fmt.Sprintf("LIMIT %d OFFSET %d", page.Limit, page.Offset)
	switch {
	case counted:
		return "WITH " + c.with + "m AS MATERIALIZED (SELECT g.rowid AS id, g.amount, g.rank, " + column + " AS sorted FROM " + from + " WHERE " + c.where + "), " +
			"page AS MATERIALIZED (SELECT *, (SELECT count(*) FROM m) AS hits FROM m g ORDER BY g.sorted" + order + " " + cut + ") " +
			"SELECT p.hits, " + answerFields(true) + " FROM page p JOIN " + table + " g ON g.rowid = p.id ORDER BY p.sorted" + order
	case b.wide:
		return c.alone() + "SELECT 0, " + answerFields(true) + " FROM " + from + " WHERE " + c.where + " ORDER BY " + column + order + " " + cut
	}
	found := "SELECT g.*, " + column + " AS sorted FROM " + from + " WHERE " + c.where
	if fenced {
		found = "SELECT * FROM (" + found + " OFFSET 0) g ORDER BY g.sorted" + order + " " + cut
	} else {
		found += " ORDER BY " + column + order + " " + cut
	}
	return "WITH page AS MATERIALIZED (" + found + ") SELECT 0, " + answerFields(false) + " FROM page g" + answerJoins + " ORDER BY g.sorted" + order
}

// Funders are the funders of the matching rows.
func (b *codebook) Funders(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.FunderTotal, int64, error) {
	list, hits := []graph.FunderTotal{}, int64(0)
	err := b.totals(ctx, f, s, page, "funder", "recipient", "f.ein, f.name, f.city, f.state, f.kind", &hits, func(scan func(...any) error) error {
		var t graph.FunderTotal
		var id string
		err := scan(&hits, &id, &t.Name, &t.City, &t.State, &t.Kind, &t.Total, &t.Grants, &t.Recipients, &t.FirstYear, &t.LastYear)
		t.EIN = number(id)
		list = append(list, t)
		return err
	})
	return list, hits, err
}

// Recipients are the recipients of the matching rows.
func (b *codebook) Recipients(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page) ([]graph.RecipientTotal, int64, error) {
	list, hits := []graph.RecipientTotal{}, int64(0)
	err := b.totals(ctx, f, s, page, "recipient", "funder", "f.recip_id, f.ein, f.name, f.city, f.state, f.zip, f.country", &hits, func(scan func(...any) error) error {
		var t graph.RecipientTotal
		var id string
		err := scan(&hits, &t.ID, &id, &t.Name, &t.City, &t.State, &t.ZIP, &t.Country, &t.Total, &t.Grants, &t.Funders, &t.FirstYear, &t.LastYear)
		t.EIN = number(id)
		list = append(list, t)
		return err
	})
	return list, hits, err
}

// totals groups the matching rows by one side of the graph. Ids are in the
// order of EINs and identities, so ties are broken by them.
func (b *codebook) totals(ctx context.Context, f *graph.Filter, s graph.Sort, page graph.Page, side, other, columns string, hits *int64, read func(func(...any) error) error) error {
	recipients := side == "recipient"
	table, c := b.table(f, recipients), b.clause(f, recipients)
	column, from := aggregateColumn(s, "f"), "t"
	if strings.HasPrefix(column, "f.") {
		from = "t JOIN " + side + " f ON f.id = t.id"
	}
	rows, err := b.db.QueryContext(ctx, "WITH "+c.with+fmt.Sprintf(`t AS (
			SELECT %s AS id, sum(amount)::BIGINT AS total, count(*) AS grants, count(DISTINCT %s) AS others, min(year) AS low, max(year) AS high
			FROM %s g WHERE %s GROUP BY %[1]s), page AS MATERIALIZED (
			SELECT t.*, %[5]s AS sorted, count(*) OVER () AS hits FROM %[6]s ORDER BY %[5]s %[7]s, total DESC, t.id LIMIT %[8]d OFFSET %[9]d)
		SELECT hits, %[10]s, total, grants, others, low, high FROM page t JOIN %[1]s f ON f.id = t.id ORDER BY sorted %[7]s, total DESC, t.id`,
		side, other, table, c.where, column, from, direction(s), page.Limit, page.Offset, columns))
	if err != nil {
		return err
	}
	defer rows.Close()
	any := false
	for rows.Next() {
		any = true
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil || any {
		return err
	}
	return b.db.QueryRowContext(ctx, c.alone()+"SELECT count(DISTINCT "+side+") FROM "+table+" g WHERE "+c.where).Scan(hits)
}

// Summary is the sum of the matching rows, as a whole and by fiscal year.
func (b *codebook) Summary(ctx context.Context, f *graph.Filter) (graph.Totals, []graph.YearTotals, error) {
	c := b.clause(f, false)
	return scanSummary(ctx, b.db, b.partial, c.alone()+`SELECT coalesce(year, 0), coalesce(sum(amount), 0)::BIGINT, count(*), count(DISTINCT funder), count(DISTINCT recipient)
		FROM `+b.table(f, false)+` g WHERE `+c.where+` GROUP BY GROUPING SETS ((), (year)) ORDER BY 1`)
}

// Excluded is what each class takes away from the rows that match the filter
// without any exclusion.
func (b *codebook) Excluded(ctx context.Context, f *graph.Filter) (map[graph.Class]graph.Cost, error) {
	all := *f
	all.Exclude = 0
	where := b.clause(&all, false)
	costs := map[graph.Class]graph.Cost{}
	for _, c := range classColumns {
		if f.Exclude&c.class == 0 {
			continue
		}
		var cost graph.Cost
		if err := b.db.QueryRowContext(ctx, where.alone()+fmt.Sprintf("SELECT count(*), coalesce(sum(amount), 0)::BIGINT FROM %s g WHERE g.class & %d <> 0 AND %s",
			b.table(f, false), c.class, where.where)).Scan(&cost.Grants, &cost.Amount); err != nil {
			return nil, err
		}
		costs[c.class] = cost
	}
	return costs, nil
}
