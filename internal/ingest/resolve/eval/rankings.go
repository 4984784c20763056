package eval

import (
	"cmp"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/typo"
)

const (
	rankedRecipients = 50 // recipients of the nation and of each state
	rankedStates     = 5  // states with the most dollars
	shownNames       = 8  // names of a recipient with the most dollars, and as many doubtful ones
)

// Rankings are the lists that people look at first: the recipients with the most dollars, and the lines that put them
// there. A wrong answer for a large line shows up here first.
type Rankings struct {
	Lists       []RankedList
	Individuals int64 // dollars of grants to persons, who are not ranked
	Unsaid      int64 // dollars of lines that name nobody, such as "see attached"
}

type RankedList struct {
	Place   string // empty for the nation
	Dollars int64
	Rows    []Ranked
}

// Ranked is a recipient in a ranking with the names that lines use for it.
type Ranked struct {
	ID, EIN, Name, City, State string
	Dollars                    int64
	Unnamed, Partly            int64 // of those, on lines whose name is not its own or only in part
	Lines                      int
	Names                      []FiledName

	known *ownNames
}

// FiledName is a name as filed, with the sum paid under it by one rule with one probability.
type FiledName struct {
	Name    string
	Rule    string
	Prob    float64
	Dollars int64
	Lines   int
	Naming  Naming
	Stated  bool // by a rule that relies on a statement: a filed EIN or an override
}

type Naming uint8

const (
	Unnamed     Naming = iota // no distinctive word in common
	NamedPartly               // a distinctive word in common, but each side has words that the other lacks
	Named                     // the same letters, the initials, or one name within the other
)

// doubtful reports whether only a rule connects the name to the organization.
func (n *FiledName) doubtful() bool { return n.Naming == Unnamed && !n.Stated }

// Rank computes the rankings of a snapshot. It reads the grants twice and keeps one sum per recipient and state.
func Rank(s *snapshot.Snapshot) (*Rankings, error) {
	grants := func() iter.Seq2[snapshot.Grant, error] { return snapshot.Rows[snapshot.Grant](s, snapshot.Grants) }
	return rank(grants, snapshot.Rows[snapshot.Organization](s, snapshot.Organizations))
}

func rank(grants func() iter.Seq2[snapshot.Grant, error], organizations iter.Seq2[snapshot.Organization, error]) (*Rankings, error) {
	res := &Rankings{}
	type where struct{ id, state string }
	sums := map[where]int64{}
	states := map[string]int64{}
	for g, err := range grants() {
		switch {
		case err != nil:
			return nil, err
		case g.IsIndividual:
			res.Individuals += g.Amount
		case g.IsUnidentified:
			res.Unsaid += g.Amount
		default:
			sums[where{g.RecipID, ""}] += g.Amount
			states[""] += g.Amount
			if g.RecipientState != "" {
				sums[where{g.RecipID, g.RecipientState}] += g.Amount
				states[g.RecipientState] += g.Amount
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(states), func(a, b string) int { return cmp.Or(cmp.Compare(states[b], states[a]), cmp.Compare(a, b)) })
	places = places[:min(len(places), 1+rankedStates)]

	tops := map[string][]where{}
	for w := range sums {
		if slices.Contains(places, w.state) {
			tops[w.state] = append(tops[w.state], w)
		}
	}
	at := map[where]*Ranked{}
	for _, p := range places {
		top := tops[p]
		slices.SortFunc(top, func(a, b where) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.id, b.id)) })
		top = top[:min(len(top), rankedRecipients)]
		list := RankedList{Place: p, Dollars: states[p], Rows: make([]Ranked, len(top))}
		for i, w := range top {
			list.Rows[i] = Ranked{ID: w.id}
			at[w] = &list.Rows[i]
		}
		res.Lists = append(res.Lists, list)
	}

	for g, err := range grants() {
		if err != nil {
			return nil, err
		}
		if g.IsIndividual || g.IsUnidentified {
			continue
		}
		for _, state := range []string{"", g.RecipientState} {
			if r := at[where{g.RecipID, state}]; r != nil {
				r.add(&g)
			}
			if g.RecipientState == "" {
				break
			}
		}
	}
	return res, res.judge(organizations)
}

func (r *Ranked) add(g *snapshot.Grant) {
	if r.Lines == 0 {
		r.EIN, r.Name, r.City, r.State = g.RecipientEIN, g.RecipientRaw, g.RecipientCity, g.RecipientState
	}
	r.Lines++
	r.Dollars += g.Amount
	name := FiledName{Name: g.RecipientRaw, Rule: g.EINSource, Prob: g.MatchProb}
	order := func(a, b FiledName) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Prob, b.Prob))
	}
	i, found := slices.BinarySearchFunc(r.Names, name, order)
	if !found {
		r.Names = slices.Insert(r.Names, i, name)
	}
	r.Names[i].Dollars += g.Amount
	r.Names[i].Lines++
}

// judge adds the registered names to the recipients, and compares every filed name with them.
func (res *Rankings) judge(organizations iter.Seq2[snapshot.Organization, error]) error {
	by := map[string][]*Ranked{}
	for i := range res.Lists {
		for j := range res.Lists[i].Rows {
			r := &res.Lists[i].Rows[j]
			if r.EIN != "" {
				by[r.EIN] = append(by[r.EIN], r)
			}
		}
	}
	bearers, all := map[string]int{}, 0
	for o, err := range organizations {
		if err != nil {
			return err
		}
		all++
		for w := range strings.FieldsSeq(orgname.Parse(o.Name).K2) {
			bearers[w]++
		}
		if ranked := by[o.EIN]; ranked != nil {
			own := namesOf(&o)
			for _, r := range ranked {
				r.Name, r.City, r.State = o.Name, o.City, o.State
				r.known = own
			}
		}
	}
	telling := func(w string) bool { return bearers[w]*tellingOneIn <= all+tellingOneIn*5 }
	for i := range res.Lists {
		for j := range res.Lists[i].Rows {
			r := &res.Lists[i].Rows[j]
			for k := range r.Names {
				n := &r.Names[k]
				switch rule, _ := grant.ParseRule(n.Rule); rule {
				case grant.Filed, grant.OverrideHuman, grant.OverrideKeyError, grant.OverrideLLM:
					n.Stated = true
				}
				n.Naming = Named
				if r.known != nil {
					n.Naming = r.known.naming(n.Name, telling)
				}
				switch {
				case n.doubtful():
					r.Unnamed += n.Dollars
				case n.Naming == NamedPartly && !n.Stated:
					r.Partly += n.Dollars
				}
			}
			slices.SortStableFunc(r.Names, func(a, b FiledName) int { return cmp.Compare(b.Dollars, a.Dollars) })
		}
	}
	return nil
}

// tellingOneIn: a word is distinctive if at most one organization in this many has it, or only a handful do.
const tellingOneIn = 300

// ownNames are the names of an organization, prepared for comparison with lines.
type ownNames struct {
	names []orgname.Name
	place map[string]bool // the words of its town and state, which its neighbors share
}

func namesOf(o *snapshot.Organization) *ownNames {
	own := &ownNames{place: map[string]bool{}}
	for _, list := range [][]string{{o.Name}, o.Aliases, o.AlsoKnown, o.Former} {
		for _, s := range list {
			n := orgname.Parse(s)
			own.names = append(own.names, n)
			for _, a := range n.Aliases {
				own.names = append(own.names, orgname.Parse(a))
			}
		}
	}
	region, _ := place.RegionOf(o.State)
	for w := range strings.FieldsSeq(orgname.City(o.City) + " " + strings.ToUpper(region.Name)) {
		own.place[w] = true
	}
	return own
}

// naming returns how closely a line's name agrees with the organization's names. A shared distinctive word may be
// misspelled or cut short. Names without a distinctive word must agree in two words.
func (own *ownNames) naming(filed string, telling func(string) bool) (best Naming) {
	line := orgname.Parse(filed)
	parts := []orgname.Name{line}
	for _, a := range line.Aliases {
		parts = append(parts, orgname.Parse(a))
	}
	for _, p := range parts {
		for _, o := range own.names {
			best = max(best, own.compare(p, o, telling))
		}
	}
	return best
}

func (own *ownNames) compare(line, name orgname.Name, telling func(string) bool) Naming {
	if line.KX == "" || name.KX == "" {
		return Unnamed
	}
	if line.KX == name.KX || line.KA() == name.KX || name.KA() == line.KX {
		return Named
	}
	of, with := strings.Fields(line.K2), strings.Fields(name.K2)
	tells := func(w string) bool { return len(w) > 2 && telling(w) && !own.place[w] }
	common, told := inCommon(of, with, func(v, w string) bool { return tells(v) && tells(w) })
	switch few := min(len(of), len(with)); {
	case common >= few && (told || few > 1):
		return Named
	case told, common >= 2 && common*2 >= len(of) && !slices.ContainsFunc(of, tells):
		return NamedPartly
	}
	return Unnamed
}

// inCommon is how many words of one name are in another, and whether one of them tells.
func inCommon(of, with []string, tells func(v, w string) bool) (n int, told bool) {
	for _, v := range of {
		if i := slices.IndexFunc(with, func(w string) bool { return sameWord(v, w) }); i >= 0 {
			n++
			told = told || tells(v, with[i])
		}
	}
	return n, told
}

// sameWord reports whether two words differ by at most one letter, or one begins with the other.
func sameWord(v, w string) bool {
	if len(v) > len(w) {
		v, w = w, v
	}
	switch {
	case v == w:
		return true
	case len(v) < 4:
		return false
	case strings.HasPrefix(w, v):
		return true
	case len(v) < 5:
		return false
	}
	return typo.OneSlip(v, w)
}

type rankingsSummary struct {
	Ranked         int             `json:"ranked"`          // recipients with an EIN, in all rankings
	NeverNamed     int             `json:"never_named"`     // of those, no line uses their name
	MostlyUnnamed  int             `json:"mostly_unnamed"`  // of those, lines without their name hold half of the dollars
	UnnamedDollars int64           `json:"unnamed_dollars"` // of the nation's ranking
	PartlyDollars  int64           `json:"partly_dollars"`  // the same, for lines with part of the name
	Doubts         []rankingsDoubt `json:"doubts"`
}

type rankingsDoubt struct {
	Place   string `json:"place"`
	Rank    int    `json:"rank"`
	EIN     string `json:"ein"`
	Name    string `json:"name"`
	Dollars int64  `json:"dollars"`
	Unnamed int64  `json:"unnamed_dollars"`
}

func (res *Rankings) Summary() rankingsSummary {
	s := rankingsSummary{Doubts: []rankingsDoubt{}}
	for i, l := range res.Lists {
		for j := range l.Rows {
			r := &l.Rows[j]
			if r.EIN == "" {
				continue
			}
			s.Ranked++
			if i == 0 {
				s.UnnamedDollars += r.Unnamed
				s.PartlyDollars += r.Partly
			}
			if r.Unnamed == 0 {
				continue
			}
			s.NeverNamed += oneIf(!slices.ContainsFunc(r.Names, func(n FiledName) bool { return !n.doubtful() }))
			s.MostlyUnnamed += oneIf(2*r.Unnamed > r.Dollars)
			s.Doubts = append(s.Doubts, rankingsDoubt{cmp.Or(l.Place, "US"), j + 1, r.EIN, r.Name, r.Dollars, r.Unnamed})
		}
	}
	return s
}

func (l RankedList) Title() string {
	if r, ok := place.RegionOf(l.Place); ok {
		return r.Name
	}
	return cmp.Or(l.Place, "Nation")
}

// Mark says how the name agrees with the organization's names, in one character.
func (n *FiledName) Mark() string {
	switch {
	case n.doubtful():
		return "?"
	case n.Naming == Unnamed:
		return "~"
	case n.Naming == NamedPartly && !n.Stated:
		return "/"
	}
	return " "
}

func (r *Ranked) Where() string { return strings.TrimSpace(r.City + " " + r.State) }

// Shown are the names that a ranking shows: those with the most dollars, and doubtful ones.
func (r *Ranked) Shown() (names []*FiledName) {
	doubts := 0
	for i := range r.Names {
		n := &r.Names[i]
		if len(names) >= shownNames && (!n.doubtful() || doubts >= shownNames) {
			continue
		}
		names = append(names, n)
		doubts += oneIf(n.doubtful())
	}
	return names
}

// Rest are the names that are not shown: their number, and their dollars in one.
func (r *Ranked) Rest() (rest FiledName) {
	for i := range r.Names {
		rest.Dollars += r.Names[i].Dollars
	}
	shown := r.Shown()
	for _, n := range shown {
		rest.Dollars -= n.Dollars
	}
	rest.Lines = len(r.Names) - len(shown)
	return rest
}

func (n *FiledName) Short() string {
	if utf8.RuneCountInString(n.Name) > 90 {
		return string([]rune(n.Name)[:89]) + "…"
	}
	return n.Name
}

func (res *Rankings) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("rankings"), res, res.Summary(), onlyJSON)
}
