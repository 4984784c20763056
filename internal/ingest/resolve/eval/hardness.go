package eval

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/typo"
)

// crowded is how many organizations at one address make it an office building.
const crowded = 6

// Hardness measures how hard the lines of a snapshot are to resolve: how many organizations share an address or a name, and how
// much filed names differ from the register's. An invented world is as hard as reality if its shares are the same.
type Hardness struct {
	Invented      bool    `json:"invented"`
	Organizations int     `json:"organizations"` // of the current master file
	Lines         int     `json:"lines"`         // to organizations
	Labels        int     `json:"labels"`        // distinct lines with an EIN of those organizations
	Shares        []Share `json:"shares"`
}

// Share is the share of organizations or lines that are hard in one way.
type Share struct {
	Kind  string  `json:"of"`
	What  string  `json:"what"`
	N     int     `json:"n"`
	Share float64 `json:"share"`
}

type registered struct {
	name         orgname.Name
	others       []orgname.Name
	state, zip   string
	spot, bearer string // keys of its address and of its name within the state
	group        bool
}

// The ways in which a line's name differs from the register's.
const (
	sameKey         = "naming it as registered"
	otherKey        = "by another name on file"
	oneLetter       = "with one letter off"
	initialsOnly    = "by initials"
	wordsLeftOut    = "with words left out"
	wordsAdded      = "with words added"
	wordInCommon    = "with a distinctive word in common"
	nothingInCommon = "with nothing in common"
)

var departures = []string{sameKey, otherKey, oneLetter, initialsOnly, wordsLeftOut, wordsAdded, wordInCommon, nothingInCommon}

func MeasureHardness(s *snapshot.Snapshot) (*Hardness, error) {
	h, err := hardness(snapshot.Rows[snapshot.Grant](s, snapshot.Grants), snapshot.Rows[snapshot.Organization](s, snapshot.Organizations))
	if err == nil {
		h.Invented = s.Manifest.Invented
	}
	return h, err
}

func hardness(grants iter.Seq2[snapshot.Grant, error], organizations iter.Seq2[snapshot.Organization, error]) (*Hardness, error) {
	orgs := map[string]*registered{}
	spots, bearers, words := map[string]int{}, map[string]int{}, map[string]int{}
	for o, err := range organizations {
		if err != nil {
			return nil, err
		}
		if o.Sources&snapshot.SourceBMF == 0 || o.State == "" {
			continue
		}
		r := &registered{name: orgname.Parse(o.Name), state: o.State, zip: o.ZIP5, group: strings.Trim(o.Group, "0") != ""}
		for _, list := range [][]string{o.Aliases, o.AlsoKnown, o.Former} {
			for _, a := range list {
				r.others = append(r.others, orgname.Parse(a))
			}
		}
		if key := orgname.StreetKey(o.Street); key != "" {
			r.spot = o.ZIP5 + " " + key
			spots[r.spot]++
		}
		r.bearer = o.State + " " + r.name.KX
		bearers[r.bearer]++
		for w := range strings.FieldsSeq(r.name.K2) {
			words[w]++
		}
		orgs[o.EIN] = r
	}
	h := &Hardness{Organizations: len(orgs)}
	telling := func(w string) bool { return words[w]*tellingOneIn <= len(orgs)+tellingOneIn*5 }
	const ofOrgs, ofLines, ofLabels = "organizations in the master file", "lines to organizations", "lines with the EIN of such an organization"
	const namesakes = "with the same name as another in the state"
	at := fmt.Sprintf("at an address shared by %d or more", crowded)
	places := map[string]int{}
	whole := []int{}
	count := func(kind, what string, is bool) {
		i, known := places[kind+what]
		if !known {
			i = len(h.Shares)
			places[kind+what] = i
			h.Shares, whole = append(h.Shares, Share{Kind: kind, What: what}), append(whole, 0)
		}
		whole[i]++
		h.Shares[i].N += oneIf(is)
	}
	for _, r := range orgs {
		count(ofOrgs, at, r.spot != "" && spots[r.spot] >= crowded)
		count(ofOrgs, namesakes, bearers[r.bearer] > 1)
		count(ofOrgs, "members of a group", r.group)
		count(ofOrgs, "with a one-word name", !strings.Contains(r.name.K2, " "))
	}
	type tuple struct{ name, city, state, zip, ein string }
	seen := map[tuple]bool{}
	for g, err := range grants {
		switch {
		case err != nil:
			return nil, err
		case g.IsIndividual || g.IsUnidentified:
			continue
		}
		h.Lines++
		n := orgname.ParseLine(g.RecipientRaw, "", g.RecipientCity, g.RecipientState)
		count(ofLines, "abroad", g.RecipientCountry != "")
		count(ofLines, "to a university or college", strings.Contains(n.K2, "UNIVERSITY") || strings.Contains(n.K2, "COLLEGE"))
		rule, _ := grant.ParseRule(g.EINSource)
		r := orgs[g.RecipientEIN]
		t := tuple{g.RecipientRaw, g.RecipientCity, g.RecipientState, g.RecipientZIP, g.RecipientEIN}
		if rule != grant.Filed || r == nil || seen[t] {
			continue
		}
		seen[t] = true
		h.Labels++
		count(ofLabels, at, r.spot != "" && spots[r.spot] >= crowded)
		count(ofLabels, namesakes, bearers[r.bearer] > 1)
		count(ofLabels, "to members of a group", r.group)
		count(ofLabels, "naming it in one word", !strings.Contains(n.K2, " "))
		departed := r.departure(n, telling)
		for _, way := range departures {
			count(ofLabels, way, way == departed)
		}
		if g.RecipientState != "" && g.RecipientZIP != "" {
			count(ofLabels, "in its state", g.RecipientState == r.state)
			count(ofLabels, "in its ZIP", g.RecipientZIP == r.zip)
		}
	}
	for i := range h.Shares {
		h.Shares[i].Share = round(scorecard.Share(h.Shares[i].N, whole[i]))
	}
	return h, nil
}

func (r *registered) departure(line orgname.Name, telling func(string) bool) string {
	if line.KX == r.name.KX {
		return sameKey
	}
	for _, o := range r.others {
		if o.KX == line.KX {
			return otherKey
		}
	}
	if typo.OneSlip(line.KX, r.name.KX) {
		return oneLetter
	}
	if line.KA() == r.name.KX || r.name.KA() == line.KX {
		return initialsOnly
	}
	of, with := strings.Fields(line.K2), strings.Fields(r.name.K2)
	common, told := inCommon(of, with, func(v, w string) bool { return len(v) > 2 && telling(w) })
	switch {
	case common == len(of) && len(of) <= len(with):
		return wordsLeftOut
	case common == len(with):
		return wordsAdded
	case told:
		return wordInCommon
	}
	return nothingInCommon
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (h *Hardness) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("hardness"), h, h, onlyJSON)
}
