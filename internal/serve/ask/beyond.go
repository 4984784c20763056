package ask

import (
	"slices"
	"strings"
)

// beyond refuses questions that look answerable but ask for something that a
// plan cannot express, even though each word is known.
func (s *assembly) beyond(ti int, target *item) {
	who := s.firstWho()
	lists := who == "who" || who == "which" || s.m["many"] != nil
	for i := range s.toks {
		at := func(words ...string) bool {
			for k, w := range words {
				if i+k >= len(s.toks) || s.toks[i+k].tag == tagParty || !slices.Contains(strings.Split(w, "|"), s.toks[i+k].text) {
					return false
				}
			}
			return true
		}
		switch {
		case lists && at("every|all|consecutive", "year|years"):
			s.fail("Who gave in every year cannot be asked. Please ask for one year, or for all together.")
		case lists && s.m["big"] == nil && s.m["least"] == nil && (at("a|one", "single", "grant|gift|donation") || at("exactly|only|just", "a|one|two|three") ||
			at("one", "grant|gift|donation")):
			s.fail("Who made or received a certain number of grants cannot be asked.")
		case at("and", "back"):
			s.fail("What went one way and what went the other are two questions. Please ask for one of them.")
		case at("do|did|does|done", "with"):
			s.fail("What became of the money is not in filings.")
		case at("need|have|want", "to", "give|pay|donate|contribute"):
			s.fail("That is a matter of advice, and this service gives none.")
		case at("make|makes|made", "$|money|profit|dollars") || (at("make|makes|made") && len(s.all(tagGrant)) == 0 && s.m["much"] != nil &&
			len(s.plan.Recipients) == 0):
			s.fail("What an organization earns is in its returns: please ask for its revenue. For its grants, ask how much it gave.")
		case at("per", "grant|gift|funder|foundation|recipient|organization|person|capita|nonprofit|donor|grantee"):
			s.fail("Figures per %s cannot be asked for, but the average and the median grant can.", s.toks[i+1].text)
		case at("receive|receives|received|get|gets|got", "and|or", "give|gives|gave|given"),
			at("give|gives|gave|given", "and|or", "receive|receives|received|get|gets|got"):
			s.fail("What somebody gave and what it received are two questions. Please ask for one of them.")
		}
	}
	asks := who == "who" || who == "which"
	nouns := []string{tagFunder, tagKind, tagOrg, tagRecipient, tagWho}
	if asks && (s.m["change"] != nil || s.m["trend"] != nil || s.m["compare"] != nil && len(s.plan.Years) > 1) && slices.Contains(nouns, target.tag) &&
		len(s.plan.Funders)+len(s.plan.Recipients) < 2 {
		s.fail("Who gave or got more than in another year cannot be asked. Figures by year can, for one organization, cause or place.")
	}
	if s.m["compare"] != nil && s.m["many"] != nil && strings.HasSuffix(s.m["many"].asked, "times") {
		s.fail("How many times more cannot be asked. Please ask to compare the two.")
	}
	first := -1
	for i, it := range s.seq {
		if it.tag == tagTop || it.tag == tagMeasure && it.value == "big" {
			if first >= 0 && i > first+2 {
				s.fail("The largest of what the largest have is two questions. Please ask for one step at a time.")
			}
			if first < 0 {
				first = i
			}
		}
	}
	if (asks || s.m["many"] != nil) && len(s.plan.Funders) > 0 && len(s.plan.Recipients) == 0 &&
		(target.tag == tagFunder || target.tag == tagKind || target.tag == tagWho && s.roleOf(ti) == "funder") && s.m["compare"] == nil &&
		s.m["more"] == nil && s.m["most"] == nil && !s.versus() && len(s.all(tagOr)) == 0 {
		s.fail("That asks for funders by the grants of another funder, which is more than one request. Please ask for one step at a time.")
	}
	if s.isYesNo() && len(s.all(tagOr)) > 0 && s.m["more"] == nil && len(s.all(tagParty)) > 2 {
		s.fail("Please ask about one of them at a time.")
	}
	verb := slices.IndexFunc(s.seq, func(it *item) bool { return it.tag == tagGive })
	for i, it := range s.seq {
		if asks && verb >= 0 && i > verb && (it.tag == tagTop || it.tag == tagMeasure && (it.value == "big" || it.value == "least")) {
			k := i + 1
			for s.at(k).tag == tagFill || s.at(k).tag == tagPlace {
				k++
			}
			if n := s.at(k).tag; n == tagCause || n == tagRecipient || n == tagOrg {
				s.fail("Who funds the largest or the smallest of something is two questions. Please ask for those first, and then who funds one of them.")
			}
		}
	}
	for i := range s.toks {
		t, next := &s.toks[i], s.textAt(i+1)
		if t.tag == tagParty || t.typed != "US" && t.text != "u.s" && t.text != "usa" && t.text != "american" && t.text != "domestic" {
			continue
		}
		if m, _ := phrases(); m[next].tag == tagRecipient || m[next].tag == tagOrg {
			s.fail("Recipients abroad cannot be left out. They can be asked for by themselves: “How much was given abroad?”")
		} else if m[next].tag != tagFunder && m[next].tag != tagKind {
			s.note("Recipients abroad are counted.")
		}
	}
	for _, m := range []string{"average", "median"} {
		it := s.m[m]
		if it == nil {
			continue
		}
		between := true
		for k := s.index(it) + 1; k < ti; k++ {
			between = between && (passing(s.at(k)) || s.at(k).tag == tagOf)
		}
		switch much := s.m["much"]; {
		case s.m["many"] != nil:
			s.fail("Averages and medians are of the amounts of grants, not of numbers.")
		case much != nil && strings.HasPrefix(much.asked, "total"):
			s.fail("Averages and medians are of the amounts of single grants, not of totals.")
		case s.index(it) < ti && between && slices.Contains([]string{tagFunder, tagKind, tagOrg, tagRecipient}, target.tag) && !s.grantBehind(ti):
			s.fail("Averages and medians are of the amounts of grants, not of what each of the %s gave or got.", target.asked)
		}
	}
	if who == "who" || who == "what" {
		var left []*item
		for _, it := range s.seq {
			if it.tag != tagFill {
				left = append(left, it)
			}
		}
		if len(left) == 3 && left[0].tag == tagWho && left[1].tag == tagBe && left[2].tag == tagParty && left[2].party != nil {
			e := left[2].party.EIN
			s.unclear = &Unclear{Why: "Please ask for something about " + left[2].party.Name +
				": where it is, its mission, its revenue, whom it funds, or who funds it.",
				Try: []string{"Where is " + e + "?", "What is the mission of " + e + "?", "What is the revenue of " + e + "?"}}
		}
	}
}

// grantBehind reports whether a noun only describes the grant after it: "the
// average foundation grant".
func (s *assembly) grantBehind(i int) bool {
	next := s.at(i + 1)
	return next.tag == tagGrant || next.tag == tagMoney
}

// begins reports whether the question begins with a word of a tag.
func (s *assembly) begins(tag string) bool {
	for _, it := range s.seq {
		if it.tag != tagFill {
			return it.tag == tag
		}
	}
	return false
}

// nameNouns end the name of an organization if they are singular and follow a
// place: Houston Animal Shelter, Charlotte Ballet.
var nameNouns = append(strings.Fields("ballet opera zoo aquarium choir rescue ymca ywca soccer"), headNouns...)

// unknownNames refuses a place followed by a cause that looks like the name of
// an organization. If we had that organization, its name would have been found
// earlier.
func (r *reading) unknownNames() {
	mixed := r.mixedCase()
	for _, it := range r.items {
		if it.tag != tagCause || it.from <= 0 {
			continue
		}
		last := &r.toks[it.to-1]
		n := r.toks[it.from-1].item
		if n == 0 || r.items[n-1].tag != tagPlace || r.items[n-1].place == nil || r.toks[it.from-1].comma || strings.HasSuffix(last.text, "s") &&
			!strings.HasSuffix(last.text, "ss") {
			continue
		}
		if it.to < len(r.toks) && r.toks[it.to].item != 0 && !last.comma {
			switch r.items[r.toks[it.to].item-1].tag {
			case tagGrant, tagMoney, tagFunder, tagRecipient, tagOrg, tagKind, tagThing, tagCause, tagSupport:
				continue // "Ohio hospital funders"
			}
		}
		from := r.items[n-1].from
		capitals := mixed
		for k := from; k < it.to; k++ {
			capitals = capitals && (r.toks[k].cap || isFunction(r.toks[k].text))
		}
		if capitals || slices.Contains(nameNouns, last.text) {
			r.fail("No organization called “%s” was found with certainty. If a cause in a place is meant, please write it so: “… in %s”.", r.text(from, it.to),
				r.items[n-1].place.Name)
			return
		}
	}
}
