package eval

import (
	"cmp"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"grantgraph/internal/grant"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/snapshot"
)

const drawnLinks = 100

// Draw is a list of links for people to judge: the largest, or links of one rule drawn at random.
type Draw struct {
	Rule  string  `json:"rule,omitempty"` // empty for the largest
	Of    int     `json:"of"`             // links of this kind
	Drawn int     `json:"drawn"`
	Mean  float64 `json:"claimed"` // mean probability of those drawn
	Links []*Link `json:"-"`
}

// Link is what lines of one name and place lead to.
type Link struct {
	Name, City, State, ZIP, EIN, Rule string
	Prob                              float64
	Lines                             int
	Dollars                           int64
	Found                             *snapshot.Organization
}

// DrawLinks draws the links of a snapshot that rules have made. The same seed draws the same links.
func DrawLinks(s *snapshot.Snapshot, seed uint64) ([]*Draw, error) {
	by := map[Link]*Link{}
	for g, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			return nil, err
		}
		if rule, _ := grant.ParseRule(g.EINSource); rule <= grant.OverrideKeyError {
			continue
		}
		key := Link{Name: g.RecipientRaw, City: g.RecipientCity, State: g.RecipientState, ZIP: g.RecipientZIP, EIN: g.RecipientEIN, Rule: g.EINSource}
		l := by[key]
		if l == nil {
			l = &key
			by[key] = l
		}
		l.Lines, l.Dollars, l.Prob = l.Lines+1, l.Dollars+g.Amount, max(l.Prob, g.MatchProb)
	}
	ticket := func(l *Link) uint64 {
		return hash.Parts(hash.Start, strconv.FormatUint(seed, 10), l.Name, l.City, l.State, l.ZIP, l.EIN, l.Rule)
	}
	all := slices.SortedFunc(maps.Values(by), func(a, b *Link) int { return cmp.Compare(ticket(a), ticket(b)) })
	largest := slices.SortedFunc(slices.Values(all), func(a, b *Link) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Name, b.Name), cmp.Compare(a.State, b.State),
			cmp.Compare(a.City, b.City), cmp.Compare(a.ZIP, b.ZIP), cmp.Compare(a.EIN, b.EIN), cmp.Compare(a.Rule, b.Rule))
	})
	draws := []*Draw{{Links: largest}}
	for _, rule := range []grant.Rule{grant.Address, grant.ZIP, grant.Street, grant.Model} {
		of := slices.DeleteFunc(slices.Clone(all), func(l *Link) bool { return l.Rule != rule.String() })
		draws = append(draws, &Draw{Rule: rule.String(), Links: of})
	}
	shown := map[string][]*Link{}
	for _, d := range draws {
		d.Of = len(d.Links)
		d.Links = d.Links[:min(d.Of, drawnLinks)]
		d.Drawn = len(d.Links)
		for _, l := range d.Links {
			d.Mean += l.Prob / float64(d.Drawn)
			shown[l.EIN] = append(shown[l.EIN], l)
		}
	}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			return nil, err
		}
		for _, l := range shown[o.EIN] {
			l.Found = &o
		}
	}
	return draws, nil
}

func PrintLinks(w io.Writer, draws []*Draw, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("links"), draws, draws, onlyJSON)
}

// Stated compares the links of a snapshot with the EINs that filers state for the same name in the same state. Only
// names with exactly one stated EIN count.
type Stated struct {
	Names         int            `json:"names"`
	Unlinked      int            `json:"unlinked"` // lines that state no EIN and stay without one
	UnlinkedPaid  int64          `json:"unlinked_dollars"`
	Linked        int            `json:"linked"` // lines that state no EIN and got one from a rule
	Disagree      int            `json:"disagree"`
	Rules         []StatedRule   `json:"rules"`
	Disagreements []Disagreement `json:"-"`
	Open          []Disagreement `json:"-"` // unlinked names with the most dollars
	Gates         []Gate         `json:"gates"`
}

// StatedRule is how often the answers of one rule agree with the only stated EIN.
type StatedRule struct {
	Rule  string `json:"rule"`
	Lines int    `json:"lines"`
	Agree int    `json:"agree"`
}

// Disagree is how many of the rule's lines lead to another EIN.
func (r StatedRule) Disagree() int { return r.Lines - r.Agree }

// Disagreement is a name that a rule links to another EIN than the stated one, or to none.
type Disagreement struct {
	Name, State, Rule, Found, Stated string
	FoundName, StatedName            string
	Funders                          int // that state the EIN
	Lines                            int
	Dollars                          int64
	Why                              string

	kx string
}

const mostDisagreements = 40

const shownOpen = 30

func MeasureStated(s *snapshot.Snapshot) (*Stated, error) {
	grants := func() iter.Seq2[snapshot.Grant, error] { return snapshot.Rows[snapshot.Grant](s, snapshot.Grants) }
	return stated(grants, snapshot.Rows[snapshot.Organization](s, snapshot.Organizations))
}

type nameInState struct{ kx, state string }

type statement struct {
	ein     string
	several bool // more than one EIN
	funders map[string]bool
}

func statements(grants iter.Seq2[snapshot.Grant, error]) (map[nameInState]*statement, error) {
	said := map[nameInState]*statement{}
	for g, err := range grants {
		if err != nil {
			return nil, err
		}
		k, ok := nameOf(&g)
		if !ok || g.EINSource != grant.Filed.String() || g.RecipientEIN == g.FunderEIN {
			continue
		}
		s := said[k]
		if s == nil {
			s = &statement{ein: g.RecipientEIN, funders: map[string]bool{}}
			said[k] = s
		}
		s.several = s.several || s.ein != g.RecipientEIN
		s.funders[g.FunderEIN] = true
	}
	return said, nil
}

// nameOf is the name of the organization in the United States that a line pays; false if it pays none.
func nameOf(g *snapshot.Grant) (nameInState, bool) {
	if g.RecipientCountry != "" || g.RecipientState == "" || g.IsIndividual || g.IsUnidentified {
		return nameInState{}, false
	}
	kx := orgname.ParseLine(g.RecipientRaw, "", g.RecipientCity, g.RecipientState).KX
	return nameInState{kx, g.RecipientState}, kx != ""
}

func stated(grants func() iter.Seq2[snapshot.Grant, error], organizations iter.Seq2[snapshot.Organization, error]) (*Stated, error) {
	said, err := statements(grants())
	if err != nil {
		return nil, err
	}
	res := &Stated{Rules: []StatedRule{}}
	for _, s := range said {
		res.Names += oneIf(!s.several)
	}
	type which struct {
		nameInState
		rule, found string
	}
	rules, all := map[string]*StatedRule{}, map[which]*Disagreement{}
	for g, err := range grants() {
		if err != nil {
			return nil, err
		}
		rule, _ := grant.ParseRule(g.EINSource)
		k, ok := nameOf(&g)
		s := said[k]
		if !ok || rule != grant.None && rule <= grant.OverrideKeyError || s == nil || s.several || s.ein == g.FunderEIN {
			continue
		}
		r := rules[g.EINSource]
		if r == nil {
			r = &StatedRule{Rule: g.EINSource}
			rules[g.EINSource] = r
		}
		r.Lines++
		if g.RecipientEIN == s.ein {
			r.Agree++
			continue
		}
		w := which{k, g.EINSource, g.RecipientEIN}
		d := all[w]
		if d == nil {
			d = &Disagreement{Name: g.RecipientRaw, State: k.state, Rule: g.EINSource, Found: g.RecipientEIN, Stated: s.ein, Funders: len(s.funders), kx: k.kx}
			all[w] = d
		}
		d.Lines++
		d.Dollars += g.Amount
	}
	for _, rule := range grant.Rules() {
		if r := rules[rule.String()]; r != nil {
			res.Rules = append(res.Rules, *r)
			res.Linked += r.Lines
			res.Disagree += r.Disagree()
		}
	}
	res.Gates = []Gate{atMost("lines that disagree with the only stated EIN", float64(res.Disagree), mostDisagreements)}
	return res, res.explain(slices.Collect(maps.Values(all)), organizations)
}

// explain sorts the disagreements by dollars and says why the program does not follow the filers.
func (s *Stated) explain(list []*Disagreement, organizations iter.Seq2[snapshot.Organization, error]) error {
	slices.SortFunc(list, func(a, b *Disagreement) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(a.Name, b.Name), cmp.Compare(a.State, b.State), cmp.Compare(a.Found, b.Found))
	})
	orgs := map[string]snapshot.Organization{}
	for _, d := range list {
		orgs[d.Found], orgs[d.Stated] = snapshot.Organization{}, snapshot.Organization{}
	}
	for o, err := range organizations {
		if err != nil {
			return err
		}
		if _, ok := orgs[o.EIN]; ok {
			orgs[o.EIN] = o
		}
	}
	for _, d := range list {
		found, stated := orgs[d.Found], orgs[d.Stated]
		d.FoundName, d.StatedName = found.Name, stated.Name
		switch bears := orgname.Parse(found.Name).KX == d.kx; {
		case d.Rule == "":
			s.Unlinked += d.Lines
			s.UnlinkedPaid += d.Dollars
			s.Open = append(s.Open, *d)
			continue
		case bears && stated.Sources == snapshot.SourceLine:
			d.Why = "a register has the name for the one found; the stated EIN is in no register"
		case bears:
			d.Why = "a register has the name for the one found, and another name for the stated EIN"
		case d.Funders == 1:
			d.Why = "one funder states the EIN, for another city or for other names, too"
		default:
			d.Why = "the stated EIN belongs to an organization with another name"
		}
		s.Disagreements = append(s.Disagreements, *d)
	}
	s.Open = s.Open[:min(len(s.Open), shownOpen)]
	return nil
}

func (s *Stated) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("stated"), s, s, onlyJSON)
}
