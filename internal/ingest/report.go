package ingest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Report says what a build found, in numbers that can be checked against the tables. It goes into the
// manifest, so nothing in it depends on the machine or the clock.
type Report struct {
	Years    []YearCount `json:"by_year"`
	Rules    []Count     `json:"ein_source"` // unresolved rows last, under none
	Tiers    []Count     `json:"source_tier"`
	Classes  []Count     `json:"classes"`
	Kinds    []Count     `json:"funder_kind"` // grants and dollars by kind of funder
	Supports []Count     `json:"support"`
	Returns  ReturnCount `json:"returns"`
	Forms    []NamedInt  `json:"forms"`
	Lines    LineCount   `json:"lines"`
	Account  []Count     `json:"account"` // lines and dollars of the chosen returns, by the kinds of grant.Amounts
	Declared Declared    `json:"declared_totals"`
	Index    IndexCount  `json:"index"`

	Lists   []ListCount  `json:"lists"`
	Awards  AwardReport  `json:"awards"`
	UK      UKReport     `json:"uk"`
	Derived DeriveReport `json:"derived"`
	Abroad  AbroadCount  `json:"recipients_abroad"`

	QuarantineReasons []NamedInt            `json:"quarantine_reasons"`
	Quarantined       []snapshot.Quarantine `json:"quarantined"` // the first few; all are in the table
	Suspects          []Suspect             `json:"amount_suspects"`
	MasterRejected    []NamedInt            `json:"bmf_rejected"`

	// Files in the sources folder that were not used: how many, and the first few by path.
	UntakenCount int64              `json:"sources_not_taken"`
	Untaken      []discover.Untaken `json:"files_not_taken"`

	Model ModelReport `json:"model"` // of the lines that no rule decides

	// Unnamed are the rows that name neither an organization nor a person:
	// pointers to lists that were not e-filed, and totals of many grants.
	Unnamed Count      `json:"unnamed"`
	Masked  MaskReport `json:"masked"`

	Related RelatedReport `json:"related_by"`

	FiledNameConflicts  int64    `json:"filed_name_conflicts"`  // rows whose filed EIN belongs to another name
	FiledGroupConflicts int64    `json:"filed_group_conflicts"` // rows that name a member of a group and state the EIN of its center
	OwnEIN              int64    `json:"own_ein"`               // rows with the funder's own EIN that are gifts to itself
	UnknownRelations    int64    `json:"unknown_relationships"`
	Warnings            []string `json:"warnings"`
}

type YearCount struct {
	FiscalYear  int   `json:"fiscal_year"`
	Grants      int64 `json:"grant_count"`
	TotalAmount int64 `json:"total_amount"`
	Funders     int64 `json:"funder_count"`
	Filers      int64 `json:"filer_count"` // with or without grants
	Partial     bool  `json:"partial"`
	// Rules are how recipients were found in the year, unresolved rows last.
	Rules []Count `json:"ein_source"`
}

// Count is a share of the grants.
type Count struct {
	Name        string `json:"name"`
	Grants      int64  `json:"grant_count"`
	TotalAmount int64  `json:"total_amount"`
	Funders     int64  `json:"funder_count,omitempty"`
}

type NamedInt struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

type ReturnCount struct {
	Read         int64 `json:"read"`
	Chosen       int64 `json:"chosen"`
	Superseded   int64 `json:"superseded"`
	Duplicate    int64 `json:"duplicate"`
	Outside      int64 `json:"outside,omitempty"` // of filers that the build leaves out
	Quarantined  int64 `json:"quarantined"`
	Amended      int64 `json:"amended"`
	LinesKept    int64 `json:"lines_kept_from_earlier"` // amendments that left the list out
	WithoutName  int64 `json:"without_object_id"`
	ArchiveFault int64 `json:"unreadable_members"` // members that could not be extracted from a damaged zip
}

type LineCount struct {
	Read        int64 `json:"read"`
	Rows        int64 `json:"rows"`
	Zero        int64 `json:"zero"`
	NonCash     int64 `json:"noncash_only"`
	Negative    int64 `json:"negative"`
	NegativeSum int64 `json:"negative_dollars"`
	Totals      int64 `json:"total_lines"`
	TooLarge    int64 `json:"too_large"`
	Repeated    int64 `json:"repeated_lists"`
	Empty       int64 `json:"empty"`
}

// Declared compares the itemized sums with the filers' own totals, over chosen returns that list grants. The
// two forms are kept apart: a 990-PF must itemize every grant, a Schedule I only those over $5,000.
type Declared struct {
	PF  Agreement `json:"990PF"`
	F90 Agreement `json:"990"`
}

type Agreement struct {
	Compared int64 `json:"compared"`
	Exact    int64 `json:"exact"`
	Within2  int64 `json:"within_2_percent"`
	Over     int64 `json:"itemized_more"`
	Under    int64 `json:"itemized_less"`
	Missing  int64 `json:"not_declared"`
}

// IndexCount compares the IRS's own list with what was read.
type IndexCount struct {
	Rows    int64 `json:"rows"`
	Present int64 `json:"present"`
	Missing int64 `json:"missing"` // listed, but in no archive
}

type ListCount struct {
	Name     string            `json:"name"`
	Loaded   bool              `json:"loaded"`
	Rows     int64             `json:"rows"`
	Rejected []lists.Rejection `json:"rejected"`
	Revised  string            `json:"revised,omitempty"`
	Problem  string            `json:"problem,omitempty"`
}

// Suspect is a row whose amount is larger than the total that its return declares.
type Suspect struct {
	Filing   string `json:"filing"`
	Funder   string `json:"funder_ein"`
	Name     string `json:"recipient"`
	Amount   int64  `json:"amount"`
	Declared int64  `json:"declared"`
}

// Lists in the report are cut to this length. The list of unused files may be longer.
const (
	maxListed  = 25
	maxUntaken = 1000
)

// newReport makes a report whose empty lists are written as [] and not as null.
func newReport() *Report {
	return &Report{
		QuarantineReasons: []NamedInt{},
		Quarantined:       []snapshot.Quarantine{},
		Suspects:          []Suspect{},
		MasterRejected:    []NamedInt{},
		Warnings:          []string{},
		Unnamed:           Count{Name: "unnamed"},
		Related:           RelatedReport{Count{Name: "filed"}, Count{Name: "name"}, Count{Name: "officers"}},
		Masked:            MaskReport{Individuals: snapshot.IndividualsFiled},
		Untaken:           []discover.Untaken{},
	}
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func addNamed(list []NamedInt, name string, n int64) []NamedInt {
	i, found := slices.BinarySearchFunc(list, name, func(e NamedInt, name string) int { return strings.Compare(e.Name, name) })
	if !found {
		list = slices.Insert(list, i, NamedInt{Name: name})
	}
	list[i].Count += n
	return list
}

type tally struct {
	years    map[int16]*YearCount
	rules    []Count
	tiers    [2]Count // matched, universe
	classes  [4]Count
	kinds    map[string]*Count
	supports []Count
	linked   int64
	dollars  int64
	linkedUS int64
}

// countRows fills the report's tables of rows and returns the headline numbers.
func (b *builder) countRows(c *corpus) snapshot.Counts {
	t := tally{years: make(map[int16]*YearCount), kinds: make(map[string]*Count)}
	t.rules = countRules()
	t.tiers = [2]Count{{Name: grant.Matched}, {Name: grant.Universe}}
	t.classes = [4]Count{{Name: grant.Individuals}, {Name: "unidentified"}, {Name: grant.DAF}, {Name: grant.RelatedParty}}
	t.supports = each.Append(t.supports, grant.Supports(), func(s grant.Support) Count { return Count{Name: s.IDs()[0]} })
	for _, k := range grant.FunderKinds() {
		t.kinds[k] = &Count{Name: k}
	}
	for i := range c.funders {
		t.addFunder(b, c, &c.funders[i])
	}
	// Go through the rows in the order of reading, so that the columns of recipients are read sequentially.
	for row, amount := range c.lines.amount {
		t.tiers[c.tierOf(uint32(row))].add(amount)
	}
	b.report.addYears(c.filings, t.years, b.opt.Complete)
	b.report.Rules = fired(t.rules)
	b.report.Tiers = t.tiers[:]
	b.report.Classes = t.classes[:]
	b.report.Kinds = each.Append(b.report.Kinds, grant.FunderKinds(), func(k string) Count { return *t.kinds[k] })
	b.report.Supports = t.supports
	b.report.addReturns(c.filings)

	counts := snapshot.Counts{
		Grants: int64(len(c.lines.amount)), TotalAmount: t.dollars, Funders: int64(len(c.funders)), Recipients: int64(c.recipients.ids.len()),
		Linked: t.linked, LinkedAmount: t.linkedUS, Returns: b.report.Returns.Chosen, PartialFiscalYear: []int{},
	}
	for _, y := range b.report.Years {
		if y.Grants == 0 {
			continue
		}
		counts.FirstFiscalYear = cmp.Or(counts.FirstFiscalYear, y.FiscalYear)
		counts.LastFiscalYear = y.FiscalYear
		if y.Partial {
			counts.PartialFiscalYear = append(counts.PartialFiscalYear, y.FiscalYear)
		} else {
			counts.LastCompleteYear = y.FiscalYear
		}
	}
	return counts
}

// countRules makes a count for each rule in order, and one for rows without a rule.
func countRules() []Count {
	rules := grant.Rules()
	list := make([]Count, len(rules)+1)
	for i, r := range rules {
		list[i].Name = r.String()
	}
	list[len(rules)].Name = "none"
	return list
}

func fired(list []Count) []Count {
	return slices.DeleteFunc(list, func(c Count) bool { return c.Grants == 0 && c.Name != "none" })
}

func (c *Count) add(amount int64) {
	c.Grants++
	c.TotalAmount += amount
}

func (c *Count) join(d Count) {
	c.Grants += d.Grants
	c.TotalAmount += d.TotalAmount
}

func (t *tally) addFunder(b *builder, c *corpus, f *funder) {
	g, to := c.lines, c.recipients
	kind := t.kinds[f.kind.Kind]
	kind.Funders++
	seen := map[int16]bool{}
	for _, row := range c.rows[f.from:f.to] {
		amount := g.amount[row]
		year := c.filingOf(row).year
		y := t.years[year]
		if y == nil {
			y = &YearCount{FiscalYear: int(year), Rules: countRules()}
			t.years[year] = y
		}
		if !seen[year] {
			seen[year] = true
			y.Funders++
		}
		y.Grants++
		y.TotalAmount += amount
		t.dollars += amount
		kind.add(amount)
		rule := int(to.rule[row]) - 1
		if to.rule[row] == resolve.None {
			rule = len(t.rules) - 1
		} else {
			t.linked++
			t.linkedUS += amount
		}
		t.rules[rule].add(amount)
		y.Rules[rule].add(amount)
		for i, is := range [...]bool{to.class[row]&individual != 0, to.class[row]&unidentified != 0, f.kind.IsDAF, to.class[row]&related != 0} {
			if is {
				t.classes[i].add(amount)
			}
		}
		for s := c.support[g.purpose[row]]; s != 0; s &= s - 1 {
			t.supports[bits.TrailingZeros16(uint16(s))].add(amount)
		}
		if to.class[row]&(individual|unidentified) == unidentified {
			b.report.Unnamed.add(amount)
		}
		if to.ein[row] == f.ein {
			b.report.OwnEIN++
		}
		if to.class[row]&suspect != 0 {
			b.report.addSuspect(c, row)
		}
	}
}

// tierOf says which tier a row is in: 0 matched, 1 universe.
func (c *corpus) tierOf(row uint32) int {
	if c.recipients.ein[row] != ein.None && !c.lines.recipientKey(c.lines.recipientNo[row]).foreign() {
		return 0
	}
	return 1
}

func (r *Report) addSuspect(c *corpus, row uint32) {
	f, t := c.filingOf(row), c.recipientOf(row)
	r.Suspects = append(r.Suspects, Suspect{
		Filing: f.key(), Funder: f.ein.String(), Name: strings.Clone(t.Name()), Amount: c.lines.amount[row], Declared: f.declared,
	})
	slices.SortStableFunc(r.Suspects, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), strings.Compare(a.Filing, b.Filing), strings.Compare(a.Name, b.Name))
	})
	r.Suspects = r.Suspects[:min(len(r.Suspects), maxListed)]
}

// addYears sorts the years and marks the incomplete ones: those after the last complete year, which Options.Complete may give.
func (r *Report) addYears(filings []filing, years map[int16]*YearCount, complete int) {
	last := make(map[int16]ein.EIN)
	for i := range filings {
		f := &filings[i]
		if f.fate != chosen || f.form == form990T {
			continue
		}
		y := years[f.year]
		if y == nil {
			y = &YearCount{FiscalYear: int(f.year)}
			years[f.year] = y
		}
		// The filings are sorted by filer, so a filer's second return of a year follows its first.
		if last[f.year] != f.ein {
			last[f.year] = f.ein
			y.Filers++
		}
	}
	for _, y := range years {
		y.Rules = fired(y.Rules)
		r.Years = append(r.Years, *y)
	}
	slices.SortFunc(r.Years, func(a, b YearCount) int { return cmp.Compare(a.FiscalYear, b.FiscalYear) })
	if complete == 0 {
		complete = lastComplete(r.Years)
	}
	for i := range r.Years {
		r.Years[i].Partial = r.Years[i].FiscalYear > complete
	}
}

// expectedShare is the share, in percent, of the filers that a year is expected to have from which on it is complete.
const expectedShare = 80

// lastComplete is the newest year that has at least 95 % as many filers as the mean of the two years before
// it, as well as 80 % of the filers expected: those of the fullest year of the five before it. Two years in
// which a handful have filed do not make a third one complete.
func lastComplete(years []YearCount) int {
	for i := len(years) - 1; i >= 2; i-- {
		var expected int64
		for _, y := range years[max(0, i-5):i] {
			expected = max(expected, y.Filers)
		}
		if n := years[i].Filers; n*2*100 >= (years[i-1].Filers+years[i-2].Filers)*95 && n*100 >= expected*expectedShare {
			return years[i].FiscalYear
		}
	}
	if len(years) == 0 {
		return 0
	}
	// The first two years have no earlier years to compare with.
	return years[min(1, len(years)-1)].FiscalYear
}

func (r *Report) addReturns(filings []filing) {
	forms := map[form]int64{}
	for i := range filings {
		f := &filings[i]
		r.Returns.Read++
		if f.amended {
			r.Returns.Amended++
		}
		if f.object == 0 {
			r.Returns.WithoutName++
		}
		switch f.fate {
		case superseded:
			r.Returns.Superseded++
			continue
		case duplicate:
			r.Returns.Duplicate++
			continue
		case outside:
			r.Returns.Outside++
			continue
		}
		r.Returns.Chosen++
		forms[f.form]++
		lines := f.lines
		if f.linesOf != int32(i) {
			r.Returns.LinesKept++
			lines = filings[f.linesOf].lines
		}
		r.Lines.Read += int64(lines)
		r.Lines.add(&f.account)
		if lines > 0 {
			r.Declared.add(f)
		}
	}
	for i, name := range formNames {
		if n := forms[form(i)]; n > 0 {
			name = cmp.Or(name, "other")
			r.Forms = append(r.Forms, NamedInt{name, n})
		}
	}
}

func (t *LineCount) add(a *lineAccount) {
	t.Rows += int64(a.Rows)
	t.Zero += int64(a.Zero)
	t.NonCash += int64(a.NonCash)
	t.Negative += int64(a.Negative)
	t.NegativeSum += a.NegativeSum
	t.Totals += int64(a.Total)
	t.TooLarge += int64(a.TooLarge)
	t.Repeated += int64(a.Repeated)
	t.Empty += int64(a.Empty)
}

func (d *Declared) add(f *filing) {
	a := &d.F90
	if f.form == form990PF {
		a = &d.PF
	}
	if f.declared < 0 {
		a.Missing++
		return
	}
	a.Compared++
	// A 990 declares cash and goods in one figure.
	sum := f.account.Sum + f.account.NegativeSum + f.account.Goods
	off := sum - f.declared
	switch {
	case off == 0:
		a.Exact++
	case max(off, -off)*50 <= f.declared:
		a.Within2++
	case off > 0:
		a.Over++
	default:
		a.Under++
	}
}

func (b *builder) indexCoverage(ctx context.Context, filings []filing) error {
	indexes := b.sources.Files[discover.Indexes]
	if len(indexes) == 0 {
		return nil
	}
	have := make(map[uint64]bool, len(filings))
	for i := range filings {
		have[filings[i].object] = true
	}
	for _, rel := range indexes {
		err := b.readSource(ctx, discover.Indexes, rel, "an index of returns", func(in io.Reader) (rows int64, err error) {
			err = irs990.ReadIndex(in, func(r irs990.IndexRow) error {
				rows++
				id, err := strconv.ParseUint(r.ObjectID, 10, 64)
				if err == nil && have[id] {
					b.report.Index.Present++
				} else {
					b.report.Index.Missing++
				}
				return nil
			})
			b.report.Index.Rows += rows
			return rows, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
