package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/frame"
)

// chip is one filter that is on, and the address without it.
type chip struct {
	Label string
	Href  string
}

// mostChips bounds the chips of a list. The others are one chip that takes the
// whole list off.
const mostChips = 12

// nameOf finds the name of an organization.
type nameOf func(ein.EIN) string

// selection is the filters that are on, as chips and in words.
type selection struct {
	view    view
	filter  *graph.Filter
	name    nameOf
	chips   []chip
	phrases []string
}

// inWords puts a selection in words.
func inWords(v view, f *graph.Filter, name nameOf) *selection {
	s := &selection{view: v, filter: f, name: name}
	s.parties("by ", "Funder: ", "funder_id", f.Funders)
	s.parties("to ", "Recipient: ", "recip_id", f.Recipients)
	s.list("for ", "grant_key", "Grant ", f.Keys, func(k string) string { return "the grant " + k })
	s.causes()
	s.places()
	s.years()
	s.amounts()
	s.list("for ", "support", "", f.Support.IDs(), func(id string) string {
		b, _ := grant.ParseSupport(id)
		return strings.ToLower(b.Label())
	})
	if f.FunderKind != "" {
		s.add(grant.KindLabel(f.FunderKind), v.with("funder_type", ""), "by "+kindWords[f.FunderKind])
	}
	for _, c := range classLabels {
		if f.Exclude&c.class != 0 {
			word := c.class.String()
			left := slices.DeleteFunc(v.items("exclude"), func(s string) bool { return strings.EqualFold(s, word) })
			pairs := []string{"exclude", strings.Join(left, ",")}
			if c.class == graph.DAF {
				pairs = append(pairs, "exclude_daf", "")
			}
			if c.class == graph.Individuals && v.worded() {
				s.phrases = append(s.phrases, "without "+strings.ToLower(c.label)) // which cannot be taken off
				continue
			}
			s.add("Without "+strings.ToLower(c.label), v.with(pairs...), "without "+strings.ToLower(c.label))
		}
	}
	if q := v.query.Get("query"); q != "" && len(f.Query.Must)+len(f.Query.MustNot) > 0 {
		s.add("Words: "+q, v.with("query", ""), "with the words “"+q+"”")
	}
	if f.MinProb != nil {
		p := strconv.FormatFloat(100**f.MinProb, 'f', -1, 64) + "%"
		text := "Match at least " + p
		if *f.MinProb == 0 {
			text = "Recipient has an EIN"
		}
		s.add(text, v.with("min_match_prob", ""), "with a "+strings.ToLower(text[:1])+text[1:])
		if *f.MinProb == 0 {
			s.phrases[len(s.phrases)-1] = "to recipients with an EIN"
		}
	}
	var rules []string
	for _, r := range f.Sources {
		rules = append(rules, r.String())
	}
	s.list("matched by ", "ein_source", "Matched by: ", rules, func(s string) string { return s })
	return s
}

var kindWords = map[string]string{
	grant.PrivateFoundation: "private foundations", grant.PublicCharity: "public charities", grant.Passthrough: "donor-advised and pass-through funds",
}

// Sentence is the selection as people say it.
func (s *selection) Sentence() string {
	if len(s.phrases) == 0 {
		return "All grants"
	}
	return "Grants " + strings.Join(s.phrases, ", ")
}

func (s *selection) add(label, href, phrase string) {
	s.chips = append(s.chips, chip{label, href})
	if phrase != "" {
		s.phrases = append(s.phrases, phrase)
	}
}

// list adds a chip for every item of a list and one phrase for all.
func (s *selection) list(before, name, prefix string, items []string, say func(string) string) {
	if len(items) == 0 {
		return
	}
	var said []string
	for i, item := range items {
		if i == mostChips {
			s.add(fmt.Sprintf("and %d more", len(items)-i), s.view.with(name, ""), "")
			break
		}
		text := say(item)
		said = append(said, text)
		rest := slices.Delete(slices.Clone(items), i, i+1)
		s.add(upperFirst(prefix+text), s.view.with(name, strings.Join(rest, ",")), "")
	}
	s.phrases = append(s.phrases, before+either(said, len(items)))
}

// either joins alternatives: a, b or c. Of more than three the rest is counted.
func either(said []string, all int) string {
	const most = 3
	if all > most {
		return fmt.Sprintf("%s or %d others", strings.Join(said[:most-1], ", "), all-most+1)
	}
	if all == 1 {
		return said[0]
	}
	return strings.Join(said[:all-1], ", ") + " or " + said[all-1]
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (s *selection) parties(before, prefix, name string, list []ein.EIN) {
	items := make([]string, len(list))
	for i, e := range list {
		items[i] = e.String()
	}
	s.list(before, name, prefix, items, func(text string) string {
		e, _ := ein.Parse(text)
		if n := s.name(e); n != "" {
			return orgname.Display(n)
		}
		return "EIN " + e.Hyphenated()
	})
}

func (s *selection) causes() {
	var items []string
	for _, it := range s.filter.Subject.Items {
		items = append(items, it.Text)
	}
	s.list("for ", "subject", "", items, func(text string) string {
		if len(text) == 1 {
			return ntee.Label(strings.ToUpper(text)[0])
		}
		if title := ntee.Title(ntee.Code(strings.ToUpper(text))); title != "" {
			return title + " (" + strings.ToUpper(text) + ")"
		}
		return text
	})
	if s.filter.SubjectBasis == ntee.Any && len(items) > 0 {
		s.add("Inferred causes count", s.view.with("subject_basis", ""), "")
	}
}

func (s *selection) places() {
	p := &s.filter.Place
	whose := map[graph.PlaceOf]string{graph.RecipientPlace: "to recipients ", graph.FunderPlace: "by funders ", graph.AreaServed: "by funders that give "}[p.Of]
	prefix := map[graph.PlaceOf]string{graph.FunderPlace: "Funder in ", graph.AreaServed: "Funders giving in "}[p.Of]
	var items []string
	label := map[string]string{}
	for _, v := range p.Values {
		item, text := v.Name, v.Name
		switch p.Kind {
		case graph.State:
			if r, ok := place.RegionOf(v.Name); ok {
				text = r.Name
			}
		case graph.County:
			text = graph.GroupCounty.Label(&graph.Group{Key: v.Name})
		case graph.ZIP:
			text = "ZIP " + v.Name
			if len(v.Name) == 3 {
				text += "xx"
			}
		case graph.City:
			text = orgname.Display(v.Name)
			if v.State != "" {
				item, text = item+","+v.State, text+", "+v.State
			}
		case graph.Country:
			if n, ok := place.Country(v.Name); ok {
				text = n
			}
		}
		items = append(items, item)
		label[item] = text
	}
	s.list(whose+"in ", "location", prefix, items, func(item string) string { return label[item] })
	if n := p.Near; n != (graph.Near{}) {
		text := fmt.Sprintf("within %d miles of %s", n.Miles, n.ZIP)
		near := whose
		if len(items) > 0 {
			near = "" // whose is said
		}
		s.add(upperFirst(strings.ToLower(prefix[:max(0, len(prefix)-3)])+text), s.view.with("near", "", "within", ""), near+text)
	}
	s.list("to recipients in ", "country", "", s.filter.Countries, func(code string) string {
		if n, ok := place.Country(code); ok {
			return n
		}
		return code
	})
}

func (s *selection) years() {
	if len(s.filter.Years) == 0 {
		return
	}
	var said []string
	for _, y := range s.filter.Years {
		switch {
		case y.From == y.To:
			said = append(said, strconv.Itoa(y.From))
		case y.From == 0:
			said = append(said, "up to "+strconv.Itoa(y.To))
		case y.To == 0:
			said = append(said, "from "+strconv.Itoa(y.From)+" on")
		default:
			said = append(said, fmt.Sprintf("%d–%d", y.From, y.To))
		}
	}
	text := strings.Join(said, ", ")
	unit := "fiscal years "
	if y := s.filter.Years; len(y) == 1 && y[0].From == y[0].To {
		unit = "fiscal year "
	}
	s.add(upperFirst(unit)+text, s.view.with("year", "", "min_year", "", "max_year", ""), "in "+unit+text)
}

func (s *selection) amounts() {
	low, high := s.filter.MinAmount, s.filter.MaxAmount
	var text string
	switch {
	case low != nil && high != nil:
		text = money.Dollars(*low) + " to " + money.Dollars(*high)
	case low != nil:
		text = money.Dollars(*low) + " and more"
	case high != nil:
		text = "up to " + money.Dollars(*high)
	default:
		return
	}
	s.add(upperFirst(text), s.view.with("min_amt", "", "max_amt", ""), "of "+text)
}

// totalLine is the size of a selection in one sentence.
func totalLine(a *grants.SummaryAnswer) string {
	t := &a.Summary
	if t.GrantCount == 0 {
		return "No grant matches."
	}
	first, last := a.ByYear[0].FiscalYear, a.ByYear[len(a.ByYear)-1].FiscalYear
	when := strconv.Itoa(first)
	if last != first {
		when += "–" + strconv.Itoa(last)
	}
	return fmt.Sprintf("%s in %s by %s to %s, %s", frame.Short(t.TotalAmount), counted(t.GrantCount, "grant"), counted(t.FunderCount, "funder"), counted(t.RecipientCount, "recipient"), when)
}

// counted is a number of things.
func counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return money.Grouped(n) + " " + thing
}

// left is what a class that is left out would add.
type left struct {
	Label   string
	Grants  int64
	Amount  int64
	Href    string // with it
	Counted bool   // are its grants and dollars known
}

// leftOut says what was left out, with dollars.
func leftOut(v view, x *client.Excluded) (list []left) {
	if x == nil {
		return nil
	}
	for _, c := range []struct {
		class graph.Class
		cost  *client.Cost
	}{{graph.DAF, x.DAF}, {graph.Individuals, x.Individuals}, {graph.RelatedParty, x.RelatedParty}, {graph.Unidentified, x.Unidentified}} {
		if c.cost == nil || v.worded() && c.class == graph.Individuals {
			continue // they stay out
		}
		label := ""
		for _, l := range classLabels {
			if l.class == c.class {
				label = l.label
			}
		}
		word := c.class.String()
		rest := slices.DeleteFunc(v.items("exclude"), func(s string) bool { return strings.EqualFold(s, word) })
		pairs := []string{"exclude", strings.Join(rest, ",")}
		if c.class == graph.DAF {
			pairs = append(pairs, "exclude_daf", "")
		}
		out := left{Label: label, Href: v.with(pairs...)}
		if !v.worded() {
			// A class can have grants to private persons in it, of whom words tell.
			out.Grants, out.Amount, out.Counted = c.cost.GrantCount, c.cost.TotalAmount, true
		}
		list = append(list, out)
	}
	return list
}

// loosen says what a selection without a grant would have without one of its
// filters.
func loosen(v view, f *graph.Filter, x *figures) (list []left) {
	add := func(on bool, label string, n int64, pairs ...string) {
		if on {
			list = append(list, left{Label: label, Grants: n, Href: v.with(pairs...)})
		}
	}
	sum := func(counts []int64) (n int64) {
		for _, c := range counts {
			n += c
		}
		return n
	}
	add(!f.Subject.Empty(), "the cause", x.Subjects.All, "subject", "")
	if f.Place.Of == graph.RecipientPlace {
		add(len(f.Place.Values) > 0, "the place", x.States.All, "location", "")
	}
	add(len(f.Years) > 0, "the years", x.Years.All, "year", "", "min_year", "", "max_year", "")
	add(f.MinAmount != nil || f.MaxAmount != nil, "the amount", sum(x.Bands), "min_amt", "", "max_amt", "")
	add(f.FunderKind != "", "the kind of funder", x.FunderTypes.All, "funder_type", "")
	slices.SortStableFunc(list, func(a, b left) int { return int(max(min(b.Grants-a.Grants, 1), -1)) })
	return list
}
