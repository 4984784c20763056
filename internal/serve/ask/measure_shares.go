package ask

import (
	"slices"
	"strings"
)

// share plans a part of a whole. The words after the verb are the part.
func (s *assembly) share() {
	p := &s.plan
	p.Measure, p.Of, p.Figure = "share", "grants", "dollars"
	of := s.index(s.m["share"])
	s.use("share", "much")
	if s.m["many"] != nil {
		p.Figure = "grants"
		s.use("many")
	} else {
		p.Figure = s.shareFigure(of)
	}
	cut := -1
	for i := of + 1; i < len(s.seq); i++ {
		it := s.seq[i]
		if it.tag == tagGo || it.tag == tagBe || it.tag == tagGive || it.tag == tagGet || it.tag == tagAux {
			if it.tag == tagAux {
				continue
			}
			cut = it.from
			break
		}
	}
	if cut < 0 {
		s.fail("It is not clear what the part is and what the whole. Please ask for example “What share of grants in Ohio goes to education?”")
		return
	}
	s.shareFrom = cut
}

// shareFigure is the figure that a share is of; the noun after the share names
// it.
func (s *assembly) shareFigure(of int) string {
	for i := of + 1; i < len(s.seq); i++ {
		switch it := s.seq[i]; it.tag {
		case tagFill, tagOf, tagPlace, tagCause, tagYear, tagIn, tagAmount, tagParty:
			continue
		case tagFunder, tagKind:
			if it.poss {
				return "dollars"
			}
			return "funders"
		case tagRecipient:
			return "recipients"
		case tagOrg:
			if it.poss {
				return "dollars"
			}
			if s.roleOf(i) == "funder" {
				return "funders"
			}
			return "recipients"
		default:
			return "dollars"
		}
	}
	return "dollars"
}

// compared reports whether the question is a comparison, and which list of the
// plan it compares.
func (s *assembly) compared() bool {
	p := &s.plan
	or := false
	for i, it := range s.seq {
		if it.tag == tagOr {
			a, b := s.at(s.stepNoun(i, -1)), s.at(s.stepNoun(i, +1))
			or = or || a.tag == b.tag && a.tag != ""
		}
	}
	if s.m["compare"] == nil && !(or && (s.m["more"] != nil || s.m["most"] != nil || s.m["dollarsmost"] != nil || s.m["least"] != nil)) && !s.versus() {
		return false
	}
	by := ""
	kinds := s.all(tagKind)
	count := map[string]int{"funders": len(p.Funders), "recipients": len(p.Recipients), "places": len(s.freePlaces()), "causes": len(s.all(tagCause)),
		"years": len(p.Years), "funder_types": len(kinds)}
	for _, list := range []string{"funders", "recipients", "places", "causes", "years", "funder_types"} {
		if count[list] >= 2 {
			if by != "" {
				s.fail("It is not clear what is to be compared with what. Please compare two of one kind: funders, recipients, places, causes or years.")
				return true
			}
			by = list
		}
	}
	if by == "" && len(p.Years) == 1 && p.Years[0].From > 0 && p.Years[0].To > p.Years[0].From {
		// "compare 2019 to 2021"
		y := p.Years[0]
		p.Years = []Span{{y.From, y.From}, {y.To, y.To}}
		by = "years"
	}
	if by == "" {
		s.fail("It is not clear what is to be compared: name two funders, recipients, places, causes or years.")
		return true
	}
	if s.m["change"] != nil && by != "years" {
		s.fail("How much each of several grew or fell is more than one question. Please ask for one of them at a time.")
		return true
	}
	ti, target := s.target()
	p.Measure, p.Of, p.By = "compare", "grants", by
	p.Figure = s.figure(ti, target)
	if s.m["more"] != nil || s.m["most"] != nil {
		// "More grants" compares the number of grants.
		for i, it := range s.seq {
			if it.tag == tagMeasure && (it.value == "more" || it.value == "most") {
				switch next := s.at(i + 1); {
				case next.tag == tagGrant:
					p.Figure = "grants"
				case next.tag == tagRecipient:
					p.Figure = "recipients"
				case next.tag == tagFunder:
					p.Figure = "funders"
				case next.tag == tagOrg:
					p.Figure = "recipients"
				}
			}
		}
	}
	s.use("compare", "more", "most", "dollarsmost", "least", "much", "many", "both", "change", "each")
	for _, it := range s.all(tagThing) {
		if it.value == by || it.value == "states" && by == "places" {
			it.used = true
		}
	}
	return true
}

// versus reports whether the question contains "vs".
func (s *assembly) versus() bool {
	return slices.ContainsFunc(s.seq, func(it *item) bool {
		return it.tag == tagOr && strings.HasPrefix(strings.ToLower(it.asked), "v")
	})
}

// change plans a figure in two years, or a trend if the question does not name
// two years.
func (s *assembly) change() {
	p := &s.plan
	ti, target := s.target()
	p.Of, p.Figure = "grants", s.figure(ti, target)
	s.use("change", "much", "many", "trend", "each", "big")
	years := s.all(tagYear)
	switch {
	case len(years) == 1 && years[0].pair:
		y := p.Years[0]
		p.Measure, p.Years = "change", []Span{{y.From, y.From}, {y.To, y.To}}
	case s.isYesNo() && len(p.Years) == 1 && p.Years[0].From == p.Years[0].To && p.Years[0].From > 0:
		// "did giving fall in 2020"
		y := p.Years[0].From
		p.Measure, p.Years = "change", []Span{{y - 1, y - 1}, {y, y}}
		s.note("%d was compared with the year before.", y)
	case len(p.Years) == 2 && p.Years[0].From == p.Years[0].To && p.Years[1].From == p.Years[1].To && p.Years[0].From > 0:
		p.Measure = "change"
		slices.SortFunc(p.Years, func(a, b Span) int { return a.From - b.From })
	default:
		p.Measure = "trend"
	}
}
