package ask

import (
	"slices"
	"strings"
)

// readWords reads the words to search for in purposes: "grants mentioning
// robotics".
func (r *reading) readWords() {
	for i := range r.toks {
		if !r.has(i, "mentioning|mention|mentions|mentioned|containing|contains|contain") {
			continue
		}
		from := i + 1
		for r.has(from, "the|word|words|phrase|keyword|of") {
			from++
		}
		to := from
		for to < len(r.toks) && r.toks[to].item == 0 && !slices.Contains([]string{"in", "to", "from", "by", "since", "between", "during", "for",
			"did", "were", "was", "made", "given", "that",
			"over", "under", "above", "below", "exceeding", "excluding", "without", "more", "less", "at"}, r.toks[to].text) &&
			!strings.ContainsAny(r.toks[to].text[:1], "$0123456789") {
			if to++; r.toks[to-1].comma {
				break
			}
		}
		if to == from {
			return
		}
		r.putWords(from, to)
		r.put(i, from, &item{tag: tagFill})
		return
	}
}

// sequence sorts the items in the order of the question.
func (r *reading) sequence() []*item {
	var list []*item
	for _, it := range r.items {
		if it.tag != "gone" && it.from >= 0 {
			list = append(list, it)
		}
	}
	slices.SortStableFunc(list, func(a, b *item) int { return a.from - b.from })
	return list
}

// assembly is the last step: it combines the items into a plan.
type assembly struct {
	*reading
	seq       []*item
	m         map[string]*item // measures
	shareFrom int              // position where the part of a share begins
}

func (r *reading) assemble() {
	s := &assembly{reading: r, seq: r.sequence(), m: map[string]*item{}}
	for _, it := range s.seq {
		if it.tag == tagMeasure && s.m[it.value] == nil {
			s.m[it.value] = it
		}
	}
	for _, step := range []func(){s.negations, s.parties, s.measure, s.filters, s.unused} {
		if step(); r.failed() {
			return
		}
	}
}

func (s *assembly) index(it *item) int { return slices.Index(s.seq, it) }

// all returns the items with a tag.
func (s *assembly) all(tags ...string) (list []*item) {
	for _, it := range s.seq {
		if slices.Contains(tags, it.tag) {
			list = append(list, it)
		}
	}
	return list
}

func (s *assembly) at(i int) *item {
	if i < 0 || i >= len(s.seq) {
		return &item{}
	}
	return s.seq[i]
}

// passing reports whether an item may come between a noun and its verb.
func passing(it *item) bool {
	switch it.tag {
	case tagFill, tagPlace, tagCause, tagYear, tagAmount, tagTop, tagSupport, "words":
		return true
	case tagMeasure:
		return !slices.Contains([]string{"much", "many", "share", "compare"}, it.value)
	}
	return false
}

// step returns the next item that matters, to the left or right. It skips a
// preposition together with the place, cause or year that follows.
func (s *assembly) step(i, d int) int {
	for j := i + d; ; j += d {
		it := s.at(j)
		if it.tag == "" {
			return -1
		}
		if passing(it) {
			continue
		}
		if slices.Contains([]string{tagIn, tagTo, tagFrom, tagOf, tagBy, tagAnd, tagOr}, it.tag) {
			k := j + 1
			for s.at(k).tag == tagFill {
				k++
			}
			if next := s.at(k); next.tag == tagPlace || next.tag == tagCause && !s.nounFollows(k) || next.tag == tagYear || next.tag == tagAmount ||
				next.tag == tagSupport {
				continue
			}
		}
		return j
	}
}

// nounFollows reports whether a cause or a place describes a noun after it.
func (s *assembly) nounFollows(k int) bool {
	for k++; ; k++ {
		if before := s.at(k - 1); before.to > 0 && s.toks[before.to-1].comma {
			return false
		}
		switch it := s.at(k); it.tag {
		case tagPlace, tagCause, tagFill:
			if it.tag == tagFill && !slices.Contains([]string{"based", "located"}, it.asked) {
				return false
			}
		case tagFunder, tagRecipient, tagOrg, tagKind:
			return true
		default:
			return false
		}
	}
}

// participle reports whether a verb may be a participle. With "was" before or
// "by" after a participle, giver and receiver swap.
func participle(text string) bool {
	return !strings.HasSuffix(text, "ing") && (strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "en") ||
		slices.Contains([]string{"paid", "made", "sent", "spent"}, lastWord(text)) || strings.Contains(text, "given"))
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// roleOf returns the role of a noun: funder, recipient, or empty if the
// question does not say.
func (s *assembly) roleOf(i int) string {
	it := s.at(i)
	left, right := s.at(s.step(i, -1)), s.at(s.step(i, +1))
	li, ri := s.step(i, -1), s.step(i, +1)
	if it.poss {
		switch {
		case right.tag == tagFunder:
			return "recipient"
		case right.tag == tagRecipient, right.tag == tagGrant, right.tag == tagMoney && right.asked != "funding", right.tag == tagGive:
			return "funder"
		case right.tag == tagMoney:
			return "recipient"
		}
	}
	if it.tag != tagWho {
		switch left.tag {
		case tagTo:
			if !(left.asked == "for" && s.at(s.step(li, -1)).tag == "") {
				return "recipient"
			}
		case tagFrom:
			return "funder"
		case tagBy:
			if before := s.at(s.step(li, -1)); before.tag == tagGet {
				return "recipient"
			}
			return "funder"
		case tagOf:
			switch before := s.at(s.step(li, -1)); before.tag {
			case tagFunder:
				return "recipient"
			case tagRecipient, tagGrant:
				return "funder"
			case tagMoney:
				if before.asked == "funding" {
					return "recipient"
				}
				return "funder"
			case tagGive:
				return "recipient" // in support of
			case tagMeasure:
				if strings.HasSuffix(before.asked, "giving") || strings.HasSuffix(before.asked, "grants") {
					return "funder"
				}
			}
		case tagAnd, tagOr:
			if k := s.step(li, -1); s.at(k).tag == it.tag && k >= 0 {
				if role := s.roleOf(k); role != "" {
					return role
				}
			}
		}
	}
	if li >= 0 && left.tag == it.tag && it.tag == tagParty && s.commaBetween(left, it) {
		if role := s.roleOf(li); role != "" {
			return role
		}
	}
	switch right.tag {
	case tagAux, tagBe:
		k := ri
		passive := false
		for s.at(k).tag == tagAux || s.at(k).tag == tagBe {
			passive = passive || s.at(k).tag == tagBe
			k = s.step(k, +1)
		}
		switch verb := s.at(k); verb.tag {
		case tagGive:
			if passive && participle(verb.asked) {
				return "recipient"
			}
			return "funder"
		case tagGet:
			return "recipient"
		case tagParty, tagFunder, tagOrg, tagKind, tagRecipient:
			// "who did X fund": the verb after the second noun decides.
			v := s.step(k, +1)
			for s.at(v).tag == tagAnd || s.at(v).tag == tagOr || s.at(v).tag == tagParty {
				v = s.step(v, +1)
			}
			switch s.at(v).tag {
			case tagGive:
				return "recipient"
			case tagGet:
				return "funder"
			}
		}
	case tagGive:
		after := s.at(s.step(ri, +1))
		if participle(right.asked) && (after.tag == tagBy || left.tag == tagBe) {
			return "recipient"
		}
		if left.tag == tagBe && participle(right.asked) {
			return "recipient"
		}
		return "funder"
	case tagGet:
		return "recipient"
	case tagAnd, tagOr:
		// "did A and B give"
		if k := s.step(ri, +1); s.at(k).tag == it.tag && left.tag != tagGive {
			switch v := s.at(s.step(k, +1)); {
			case v.tag == tagGive && !participle(v.asked), v.tag == tagGive && left.tag != tagBe:
				return "funder"
			case v.tag == tagGet, v.tag == tagGive:
				return "recipient"
			}
		}
	}
	if left.tag == tagGive && it.tag != tagWho && !s.brokenOff(li, i) {
		return "recipient"
	}
	if left.tag == tagGet && it.tag == tagParty && (right.tag == tagGrant || right.tag == tagMoney) {
		return "funder"
	}
	if right.tag == tagMeasure && right.value == "much" && strings.HasSuffix(right.asked, "giving") {
		return "funder"
	}
	switch right.tag {
	case tagFunder:
		return "recipient"
	case tagRecipient:
		return "funder"
	case tagTo:
		return "funder"
	case tagFrom:
		return "recipient"
	}
	switch it.tag {
	case tagFunder, tagKind:
		return "funder"
	case tagRecipient:
		return "recipient"
	}
	return ""
}

// brokenOff reports whether a comma or the word "more" separates a verb from a
// noun, as in "who gave more, A or B".
func (s *assembly) brokenOff(i, j int) bool {
	for k := i; k < j; k++ {
		it := s.at(k)
		if it.to > 0 && s.toks[it.to-1].comma || it.tag == tagMeasure && slices.Contains([]string{"more", "most", "least", "dollarsmost"}, it.value) {
			return true
		}
	}
	return false
}

func (s *assembly) commaBetween(a, b *item) bool {
	return a.to > 0 && b.from == a.to && s.toks[a.to-1].comma
}

// negations reads what the question excludes.
func (s *assembly) negations() {
	for i, it := range s.seq {
		if it.tag != tagNot {
			continue
		}
		k := i + 1
		for s.at(k).tag == tagFill || s.at(k).tag == tagGrant || s.at(k).tag == tagMoney || s.at(k).tag == tagTo || s.at(k).tag == tagFrom || s.at(k).tag == tagBy {
			k++
		}
		for first := true; ; first = false {
			switch what := s.at(k); {
			case what.tag == tagKind && what.value == "daf_or_passthrough":
				s.exclude("daf")
			case what.tag == tagPerson:
				s.exclude("individuals")
			case !first:
				s.fail("What is to be left out was not understood: only donor-advised funds and individuals can be.")
				return
			default:
				s.fail("Only donor-advised funds and individuals can be left out of an answer, not what follows “%s”.", it.asked)
				return
			}
			s.at(k).used, s.at(k).tag = true, tagFill
			it.used = true
			if and := s.at(k + 1); and.tag != tagAnd && and.tag != tagOr {
				break
			}
			if next := s.at(k + 2); next.tag != tagPerson && !(next.tag == tagKind && next.value == "daf_or_passthrough") {
				break
			}
			k += 2
		}
	}
}

func (s *assembly) exclude(class string) {
	if !slices.Contains(s.plan.Exclude, class) {
		s.plan.Exclude = append(s.plan.Exclude, class)
		slices.Sort(s.plan.Exclude)
	}
}

// parties finds the role of every named organization.
func (s *assembly) parties() {
	for i, it := range s.seq {
		if it.tag != tagParty {
			continue
		}
		left, right := s.at(s.step(i, -1)), s.at(s.step(i, +1))
		if left.tag == tagGive && (right.tag == tagGive || right.tag == tagGet) && !s.brokenOff(s.step(i, -1), i) {
			// "foundations that fund X give to Y"
			s.fail("That asks about the grants of those who are chosen by other grants, which is more than one request. Please ask for one step at a time.")
			return
		}
		it.role = s.roleOf(i)
	}
}

// take adds an organization to a list of the plan.
func (s *assembly) take(it *item, role string) {
	side := role
	if role == "organization" {
		side = ""
	}
	p := s.pick(it, side)
	if p == nil {
		return
	}
	it.used = true
	to := map[string]*[]Party{"funder": &s.plan.Funders, "recipient": &s.plan.Recipients, "organization": &s.plan.Organizations}[role]
	if !slices.ContainsFunc(*to, func(o Party) bool { return o.EIN == p.EIN }) {
		*to = append(*to, *p)
	}
}

// target is the noun that the question asks for: the noun after "how many",
// "which", "list" or "the largest", or else the first noun.
func (s *assembly) target() (int, *item) {
	noun := func(it *item) bool {
		return slices.Contains([]string{tagFunder, tagRecipient, tagOrg, tagGrant, tagKind, tagThing, tagPerson}, it.tag)
	}
	for i, it := range s.seq {
		ask := it.tag == tagWho || it.tag == tagTop || it.tag == tagMeasure &&
			slices.Contains([]string{"many", "big", "least", "most", "average", "median", "dollarsmost"}, it.value)
		if !ask || it.tag == tagTop && i > 0 && s.at(i-1).tag == tagBy {
			continue
		}
		k := i + 1
		for passing(s.at(k)) || s.at(k).tag == tagOf || s.at(k).tag == tagParty && noun(s.at(k+1)) && it.tag == tagMeasure {
			k++
		}
		if s.at(k).tag == tagMeasure && s.at(k).value == "many" {
			continue
		}
		if s.at(k).tag == tagGrant && s.at(k+1).tag == tagRecipient {
			k++
		}
		// "who are the largest funders of X"
		if (s.at(k).tag == tagBe) && it.tag == tagWho {
			j := k + 1
			for passing(s.at(j)) {
				j++
			}
			if noun(s.at(j)) && s.at(j).tag != tagGrant && s.at(j).tag != tagThing {
				return j, s.at(j)
			}
			if it.asked == "what" && (s.at(j).tag == tagGrant || s.at(j).tag == tagMeasure) {
				continue
			}
		}
		if noun(s.at(k)) {
			return k, s.at(k)
		}
		if it.tag == tagWho && it.asked != "what" && it.asked != "list" && it.asked != "name" {
			return i, it
		}
	}
	for i, it := range s.seq {
		if noun(it) {
			return i, it
		}
	}
	return -1, &item{}
}

// unused reports the words whose meaning was not used in the plan.
func (s *assembly) unused() {
	var words []string
	for _, it := range s.seq {
		switch it.tag {
		case tagMeasure, tagNot, tagThing, tagFact, tagSupport, tagPerson, tagKind, tagPlace, tagCause, tagParty, tagYear:
			if !it.used {
				words = append(words, "“"+s.text(it.from, it.to)+"”")
			}
		}
	}
	if len(words) > 0 {
		s.unclear = &Unclear{Why: "It is not clear what " + strings.Join(words, ", ") + " is to do in this question. Please ask for one thing at a time.",
			Words: words}
	}
}

// use marks measures as understood.
func (s *assembly) use(values ...string) {
	for _, it := range s.seq {
		if it.tag == tagMeasure && slices.Contains(values, it.value) {
			it.used = true
		}
	}
}
