package ask

import (
	"slices"
	"strings"
)

// freePlaces are the places that are not part of an organization's name.
func (s *assembly) freePlaces() (list []*item) {
	for _, it := range s.all(tagPlace) {
		if !it.ofParty && it.place != nil {
			list = append(list, it)
		}
	}
	return list
}

// filters adds causes, places, kinds and other filters to the plan.
func (s *assembly) filters() {
	p := &s.plan
	s.causes()
	s.places()
	s.kinds()
	for _, it := range s.all(tagSupport) {
		it.used = true
		if !slices.Contains(p.Support, it.value) {
			p.Support = append(p.Support, it.value)
		}
	}
	for _, it := range s.all(tagYear) {
		it.used = true
	}
	// In "which year", the question ranks years. In "in the year 2022", the
	// year is a filter.
	for _, it := range s.all(tagThing) {
		if it.value == "years" && len(p.Years) > 0 && s.at(s.index(it)+1).tag == tagYear {
			it.used = true
		}
	}
	if p.Of == "funders" || p.Of == "recipients" {
		// "Who got more than $1 million" may mean one grant or all grants
		// together.
		for i, it := range s.seq {
			if before := s.at(i - 1); it.tag == tagAmount && (before.tag == tagGet || before.tag == tagGive || before.tag == tagParty ||
				before.tag == tagFill && s.at(i-2).tag == tagGet) {
				s.fail("It is not clear whether the amount is that of one grant or of all together. Please say for example “grants over $1 million”.")
				return
			}
		}
	}
	if p.Measure == "fact" && len(p.Years) > 1 {
		s.fail("Figures of an organization can be asked for one year at a time.")
	}
	if p.Measure == "share" && !s.failed() {
		s.parts()
	}
	if p.Of == "awards" || p.Measure == "similar" || p.Measure == "screen" || p.Measure == "cofunders" {
		if len(p.Places)+len(p.Causes)+len(p.Support)+len(p.FunderTypes)+len(p.Exclude) > 0 || p.Only != "" || p.Abroad || p.MinAmount != nil || p.MaxAmount != nil {
			s.fail("That can be asked of an organization as such, without place, cause or amount.")
		}
		if p.Of != "awards" && len(p.Years) > 0 {
			s.fail("That can be asked of an organization as such, without years.")
		}
	}
}

// joinedBy reports whether "and", "or" or a comma joins two items of one kind.
func (s *assembly) joinedBy(a, b *item) bool {
	if s.toks[a.to-1].comma && b.from-a.to <= 1 {
		return true
	}
	joined := false
	for k := s.index(a) + 1; k < s.index(b); k++ {
		switch it := s.seq[k]; it.tag {
		case tagAnd, tagOr:
			joined = true
		case tagFill, tagTo, tagIn, tagFrom, tagBy, tagOf:
		case tagMeasure:
			if it.value != "compare" && it.value != "both" {
				return false
			}
			joined = joined || it.value == "compare"
		default:
			// "education grants and health grants", "Ohio foundations and Texas foundations"
			if it.tag != tagGrant && it.tag != tagFunder && it.tag != tagOrg && it.tag != tagMoney && it.tag != tagRecipient {
				return false
			}
		}
	}
	return joined
}

func (s *assembly) causes() {
	list := s.all(tagCause)
	for i, it := range list {
		if i > 0 && !s.joinedBy(list[i-1], it) && s.plan.By != "causes" {
			s.fail("Two causes were named, “%s” and “%s”, and it is not clear how they go together. Please ask for one, or join them with “and”.",
				list[i-1].cause.Asked, it.cause.Asked)
			return
		}
		if k := s.index(it); !s.nounFollows(k) && s.roleOf(k) == "funder" {
			s.fail("A cause is that of the recipients: what “%s” give by themselves cannot be told from others.", it.cause.Asked)
			return
		}
		it.used = true
		if i == 1 && (s.plan.Of == "funders" || s.plan.Of == "recipients") && s.plan.Measure != "compare" {
			s.note("“%s” and “%s” were read as either of them.", list[0].cause.Asked, it.cause.Asked)
		}
		if !slices.ContainsFunc(s.plan.Causes, func(c Cause) bool { return c.Subject == it.cause.Subject }) {
			s.plan.Causes = append(s.plan.Causes, *it.cause)
		}
	}
}

func (s *assembly) places() {
	p := &s.plan
	var last *item
	for _, it := range s.all(tagPlace) {
		if it.used {
			continue
		}
		it.used = true
		if it.value == "abroad" {
			p.Abroad = true
			continue
		}
		if it.place == nil || it.ofParty {
			continue
		}
		// A place right after an organization's name says which organization is
		// meant, if the organization is there.
		if s.repeatsName(it) {
			it.ofParty = true
			continue
		}
		side := ""
		compared := p.Measure == "compare" && p.By == "places"
		if last != nil && (s.joinedBy(last, it) || compared) {
			side = last.role
		} else {
			side = s.placeSide(it)
		}
		if text := strings.ToLower(s.text(it.from, it.to)); strings.HasPrefix(text, "state of ") {
			if before := s.at(s.index(it) - 1); before.tag != tagIn && !(before.tag == tagFill && s.at(s.index(it)-2).tag == tagIn) {
				s.fail("What a state itself gives is not a grant of a filer. Government awards can be asked for one organization: “How much government funding did … get?”")
				return
			}
		}
		if last != nil && s.commaBetween(last, it) && last.place.Kind == "state" && it.place.Kind == "state" && !compared && len(s.all(tagPlace)) == 2 {
			s.fail("It is not clear whether two states are meant or a place called %s. Please write “and” between states.", last.place.Name)
			return
		}
		if it.place.Kind == "country" {
			if side == "funder" {
				s.fail("Funders are filers in the United States; only recipients can be abroad.")
				return
			}
			side = "recipient"
		}
		if p.Of == "organizations" {
			side = "recipient"
		}
		if last != nil && last.role == side && !s.joinedBy(last, it) && !compared {
			s.fail("Two places were named, %s and %s, and it is not clear how they go together.", last.place.Name, it.place.Name)
			return
		}
		it.role, it.place.Of = side, side
		last = it
		if !slices.Contains(p.Places, *it.place) {
			p.Places = append(p.Places, *it.place)
		}
	}
}

// repeatsName reports whether a place comes right after the name of an
// organization in that place. Then the place only says which organization is
// meant.
func (s *assembly) repeatsName(place *item) bool {
	for _, it := range s.all(tagParty) {
		if s.placeBeside(it) != place || len(it.found) == 0 {
			continue
		}
		next := s.at(s.step(s.index(place), +1))
		if it.role == "funder" && next.tag != tagGive && !(place.from == it.to) {
			return false
		}
		for _, f := range it.found {
			if it.party != nil && f.EIN.String() == it.party.EIN && inPlace(&f, place.place) {
				return true
			}
		}
	}
	return false
}

// placeSide says whether a place is that of funders or of recipients. "In Ohio"
// is where recipients are, unless it goes with a noun for funders.
func (s *assembly) placeSide(it *item) string {
	i := s.index(it)
	// "Ohio foundations", "Ohio-based education nonprofits"
	for k := i + 1; ; k++ {
		next := s.at(k)
		if next.tag == tagCause || next.tag == tagFill && slices.Contains([]string{"based", "located"}, strings.ToLower(next.asked)) ||
			next.tag == tagPlace && s.joinedBy(it, next) || (next.tag == tagAnd || next.tag == tagOr) && s.at(k+1).tag == tagPlace ||
			next.tag == tagMeasure && next.value == "big" {
			continue
		}
		before := s.at(i - 1)
		adjective := before.tag != tagIn || k == i+1 && next.from == it.to
		switch {
		case !adjective:
		case next.tag == tagFunder || next.tag == tagKind:
			return "funder"
		case next.tag == tagOrg:
			if role := s.roleOf(k); role == "funder" {
				return "funder"
			}
			return "recipient"
		case next.tag == tagRecipient, next.tag == tagGrant, next.tag == tagMoney:
			return "recipient"
		}
		break
	}
	// "how much did Texas give"
	if right := s.at(s.step(i, +1)); right.tag == tagGive && !participle(right.asked) && (s.at(i-1).tag == tagAux || s.at(i-1).tag == "") {
		s.note("What %s gives was read as what funders there give.", it.place.Name)
		return "funder"
	}
	k := i - 1
	located := false
	for s.at(k).tag == tagFill || s.at(k).tag == tagIn {
		if w := strings.ToLower(s.at(k).asked); strings.HasSuffix(w, "there") || w == "based" || w == "located" || w == "headquartered" {
			located = true
		}
		k--
	}
	prep := s.at(i - 1)
	for j := i - 1; prep.tag == tagFill && j > 0; j-- {
		prep = s.at(j)
	}
	// "who gave more, Texas or Ohio"
	if s.plan.Measure == "compare" && s.plan.By == "places" && prep.tag != tagTo && prep.tag != tagIn {
		for w, who := range s.seq {
			if who.tag == tagWho && who.from < it.from && s.roleOf(w) == "funder" {
				s.note("What %s gives was read as what funders there give.", it.place.Name)
				return "funder"
			}
		}
	}
	before := s.at(k)
	switch {
	case prep.tag == tagTo:
		return "recipient"
	case prep.tag == tagFrom:
		if b := s.at(s.index(prep) - 1); b.tag == tagOrg && s.roleOf(s.index(b)) != "funder" || b.tag == tagRecipient {
			return "recipient"
		}
		return "funder"
	case before.tag == tagKind, before.tag == tagFunder && strings.HasPrefix(strings.ToLower(before.asked), "foundation"), before.tag == tagFunder && located:
		return "funder"
	case before.tag == tagFunder:
		if next := s.at(s.step(i, +1)); next.tag == tagGive || next.tag == tagMoney && next.asked == "giving" {
			return "funder"
		}
		s.note("“In %s” was read as where the recipients are, not the funders; say “%s funders” for those that are there.", it.place.Name, it.place.Name)
		return "recipient"
	case before.tag == tagOrg && s.roleOf(k) == "funder", before.tag == tagWho && prep.tag == tagIn && s.at(s.step(i, +1)).tag == tagGive:
		return "funder"
	case before.tag == tagBe:
		// "how many funders are in Ohio"
		if ti, t := s.target(); ti < k && (t.tag == tagFunder || t.tag == tagKind) {
			return "funder"
		}
	case located && s.plan.Of == "funders":
		return "funder"
	}
	return "recipient"
}

func (s *assembly) kinds() {
	p := &s.plan
	for i, it := range s.seq {
		switch {
		case it.tag == tagKind:
			if role := s.roleOf(i); role == "recipient" {
				s.fail("Kinds of organizations are known of funders, not of recipients.")
				return
			}
			it.used = true
			if strings.HasPrefix(strings.ToLower(it.asked), "family") {
				s.note("“%s” was read as private foundations of every kind.", it.asked)
			}
			if !slices.Contains(p.FunderTypes, it.value) {
				p.FunderTypes = append(p.FunderTypes, it.value)
			}
		case it.tag == tagPerson && !it.used:
			it.used = true
			if s.roleOf(i) == "funder" {
				s.fail("What private persons give is not in filings; only grants to individuals are.")
				return
			}
			if p.Of != "grants" || !slices.Contains([]string{"how_much", "how_many", "share", "exists"}, p.Measure) {
				s.fail("Grants to individuals can be asked for as a total, a number or a share.")
				return
			}
			p.Only = "individuals"
		}
	}
}

// parts lists in the plan which filters come after the verb of a share.
func (s *assembly) parts() {
	p := &s.plan
	add := func(it *item, field string) {
		if it.from > s.shareFrom && !slices.Contains(p.Part, field) {
			p.Part = append(p.Part, field)
		}
	}
	before := map[string]bool{}
	for _, it := range s.seq {
		field := ""
		switch it.tag {
		case tagCause:
			field = "causes"
		case tagPlace:
			if field = "places"; it.value == "abroad" {
				field = "abroad"
			}
			if it.ofParty {
				continue
			}
		case tagKind:
			field = "funder_types"
		case tagSupport:
			field = "support"
		case tagAmount:
			field = "amounts"
		case tagPerson:
			field = "only"
		case "words":
			field = "words"
		case tagParty:
			field = it.role + "s"
		default:
			continue
		}
		if it.from < s.shareFrom {
			before[field] = true
		}
		add(it, field)
	}
	for _, f := range p.Part {
		if before[f] {
			s.fail("It is not clear what the part is and what the whole: both name %s.", strings.ReplaceAll(f, "_", " "))
			return
		}
	}
	slices.Sort(p.Part)
	if slices.Contains(p.Part, "amounts") && p.Figure == "dollars" && len(s.all(tagGrant)) > 0 {
		p.Figure = "grants" // "what share of grants are over $100,000" counts them
	}
	if len(p.Part) == 0 {
		s.fail("It is not clear which part is meant. Please ask for example “What share of grants in Ohio goes to education?”")
	}
}
