package screen

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"weak"

	"grantgraph/client"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/screen/likeness"
	"grantgraph/internal/snapshot/lists"
)

// This file has the two screens by name: sanctioned entities, and deletions that bulletins announced. Neither list has EINs.

// Bounds of what is shown.
const (
	mostMatches = 10
	mostPlaces  = 5
)

// noName says why an EIN that no source knows is not screened by name.
const noName = "No source knows the EIN, so there is no name to compare."

type sanctions struct {
	list     *likeness.List
	entities map[int64]*Sanctioned
}

func newSanctions(entities []Sanctioned) *sanctions {
	s := &sanctions{entities: make(map[int64]*Sanctioned, len(entities))}
	var names []likeness.Name
	for i := range entities {
		e := &entities[i]
		s.entities[e.Num] = e
		for _, n := range e.Names {
			names = append(names, likeness.Name{ID: n.Num, Kind: aliasKind(n.Kind), Text: n.Name})
		}
	}
	s.list = likenessOf(names)
	return s
}

// inUse are the lists of names that are in use, by what is in them. Making one weighs every word of thousands of names, so
// an edition of the lists in which the names are the same, or another server of this process, takes the list that is there.
var inUse sync.Map // content → weak.Pointer[likeness.List]

func likenessOf(names []likeness.Name) *likeness.List {
	h := sha256.New()
	for _, n := range names {
		fmt.Fprintf(h, "%d %s %d %s\n", n.ID, n.Kind, len(n.Text), n.Text)
	}
	content := [sha256.Size]byte(h.Sum(nil))
	if known, ok := inUse.Load(content); ok {
		if l := known.(weak.Pointer[likeness.List]).Value(); l != nil {
			return l
		}
	}
	l := likeness.New(names)
	inUse.Store(content, weak.Make(l)) // what is left when the list has gone takes a hundred bytes
	return l
}

// aliasKind returns the kind of a name. A name "now known as" counts as an alias.
func aliasKind(kind string) likeness.Kind {
	switch kind {
	case "primary":
		return likeness.Primary
	case "fka":
		return likeness.FKA
	case "weak":
		return likeness.Weak
	}
	return likeness.AKA
}

func (s *sanctions) matches(names []string, excluded []int64) []client.SanctionsMatch {
	list := []client.SanctionsMatch{}
	for _, name := range names {
		for _, hit := range s.list.Find(name, likeness.Threshold) {
			i := slices.IndexFunc(list, func(m client.SanctionsMatch) bool { return m.EntNum == hit.ID })
			if i >= 0 && list[i].Score >= hit.Score {
				continue
			}
			m := s.match(name, &hit)
			m.RuledOut = slices.Contains(excluded, hit.ID)
			if i >= 0 {
				list[i] = m
			} else {
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b client.SanctionsMatch) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.EntNum, b.EntNum))
	})
	return list
}

func (s *sanctions) match(name string, hit *likeness.Hit) client.SanctionsMatch {
	e := s.entities[hit.ID]
	m := client.SanctionsMatch{
		EntNum: hit.ID, Name: e.Name, MatchedName: hit.Name, QueryName: name, AliasType: string(hit.Kind), Program: strings.Join(e.Programs, ", "),
		SDNType: "entity", Score: hit.Score, Strength: strength(hit), Flags: append([]string{}, hit.Flags...),
		Aligned: []client.SanctionsAlignedWord{}, Places: []client.SanctionsPlace{},
	}
	if i := slices.Index(m.Flags, likeness.FlagContained); i >= 0 {
		m.Flags[i] = "contains the listed name " + hit.Name
	}
	for _, p := range hit.Aligned {
		m.Aligned = append(m.Aligned, client.SanctionsAlignedWord{Query: p.Query, List: p.List, Similarity: p.Similarity, Weight: p.Weight})
	}
	for _, p := range e.Places {
		if len(m.Places) < mostPlaces {
			m.Places = append(m.Places, client.SanctionsPlace{Address: orNull(p.Street), City: orNull(p.City), Country: orNull(p.Country)})
		}
	}
	return m
}

// How strong a potential match is.
const (
	Possible = "possible"
	Strong   = "strong"
	Exact    = "exact"
)

func strength(hit *likeness.Hit) string {
	switch {
	case hit.Exact:
		return Exact
	case hit.Score >= likeness.Strong:
		return Strong
	}
	return Possible
}

// sanctionsCaveat says what the screen leaves out.
var sanctionsCaveat = listOf(lists.OFAC).Caveat + " Individuals, vessels and aircraft on the list are not compared."

func sanctionsBlock(from *client.ComplianceSources, names []string, excluded []int64) client.SanctionsScreen {
	b := client.SanctionsScreen{
		ScreenProvenance: provenance(from, lists.OFAC, Clear), Threshold: likeness.Threshold, Caveat: sanctionsCaveat,
		NamesScreened: []string{}, ExcludedEntNum: append([]int64{}, excluded...),
		List: client.SanctionsList{Revised: from.OFAC.Revised, RowCount: from.OFAC.RowCount, SHA256: from.OFAC.SHA256},
	}
	if b.Screened {
		b.NamesScreened = append(b.NamesScreened, names...)
	}
	return b
}

func settle(b *client.SanctionsScreen, matches []client.SanctionsMatch) {
	n, open := len(matches), 0
	for _, m := range matches {
		if !m.RuledOut {
			open++
		}
	}
	b.MatchCount = &n
	// Matches that the caller has ruled out do not count toward the limit.
	shown := 0
	b.PotentialMatches = slices.DeleteFunc(matches, func(m client.SanctionsMatch) bool {
		if m.RuledOut {
			return false
		}
		shown++
		return shown > mostMatches
	})
	switch {
	case open > 0:
		b.Status = PotentialMatch
	case n > 0:
		b.Status = RuledOut
	}
}

// unreadable says why a name without a match is not cleared.
const unreadable = "A name could not be compared as a whole, because it has no letter, is too long, " +
	"or is not in Latin or Russian letters: send it in Latin letters."

// readable reports whether all of the names could be compared.
func readable(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !likeness.Readable(name) })
}

// demandReadable unscreens a block without matches if a part of a name was not compared.
func demandReadable(b *client.SanctionsScreen, names []string) {
	if b.Screened && b.Status != PotentialMatch && !readable(names) {
		b.PotentialMatches, b.MatchCount = nil, nil
		unscreen(&b.ScreenProvenance, unreadable)
	}
}

func sayStatus(b *client.SanctionsScreen) {
	switch b.Status {
	case NotScreened:
		b.OFACStatus = "Not screened against the sanctions list."
		if b.Note != nil {
			b.OFACStatus += " " + *b.Note
		}
	case Clear:
		b.OFACStatus = "No name that was compared resembles the name of an entity on the sanctions list."
	case RuledOut:
		b.OFACStatus = fmt.Sprintf("%s on the sanctions list resembled a name that was compared; the caller has ruled out every one.", entities(*b.MatchCount))
	case PotentialMatch:
		b.OFACStatus = fmt.Sprintf("%s on the sanctions list may match: a name alone does not identify, look closer.", entities(*b.MatchCount))
	}
}

func entities(n int) string { return counted(n, "entity", "entities") }

func (c *screening) ofac() client.SanctionsScreen {
	b := sanctionsBlock(c.sources, c.names, c.query.Excluded)
	switch {
	case !b.Screened:
	case len(c.names) == 0:
		unscreen(&b.ScreenProvenance, noName)
	default:
		settle(&b, c.sanctions.matches(c.names, c.query.Excluded))
		if missing := c.namesMissing(); missing != "" && b.Status != PotentialMatch {
			found := "without a match"
			if b.Status == RuledOut {
				found = "and the caller has ruled out what matched"
			}
			b.PotentialMatches, b.MatchCount = nil, nil
			unscreen(&b.ScreenProvenance, missing+" The names that are known were compared, "+found+".")
		}
		demandReadable(&b, c.names)
	}
	sayStatus(&b)
	return b
}

// ScreenName compares a name with the sanctions list alone.
func (s *Screener) ScreenName(subject client.ScreenedName, excluded []int64, at time.Time) *NameRecord {
	sources := s.Sources(at)
	b := sanctionsBlock(sources, []string{subject.Name}, excluded)
	if b.Screened {
		settle(&b, s.sanctions.matches(b.NamesScreened, excluded))
		demandReadable(&b, b.NamesScreened)
		for i := range b.PotentialMatches {
			m := &b.PotentialMatches[i]
			m.Flags = append(m.Flags, whereabouts(&subject, s.sanctions.entities[m.EntNum].Places)...)
		}
	}
	sayStatus(&b)
	return &NameRecord{
		Subject: subject, Compliance: client.NameCompliance{OFACSanctionsScreen: b, Caveats: s.caveats()}, Sources: &client.NameSources{OFAC: sources.OFAC},
	}
}

// whereabouts compares the place of a subject with those of an entity, for the reader: the flags exclude no match. Countries
// differ only if all are known by their names.
func whereabouts(subject *client.ScreenedName, places []lists.SanctionPlace) (flags []string) {
	country, city := foldedText(subject.Country), foldedText(subject.City)
	agrees, differs, sameCity := false, len(places) > 0 && countryNames()[country], false
	for i := range places {
		listed := foldedText(&places[i].Country)
		agrees = agrees || country != "" && sameCountry(country, listed)
		differs = differs && countryNames()[listed]
		sameCity = sameCity || city != "" && strings.Contains(foldedText(&places[i].City), city)
	}
	switch {
	case agrees:
		flags = append(flags, "country_agrees")
	case differs:
		flags = append(flags, "country_differs")
	}
	if sameCity {
		flags = append(flags, "city_agrees")
	}
	return flags
}

func foldedText(s *string) string { return strings.TrimSpace(orgname.Fold(text(s))) }

var countryNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, n := range place.Countries() {
		names[foldedText(&n.Name)] = true
	}
	return names
})

// sameCountry compares a country as sent, by name or by the two letters of tax forms, with its name in the list.
func sameCountry(given, listed string) bool {
	if name, ok := place.Country(given); ok && foldedText(&name) == listed {
		return true
	}
	return given == listed
}

// bulletins are the deletions that bulletins announced, by name.
type bulletins struct {
	rows []lists.Deletion
	list *likeness.List
	keys map[string][]int // by the exact key of the name
}

func newBulletins(rows []lists.Deletion) *bulletins {
	b := &bulletins{rows: rows, keys: map[string][]int{}}
	names := make([]likeness.Name, len(rows))
	for i := range rows {
		names[i] = likeness.Name{ID: int64(i), Kind: likeness.Primary, Text: rows[i].Name}
		key := orgname.Key(rows[i].Name)
		b.keys[key] = append(b.keys[key], i)
	}
	b.list = likenessOf(names)
	return b
}

// similar is the least likeness of a deletion in the same state that is shown.
const similar = 0.9

// matches returns the deletions that may concern an organization of these names in a state, which may be unknown.
func (b *bulletins) matches(names []string, state string) []client.BulletinMatch {
	best := map[int]client.BulletinMatch{}
	take := func(i int, name string, score float64, same bool) {
		row := &b.rows[i]
		sameState := state != "" && row.State == state
		if state != "" && row.State != "" && !sameState || !same && !sameState {
			return
		}
		m := bulletinMatch(row, name, score)
		if same && sameState {
			m.Strength = Strong
		}
		if old, ok := best[i]; !ok || m.Score > old.Score || m.Strength == Strong && old.Strength != Strong {
			best[i] = m
		}
	}
	for _, name := range names {
		for _, i := range b.keys[orgname.Key(name)] {
			take(i, name, 1, true)
		}
		for _, hit := range b.list.Find(name, similar) {
			take(int(hit.ID), name, hit.Score, false)
		}
	}
	list := make([]client.BulletinMatch, 0, len(best))
	for _, i := range slices.Sorted(maps.Keys(best)) {
		list = append(list, best[i])
	}
	slices.SortStableFunc(list, func(a, b client.BulletinMatch) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(b.Score, a.Score), cmp.Compare(b.BulletinNumber, a.BulletinNumber))
	})
	return list
}

func bulletinMatch(d *lists.Deletion, name string, score float64) client.BulletinMatch {
	return client.BulletinMatch{
		Name: d.Name, City: orNull(d.City), State: orNull(d.State), BulletinNumber: d.Bulletin, BulletinURL: "https://www.irs.gov/irb/" + d.Bulletin + "_IRB",
		Published: orNull(d.Published), Announcement: orNull(d.Announcement), EffectiveDate: orNull(d.Effective), QueryName: name, Score: score, Strength: Possible,
	}
}

func (c *screening) irb() client.BulletinScreen {
	b := client.BulletinScreen{ScreenProvenance: c.provenance(lists.IRB, Clear)}
	if n := len(c.tables.Bulletins); n > 0 {
		newest := c.tables.Bulletins[n-1]
		b.CoversThrough, b.MostRecentIRB = orNull(newest.Number), orNull(newest.Date)
	}
	switch {
	case !b.Screened:
	case len(c.names) == 0:
		unscreen(&b.ScreenProvenance, noName)
	default:
		matches := c.bulletins.matches(c.names, c.rows.state())
		n := len(matches)
		if n > 0 {
			b.Status = PotentialMatch
		} else if missing := c.namesMissing(); missing != "" {
			unscreen(&b.ScreenProvenance, missing)
			return b
		} else if !readable(c.names) {
			unscreen(&b.ScreenProvenance, unreadable)
			return b
		}
		b.PotentialMatches, b.MatchCount = matches[:min(n, mostMatches)], &n
	}
	return b
}
