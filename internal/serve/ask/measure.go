package ask

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/search"
)

// measure finds what the question asks for: the shape of the answer.
func (s *assembly) measure() {
	parties := s.all(tagParty)
	facts := s.all(tagFact)
	if len(parties) == 0 && len(s.all(tagFunder, tagKind, tagOrg, tagRecipient)) == 0 {
		for i := range s.toks {
			if slices.Contains([]string{"they", "them", "their", "he", "she", "its"}, s.toks[i].text) {
				s.fail("It is not clear who “%s” is: please name the organization.", s.toks[i].text)
				return
			}
		}
	}
	verbs := len(s.all(tagGive, tagGet)) > 0
	p := &s.plan
	switch {
	case s.m["screen"] != nil && len(parties) == 1:
		s.about("screen", parties)
		s.use("screen")
		return
	case s.m["cofunders"] != nil && len(parties) == 1:
		s.about("cofunders", parties)
		s.use("cofunders", "else", "big", "most", "both")
		return
	case s.m["similar"] != nil && len(parties) == 1:
		s.about("similar", parties)
		s.use("similar", "most")
		return
	case s.m["awards"] != nil || s.m["federal"] != nil || s.m["stategov"] != nil || s.m["agency"] != nil:
		s.awards(parties)
		return
	case len(parties) > 0 && (len(facts) > 0 || s.m["when"] != nil || s.m["where"] != nil) && s.fact(parties, facts, verbs):
		return
	case len(parties) == 0 && s.organizations(facts, verbs):
		return
	}
	s.sides(parties)
	if s.failed() {
		return
	}
	ti, target := s.target()
	if s.beyond(ti, target); s.failed() {
		return
	}
	switch {
	case s.m["share"] != nil && s.m["change"] != nil && len(s.all(tagYear)) > 0:
		s.change() // "by what percentage did giving change"
		s.use("share")
		if p.Measure != "change" {
			s.fail("A change in percent needs two years: for example “from 2019 to 2021”.")
		}
	case s.m["share"] != nil:
		s.share()
	case s.compared():
	case s.m["change"] != nil:
		s.change()
	case s.m["trend"] != nil || s.perYear():
		p.Measure, p.Of = "trend", "grants"
		p.Figure = s.figure(ti, target)
		if p.Figure == "average" && len(s.all(tagGrant)) == 0 {
			s.fail("The average of a year is not known here, only that of a grant. Please ask for the average grant, or for giving by year.")
		}
		s.use("trend", "much", "many", "average", "median", "each")
	case s.m["median"] != nil:
		p.Measure, p.Of = "median", "grants"
		s.use("median", "much")
		s.grantsOnly(target)
	case s.m["average"] != nil:
		p.Measure, p.Of = "average", "grants"
		s.use("average", "much")
		s.grantsOnly(target)
	default:
		s.plain(ti, target, verbs)
	}
}

// about plans a question about organizations themselves.
func (s *assembly) about(measure string, parties []*item) {
	s.plan.Measure, s.plan.Of = measure, "organizations"
	for _, it := range parties {
		s.take(it, "organization")
	}
}

// grantsOnly refuses averages of anything but grant amounts.
func (s *assembly) grantsOnly(target *item) {
	if s.m["many"] != nil || target.tag == tagThing && target.value != "years" {
		s.fail("Averages and medians are of the amounts of grants.")
	}
}

// sides adds the named organizations to the plan as funders and recipients. If
// the words do not say which, the organization's grants may: an organization
// that only gave is a funder.
func (s *assembly) sides(parties []*item) {
	var last *item
	for _, it := range parties {
		role := it.role
		if role == "" && last != nil && s.joinedWith(last, it) {
			role = last.role
		}
		if role == "" && last != nil && last.role == "funder" && len(parties) == 2 && len(s.all(tagGive)) > 0 {
			role = "recipient"
		}
		if role == "" && len(parties) > 1 {
			// "who gave more, A or B": A and B are the possible answers to
			// "who".
			for i, w := range s.seq {
				if w.tag == tagWho && role == "" {
					role = s.roleOf(i)
				}
			}
		}
		if role == "" {
			role = s.onlySide(it)
			if s.failed() {
				return
			}
		}
		if role == "funder" && len(s.all(tagGive, tagGet, tagBy, tagFrom)) == 0 {
			role = s.grantsOf(it)
		}
		it.role = role
		if last != nil && last.role == role && !s.joinedWith(last, it) {
			s.fail("It is not clear how %s and %s go together. Please ask about one of them, or join them with “and” or “or”.", last.asked, it.asked)
			return
		}
		s.take(it, role)
		if s.failed() {
			return
		}
		last = it
	}
}

// grantsOf is the side of an organization whose grants are asked for without a
// verb: the grants it made, or those it received if it made none.
func (s *assembly) grantsOf(it *item) string {
	p := s.pick(it, "")
	if p == nil {
		return "funder"
	}
	if e, err := ein.Parse(p.EIN); err == nil && s.sums(e, "funder") == 0 && s.sums(e, "recipient") > 0 {
		s.note("%s made no grants that are in this data; the ones it received are meant.", p.Name)
		return "recipient"
	}
	return "funder"
}

// joinedWith reports whether only "and", "or" and commas come between two
// items.
func (s *assembly) joinedWith(a, b *item) bool {
	i, j := s.index(a), s.index(b)
	joined := s.commaBetween(a, b)
	for k := i + 1; k < j; k++ {
		switch it := s.seq[k]; it.tag {
		case tagAnd, tagOr:
			joined = true
		case tagFill:
			joined = joined || it.asked == "with" && s.m["compare"] != nil
		case tagTo, tagFrom, tagIn, tagOf, tagBy:
		case tagPlace:
			if !it.ofParty {
				return false
			}
		case tagMeasure:
			if it.value == "compare" {
				joined = true
			} else if it.value != "both" {
				return false
			}
		case tagParty:
		default:
			return false
		}
	}
	return joined
}

// onlySide is the side on which an organization has grants, if it has grants on
// one side only.
func (s *assembly) onlySide(it *item) string {
	if len(it.found) > 1 && it.found[0].Match == search.Exact {
		active := slices.DeleteFunc(slices.Clone(it.found), func(f search.Result) bool {
			return f.Match != search.Exact || s.sums(f.EIN, "funder")+s.sums(f.EIN, "recipient") == 0
		})
		if len(active) == 1 {
			it.found = active
			s.note("Of several organizations that “%s” may name, only %s (%s) has grants.", it.asked, active[0].DisplayName, active[0].EIN.Hyphenated())
		}
	}
	p := s.pick(it, "")
	if p == nil {
		return ""
	}
	e, err := ein.Parse(p.EIN)
	if err != nil {
		return ""
	}
	gave, got := s.sums(e, "funder"), s.sums(e, "recipient")
	switch {
	case gave > 0 && got == 0:
		return "funder"
	case got > 0 && gave == 0:
		return "recipient"
	case gave > 10*got && got > 0:
		s.note("This was read as what %s gave; it also received grants, a tenth of that or less.", p.Name)
		return "funder"
	case got > 10*gave && gave > 0:
		s.note("This was read as what %s received; it also made grants, a tenth of that or less.", p.Name)
		return "recipient"
	case gave == 0:
		s.fail("No grants by or to %s are in this data, and the question does not say which is meant.", p.Name)
		return ""
	}
	s.unclear = &Unclear{Why: p.Name + " both made and received grants, and the question does not say which is meant.",
		Try: []string{"How much did " + p.EIN + " give?", "How much did " + p.EIN + " receive?", "Who funds " + p.EIN + "?"}}
	return ""
}

// isYesNo reports whether the question begins with its verb.
func (s *assembly) isYesNo() bool {
	for _, it := range s.seq {
		switch it.tag {
		case tagFill:
			continue
		case tagAux, tagBe:
			return true
		}
		return false
	}
	return false
}

// perYear reports whether the question asks for figures by year: "each year",
// "by year".
func (s *assembly) perYear() bool {
	for i, it := range s.seq {
		if it.tag != tagThing || it.value != "years" || it.used {
			continue
		}
		before := s.at(i - 1)
		if before.tag == tagBy || before.tag == tagMeasure && before.value == "each" {
			it.used, before.used = true, true
			return true
		}
	}
	return false
}

// figure is the figure that a trend, a comparison or a change shows.
func (s *assembly) figure(ti int, target *item) string {
	switch {
	case s.m["median"] != nil:
		s.use("median")
		return "median"
	case s.m["average"] != nil:
		s.use("average")
		return "average"
	case s.m["many"] != nil:
		s.use("many")
		switch target.tag {
		case tagGrant:
			return "grants"
		case tagFunder, tagKind:
			return "funders"
		case tagRecipient:
			return "recipients"
		case tagOrg:
			if s.roleOf(ti) == "funder" {
				return "funders"
			}
			return "recipients"
		}
		return "grants"
	}
	return "dollars"
}

// stepNoun is the next item that is neither a filler nor a preposition.
func (s *assembly) stepNoun(i, d int) int {
	for j := i + d; ; j += d {
		switch s.at(j).tag {
		case tagFill, tagTo, tagIn, tagFrom, tagBy, tagOf:
			continue
		case "":
			return -1
		}
		return j
	}
}

// singular asks for one row if the noun is singular.
func (s *assembly) singular(noun *item) {
	if s.topGiven || s.plan.Top != 0 {
		return
	}
	text := strings.ToLower(noun.asked)
	if strings.HasPrefix(text, "kinds") || strings.HasPrefix(text, "types") {
		return
	}
	if (noun.tag == tagFunder || noun.tag == tagRecipient || noun.tag == tagOrg || noun.tag == tagGrant || noun.tag == tagThing || noun.tag == tagKind) &&
		!strings.HasSuffix(text, "s") && text != "charities" &&
		(s.m["big"] != nil || s.m["most"] != nil || s.m["least"] != nil || s.m["dollarsmost"] != nil || s.m["often"] != nil) {
		s.plan.Top = 1
	}
}

// plain plans "how much", "how many", "which" and yes-or-no questions.
func (s *assembly) plain(ti int, target *item, verbs bool) {
	p := &s.plan
	p.Of = "grants"
	big := s.m["big"] != nil || s.m["dollarsmost"] != nil
	most, least := s.m["most"] != nil, s.m["least"] != nil
	who := len(s.all(tagWho)) > 0
	first := s.firstWho()
	of := s.groupedBy()
	if of != nil && (who || big || least || s.topGiven) && slices.Contains([]string{tagFunder, tagRecipient, tagOrg, tagKind, tagGrant, tagWho}, target.tag) {
		s.fail("The first of each of the %s cannot be asked at once. Please ask for one of them.", strings.ReplaceAll(of.value, "_", " "))
		return
	}
	if of != nil && !who {
		p.Measure, p.Of = "which", of.value
		if s.m["many"] != nil || s.m["often"] != nil {
			p.Order = "grants"
		}
		s.use("much", "many", "each", "big", "often", "bydollars")
		return
	}
	switch {
	case s.m["many"] != nil && s.m["much"] == nil:
		p.Measure = "how_many"
		s.use("many", "both")
		many := s.index(s.m["many"])
		switch {
		case slices.Contains([]string{"how often", "how many times", "how frequently", "times"}, strings.ToLower(s.m["many"].asked)):
		case s.causeCounted(many):
			p.Of = "recipients" // "how many hospitals received grants"
		case target.tag == "" && s.abroadCounted(many):
			p.Of = "recipients" // "how many foreign recipients"
		case target.tag == "" && len(s.all(tagCause)) > 0 && many == len(s.seq)-1:
			s.fail("It is not clear what is to be counted. Please ask for example “How many hospitals received grants?”")
		case ti < many && many == len(s.seq)-1 && slices.Contains([]string{tagFunder, tagKind, tagRecipient}, target.tag):
			p.Of = s.sideNoun(ti, target) // "private foundations in Florida how many"
		case target.tag == tagGrant || target.tag == "" || ti < many:
		case target.tag == tagThing:
			p.Of, target.used = target.value, true
		case target.tag == tagPerson:
			s.fail("How many persons received grants is not known: filings list grants to individuals without saying who they are.")
		default:
			p.Of = s.sideNoun(ti, target)
		}
		s.bothOf()
		if big || most || least {
			s.fail("It is not clear whether a number or a ranking is asked for.")
		}
	case s.isYesNo() && !who && s.m["much"] == nil && !big && !most && !least:
		p.Measure = "exists"
		if s.begins(tagBe) && !verbs && len(s.all(tagFrom, tagGrant, tagMoney)) == 0 {
			s.fail("Whether an organization is something cannot be asked. Please ask for a fact: where it is, its revenue, its assets, its mission, or whether it " +
				"is tax-exempt.")
		}
		if len(p.Funders)+len(p.Recipients) == 0 {
			s.fail("Please ask how much, how many, or who.")
		}
	case (big || least) && s.bigGrant() && !s.mostGrants():
		// This includes "who made the largest grant": the grant names its
		// funder.
		p.Measure = "largest"
		if least {
			p.Measure = "smallest"
		}
		s.use("big", "least", "one", "much", "first")
		if target.tag == tagGrant {
			s.singular(target)
		} else if g := s.all(tagGrant); len(g) > 0 {
			s.singular(g[0])
		}
	case s.m["much"] != nil && !verbs && len(s.all(tagParty)) > 0 && len(s.all(tagAux)) > 0 && s.owns():
		s.fail("What an organization has is in its returns: please ask for its assets or its revenue.")
	case first == "what" && target.tag == "" && len(p.Funders) > 0 && len(s.all(tagGive)) > 0 && !s.gives() && s.whatDid() && !big && !most && !least:
		p.Measure, p.Of = "which", "recipients" // "what does X fund"
	case first == "what" && s.gives() && s.whatDid() && !big && !most && !least && s.m["many"] == nil:
		p.Measure = "how_much" // "what did X give"
	case s.m["much"] != nil && !(big || most || least || s.m["often"] != nil) && !(first == "who" || first == "which"):
		p.Measure = "how_much"
		s.use("much")
	case !who && s.m["much"] == nil && target.tag == "" && s.causeReceives():
		p.Measure, p.Of = "which", "recipients" // "hospitals funded by X"
	case who || big || most || least || target.tag == tagFunder || target.tag == tagRecipient || target.tag == tagOrg || target.tag == tagThing:
		s.ranking(ti, target, most, least)
	case !verbs && s.m["much"] == nil && len(s.all(tagGrant, tagMoney, tagGo, tagAmount)) == 0 && p.Words == "":
		s.fail("It is not clear what is asked for. Please ask how much, how many, who or which.")
	default:
		p.Measure = "how_much"
		s.use("much", "one")
	}
}

// groupedBy is the grouping that the question asks for: "by state", "for each
// cause".
func (s *assembly) groupedBy() *item {
	for i, it := range s.seq {
		if it.tag != tagThing || it.used {
			continue
		}
		before := s.at(i - 1)
		for k := i - 1; before.tag == tagFill && k > 0; k-- {
			before = s.at(k - 1)
		}
		if before.tag == tagBy || before.tag == tagMeasure && before.value == "each" {
			it.used, before.used = true, true
			return it
		}
	}
	return nil
}

// gives reports whether the question has a verb of giving money, such as
// "give", and not one of supporting, such as "help".
func (s *assembly) gives() bool {
	return slices.ContainsFunc(s.all(tagGive), func(it *item) bool {
		return !slices.ContainsFunc([]string{"fund", "support", "back", "financ", "sponsor", "help"},
			func(stem string) bool { return strings.HasPrefix(it.asked, stem) })
	})
}

// owns reports whether the question ends in "have".
func (s *assembly) owns() bool {
	last := s.at(len(s.seq) - 1)
	return last.tag == tagAux && (last.asked == "have" || last.asked == "has" || last.asked == "had")
}

// whatDid reports whether the question is "what did X give".
func (s *assembly) whatDid() bool {
	for i, it := range s.seq {
		if it.tag == tagWho {
			return s.at(i+1).tag == tagAux
		}
	}
	return false
}

// whatIs reports whether the question begins with "what is".
func (s *assembly) whatIs() bool {
	for i, it := range s.seq {
		if it.tag == tagWho {
			return it.asked == "what" && s.at(i+1).tag == tagBe
		}
	}
	return false
}

// causeCounted reports whether a cause is what the question counts: it comes
// right after "how many" and has no noun of its own.
func (s *assembly) causeCounted(many int) bool {
	k := many + 1
	for s.at(k).tag == tagFill || s.at(k).tag == tagPlace || s.at(k).tag == tagOf {
		k++
	}
	if s.at(k).tag != tagCause {
		return false
	}
	next := s.at(s.step(k, +1)).tag
	return next != tagGrant && next != tagMoney && !s.nounFollows(k) && !slices.Contains([]string{tagFunder, tagRecipient, tagOrg, tagKind, tagThing}, next)
}

// abroadCounted reports whether the question counts recipients abroad.
func (s *assembly) abroadCounted(many int) bool {
	it := s.at(many + 1)
	return it.tag == tagPlace && it.value == "abroad" && strings.Contains(it.asked, " ") && !strings.Contains(it.asked, "countr")
}

// causeReceives reports whether a cause stands for the recipients.
func (s *assembly) causeReceives() bool {
	for i, it := range s.seq {
		if it.tag == tagCause {
			return s.at(s.step(i, +1)).tag == tagGive && s.roleOf(i) == "recipient"
		}
	}
	return false
}

// firstWho is the first question word: who, which or what.
func (s *assembly) firstWho() string {
	for _, it := range s.seq {
		if it.tag == tagWho {
			return strings.ToLower(it.asked)
		}
	}
	return ""
}

// bigGrant reports whether "largest" or "smallest" refers to grants.
func (s *assembly) bigGrant() bool {
	for i, it := range s.seq {
		if it.tag != tagMeasure || it.value != "big" && it.value != "least" {
			continue
		}
		k := i + 1
		for passing(s.at(k)) || s.at(k).tag == tagMoney {
			k++
		}
		if s.at(k).tag == tagGrant {
			return true
		}
	}
	return false
}

// mostGrants reports whether the ranking is by the number of grants: "the most
// grants".
func (s *assembly) mostGrants() bool {
	for i, it := range s.seq {
		if it.tag == tagMeasure && (it.value == "most" || it.value == "least" && strings.EqualFold(it.asked, "fewest")) {
			k := i + 1
			for s.at(k).tag == tagFill || s.at(k).tag == tagCause {
				k++
			}
			if s.at(k).tag == tagGrant {
				return true
			}
		}
	}
	return false
}

// ranking plans a list of what the question asks for, by dollars or by the
// number of grants.
func (s *assembly) ranking(ti int, target *item, most, least bool) {
	p := &s.plan
	p.Measure = "which"
	if ti < 0 {
		s.fail("It is not clear what is to be ranked. Please ask for the largest funders, recipients or grants.")
		return
	}
	s.use("big", "most", "least", "dollarsmost", "often", "else", "each", "much", "bydollars", "both", "many", "last")
	if s.m["last"] != nil {
		s.fail("Rankings are by dollars or by the number of grants, not by date.")
		return
	}
	p.Least = least
	switch {
	case target.tag == tagGrant && s.firstWho() != "who":
		if s.mostGrants() {
			s.fail("It is not clear who or what is to be ranked by the number of grants.")
			return
		}
		p.Of = "grants"
		p.Measure = "largest"
		if least {
			p.Measure = "smallest"
		}
		p.Least = false
	case target.tag == tagThing:
		if (target.value == "states" || target.value == "counties") && (target.poss || s.roleOf(ti) == "funder") {
			s.fail("Rankings of places are of where recipients are. Where the funders are can be asked for one state at a time: “How much did Ohio foundations give?”")
			return
		}
		p.Of, target.used = target.value, true
	case target.tag == tagPerson:
		s.fail("Grants to individuals are counted, but nobody is named.")
		return
	default:
		p.Of = s.sideNoun(ti, target)
	}
	if s.failed() {
		return
	}
	if s.mostGrants() || s.m["often"] != nil || s.m["many"] != nil {
		p.Order = "grants"
	}
	// "Funds the most organizations" would rank by the number of recipients,
	// which the API cannot do.
	for i, it := range s.seq {
		if it.tag == tagMeasure && (it.value == "most" || it.value == "least") {
			k := i + 1
			for s.at(k).tag == tagFill || s.at(k).tag == tagCause || s.at(k).tag == tagPlace {
				k++
			}
			if c := s.at(k - 1); c.tag == tagCause && k > i+1 && strings.HasSuffix(strings.ToLower(c.cause.Asked), "s") && s.at(k).tag != tagGrant &&
				s.at(k).tag != tagMoney && !s.nounFollows(k-1) {
				s.fail("Rankings are by dollars or by the number of grants, not by the number of %s.", strings.ToLower(c.cause.Asked))
				return
			}
			if n := s.at(k); n != target && (n.tag == tagRecipient || n.tag == tagOrg || n.tag == tagFunder || n.tag == tagThing || n.tag == tagKind) {
				s.fail("Rankings are by dollars or by the number of grants, not by the number of %s.", strings.ToLower(n.asked))
				return
			}
		}
	}
	s.bothOf()
	s.singular(target)
}

// bothOf asks for the funders or recipients that several organizations have in
// common.
func (s *assembly) bothOf() {
	p := &s.plan
	if s.m["both"] == nil {
		return
	}
	if p.Of == "funders" && len(p.Recipients) >= 2 || p.Of == "recipients" && len(p.Funders) >= 2 {
		p.Both = true
		return
	}
	if p.Of == "funders" || p.Of == "recipients" {
		s.fail("What several have in common can be asked of organizations: “Which funders do A and B have in common?” It cannot be asked of causes, places or years.")
	}
}

// sideNoun says whether a noun in the question means funders or recipients.
func (s *assembly) sideNoun(i int, it *item) string {
	role := s.roleOf(i)
	p := &s.plan
	switch it.tag {
	case tagFunder, tagKind:
		if role == "recipient" && it.tag == tagFunder && !it.poss && s.contradicts(i) {
			s.fail("It is not clear whether “%s” are to give or to receive.", it.asked)
		}
		if strings.HasPrefix(strings.ToLower(it.asked), "foundation") {
			s.note("“%s” was read as funders of every kind; say “private foundations” for those alone.", it.asked)
		}
		return "funders"
	case tagRecipient:
		return "recipients"
	}
	switch {
	case role == "funder":
		return "funders"
	case role == "recipient":
		return "recipients"
	case len(p.Funders) > 0 && len(p.Recipients) == 0:
		return "recipients"
	case len(p.Recipients) > 0 && len(p.Funders) == 0:
		return "funders"
	case it.tag == tagOrg:
		return "recipients"
	}
	s.fail("It is not clear whether funders or recipients are asked for.")
	return "funders"
}

// contradicts reports whether a noun for funders is used as the receiver.
func (s *assembly) contradicts(i int) bool {
	right := s.at(s.step(i, +1))
	return right.tag == tagGet
}
