package screen

import (
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/plural"
	"grantgraph/internal/snapshot/lists"
)

// Marks of a verdict. A list that was not screened has a mark of its own and is never shown as a list without findings. The
// page of a report shows the marks, so another mark for the same finding needs another format of reports.
const (
	MarkOK          = "ok"           // nothing calls for a closer look
	MarkLook        = "look"         // somebody should look closer
	MarkNotScreened = "not_screened" // nothing is known
)

// Verdict is what one list says about an organization, in words for a person. It is a
// signal and decides nothing: no verdict says that an organization is safe.
type Verdict struct {
	List    string // as in sources
	Title   string // name of the list
	Mark    string
	Short   string // the finding in two or three words, for a table
	Line    string // the finding in a sentence or two
	Revised string // date of the list as people write it; empty when it is not known
}

// Verdicts returns what the lists say, in reading order: the IRS, sanctions, California.
func Verdicts(r *client.ScreeningRecord) (all []Verdict) {
	c := &r.Compliance
	california, home := &c.StateRegistration.California, text(r.Organization.State) == inCalifornia
	for _, l := range []struct {
		list, title string
		from        *client.ScreenProvenance
		say         func(*Verdict)
	}{
		{lists.BMF, "IRS business master file", &c.BMF.ScreenProvenance, func(v *Verdict) { v.masterFile(&c.BMF) }},
		{lists.Pub78, "IRS Publication 78", &c.Pub78.ScreenProvenance, func(v *Verdict) { v.pub78(&c.Pub78) }},
		{lists.Revocation, "IRS automatic revocation list", &c.Revocation.ScreenProvenance, func(v *Verdict) { v.revocation(&c.Revocation) }},
		{lists.IRB, "Internal Revenue Bulletin", &c.IRBScreen.ScreenProvenance, func(v *Verdict) { v.bulletins(&c.IRBScreen) }},
		{lists.OFAC, "OFAC sanctions list, by name", &c.OFACSanctionsScreen.ScreenProvenance, func(v *Verdict) { v.sanctions(&c.OFACSanctionsScreen) }},
		{lists.CARegistry, "California registry of charities", &california.ScreenProvenance, func(v *Verdict) { v.registry(california, home) }},
		{lists.CAFTB, "California Franchise Tax Board", &california.FTB, func(v *Verdict) { v.taxBoard(california.FTB.Status) }},
	} {
		// A known status replaces this verdict, so an unknown status is never good news.
		v := Verdict{List: l.list, Title: l.title, Revised: day(l.from.Revised)}
		v.say(MarkNotScreened, "not screened", "Not screened: we know nothing from this list.")
		v.add(text(l.from.Note))
		if l.from.Screened {
			l.say(&v)
		}
		if v.Mark != MarkNotScreened && l.from.IsCurrent != nil && !*l.from.IsCurrent {
			v.add("A newer list than this one has been published.")
		}
		all = append(all, v)
	}
	return all
}

func (v *Verdict) say(mark, short, line string) { v.Mark, v.Short, v.Line = mark, short, line }

func (v *Verdict) add(sentence string) {
	sentence = strings.TrimSpace(sentence)
	if sentence == "" {
		return
	}
	if !strings.HasSuffix(sentence, ".") {
		sentence += "."
	}
	v.Line += " " + strings.ToUpper(sentence[:1]) + sentence[1:]
}

func (v *Verdict) masterFile(b *client.MasterFileScreen) {
	switch b.Status {
	case Listed:
		what := "an organization exempt from tax"
		switch section := text(b.SubsectionDescription); {
		case strings.HasPrefix(section, "4947"):
			what = "a trust under section " + section
		case section != "":
			what = "exempt under section " + section
		}
		if d := text(b.FoundationTypeDescription); d != "" {
			what += ", " + strings.ToLower(d[:1]) + d[1:]
		}
		if b.RulingYear != nil {
			what += ", ruling of " + strconv.Itoa(*b.RulingYear)
		}
		v.say(MarkOK, "listed", "Listed as "+what+".")
		if text(b.SubsectionCode) != "03" {
			v.Mark = MarkLook
		}
		switch text(b.DeductibilityCode) {
		case "1":
			v.add("Contributions are deductible.")
		case "2":
			v.Mark = MarkLook
			v.add("Contributions are not deductible.")
		case "4":
			v.Mark = MarkLook
			v.add("Contributions are deductible by treaty.")
		default:
			v.Mark = MarkLook
			v.add("It does not say whether contributions are deductible.")
		}
	case NotListed:
		v.say(MarkLook, "not listed", "Not listed.")
		v.add(text(b.ChurchMessage))
	}
}

func (v *Verdict) pub78(p *client.Pub78Screen) {
	switch p.Status {
	case Listed:
		v.say(MarkOK, "listed", "Listed as able to receive tax-deductible contributions.")
	case NotListed:
		v.say(MarkLook, "not listed", "Not listed as able to receive tax-deductible contributions.")
		if m := text(p.ChurchMessage); m != "" {
			v.add(m)
		} else {
			v.add("Churches, members of a group and government units may qualify without being listed.")
		}
	}
}

func (v *Verdict) revocation(r *client.RevocationScreen) {
	switch r.Status {
	case Revoked:
		v.say(MarkLook, "revoked", "The exemption was revoked automatically"+on(" as of ", r.RevocationDate)+on(", posted ", r.PostingDate)+
			", and the list shows no reinstatement.")
	case Reinstated:
		v.say(MarkLook, "reinstated", "The exemption was revoked automatically"+on(" as of ", r.RevocationDate)+on(" and reinstated ", r.ReinstatementDate)+".")
	case NotListed:
		v.say(MarkOK, "not listed", "Not on the list of automatic revocations.")
	}
}

func (v *Verdict) bulletins(b *client.BulletinScreen) {
	through := ""
	if t := text(b.CoversThrough); t != "" {
		through = " Read through bulletin " + t + "."
	}
	switch b.Status {
	case PotentialMatch:
		n := matches(b.MatchCount, len(b.PotentialMatches))
		v.say(MarkLook, counted(n, "similar name", "similar names"), counted(n, "deletion", "deletions")+" announced in bulletins "+
			plural.Word(n, "has", "have")+" a name and state like this one. Bulletins give no EIN: compare before you conclude."+through)
	case Clear:
		v.say(MarkOK, "no match", "No deletion announced in the bulletins that were read has a name and state like this one."+through)
	}
}

func (v *Verdict) sanctions(s *client.SanctionsScreen) {
	n := matches(s.MatchCount, len(s.PotentialMatches))
	switch s.Status {
	case PotentialMatch:
		v.say(MarkLook, counted(n, "similar name", "similar names"),
			"The "+plural.Word(n, "name of a sanctioned entity resembles", "names of "+strconv.Itoa(n)+" sanctioned entities resemble")+
				" this one. A match is a name, not an identity: compare addresses and programs.")
	case RuledOut:
		v.say(MarkLook, "ruled out", "Every sanctioned entity with a similar name was ruled out by whoever asked.")
	case Clear:
		v.say(MarkOK, "no match", "No sanctioned entity has a name like "+plural.Word(len(s.NamesScreened), "the one", "those")+" compared.")
	}
}

// registry words the verdict of the registry. An organization that operates elsewhere
// need not be registered; an organization at home in California should be.
func (v *Verdict) registry(c *client.CaliforniaScreen, home bool) {
	switch {
	case c.Status == NotListed && home:
		v.say(MarkLook, "not listed", "Not registered, although its address is in California. Some kinds of organizations need not register.")
	case c.Status == NotListed:
		v.say(MarkOK, "not listed", "Not registered. That is no finding against an organization that does not operate or raise funds in California.")
	case c.Status != Listed:
	case c.MayOperate == nil:
		v.say(MarkLook, "status unclear", "Registered; its status does not say whether it may operate and raise funds there.")
	case *c.MayOperate:
		v.say(MarkOK, "may operate", "Registered, with a status that allows it to operate and raise funds there.")
	default:
		v.say(MarkLook, "may not operate", "Registered, with a status that does not allow it to operate or raise funds there.")
	}
}

func (v *Verdict) taxBoard(status string) {
	switch status {
	case Revoked:
		v.say(MarkLook, "revoked", "On the board's list of revoked exemptions.")
	case NotListed:
		v.say(MarkOK, "not listed", "Not on the board's list of revoked exemptions.")
	}
}

// matches returns how many matches there are, also when the evidence is withheld.
func matches(count *int, shown int) int {
	if count != nil {
		return *count
	}
	return max(1, shown)
}

// counted writes no commas: the words of a verdict are compared and stored.
func counted(n int, one, many string) string {
	return strconv.Itoa(n) + " " + plural.Word(n, one, many)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// on writes a date after some words, or nothing when the date is not known.
func on(words string, date *string) string {
	if d := day(date); d != "" {
		return words + d
	}
	return ""
}

// day writes a date of the record for people, and leaves other text unchanged.
func day(date *string) string {
	s := text(date)
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Format("January 2, 2006")
	}
	return s
}
