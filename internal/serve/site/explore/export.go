package explore

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/sheet"
	tsv "grantgraph/internal/table"
)

// MostRows is how many rows a file has at most.
const MostRows = 100_000

// ExportWeight is the bytes that writing a file takes, beside a page of rows.
const ExportWeight = 8 << 20

const atATime = 1000

// Export is a view, or another list, that a visitor downloads as a file.
type Export struct {
	Action   string   // address of the download
	View     string   // the query of its address
	Back     string   // address of the page with the list
	Lead     string   // what is selected
	Total    string   // the totals of the selection
	What     string   // grants, funders, recipients or years
	Name     string   // of the file, without its ending
	Rows     int64    // of the view
	Written  int64    // rows in the file
	Columns  []string // of the file
	Caveats  []string
	Problems []string // why there is no file

	frame   *frame.Frame
	r       *http.Request
	caller  api.Caller
	path    string     // of the operation of the API that has the rows
	asked   url.Values // its parameters
	view    view
	next    func() ([]any, error)
	first   []any
	row     any
	version string
}

// Canonical is the canonical form of the query of a view.
func Canonical(raw string) (query string, ok bool) {
	sent, err := url.ParseQuery(raw)
	if err != nil || len(raw) > mostAddress {
		return "", false
	}
	v := newView(sent)
	v.query.Del("page")
	return v.String(), true
}

// NewExport reads the view of a query. If a part of the query cannot be read, Problems says why and there is no file, because
// it would have other rows than the visitor asked for.
func NewExport(f *frame.Frame, r *http.Request, caller api.Caller, query string, most int64) (*Export, error) {
	sent, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	v := newView(sent)
	v.query.Del("page")
	x := &Export{Action: "/download", View: v.String(), Back: v.path(), frame: f, r: r, caller: caller, path: paths[v.tab], asked: v.query, view: v,
		version: frame.DatasetOf(r).Version(),
		What:    map[string]string{tabGrants: "grants", tabFunders: "funders", tabRecipients: "recipients", tabSummary: "fiscal years"}[v.tab]}
	x.Name = "grantgraph-" + strings.ReplaceAll(x.What, " ", "-")
	asked, err := v.filter(frame.DatasetOf(r))
	if _, x.Problems = refused(err); len(x.Problems) > 0 {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	sum, release, err := frame.Answer[*grants.SummaryAnswer](f, r, caller, paths[tabSummary], v.filters())
	defer release()
	if err != nil {
		return nil, err
	}
	x.Problems, x.Caveats = remarks(sum)
	said := inWords(v, asked, func(id ein.EIN) string {
		org, _ := frame.DatasetOf(r).Search.Lookup(id)
		return org.Name
	})
	x.Lead, x.Total = said.Sentence(), totalLine(sum)
	q := v.query
	switch v.tab {
	case tabGrants:
		x.row, x.Rows, x.next = grants.GrantRow{}, sum.Summary.GrantCount, reading(x, q, most, redactGrant)
	case tabFunders:
		x.row, x.Rows, x.next = client.FunderRow{}, sum.Summary.FunderCount, reading[client.FunderRow](x, q, most, nil)
	case tabRecipients:
		apart, err := x.apart(asked)
		if err != nil {
			return nil, err
		}
		q = v.clone().query
		q.Set("exclude", recipientExclude(v))
		x.row, x.next = grants.RecipientRow{}, reading(x, q, most-int64(len(apart)), redactRecipient)
		if x.Rows, err = x.recipients(q); err != nil {
			return nil, err
		}
		x.Rows += int64(len(apart))
		x.next = followed(x.next, apart)
	case tabSummary:
		x.row, x.Rows = client.Year{}, int64(len(sum.ByYear))
		years := each.Append(nil, sum.ByYear, func(y client.Year) any { return y })
		x.next = followed(func() ([]any, error) { return nil, nil }, years)
	}
	x.Written = min(x.Rows, most)
	x.Columns = api.Headings(x.row)
	return x, nil
}

// NewList is a file of all rows of an operation of the API that lists R.
func NewList[R any](f *frame.Frame, r *http.Request, caller api.Caller, path string, asked url.Values) (*Export, error) {
	x := &Export{frame: f, r: r, caller: caller, path: path, asked: asked, version: frame.DatasetOf(r).Version(), row: *new(R)}
	one := maps.Clone(asked)
	one.Set("limit", "1")
	list, release, err := frame.Answer[*api.List[R]](f, r, caller, path, one)
	defer release()
	if err != nil {
		return nil, err
	}
	x.Rows, x.Written, x.Columns = list.Hits, min(list.Hits, MostRows), api.Headings(x.row)
	x.Caveats = each.Append(x.Caveats, list.Service.Warnings, func(w client.Warning) string { return w.Reason })
	x.next = reading[R](x, asked, MostRows, nil)
	return x, nil
}

// reading reads rows page by page and redacts them. An empty page is the end.
func reading[R any](x *Export, query url.Values, most int64, redact func(*R)) func() ([]any, error) {
	q := maps.Clone(query)
	done := int64(0)
	return func() ([]any, error) {
		limit := min(atATime, most-done)
		if limit <= 0 {
			return nil, nil
		}
		q.Set("limit", strconv.FormatInt(limit, 10))
		list, release, err := frame.Answer[*api.List[R]](x.frame, x.r, x.caller, x.path, q)
		defer release()
		if err != nil {
			return nil, err
		}
		rows := make([]any, len(list.Results))
		for i := range list.Results {
			if redact != nil {
				redact(&list.Results[i])
			}
			rows[i] = list.Results[i]
		}
		done += int64(len(rows))
		if list.NextCursor == nil {
			most = done
		} else {
			q.Set("cursor", *list.NextCursor)
		}
		return rows, nil
	}
}

// followed is rows with more rows at the end.
func followed(next func() ([]any, error), last []any) func() ([]any, error) {
	return func() ([]any, error) {
		rows, err := next()
		if err == nil && len(rows) == 0 {
			rows, last = last, nil
		}
		return rows, err
	}
}

func (x *Export) recipients(q url.Values) (int64, error) {
	one := maps.Clone(q)
	one.Set("limit", "1")
	list, release, err := frame.Answer[*api.List[grants.RecipientRow]](x.frame, x.r, x.caller, paths[tabRecipients], one)
	defer release()
	if err != nil {
		return 0, err
	}
	return list.Hits, nil
}

// apart are the lines of a ranking that stand for recipients without a name.
func (x *Export) apart(f *graph.Filter) (rows []any, err error) {
	g := frame.DatasetOf(x.r).Graph
	hold, err := x.frame.Budget.Take(x.r.Context(), weight(g, f))
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	figures, err := count(x.r.Context(), g, f, false)
	if err != nil {
		return nil, err
	}
	for _, line := range apart(figures) {
		rows = append(rows, grants.RecipientRow{RecipientRow: client.RecipientRow{
			RecipName: line.Label, TotalAmount: line.Amount, GrantCount: line.Grants, Unidentified: true}})
	}
	return rows, nil
}

// redactGrant takes out of a grant to a private person what pages do not show.
func redactGrant(g *grants.GrantRow) {
	if g.Person() {
		g.RecipID, g.RecipEIN, g.RecipName, g.RecipNameFiled = "", nil, "an individual", "an individual"
		g.RecipCity, g.RecipZipcode, g.Purpose = nil, nil, nil
		g.Support, g.NTEECode, g.Subject, g.SubjectLabel, g.SubjectSource = nil, nil, nil, nil, nil
	}
}

func redactRecipient(r *grants.RecipientRow) {
	if r.Person() {
		r.RecipID, r.RecipName, r.RecipCity, r.RecipZipcode = "", "an individual", nil, nil
	}
}

// Open reads the first rows, so that a file that fails at once costs nothing.
func (x *Export) Open() (err error) {
	x.first, err = x.next()
	return err
}

func (x *Export) each(take func(row any) error) error {
	rows, err := x.first, error(nil)
	for x.first = nil; err == nil && len(rows) > 0; rows, err = x.next() {
		for _, row := range rows {
			if err := take(row); err != nil {
				return err
			}
		}
	}
	return err
}

// CSV writes the file as the API writes CSV.
func (x *Export) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(x.Columns); err != nil {
		return err
	}
	var record []string
	err := x.each(func(row any) error {
		record = api.Record(record[:0], row)
		return out.Write(record)
	})
	out.Flush()
	return cmp.Or(err, out.Error())
}

//go:embed headings.tsv
var headingsText string

var headings = tsv.Read("headings.tsv", headingsText, "column", "heading")

// heading is a column of the API in words.
func heading(column string) string {
	for _, row := range headings {
		if row.Text("column") == column {
			return row.Text("heading")
		}
	}
	return graph.UpperFirst(strings.ReplaceAll(column, "_", " "))
}

// Workbook writes the file for spreadsheets, with a second sheet that describes it.
func (x *Export) Workbook(w io.Writer, base string, now time.Time) error {
	book := sheet.New(w)
	var columns []sheet.Column
	for _, name := range x.Columns {
		c := sheet.Column{Name: heading(name), Dollars: strings.HasSuffix(name, "amount")}
		switch {
		case strings.HasSuffix(name, "name") || strings.HasSuffix(name, "name_filed"):
			c.Width = 36
		case name == "purpose" || strings.HasSuffix(name, "url"):
			c.Width = 48
		}
		columns = append(columns, c)
	}
	_ = book.Sheet(graph.UpperFirst(x.What), columns) // Close returns the first error
	var values []any
	if err := x.each(func(row any) error {
		values = api.Values(values[:0], row)
		return book.Row(values)
	}); err != nil {
		return err
	}
	_ = book.Sheet("About", []sheet.Column{{Name: "About this file", Width: 24}, {Name: "", Width: 100}})
	about := [][2]string{
		{"Selection", x.Lead}, {"In all", x.Total}, {"View", base + x.Back},
		{"API call", base + at(api.Versioned+x.path, encode(x.asked, ""))},
		{"Rows", x.Size()}, {"Dataset", x.version}, {"Written", frame.Moment(now)},
		{"Source", "Grants paid in the fiscal year, as reported on Form 990-PF and Form 990 Schedule I. Filings are published with a lag of 12 to 24 months."},
	}
	if x.view.tab == tabGrants || x.view.tab == tabRecipients {
		about = append(about, [2]string{"Private persons", "The figures include grants to private individuals. This file does not name them."})
	}
	for _, name := range x.Columns {
		about = append(about, [2]string{"Column", heading(name) + ": " + name + " in the API"})
	}
	about = each.Append(about, x.Caveats, func(c string) [2]string { return [2]string{"To know", c} })
	for _, line := range about {
		_ = book.Row([]any{line[0], line[1]})
	}
	return book.Close()
}

// Size says how many rows there are and how many of them the file has.
func (x *Export) Size() string {
	if x.Written < x.Rows {
		return fmt.Sprintf("The first %s of %s, in the same order as on the page", counted(x.Written, "row"), counted(x.Rows, "row"))
	}
	return counted(x.Rows, "row")
}
