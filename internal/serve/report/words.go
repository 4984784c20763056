package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/table"
)

// This file has the words of the page. They say what the lists contain, and leave the consequences to the reader.

// mark is how a finding looks at a glance.
type mark int

const (
	nothingFound mark = iota
	lookCloser
	notScreened
)

func (m mark) String() string {
	return [...]string{"Nothing found against it", "Look closer", "Not screened"}[m]
}

type finding struct {
	list    string
	from    client.ScreenProvenance
	mark    mark
	words   string
	matches []string // similar names, shown as far as there is room
	count   int      // how many similar names there are
}

// findings returns what the lists say, in the order of the page. Package screen decides the marks. The words belong to this
// page, because a page that was issued never changes; those of package screen may become better.
func (c *shownContent) findings() (list []finding) {
	record := &client.ScreeningRecord{Organization: c.Organization, Compliance: c.Compliance}
	k := &record.Compliance
	if c.named != nil {
		k.OFACSanctionsScreen = c.named.Compliance.OFACSanctionsScreen
	}
	decided := map[string]string{}
	for _, v := range screen.Verdicts(record) {
		decided[v.List] = v.Mark
	}
	add := func(source, title string, from client.ScreenProvenance, words string) *finding {
		f := finding{list: title, from: from, mark: markOf(decided[source]), words: words}
		switch {
		case !from.Screened || from.Status == screen.NotScreened: // whatever else its block says
			f.words = "The list could not be used. This does not mean that nothing was found."
			if from.Note != nil {
				f.words = *from.Note
			}
		case words == "":
			f.words = fmt.Sprintf("Status %q; see the attached data.", from.Status)
		}
		list = append(list, f)
		return &list[len(list)-1]
	}
	sanctions := func() {
		s := &k.OFACSanctionsScreen
		words, matches, n := sanctionsWords(s)
		f := add(lists.OFAC, "OFAC sanctions, by name", s.ScreenProvenance, words)
		f.matches, f.count = matches, n
	}
	if c.named != nil {
		sanctions()
		return list
	}
	add(lists.BMF, "IRS business master file", k.BMF.ScreenProvenance, masterWords(&k.BMF))
	add(lists.Pub78, "IRS Publication 78", k.Pub78.ScreenProvenance, publicationWords(&k.Pub78))
	add(lists.Revocation, "IRS automatic revocations", k.Revocation.ScreenProvenance, revocationWords(&k.Revocation))
	words, matches, n := bulletinWords(&k.IRBScreen)
	f := add(lists.IRB, "IRS bulletin deletions", k.IRBScreen.ScreenProvenance, words)
	f.matches, f.count = matches, n
	sanctions()
	california := &k.StateRegistration.California
	add(lists.CARegistry, "California charity registry", california.ScreenProvenance, registryWords(california))
	add(lists.CAFTB, "California Franchise Tax Board", california.FTB, taxBoardWords(california))
	return list
}

// markOf returns the mark of a verdict. An unknown verdict is never good news.
func markOf(verdict string) mark {
	switch verdict {
	case screen.MarkOK:
		return nothingFound
	case screen.MarkLook:
		return lookCloser
	}
	return notScreened
}

// The following return the words for a status, or "" for an unknown one, which is never a good one.

func masterWords(b *client.MasterFileScreen) string {
	switch b.Status {
	case screen.Listed:
		words := "Listed"
		if said := join(", ", b.SubsectionDescription, b.FoundationTypeDescription, b.Foundation509aStatus); said != "" {
			words += ": " + said
		}
		if b.DeductibilityDescription != nil {
			words += ". " + *b.DeductibilityDescription
		}
		return sentence(words)
	case screen.NotListed:
		return sentence(join(" ", new("Not listed."), b.ChurchMessage))
	}
	return ""
}

func publicationWords(p *client.Pub78Screen) string {
	switch p.Status {
	case screen.Listed:
		words := "Listed as able to receive deductible contributions"
		if len(p.OrganizationTypes) > 0 {
			kind := func(t client.Pub78OrganizationType) string { return t.Code + " (" + t.OrganizationType + ")" }
			words += ": " + strings.Join(each.Of(p.OrganizationTypes, kind), ", ")
		}
		return sentence(words)
	case screen.NotListed:
		return sentence(join(" ", new("Not listed."), p.ChurchMessage))
	}
	return ""
}

func revocationWords(r *client.RevocationScreen) string {
	revoked := "Exemption revoked" + after(" as of ", r.RevocationDate) + after(", posted on ", r.PostingDate)
	switch r.Status {
	case screen.NotListed:
		return "Not on the list of organizations whose exemption was revoked automatically."
	case screen.Revoked:
		return sentence(revoked + ", and not reinstated")
	case screen.Reinstated:
		return sentence(revoked + "; reinstated" + after(" as of ", r.ReinstatementDate))
	}
	return ""
}

func bulletinWords(b *client.BulletinScreen) (words string, matches []string, n int) {
	read := after(" in bulletins through ", b.CoversThrough)
	switch b.Status {
	case screen.Clear:
		return sentence("No deletion with a similar name and the same state" + read), nil, 0
	case screen.PotentialMatch:
		n = max(len(b.PotentialMatches), count(b.MatchCount))
		for _, m := range b.PotentialMatches {
			matches = append(matches, fmt.Sprintf("%s (%s)", m.Name, m.BulletinNumber))
		}
		return numbered(n, "deletion", "deletions") + " with a similar name" + read, matches, n
	}
	return "", nil, 0
}

func sanctionsWords(s *client.SanctionsScreen) (words string, matches []string, n int) {
	n = max(len(s.PotentialMatches), count(s.MatchCount))
	words = numbered(n, "sanctioned entity has", "sanctioned entities have") + " a similar name"
	switch s.Status {
	case screen.Clear:
		return "No sanctioned entity has a similar name.", nil, 0
	case screen.PotentialMatch:
	case screen.RuledOut:
		words += ", ruled out by whoever asked"
	default:
		return "", nil, 0
	}
	for _, m := range s.PotentialMatches {
		name := m.Name
		if m.MatchedName != "" && m.MatchedName != m.Name {
			name = m.MatchedName + ", a name of " + m.Name // the main name need not be similar
		}
		said := fmt.Sprintf("%s (%.0f%% alike", name, 100*m.Score)
		if m.RuledOut {
			said += ", ruled out"
		}
		matches = append(matches, said+")")
	}
	return words, matches, n
}

func registryWords(c *client.CaliforniaScreen) string {
	switch c.Status {
	case screen.Listed:
		words := "Listed"
		if len(c.RegistryRecords) > 0 && c.RegistryRecords[0].Status != nil {
			words += ` with status "` + *c.RegistryRecords[0].Status + `"`
		}
		switch {
		case c.MayOperate == nil:
			words += "; whether it may operate there is not said"
		case !*c.MayOperate:
			words += ": it may not operate or solicit in California"
		default:
			words += ": it may operate in California"
		}
		return sentence(words)
	case screen.NotListed:
		return "Not listed, which is no finding against an organization that does not operate in California."
	}
	return ""
}

func taxBoardWords(c *client.CaliforniaScreen) string {
	switch c.FTB.Status {
	case screen.NotListed:
		return "Not on the list of revoked exemptions."
	case screen.Revoked:
		words := "State exemption revoked"
		if len(c.FTBRecords) > 0 {
			words += after(" as of ", c.FTBRecords[0].Revoked)
		}
		return sentence(words)
	}
	return ""
}

func (f *finding) dated() string {
	switch {
	case f.from.Revised == nil:
		return "revision date not known"
	case f.from.IsCurrent == nil:
		return "revised " + *f.from.Revised + ", currency unknown"
	case !*f.from.IsCurrent:
		return "revised " + *f.from.Revised + ", a newer one exists"
	}
	return "revised " + *f.from.Revised
}

func summary(findings []finding) string {
	var n [3]int
	for _, f := range findings {
		n[f.mark]++
	}
	if len(findings) == 1 {
		return map[mark]string{
			nothingFound: "One list was screened, and nothing was found against the name.",
			lookCloser:   "One list was screened, and it needs a closer look.",
			notScreened:  "The list was not screened.",
		}[findings[0].mark]
	}
	for m, all := range [3]string{
		"All %d lists found nothing against it.", "All %d lists need a closer look.",
		"None of the %d lists was screened, which says nothing about the organization.",
	} {
		if n[m] == len(findings) {
			return fmt.Sprintf(all, len(findings))
		}
	}
	var said []string
	for m, words := range [3][2]string{
		{"found nothing against it", "found nothing against it"}, {"needs a closer look", "need a closer look"}, {"was not screened", "were not screened"},
	} {
		if n[m] > 0 {
			said = append(said, numbered(n[m], words[0], words[1]))
		}
	}
	last := len(said) - 1
	return fmt.Sprintf("Of %d lists, %s and %s.", len(findings), strings.Join(said[:last], ", "), said[last])
}

// flagged counts the flags that apply, which the marks of the lists do not show.
func flagged(flags []client.RelianceFlag) string {
	n := 0
	for _, f := range flags {
		if f.Applies != nil && *f.Applies {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return " " + numbered(n, "flag applies.", "flags apply.")
}

//go:embed names.tsv
var nameTable string

var names = table.Map("names.tsv", nameTable, "id", "name")

// elementWords returns the result of an element, and its value or the reason why it has none.
func elementWords(e *client.RelianceElement) (result, shows string) {
	results := map[string]string{
		screen.Met: "Met", screen.NotMet: "Not met", screen.NotApplicable: "Does not apply", screen.NotScreened: "Not screened",
	}
	result = cmp.Or(results[e.Result], strings.ReplaceAll(e.Result, "_", " "))
	switch {
	case e.Value != nil && (e.Result == screen.Met || e.Reason == nil):
		shows = *e.Value
	case e.Reason != nil:
		shows = *e.Reason
	}
	return result, shows
}

func relianceWords(r *client.Reliance) string {
	words := "Not known whether every element is there, because a list was not screened."
	if r.ReportComplete != nil {
		words = "Not every element that such a report must contain is there."
		if *r.ReportComplete {
			words = "Every element that such a report must contain is there or does not apply."
		}
	}
	return words + " This is not a legal conclusion."
}

func nameOf(id string) string { return cmp.Or(names[id], strings.ReplaceAll(id, "_", " ")) }

// caveats stand on every page.
var caveats = []string{
	"Screens are triage signals, not determinations. A screen whose source is unavailable reports not screened, never clear. " +
		"The sanctions screen is an entity NAME screen.",
	"At the moment of disbursement use the sanctions authority's live index, because a designation is effective before the flat files carry it.",
}

func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func numbered(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func after(words string, text *string) string {
	if text == nil {
		return ""
	}
	return words + *text
}

func join(separator string, texts ...*string) string {
	var said []string
	for _, t := range texts {
		if t != nil && *t != "" {
			said = append(said, *t)
		}
	}
	return strings.Join(said, separator)
}

// sentence adds a final period if there is none.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
