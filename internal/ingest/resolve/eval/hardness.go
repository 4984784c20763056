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

// registered holds the facts about an organization of the master file.
type registered struct {
	name         orgname.Name
	others       []orgname.Name
	state, zip   string
	spot, bearer string // keys of its address and of its name within the state
	group        bool
}

// ways in which a line's name differs from the register's.
const (
	sameKey = iota
	otherKey
	oneLetter
	initialsOnly
	wordsLeftOut
	wordsAdded
	wordInCommon
	nothingInCommon
	departures
)

var departureNames = [departures]string{
	"naming it as registered", "by another name on file", "with one letter off", "by initials", "with words left out", "with words added",
	"with a telling word in common", "with nothing in common",
}

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
	var tenant, namesake, member, oneWord int
	for _, r := range orgs {
		tenant += oneIf(r.spot != "" && spots[r.spot] >= crowded)
		namesake += oneIf(bearers[r.bearer] > 1)
		member += oneIf(r.group)
		oneWord += oneIf(!strings.Contains(r.name.K2, " "))
	}

	type tuple struct{ name, city, state, zip, ein string }
	seen := map[tuple]bool{}
	var abroad, lettered, labelTenant, labelNamesake, labelMember, labelOneWord, sameState, sameZIP, placed int
	var departed [departures]int
	for g, err := range grants {
		switch {
		case err != nil:
			return nil, err
		case g.IsIndividual || g.IsUnidentified:
			continue
		}
		h.Lines++
		abroad += oneIf(g.RecipientCountry != "")
		n := orgname.ParseLine(g.RecipientRaw, "", g.RecipientCity, g.RecipientState)
		lettered += oneIf(strings.Contains(n.K2, "UNIVERSITY") || strings.Contains(n.K2, "COLLEGE"))
		rule, _ := grant.ParseRule(g.EINSource)
		r := orgs[g.RecipientEIN]
		t := tuple{g.RecipientRaw, g.RecipientCity, g.RecipientState, g.RecipientZIP, g.RecipientEIN}
		if rule != grant.Filed || r == nil || seen[t] {
			continue
		}
		seen[t] = true
		h.Labels++
		labelTenant += oneIf(r.spot != "" && spots[r.spot] >= crowded)
		labelNamesake += oneIf(bearers[r.bearer] > 1)
		labelMember += oneIf(r.group)
		labelOneWord += oneIf(!strings.Contains(n.K2, " "))
		if g.RecipientState != "" && g.RecipientZIP != "" {
			placed++
			sameState += oneIf(g.RecipientState == r.state)
			sameZIP += oneIf(g.RecipientZIP == r.zip)
		}
		departed[r.departure(n, telling)]++
	}
	add := func(kind, what string, n, whole int) {
		h.Shares = append(h.Shares, Share{kind, what, n, round(scorecard.Share(n, whole))})
	}
	const ofOrgs, ofLines, ofLabels = "organizations of the master file", "lines to organizations", "lines with an EIN of one of them"
	at := fmt.Sprintf("at an address with %d or more", crowded)
	add(ofOrgs, at, tenant, h.Organizations)
	add(ofOrgs, "of a name that another in the state bears", namesake, h.Organizations)
	add(ofOrgs, "members of a group", member, h.Organizations)
	add(ofOrgs, "of one word", oneWord, h.Organizations)
	add(ofLines, "abroad", abroad, h.Lines)
	add(ofLines, "to a university or college", lettered, h.Lines)
	add(ofLabels, at, labelTenant, h.Labels)
	add(ofLabels, "of a name that another in the state bears", labelNamesake, h.Labels)
	add(ofLabels, "to members of a group", labelMember, h.Labels)
	add(ofLabels, "naming it in one word", labelOneWord, h.Labels)
	for i, name := range departureNames {
		add(ofLabels, name, departed[i], h.Labels)
	}
	add(ofLabels, "in its state", sameState, placed)
	add(ofLabels, "in its ZIP", sameZIP, placed)
	return h, nil
}

// departure returns how a line's name differs from the organization's.
func (r *registered) departure(line orgname.Name, telling func(string) bool) int {
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
	common, told := 0, false
	for _, v := range of {
		for _, w := range with {
			if sameWord(v, w) {
				common++
				told = told || len(v) > 2 && telling(w)
				break
			}
		}
	}
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

// Print writes the shares as a table, and as one line of JSON.
func (h *Hardness) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("hardness"), h, h, onlyJSON)
}
