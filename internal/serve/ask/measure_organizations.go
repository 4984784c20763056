package ask

import (
	"slices"
	"strings"
)

// awards plans a question about the government awards of an organization.
func (s *assembly) awards(parties []*item) {
	p := &s.plan
	if len(parties) != 1 {
		s.fail("Government awards can be asked for one organization at a time, by its name.")
		return
	}
	if r := parties[0].role; r == "funder" && len(s.all(tagGet)) == 0 {
		s.fail("Government awards are known by who received them.")
		return
	}
	p.Of = "awards"
	s.take(parties[0], "organization")
	if s.m["federal"] != nil {
		p.Level = "federal"
	}
	if s.m["stategov"] != nil {
		if p.Level != "" {
			p.Level = ""
		} else {
			p.Level = "state"
		}
	}
	agency := s.m["agency"] != nil
	for _, it := range s.seq {
		if it.tag == tagMeasure && strings.Contains(it.asked, "agenc") {
			agency = true
			if strings.HasPrefix(it.asked, "federal") {
				p.Level = "federal"
			}
		}
	}
	if big := s.m["big"] != nil || s.m["most"] != nil || s.m["dollarsmost"] != nil; big && !agency || s.m["least"] != nil {
		s.fail("Awards can be summed up, counted, and ranked by agency; the largest of them are on the organization's page.")
		return
	}
	switch {
	case s.m["trend"] != nil || s.perYear():
		p.Measure = "trend"
	case agency && s.m["much"] == nil:
		p.Measure = "which"
	case s.m["many"] != nil:
		p.Measure = "how_many"
	case s.m["much"] == nil && s.isYesNo():
		p.Measure = "exists"
	default:
		p.Measure = "how_much"
	}
	s.use("awards", "federal", "stategov", "agency", "trend", "much", "many", "each", "big", "most", "dollarsmost")
}

// fact plans a question about one fact of one or a few organizations.
func (s *assembly) fact(parties, facts []*item, verbs bool) bool {
	p := &s.plan
	name := ""
	switch {
	case len(facts) == 1:
		name = facts[0].value
	case len(facts) == 0 && s.m["where"] != nil && !verbs:
		name = "place"
	default:
		return false
	}
	if name == "founded" && len(s.all(tagGrant)) > 0 {
		return false
	}
	if s.isYesNo() {
		s.fail("Please ask for the fact itself: for example “When was it founded?”")
		return true
	}
	// With a cause, a place or an amount, the question is about grants and not
	// about a fact.
	for _, it := range s.all(tagCause, tagSupport, tagKind, tagAmount, tagPlace) {
		if it.tag == tagPlace && s.placeBeside(parties[0]) == it {
			continue
		}
		return false
	}
	for _, it := range s.all(tagGive) {
		if !slices.Contains([]string{"made", "make", "makes"}, it.asked) && it.asked != "spend" {
			return false
		}
	}
	p.Measure, p.Of, p.Fact = "fact", "organizations", name
	for _, it := range parties {
		s.take(it, "organization")
		if s.failed() {
			return true
		}
	}
	if pl := s.placeBeside(parties[0]); pl != nil {
		pl.used, pl.ofParty = true, true
	}
	for _, it := range facts {
		it.used = true
	}
	for _, it := range s.all(tagThing) {
		if it.value == "years" && (name == "founded" || name == "ruling_year") {
			it.used = true // "in what year was X founded"
		}
	}
	s.use("much", "when", "where", "compare", "last")
	if s.m["trend"] != nil || s.m["change"] != nil {
		s.fail("Figures of an organization can be asked for one year, or for its latest return; its page shows all years.")
	}
	return true
}

// organizations plans a question about organizations without grants: how many
// there are, or which are the largest by a figure of their returns.
func (s *assembly) organizations(facts []*item, verbs bool) bool {
	p := &s.plan
	orgs := s.all(tagOrg)
	if len(orgs) == 0 && (len(facts) == 1 || s.m["many"] != nil && s.causeCounted(s.index(s.m["many"]))) {
		orgs = s.all(tagCause) // "how many hospitals are in Texas", "the largest hospitals by revenue"
	}
	if len(orgs) == 0 || verbs || len(s.all(tagGrant, tagFunder, tagRecipient, tagKind, tagPerson, tagSupport, tagYear, tagGo)) > 0 ||
		len(s.all(tagMoney)) > 0 && len(facts) == 0 || p.Words != "" || s.m["share"] != nil || s.m["compare"] != nil || s.m["trend"] != nil || s.m["change"] != nil {
		return false
	}
	for _, x := range facts {
		if !slices.Contains([]string{"revenue", "assets", "expenses", "grants_paid"}, x.value) {
			return false
		}
	}
	if len(facts) > 1 || len(s.all(tagAmount)) > 0 && len(facts) != 1 {
		return false
	}
	p.Of = "organizations"
	if len(facts) == 1 {
		p.Order, facts[0].used = facts[0].value, true
	}
	switch {
	case s.m["many"] != nil:
		p.Measure = "how_many"
		s.use("many")
	case s.m["much"] != nil:
		return false
	case len(facts) == 1 && (len(s.all(tagWho, tagTop)) == 0 || s.whatIs()) && s.m["big"] == nil && s.m["most"] == nil && s.m["least"] == nil,
		s.m["average"] != nil, s.m["median"] != nil:
		s.fail("Figures of returns can be ranked, or asked for one organization; their sums and averages are a matter for the SQL page.")
	default:
		p.Measure = "which"
		p.Least = s.m["least"] != nil
		if p.Order == "" {
			p.Order = "revenue"
			s.note("Organizations are ranked by the revenue of their latest return.")
		}
		s.use("big", "most", "least", "each")
		s.singular(orgs[0])
	}
	return true
}
