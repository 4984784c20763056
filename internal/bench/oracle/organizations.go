package oracle

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite"

	"grantgraph/internal/each"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Organizations is DuckDB over the organizations as the snapshot has them, with what their latest filings and
// the compliance lists say beside each: what somebody would load who wants to filter them. It is the
// definition of what each filter of package directory means.
type Organizations struct{ *database }

// OpenOrganizations loads a snapshot and an edition of the lists, which may be nil,
// into a DuckDB file that is gone after Close.
func OpenOrganizations(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) (*Organizations, error) {
	db, err := openDuck(ctx, organizationSQL(s, e))
	if err != nil {
		return nil, err
	}
	return &Organizations{db}, nil
}

//go:embed organizations.sql
var organizationsSQL string

// standingRevocations selects from a list the revocations that stand.
const standingRevocations = `(SELECT ein FROM (
	SELECT ein, revocation_date, reinstatement_date, max(coalesce(reinstatement_date, '')) OVER (PARTITION BY ein) latest FROM %s)
	WHERE reinstatement_date IS NULL AND revocation_date > latest)`

func organizationSQL(s *snapshot.Snapshot, e *lists.Edition) string {
	listed := func(list, table, which string) string {
		if e == nil || !e.Status(list).Loaded {
			return "NULL::BOOLEAN"
		}
		return "o.ein IN (SELECT ein FROM " + fmt.Sprintf(which, parquet(e.Path(table))) + ")"
	}
	return strings.NewReplacer("{organizations}", parquet(s.Path(snapshot.Organizations)), "{filings}", parquet(s.Path(snapshot.Orgs)),
		"{funders}", parquet(s.Path(snapshot.FunderKinds)), "{in_bmf}", listed(lists.BMF, lists.Masters, "%s"),
		"{pub78}", listed(lists.Pub78, lists.Deductibles, "%s"),
		"{revoked}", listed(lists.Revocation, lists.Revocations, standingRevocations)).Replace(organizationsSQL)
}

// List are the organizations that a filter asks for: a page of them in an order, and how many there are.
func (o *Organizations) List(ctx context.Context, f *directory.Filter, s directory.Sort, offset, limit int) (list []directory.Row, hits int, err error) {
	where := organizationCondition(f)
	if err := o.QueryRowContext(ctx, "SELECT count(*) FROM organization WHERE "+where).Scan(&hits); err != nil {
		return nil, 0, err
	}
	if offset >= hits {
		return nil, hits, nil
	}
	column := map[directory.Order]string{
		directory.ByName: "sort_name", directory.ByRevenue: "revenue", directory.ByAssets: "assets", directory.ByExpenses: "expenses",
		directory.ByGrantsPaid: "grants_paid",
	}[s.By]
	if s.Asc {
		column += " ASC NULLS LAST"
	} else {
		column += " DESC NULLS LAST"
	}
	list, err = collect(ctx, o.DB, scanOrganization, `SELECT ein, name, coalesce(city, ''), coalesce(state, ''), coalesce(zip5, ''),
			coalesce(county, ''), coalesce(ntee, ''), coalesce(subsection, ''), coalesce(foundation, ''),
			CASE WHEN group_number <> '' THEN right('0000' || group_number, greatest(4, length(group_number))) ELSE '' END,
			coalesce(ruling_year, 0), coalesce(funder_kind, ''), coalesce(return_type, ''), coalesce(tax_year, 0), accepts,
			revenue, expenses, assets, grants_paid, in_bmf, pub78, revoked
		FROM organization WHERE `+where+` ORDER BY `+column+`, ein LIMIT ? OFFSET ?`, limit, offset)
	return list, hits, err
}

func scanOrganization(rows *sql.Rows) (r directory.Row, err error) {
	var id string
	err = rows.Scan(&id, &r.Name, &r.City, &r.State, &r.ZIP, &r.County, &r.NTEE, &r.Subsection, &r.Foundation, &r.Group,
		&r.RulingYear, &r.FunderKind, &r.ReturnType, &r.FiscalYear, &r.Accepts, &r.Revenue, &r.Expenses, &r.Assets, &r.GrantsPaid, &r.InBMF, &r.Pub78, &r.OnRevoked)
	r.EIN, r.FoundationType = einOf(id), foundationTypes[r.Foundation]
	return r, err
}

var foundationTypes = map[string]string{
	"02": "POF", "03": "POF", "04": "PF", "10": "PC", "11": "PC", "12": "PC", "13": "PC", "14": "PC", "15": "PC", "16": "PC", "18": "PC", "25": "PC",
	"17": "SO", "21": "SO", "22": "SO", "23": "SO", "24": "SO",
}

func organizationCondition(f *directory.Filter) string {
	parts := []string{"TRUE"}
	for _, c := range []struct {
		column string
		values []string
	}{{"state", f.States}, {"county", f.Counties}, {"return_type", f.ReturnTypes}, {"subsection", f.Subsections},
		{"foundation", f.FoundationCodes}, {"group_number", f.Groups}, {"accepts", f.Accepts}} {
		if len(c.values) > 0 {
			parts = append(parts, among(c.column, c.values))
		}
	}
	anyOf := func(either []string) {
		if len(either) > 0 {
			parts = append(parts, "("+strings.Join(either, " OR ")+")")
		}
	}
	anyOf(each.Of(f.Cities, func(c directory.City) string {
		if c.State == "" {
			return "city_key = " + quote(c.Name)
		}
		return "city_key = " + quote(c.Name) + " AND state = " + quote(c.State)
	}))
	anyOf(each.Of(f.ZIPs, func(zip string) string { return fmt.Sprintf("left(zip5, %d) = %s", len(zip), quote(zip)) }))
	for _, subject := range f.Causes {
		anyOf(each.Of(subject.Items, func(it ntee.Item) string {
			if it.Kind == ntee.Prefix {
				return "starts_with(ntee, " + quote(string(it.Prefix)) + ")"
			}
			letters := strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")
			return among("left(ntee, 1)", slices.DeleteFunc(letters, func(s string) bool { return it.Majors>>(s[0]-'A')&1 == 0 }))
		}))
	}
	for _, r := range []struct {
		column string
		of     directory.Range
	}{{"revenue", f.Revenue}, {"assets", f.Assets}, {"expenses", f.Expenses}, {"grants_paid", f.GrantsPaid}, {"ruling_year", f.RulingYear}} {
		if r.of.Min != nil {
			parts = append(parts, fmt.Sprintf("%s >= %d", r.column, *r.of.Min))
		}
		if r.of.Max != nil {
			parts = append(parts, fmt.Sprintf("%s <= %d", r.column, *r.of.Max))
		}
	}
	for _, s := range []struct {
		column string
		is     *bool
	}{{"pub78", f.Pub78}, {"revoked", f.Revoked}, {"in_bmf", f.InBMF}} {
		if s.is != nil {
			parts = append(parts, fmt.Sprintf("%s = %t", s.column, *s.is))
		}
	}
	return strings.Join(parts, " AND ")
}

type Finder interface {
	Name() string
	// Find returns the EINs of at most ten organizations, best first.
	Find(ctx context.Context, name string) ([]string, error)
	Size() int64 // bytes of the names and their index on disk, 0 if it is not known
	Close() error
}

type sqlFinder struct {
	name  string
	db    *sql.DB
	query string
	args  func(name string) []string // each asked for if the one before finds nothing
	size  int64
	close func() error
}

func (f *sqlFinder) Name() string { return f.name }
func (f *sqlFinder) Size() int64  { return f.size }
func (f *sqlFinder) Close() error { return f.close() }

func (f *sqlFinder) Find(ctx context.Context, name string) (list []string, err error) {
	for _, arg := range f.args(name) {
		list, err = collect(ctx, f.db, func(rows *sql.Rows) (id string, err error) {
			err = rows.Scan(&id)
			return id, err
		}, f.query, arg)
		if err != nil || len(list) > 0 {
			break
		}
	}
	return list, err
}

// OpenLike is DuckDB that finds the names which contain what is asked for, shortest first. It finds no misspelled name.
func OpenLike(ctx context.Context, s *snapshot.Snapshot) (Finder, error) {
	db, err := openDuck(ctx, "CREATE TABLE organization AS SELECT ein, name FROM "+parquet(s.Path(snapshot.Organizations)))
	if err != nil {
		return nil, err
	}
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	return &sqlFinder{name: "DuckDB ILIKE", db: db.DB, close: db.Close,
		query: `SELECT ein FROM organization WHERE name ILIKE ? ESCAPE '\' ORDER BY length(name), ein LIMIT 10`,
		args:  func(name string) []string { return []string{"%" + escape.Replace(name) + "%"} }}, nil
}

// OpenTrigrams is PostgreSQL that finds the names with the most trigrams in
// common with what is asked for, through an index made for that.
func OpenTrigrams(ctx context.Context, s *snapshot.Snapshot, p *Postgres) (Finder, error) {
	for _, statement := range []string{"CREATE EXTENSION pg_trgm", "CREATE TABLE organization (ein text, name text)"} {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := p.copyOrganizations(ctx, s); err != nil {
		return nil, err
	}
	for _, statement := range []string{"CREATE INDEX ON organization USING gin (name gin_trgm_ops)", "VACUUM ANALYZE organization"} {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	var size int64
	if err := p.pool.QueryRow(ctx, "SELECT pg_total_relation_size('organization')").Scan(&size); err != nil {
		return nil, err
	}
	return &sqlFinder{name: "PostgreSQL pg_trgm", db: p.codebook.db, size: size, close: func() error { return nil },
		query: "SELECT ein FROM organization WHERE name % $1 ORDER BY similarity(name, $1) DESC, ein LIMIT 10",
		args:  func(name string) []string { return []string{name} }}, nil
}

// OpenFTS is SQLite with an FTS5 index of trigrams. It looks for the name as a whole and, if there is none, for the names
// with the most of its trigrams.
func OpenFTS(ctx context.Context, s *snapshot.Snapshot) (Finder, error) {
	dir, err := os.MkdirTemp("", "grantgraph-fts-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "names")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	db.SetMaxOpenConns(1)
	f := &sqlFinder{name: "SQLite FTS5", db: db, args: ftsQueries, close: func() error { return errors.Join(db.Close(), os.RemoveAll(dir)) },
		query: "SELECT ein FROM named JOIN organization ON id = named.rowid WHERE named MATCH ? ORDER BY rank LIMIT 10"}
	if err := fillFTS(ctx, db, s); err != nil {
		return nil, errors.Join(fmt.Errorf("loading SQLite: %w", err), f.Close())
	}
	if info, err := os.Stat(path); err == nil {
		f.size = info.Size()
	}
	return f, nil
}

func fillFTS(ctx context.Context, db *sql.DB, s *snapshot.Snapshot) error {
	_, err := db.ExecContext(ctx, `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA mmap_size = 8000000000;
		CREATE TABLE organization (id INTEGER PRIMARY KEY, ein TEXT, name TEXT);
		CREATE VIRTUAL TABLE named USING fts5(name, content = 'organization', content_rowid = 'id', tokenize = 'trigram'); BEGIN`)
	if err != nil {
		return err
	}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err == nil {
			_, err = db.ExecContext(ctx, "INSERT INTO organization (ein, name) VALUES (?, ?)", o.EIN, o.Name)
		}
		if err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO named (named) VALUES ('rebuild'); INSERT INTO named (named) VALUES ('optimize'); COMMIT")
	return err
}

func ftsQueries(name string) []string {
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	var trigrams []string
	for letters := []rune(name); len(letters) >= 3; letters = letters[1:] {
		trigrams = append(trigrams, quoted(string(letters[:3])))
	}
	return []string{quoted(name), strings.Join(trigrams, " OR ")}
}
