// Package board finds organizations whose boards share people.
//
// Returns name officers and directors but do not identify them, so a shared name is evidence, not proof. Its strength
// depends on how rare the name is: the expected number of people with that name in the region, from the frequencies
// of first and last names in the returns. All shared names of a pair of organizations combine into one confidence.
//
// Names are used to compute the links but are not stored in them.
package board

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/hashtable"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Thresholds for the evidence.
const (
	maxSeats    = 200 // a name at more organizations than this is ignored
	largeBoard  = 60  // a board with more people than this is a member list
	sharedFrom  = .5  // least probability that a shared name is a shared person
	possibly    = .1  // least probability that it may be a shared person
	keptFrom    = .1  // least confidence at which a link is kept
	sameMiddle  = .25 // factors on the number of other holders of the name
	otherMiddle = 8
	sameTown    = .3
	otherState  = 2
)

// Builder gathers the seats of people on boards.
type Builder struct {
	people      *classify.People
	orgs        map[ein.EIN]uint32 // position in places
	places      []site
	states      hashtable.Texts
	cities      hashtable.Texts
	first, last hashtable.Texts
	seats       []seat
}

// site is the place of an organization; a part that is zero is unknown.
type site struct {
	ein   ein.EIN
	state uint32
	city  uint32
	zip3  uint16 // the number plus one
}

// seat is one name on one board, in 16 bytes.
type seat struct {
	name       uint64 // first and last, by number
	org        uint32
	middle     byte
	generation uint8
}

// New makes an empty builder. people distinguishes persons from organizations that are named as officers; it may be nil.
func New(people *classify.People) *Builder {
	return &Builder{people: people, orgs: make(map[ein.EIN]uint32)}
}

// AddOrg records where an organization is. Add all organizations before any officer; seats of an organization without
// a place are skipped.
func (b *Builder) AddOrg(e ein.EIN, state, city, zip5 string) {
	s := site{ein: e}
	if state != "" {
		s.state = b.states.Number(state)
		if city = orgname.City(city); city != "" {
			s.city = b.cities.Number(state + " " + city)
		}
	}
	if len(zip5) == 5 {
		n := uint16(0)
		for _, c := range []byte(zip5[:3]) {
			n = n*10 + uint16(c-'0')
		}
		s.zip3 = n + 1
	}
	b.orgs[e] = uint32(len(b.places))
	b.places = append(b.places, s)
}

// AddOfficer records that a return of e lists this name among its officers. It reports whether the name is a person's.
func (b *Builder) AddOfficer(e ein.EIN, name string) bool {
	org, ok := b.orgs[e]
	if !ok {
		return false
	}
	p, ok := parse(name)
	if !ok {
		return false
	}
	odds := b.people.LogOdds(name)
	if odds < -2 || odds < 2 && b.people.HasOrgWord(name) {
		return false
	}
	s := seat{uint64(b.first.Number(p.first))<<32 | uint64(b.last.Number(p.last)), org, p.middle, p.generation}
	// The same officers appear every year, so compare with those of the previous return first.
	if !slices.Contains(b.seats[max(0, len(b.seats)-64):], s) {
		b.seats = append(b.seats, s)
	}
	return true
}

// hit is the evidence of one name for one pair of nodes.
type hit struct {
	pair uint64
	p    float64
}

// Links yields the pairs of organizations that share people, sorted. head returns the largest member of an
// organization's family. A family counts as one board, listed under that member or, if it lists no people, under the
// smallest EIN that does. Nothing may be added after Links.
func (b *Builder) Links(head func(ein.EIN) ein.EIN) iter.Seq[snapshot.BoardLink] {
	slices.SortFunc(b.seats, func(x, y seat) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.org, y.org), cmp.Compare(x.middle, y.middle), cmp.Compare(x.generation, y.generation))
	})
	b.seats = slices.Compact(b.seats)
	nodes := b.collapse(head)
	c := b.countNames()

	people := make([]int32, len(nodes.at)) // names on each board
	var hits []hit
	var group []member
	for seats := range radix.Runs(b.seats, func(x, y seat) bool { return x.name == y.name }) {
		group = group[:0]
		for i := range seats {
			s := &seats[i]
			group = append(group, member{nodes.of[s.org], s.middle, s.generation, &b.places[s.org]})
		}
		slices.SortStableFunc(group, func(x, y member) int { return cmp.Compare(x.node, y.node) })
		boards := 0
		for i := range group {
			if i == 0 || group[i].node != group[i-1].node {
				boards++
				people[group[i].node]++
			}
		}
		if boards > 1 && boards <= maxSeats {
			hits = c.compare(hits, seats[0].name, group)
		}
	}
	b.seats = nil
	// Sort by probability too, because the product of floating-point numbers depends on their order.
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.pair, y.pair), cmp.Compare(x.p, y.p))
	})
	return func(yield func(snapshot.BoardLink) bool) {
		for of := range radix.Runs(hits, func(a, b hit) bool { return a.pair == b.pair }) {
			x, y := uint32(of[0].pair>>32), uint32(of[0].pair)
			link := weigh(of, people[x] > largeBoard && people[y] > largeBoard)
			if link.Conf < keptFrom {
				continue
			}
			a, z := &b.places[nodes.at[x]], &b.places[nodes.at[y]]
			link.E1, link.E2 = a.ein.String(), z.ein.String()
			link.SameState = a.state != 0 && a.state == z.state
			if !yield(link) {
				return
			}
		}
	}
}

func weigh(hits []hit, large bool) (link snapshot.BoardLink) {
	none := 1.0
	for _, h := range hits {
		none *= 1 - h.p
		if h.p >= sharedFrom {
			link.SharedPeople++
		} else {
			link.PossibleSharedPeople++
		}
	}
	link.Conf = 1 - none
	if large {
		link.Conf *= .5
	}
	if len(hits) == 1 && hits[0].p < .7 {
		link.Conf *= .7
	}
	link.Conf = math.Round(link.Conf*1e4) / 1e4
	return link
}

// collapsed maps organizations to boards; a family has one board.
type collapsed struct {
	of []uint32 // the board of each organization; boards are sorted by EIN
	at []uint32 // the organization under which each board is listed
}

func (b *Builder) collapse(head func(ein.EIN) ein.EIN) collapsed {
	seated := make([]bool, len(b.places))
	for i := range b.seats {
		seated[b.seats[i].org] = true
	}
	// List each family's board under its head if the head has seats, otherwise under the smallest EIN that has.
	under := make(map[ein.EIN]uint32)
	heads := make([]ein.EIN, len(b.places))
	for i := range b.places {
		if !seated[i] {
			continue
		}
		h := head(b.places[i].ein)
		heads[i] = h
		at, ok := under[h]
		if !ok || b.places[at].ein != h && (b.places[i].ein == h || b.places[i].ein < b.places[at].ein) {
			under[h] = uint32(i)
		}
	}
	c := collapsed{of: make([]uint32, len(b.places))}
	for i := range b.places {
		if seated[i] && under[heads[i]] == uint32(i) {
			c.at = append(c.at, uint32(i))
		}
	}
	slices.SortFunc(c.at, func(x, y uint32) int { return cmp.Compare(b.places[x].ein, b.places[y].ein) })
	number := make([]uint32, len(b.places))
	for n, i := range c.at {
		number[i] = uint32(n)
	}
	for i := range b.places {
		if seated[i] {
			c.of[i] = number[under[heads[i]]]
		}
	}
	return c
}

// person is the parsed name of an officer. Two seats have the same name if first and last name agree. Middle initial
// and generation are evidence for or against one person.
type person struct {
	first, last string
	middle      byte  // an initial, or 0
	generation  uint8 // 1 senior, 2 junior or second, 3 third …, or 0
}

// Words around a name that are not part of it.
var (
	titles = table.SetOf("MR MRS MS MISS DR REV REVEREND HON HONORABLE THE FR FATHER SISTER BROTHER RABBI CANTOR PASTOR BISHOP ARCHBISHOP MOST RT VERY RIGHT " +
		"MSGR MONSIGNOR DEACON ELDER PROF PROFESSOR JUDGE JUSTICE SEN SENATOR REP GOV GOVERNOR CAPT CAPTAIN COL COLONEL GEN GENERAL MAJ MAJOR LT LTC LTCOL " +
		"CMDR ADM ADMIRAL SGT CHIEF SIR DAME AMB AMBASSADOR MAYOR IMAM SR")
	credentials = table.SetOf("MD PHD ESQ ESQUIRE CPA JD RN DDS DO MBA MPH MPA MSW LCSW LMSW LICSW LMFT LPC EDD PSYD PE AIA FAIA FACHE CFA CFP CLU " +
		"CHFC FAAP FACS FACP FACC FACEP FACOG PHARMD RPH DVM VMD MA MS BS BSN MSN DNP APRN ARNP CNP NP PA PT DPT OT OTR OD DMD DPM DC DRPH SCD THD RET " +
		"USA USN USAF USMC CFRE CAE SPHR PHR SHRM LLD LLM DMIN MDIV STD OSB SJ OP CSC RSM OSF SND CSJ OFM CRE CCIM PMP CIA CISA CIMA EA NHA LNHA CNA " +
		"MHA MED FRCPC FASCO CEM AAMS EMT PRESIDENT CHAIR CHAIRMAN CHAIRWOMAN CHAIRPERSON TREASURER SECRETARY DIRECTOR TRUSTEE CEO CFO COO CIO OFFICER " +
		"MEMBER MANAGER EXECUTIVE VICE VP EVP SVP AVP EX OFFICIO EXOFFICIO EMERITUS EMERITA ELECT PAST FORMER INTERIM ACTING THRU UNTIL FROM TERM ENDED " +
		"BEGAN DECEASED RETIRED RESIGNED")
	// noNames are texts that name nobody.
	noNames = table.SetOf("SEE SCHEDULE ATTACHED ATTACHMENT STATEMENT STMT VACANT VACANCY NONE NA UNKNOWN VARIOUS LIST OPEN POSITION TBD ADDITIONAL " +
		"DATA BELOW ABOVE CORPORATION INC LLC LLP LTD FOUNDATION BANK NATIONAL TRUST COMPANY ASSOCIATION ASSOCIATES UNIVERSITY DEPARTMENT COMMITTEE " +
		"SERVICES WEALTH ADVISORS")
	generations = map[string]uint8{"SR": 1, "SENIOR": 1, "JR": 2, "JUNIOR": 2, "II": 2, "2ND": 2, "III": 3, "3RD": 3, "IV": 4, "4TH": 4}
	particles   = table.SetOf("VAN VON DE DER DEN DEL DELLA DI DA DOS DU LA LE LOS ST SAN MC MAC TER TEN EL AL BEN")
)

// parse parses the name of an officer. ok is false if the text names nobody or says too little, such as an initial
// and a surname.
func parse(name string) (p person, ok bool) {
	name = strings.TrimSpace(name)
	if len(name) > 120 {
		return p, false
	}
	name = dropCode(name)
	text := orgname.Fold(name)
	// Text after a spaced dash or an opening bracket is a note.
	for _, cut := range [...]string{" - ", "(", "/", " C O ", " AS "} {
		if i := strings.Index(text, cut); i > 0 {
			text = text[:i]
		}
	}
	var parts [4][]string
	n := 0
	for segment := range strings.SplitSeq(text, ",") {
		list := p.strip(split(segment))
		if len(list) > 0 && n < len(parts) {
			parts[n] = list
			n++
		}
	}
	// Surname, given names. Without a comma there is one part, which is in order.
	return p.assemble(slices.Concat(parts[1], parts[0]))
}

// dropCode removes a unit code of the filer from the end: capitals after a name in mixed case ("Ada Wintergreen SMH").
func dropCode(name string) string {
	i := strings.LastIndexByte(name, ' ')
	if i <= 0 || !strings.Contains(strings.TrimSpace(name[:i]), " ") {
		return name
	}
	head, tail := name[:i], strings.TrimSpace(name[i:])
	if len(tail) < 2 || len(tail) > 4 || strings.Trim(tail, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || generations[tail] != 0 ||
		strings.Contains(head, ",") || head == strings.ToUpper(head) {
		return name
	}
	return head
}

// split cuts a segment into words of letters and digits. It drops apostrophes and hyphens, so that O'Dea always becomes ODEA.
func split(segment string) []string {
	list := strings.Fields(segment)
	out := list[:0:0]
	for _, w := range list {
		whole := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, w)
		if strings.Contains(w, ".") && !credentials[whole] && generations[whole] == 0 && !titles[whole] {
			// J.R. are two initials.
			for _, part := range strings.Split(w, ".") {
				if part = strings.Trim(part, "'`-\""); part != "" {
					out = append(out, part)
				}
			}
			continue
		}
		if whole != "" {
			out = append(out, whole)
		}
	}
	return out
}

// strip removes titles from the front and credentials from the back, and records the generation.
func (p *person) strip(list []string) []string {
	for len(list) > 0 && titles[list[0]] {
		list = list[1:]
	}
	for len(list) > 0 {
		last := list[len(list)-1]
		if g := generations[last]; g != 0 {
			p.generation = g
		} else if !credentials[last] || len(list) == 2 && len(last) <= 3 && len(list[0]) > 1 && surnameToo[last] {
			break
		}
		list = list[:len(list)-1]
	}
	return list
}

// surnameToo are credentials that are also surnames.
var surnameToo = table.SetOf("DO MA PA LA OD")

func (p *person) assemble(list []string) (person, bool) {
	if len(list) < 2 || len(list) > 7 {
		return *p, false
	}
	for _, w := range list {
		if noNames[w] || w[0] >= '0' && w[0] <= '9' {
			return *p, false
		}
	}
	p.last = list[len(list)-1]
	list = list[:len(list)-1]
	for len(list) > 1 && particles[list[len(list)-1]] {
		p.last = list[len(list)-1] + p.last
		list = list[:len(list)-1]
	}
	p.first = list[0]
	switch {
	case len(p.first) == 1 && len(list) > 1 && len(list[1]) > 1:
		// This person goes by the middle name, so there is no separate middle initial.
		p.first = list[1]
	case len(list) > 1:
		p.middle = list[1][0]
	}
	for _, w := range [...]string{p.first, p.last} {
		if len(w) < 2 || len(w) > 30 || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return *p, false
		}
	}
	if p.middle < 'A' || p.middle > 'Z' {
		p.middle = 0
	}
	return *p, true
}

// PersonKey is a number for the first and last name of an officer, for comparing boards. ok is false if the text
// names no person.
func PersonKey(name string) (key uint64, ok bool) {
	p, ok := parse(name)
	return hash.Add(hash.Byte(hash.Of(p.first), ' '), p.last), ok
}

// nameCounts counts people and how often their names occur. People are distinguished by first name, last name, middle
// initial, generation and state, so a person on many boards of a state counts once.
type nameCounts struct {
	total       float64
	state       []float64
	first, last []float64
}

// countNames counts the people on the seats, which are sorted by name.
func (b *Builder) countNames() *nameCounts {
	c := &nameCounts{
		state: make([]float64, max(len(b.states.List), 1)),
		first: make([]float64, len(b.first.List)), last: make([]float64, len(b.last.List)),
	}
	counted := make(map[uint64]bool) // people with this name
	for i := range b.seats {
		s := &b.seats[i]
		if i == 0 || s.name != b.seats[i-1].name {
			clear(counted)
		}
		at := b.places[s.org].state
		who := uint64(at)<<16 | uint64(s.middle)<<8 | uint64(s.generation)
		if counted[who] {
			continue
		}
		counted[who] = true
		c.total++
		c.state[at]++
		c.first[s.name>>32]++
		c.last[uint32(s.name)]++
	}
	return c
}

// member is a seat, prepared for comparison.
type member struct {
	node       uint32
	middle     byte
	generation uint8
	at         *site
}

// compare appends the evidence from the seats with one name, for every pair of boards. The seats are grouped by board.
func (c *nameCounts) compare(hits []hit, name uint64, group []member) []hit {
	// The share of people who have the name.
	share := c.first[name>>32] / c.total * c.last[uint32(name)] / c.total
	// If even the best evidence would be too weak, as for every John Smith, skip the comparison.
	fewest := c.total
	for i := range group {
		if s := group[i].at.state; s != 0 {
			fewest = min(fewest, c.state[s])
		}
	}
	if chance(fewest*share*sameMiddle*sameTown) < possibly {
		return hits
	}
	sameBoard := func(x, y member) bool { return x.node == y.node }
	rest := group
	for board := range radix.Runs(group, sameBoard) {
		rest = rest[len(board):]
		for other := range radix.Runs(rest, sameBoard) {
			best := 0.0
			for x := range board {
				for y := range other {
					best = max(best, c.probability(share, &board[x], &other[y]))
				}
			}
			if best >= possibly {
				hits = append(hits, hit{uint64(board[0].node)<<32 | uint64(other[0].node), best})
			}
		}
	}
	return hits
}

// probability is the probability that two seats with the same name belong to one person.
func (c *nameCounts) probability(share float64, x, y *member) float64 {
	if x.generation != 0 && y.generation != 0 && x.generation != y.generation {
		return 0
	}
	others := share * c.total
	switch a, z := x.at, y.at; {
	case a.state == 0 || a.state != z.state:
		others *= otherState
	case a.zip3 != 0 && a.zip3 == z.zip3 || a.city != 0 && a.city == z.city:
		others = share * c.state[a.state] * sameTown
	default:
		others = share * c.state[a.state]
	}
	if x.middle != 0 && y.middle != 0 {
		if x.middle == y.middle {
			others *= sameMiddle
		} else {
			others *= otherMiddle
		}
	}
	return chance(others)
}

// chance is the probability that two people with the same name are one person, given the number of others with that name.
func chance(others float64) float64 { return 1 / (1 + others) }
