package report

import (
	"fmt"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
)

// What the page says of a screening, in words. It says what lists hold, and
// leaves what follows from it to the reader.

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

// finding is what one list says.
type finding struct {
	list    string
	from    client.ScreenProvenance
	mark    mark
	words   string
	matches []string // names that resemble, to be shown as far as there is room
	count   int      // how many there are in all
}

// newFinding makes a finding of a list, without its mark. A list that could not be
// used is never judged by what else its block says.
func newFinding(list string, from client.ScreenProvenance, words string) finding {
	f := finding{list: list, from: from, words: words}
	if !from.Screened || from.Status == screen.NotScreened {
		f.words = "The list could not be used. This does not mean that nothing was found."
		if from.Note != nil {
			f.words = *from.Note
		}
	}
	return f
}

// findings are what the lists say of an organization or of a name, in the order of
// the page. What calls for a closer look is decided once, for all who show it; the
// words are the page's own, because a page that was issued never changes.
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
	add := func(name string, f finding) {
		f.mark = markOf(decided[name])
		list = append(list, f)
	}
	if c.named != nil {
		add(lists.OFAC, sanctionsFinding(&k.OFACSanctionsScreen))
		return list
	}
	add(lists.BMF, masterFinding(&k.BMF))
	add(lists.Pub78, publicationFinding(&k.Pub78))
	add(lists.Revocation, revocationFinding(&k.Revocation))
	add(lists.IRB, bulletinFinding(&k.IRBScreen))
	add(lists.OFAC, sanctionsFinding(&k.OFACSanctionsScreen))
	add(lists.CARegistry, registryFinding(&k.StateRegistration.California))
	add(lists.CAFTB, taxBoardFinding(&k.StateRegistration.California))
	return list
}

// markOf is the mark of a verdict. One that nobody has heard of is no good news.
func markOf(verdict string) mark {
	switch verdict {
	case screen.MarkOK:
		return nothingFound
	case screen.MarkLook:
		return lookCloser
	}
	return notScreened
}

func masterFinding(b *client.MasterFileScreen) finding {
	const list = "IRS business master file"
	switch b.Status {
	case screen.Listed:
		words := "Listed"
		if said := join(", ", b.SubsectionDescription, b.FoundationTypeDescription, b.Foundation509aStatus); said != "" {
			words += ": " + said
		}
		if b.DeductibilityDescription != nil {
			words += ". " + *b.DeductibilityDescription
		}
		return newFinding(list, b.ScreenProvenance, sentence(words))
	case screen.NotListed:
		return newFinding(list, b.ScreenProvenance, sentence(join(" ", new("Not listed."), b.ChurchMessage)))
	}
	return unknownFinding(list, b.ScreenProvenance)
}

func publicationFinding(p *client.Pub78Screen) finding {
	const list = "IRS Publication 78"
	switch p.Status {
	case screen.Listed:
		words := "Listed as able to receive deductible contributions"
		var kinds []string
		for _, t := range p.OrganizationTypes {
			kinds = append(kinds, t.Code+" ("+t.OrganizationType+")")
		}
		if len(kinds) > 0 {
			words += ": " + strings.Join(kinds, ", ")
		}
		return newFinding(list, p.ScreenProvenance, sentence(words))
	case screen.NotListed:
		return newFinding(list, p.ScreenProvenance, sentence(join(" ", new("Not listed."), p.ChurchMessage)))
	}
	return unknownFinding(list, p.ScreenProvenance)
}

func revocationFinding(r *client.RevocationScreen) finding {
	const list = "IRS automatic revocations"
	dates := func(words string) string {
		if r.RevocationDate != nil {
			words += " as of " + *r.RevocationDate
		}
		if r.PostingDate != nil {
			words += ", posted on " + *r.PostingDate
		}
		return words
	}
	switch r.Status {
	case screen.NotListed:
		return newFinding(list, r.ScreenProvenance, "Not on the list of organizations whose exemption was revoked automatically.")
	case screen.Revoked:
		return newFinding(list, r.ScreenProvenance, sentence(dates("Exemption revoked")+", and not reinstated"))
	case screen.Reinstated:
		words := dates("Exemption revoked") + "; reinstated"
		if r.ReinstatementDate != nil {
			words += " as of " + *r.ReinstatementDate
		}
		return newFinding(list, r.ScreenProvenance, sentence(words))
	}
	return unknownFinding(list, r.ScreenProvenance)
}

func bulletinFinding(b *client.BulletinScreen) finding {
	const list = "IRS bulletin deletions"
	read := ""
	if b.CoversThrough != nil {
		read = " in bulletins through " + *b.CoversThrough
	}
	switch b.Status {
	case screen.Clear:
		return newFinding(list, b.ScreenProvenance, sentence("No deletion with a similar name and the same state"+read))
	case screen.PotentialMatch:
		n := max(len(b.PotentialMatches), count(b.MatchCount))
		f := newFinding(list, b.ScreenProvenance, numbered(n, "deletion", "deletions")+" with a similar name"+read)
		f.count = n
		for _, m := range b.PotentialMatches {
			f.matches = append(f.matches, fmt.Sprintf("%s (%s)", m.Name, m.BulletinNumber))
		}
		return f
	}
	return unknownFinding(list, b.ScreenProvenance)
}

func sanctionsFinding(s *client.SanctionsScreen) finding {
	const list = "OFAC sanctions, by name"
	n := max(len(s.PotentialMatches), count(s.MatchCount))
	words := numbered(n, "sanctioned entity has", "sanctioned entities have") + " a similar name"
	switch s.Status {
	case screen.Clear:
		return newFinding(list, s.ScreenProvenance, "No sanctioned entity has a similar name.")
	case screen.PotentialMatch:
	case screen.RuledOut:
		words += ", ruled out by whoever asked"
	default:
		return unknownFinding(list, s.ScreenProvenance)
	}
	f := newFinding(list, s.ScreenProvenance, words)
	f.count = n
	for _, m := range s.PotentialMatches {
		name := m.Name
		if m.MatchedName != "" && m.MatchedName != m.Name {
			name = m.MatchedName + ", a name of " + m.Name // which need not resemble anything
		}
		said := fmt.Sprintf("%s (%.0f%% alike", name, 100*m.Score)
		if m.RuledOut {
			said += ", ruled out"
		}
		f.matches = append(f.matches, said+")")
	}
	return f
}

func registryFinding(c *client.CaliforniaScreen) finding {
	const list = "California charity registry"
	switch c.Status {
	case screen.Listed:
		words := "Listed"
		if len(c.RegistryRecords) > 0 && c.RegistryRecords[0].Status != nil {
			words += ` with status "` + *c.RegistryRecords[0].Status + `"`
		}
		switch {
		case c.MayOperate == nil:
			return newFinding(list, c.ScreenProvenance, sentence(words+"; whether it may operate there is not said"))
		case !*c.MayOperate:
			return newFinding(list, c.ScreenProvenance, sentence(words+": it may not operate or solicit in California"))
		}
		return newFinding(list, c.ScreenProvenance, sentence(words+": it may operate in California"))
	case screen.NotListed:
		return newFinding(list, c.ScreenProvenance, "Not listed, which is no finding against an organization that does not operate in California.")
	}
	return unknownFinding(list, c.ScreenProvenance)
}

func taxBoardFinding(c *client.CaliforniaScreen) finding {
	const list = "California Franchise Tax Board"
	switch c.FTB.Status {
	case screen.NotListed:
		return newFinding(list, c.FTB, "Not on the list of revoked exemptions.")
	case screen.Revoked:
		words := "State exemption revoked"
		if len(c.FTBRecords) > 0 && c.FTBRecords[0].Revoked != nil {
			words += " as of " + *c.FTBRecords[0].Revoked
		}
		return newFinding(list, c.FTB, sentence(words))
	}
	return unknownFinding(list, c.FTB)
}

// unknownFinding is for a list that was not screened, and for a status that this
// program has no words for, which is never taken for a good one.
func unknownFinding(list string, from client.ScreenProvenance) finding {
	return newFinding(list, from, fmt.Sprintf("Status %q; see the attached data.", from.Status))
}

// dated is the date of a list in words.
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

// summary counts the marks.
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
	for m, all := range []string{"All %d lists found nothing against it.", "All %d lists need a closer look.", "None of the %d lists was screened, which says nothing about the organization."} {
		if n[m] == len(findings) {
			return fmt.Sprintf(all, len(findings))
		}
	}
	var said []string
	for m, words := range [][2]string{{"found nothing against it", "found nothing against it"}, {"needs a closer look", "need a closer look"}, {"was not screened", "were not screened"}} {
		if n[m] == 1 {
			said = append(said, "1 "+words[0])
		} else if n[m] > 1 {
			said = append(said, fmt.Sprintf("%d %s", n[m], words[1]))
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

// elementNames are the elements of a report in words.
var elementNames = map[string]string{
	"organization_name":            "Name of the organization",
	"ein":                          "EIN",
	"foundation_status":            "Status under section 509(a)",
	"supporting_organization_type": "Type of supporting organization",
	"contributions_deductible":     "Deductibility of contributions",
	"source_statement":             "Statement of the source",
	"bmf_revision_date":            "Revision date of the master file",
	"report_datetime":              "Date and time of the report",
	"retainable_form":              "Form that can be retained",
}

// elementWords are the result of an element, and what the report shows for it or
// why it shows nothing.
func elementWords(e *client.RelianceElement) (result, shows string) {
	result = nameOf(map[string]string{
		screen.Met: "Met", screen.NotMet: "Not met", screen.NotApplicable: "Does not apply", screen.NotScreened: "Not screened",
	}, e.Result)
	switch {
	case e.Value != nil && (e.Result == screen.Met || e.Reason == nil):
		shows = *e.Value
	case e.Reason != nil:
		shows = *e.Reason
	}
	return result, shows
}

// relianceWords sum up the elements and the flags.
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

// flagNames are the flags in words.
var flagNames = map[string]string{
	"public_notice_of_change":         "Public notice of a change",
	"reinstated_after_revocation":     "Reinstated after a revocation",
	"grantor_knowledge":               "What the grantor knows",
	"terrorist_suspension":            "Possible suspension under section 501(p)",
	"supporting_org_control":          "Control of a supporting organization",
	"type_iii_not_fi":                 "Type III, not functionally integrated",
	"so_type_unknown":                 "Type of supporting organization unknown",
	"private_foundation_grantee":      "Private foundation",
	"foreign_addressee":               "Foreign address or tax treaty",
	"group_subordinate_not_listed":    "Subordinate of a group, not listed itself",
	"church_or_government_not_listed": "Church or government unit, not listed",
	"lists_disagree":                  "Lists disagree",
	"extract_not_current":             "Master file not current",
	"non_501c3":                       "Not a 501(c)(3) organization",
	"california_suspension":           "Possible suspension in California",
}

// nameOf is the name of a thing by its identifier, or the identifier itself.
func nameOf(names map[string]string, id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	return strings.ReplaceAll(id, "_", " ")
}

// caveats stand on every page.
var caveats = []string{
	"Screens are triage signals, not determinations. A screen whose source is unavailable reports not screened, never clear. The sanctions screen is an entity NAME screen.",
	"At the moment of disbursement use the sanctions authority's live index, because a designation is effective before the flat files carry it.",
}

func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// numbered writes a number with the word for one or for several.
func numbered(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// join puts together what is there.
func join(separator string, texts ...*string) string {
	var said []string
	for _, t := range texts {
		if t != nil && *t != "" {
			said = append(said, *t)
		}
	}
	return strings.Join(said, separator)
}

// sentence ends with a period.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
