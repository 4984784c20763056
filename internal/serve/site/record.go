package site

import (
	"cmp"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/table"
)

// recordView shows the record of a screening: a verdict for each list with its evidence folded below, then the elements of the
// revenue procedure. It states what the lists say and draws no conclusion.
type recordView struct {
	*client.ScreeningRecord
	Verdicts []screen.Verdict
	Withheld bool // the evidence is
	At       time.Time
}

func newRecordView(r *client.ScreeningRecord, at time.Time, withheld bool) *recordView {
	return &recordView{ScreeningRecord: r, Verdicts: screen.Verdicts(r), Withheld: withheld, At: at}
}

// Name is the name of the organization, or words in its place.
func (v *recordView) Name() string {
	if n := v.Organization.OrganizationName; n != nil && *n != "" {
		return orgname.Display(*n)
	}
	return "Unknown organization"
}

// Tally summarizes the verdicts in a sentence.
func (v *recordView) Tally() string {
	n := map[string]int{}
	for _, x := range v.Verdicts {
		n[x.Mark]++
	}
	var said []string
	add := func(count int, one, many string) {
		if count > 0 {
			said = append(said, strconv.Itoa(count)+" "+plural.Word(count, one, many))
		}
	}
	does := "does"
	if n[screen.MarkLook] == 0 {
		does = "calls for a closer look"
	}
	add(n[screen.MarkLook], "list calls for a closer look", "lists call for a closer look")
	add(n[screen.MarkNotScreened], "list was not screened", "lists were not screened")
	add(n[screen.MarkOK], "list shows nothing that "+does, "lists show nothing that "+does)
	return strings.Join(said, "; ") + "."
}

// Flags lists the cases in which reliance does not apply or needs more: those that
// the data shows, and those that the data cannot decide.
func (v *recordView) Flags() (f struct{ Apply, Unknown []flagRow }) {
	for _, x := range v.Compliance.Reliance.Flags {
		row := flagRow{x, cmp.Or(flagNames[x.ID], x.ID)}
		switch {
		case x.Applies == nil:
			f.Unknown = append(f.Unknown, row)
		case *x.Applies:
			f.Apply = append(f.Apply, row)
		}
	}
	return f
}

type flagRow struct {
	client.RelianceFlag
	Title string
}

// labelTable has the labels of the flags and the elements of a report.
//
//go:embed labels.tsv
var labelTable string

var flagNames, elementNames = labels("flag"), labels("element")

func labels(kind string) map[string]string {
	names := map[string]string{}
	for _, r := range table.Read("labels.tsv", labelTable, "kind", "id", "label") {
		if r.Text("kind") == kind {
			names[r.Text("id")] = r.Text("label")
		}
	}
	return names
}

type elementRow struct {
	client.RelianceElement
	Title string
	Mark  mark
	Shown string // the value, with dates as people write them
	From  string
}

var resultMarks = map[string]mark{
	screen.Met: {screen.MarkOK, "met"}, screen.NotMet: {screen.MarkLook, "not met"}, screen.NotApplicable: {"", "does not apply"},
}

func elementRows(list []client.RelianceElement) (rows []elementRow) {
	for _, e := range list {
		row := elementRow{RelianceElement: e, Title: cmp.Or(elementNames[e.ID], e.ID), From: "this service"}
		if e.Source != nil {
			row.From = listTitle(*e.Source)
		}
		if e.Value != nil {
			row.Shown = *e.Value
			switch e.ID {
			case "ein":
				row.Shown = hyphened(*e.Value)
			case "bmf_revision_date":
				row.Shown = dayText(e.Value)
			case "report_datetime":
				row.Shown = momentText(*e.Value)
			}
		}
		var known bool
		if row.Mark, known = resultMarks[e.Result]; !known {
			row.Mark = mark{screen.MarkNotScreened, "not screened"}
		}
		rows = append(rows, row)
	}
	return rows
}

func listTitle(name string) string {
	for _, v := range screen.Verdicts(&client.ScreeningRecord{}) {
		if v.List == name {
			return v.Title
		}
	}
	return name
}

// Available says whether the record has every element of the procedure. It never says what somebody may do.
func (v *recordView) Available() (m mark) {
	switch a := v.Compliance.Reliance.RelianceAvailable; {
	case a == nil:
		return mark{screen.MarkNotScreened, "Unknown: a list was unavailable or out of date, or a match needs review first."}
	case *a:
		return mark{screen.MarkOK, "All required elements are there, and no flag rules it out."}
	}
	return mark{screen.MarkLook, "No: an element is missing, or a flag rules it out."}
}

// mark is a symbol beside a word. The word says the same, so that nobody depends on the color.
type mark struct{ Kind, Text string }

func newMark(kind string) mark {
	word := map[string]string{screen.MarkOK: "Nothing stands out", screen.MarkLook: "Look closer"}[kind]
	if word == "" {
		return mark{screen.MarkNotScreened, "Not screened"}
	}
	return mark{kind, word}
}

func (v *recordView) SourceRows() (rows []sourceRow) {
	if v.Sources == nil {
		return nil
	}
	for _, x := range v.Verdicts {
		source := map[string]client.ComplianceSource{
			lists.BMF: v.Sources.BMF, lists.Pub78: v.Sources.Pub78, lists.Revocation: v.Sources.Revocation, lists.IRB: v.Sources.IRB,
			lists.OFAC: v.Sources.OFAC, lists.CARegistry: v.Sources.CARegistry, lists.CAFTB: v.Sources.CAFTB,
		}[x.List]
		rows = append(rows, sourceRow{source, x.Title, x.Mark != screen.MarkNotScreened, x.Revised})
	}
	return rows
}

type sourceRow struct {
	client.ComplianceSource
	Title string
	Used  bool
	Day   string // of the list, as in its verdict
}

// liveIndex is the caveat of every record: what a downloaded list cannot show.
const liveIndex = "A sanction takes effect before it appears in the published files. When you pay, check the sanctions authority's live search."

func (v *recordView) LiveIndex() string { return liveIndex }

func dayText(date *string) string { return frame.Day(frame.Text(date)) }

// periodText writes the month in which a tax period ended, such as 202412, for people. Other text stays as it is.
func periodText(month *string) string {
	if t, err := time.Parse("200601", *month); err == nil {
		return t.Format("January 2006")
	}
	return *month
}

func momentText(moment string) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return moment
	}
	return frame.Moment(t)
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return "not known"
	case *b:
		return "yes"
	}
	return "no"
}

func alike(f float64) string {
	switch {
	case f >= 1:
		return "the same"
	case f >= .9:
		return "nearly the same, " + frame.Percent(f)
	}
	return "similar, " + frame.Percent(f)
}

type wordRow struct {
	client.SanctionsAlignedWord
	Share string
}

func wordRows(list []client.SanctionsAlignedWord) (rows []wordRow) {
	sum := 0.0
	for _, w := range list {
		sum += w.Weight
	}
	for _, w := range list {
		row := wordRow{SanctionsAlignedWord: w, Share: "none"}
		if sum > 0 && w.Weight > 0 {
			share := w.Weight / sum
			row.Share = frame.Percent(share)
			switch even := 1 / float64(len(list)); {
			case share >= 1.4*even:
				row.Share += ", counts much"
			case share <= .6*even:
				row.Share += ", counts little"
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func hyphened(ein string) string {
	if len(ein) != 9 {
		return ein
	}
	return ein[:2] + "-" + ein[2:]
}

// functions are template functions of these pages, beyond those of all pages.
var functions = template.FuncMap{
	"bytes":    frame.Size,
	"day":      dayText,
	"dayof":    frame.Day,
	"momentof": momentText,
	"period":   periodText,
	"yesno":    yesNo,
	"alike":    alike,
	"mark":     newMark,
	"elements": elementRows,
	"words":    wordRows,
	"hyphened": hyphened,
	"number":   func(i int) int { return i + 1 }, // of what is counted from 0
	"add":      func(a, b int) int { return a + b },
}

type dataPage struct {
	frame.Head
	Counts snapshot.Counts
	Scope  string // whose returns there are, if not everybody's
	Rules  []ruleRow
	Years  []snapshot.YearCounts
	Lists  []listRow
}

type ruleRow struct {
	snapshot.RuleCount
	Meaning string
	Prob    float64 // 0 if the rule has no constant probability
}

type listRow struct {
	lists.List
	lists.Status
	Check   lists.Check
	Checked bool
	Lost    bool // all lists were made and cannot be used
	Source  client.ComplianceSource
}

// State is the state of the list, in one word.
func (l listRow) State() string {
	switch {
	case l.Lost:
		return "damaged"
	case !l.Loaded:
		return "not loaded"
	case l.Status.Problem != "" || l.Check.Problem != "":
		return "last good"
	case l.Checked && l.Check.UpstreamRevised > l.RevisedNewest:
		return "behind"
	case !l.Source.Screens:
		return "not used"
	case l.Checked:
		return "current"
	}
	return "loaded"
}

// Why says why the list is not current, or nothing if it is.
func (l listRow) Why() string {
	if l.Status.Problem != "" {
		return l.Status.Problem
	}
	if l.Check.Problem == "" && l.Loaded && !l.Source.Screens {
		return frame.Text(l.Source.Note)
	}
	return l.Check.Problem
}

// Day is the date of the list, as a record of a screening shows it.
func (l listRow) Day() string {
	if l.Status.Name == lists.IRB {
		return l.RevisedNewest
	}
	return l.Revised
}

func (s *Site) serveData(w http.ResponseWriter, r *http.Request) error {
	m := &frame.DatasetOf(r).Snapshot.Manifest
	page := dataPage{Head: s.frame.Head(r, "The data"), Counts: m.Counts, Scope: m.Scope}
	rates, err := m.Rates()
	if err != nil {
		s.Log.Error("drawing the page about the data", "error", err)
	}
	page.Years = rates.Years
	for _, c := range rates.Rules {
		row := ruleRow{RuleCount: c, Meaning: frame.RuleWords(c.Name)}
		if rule, ok := grant.ParseRule(c.Name); ok {
			row.Prob = rule.Prob()
		}
		page.Rules = append(page.Rules, row)
	}
	now := frame.DatasetOf(r).Lists
	for _, l := range lists.All() {
		row := listRow{List: l, Status: now.Status(l.Name), Lost: now.Problem != "", Source: screen.SourceOf(now, l.Name, s.Clock())}
		row.Check, row.Checked = now.Check(l.Name)
		page.Lists = append(page.Lists, row)
	}
	page.Section, page.Canonical = "data", "/data"
	page.Description = "What the Grantgraph dataset contains, how we identified the recipients of grants, and how current each list is."
	page.Facts = s.datasetFacts(m)
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, "data", page)
}

func (s *Site) datasetFacts(m *snapshot.Manifest) map[string]any {
	f := map[string]any{
		"@context": "https://schema.org", "@type": "Dataset", "name": "Grantgraph: grants of US foundations and charities",
		"description": "Grants itemized on Form 990-PF and Form 990 Schedule I, each linked to the organization that received it, where one was identified, and " +
			"to the filing it comes from.",
		"url": s.BaseURL + "/data", "version": m.Version, "dateModified": frame.Date(m.GeneratedAt), "spatialCoverage": "United States",
		"isAccessibleForFree": true, "variableMeasured": []string{"grant amount", "fiscal year", "funder", "recipient", "purpose"},
		"isBasedOn": "https://www.irs.gov/charities-non-profits/form-990-series-downloads",
	}
	if m.Invented {
		f["name"], f["description"] = "Grantgraph demonstration: invented grants",
			"Invented organizations and grants in the formats of public US tax filings, for demonstration."
		delete(f, "isBasedOn")
	}
	if c := m.Counts; c.FirstFiscalYear > 0 {
		f["temporalCoverage"] = strconv.Itoa(c.FirstFiscalYear) + "/" + strconv.Itoa(c.LastFiscalYear)
	}
	return f
}
