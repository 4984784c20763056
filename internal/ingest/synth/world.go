package synth

import (
	"cmp"
	"slices"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/table"
)

// ZIP is a place organizations can have an address in.
type ZIP struct{ Code, City, State, County string }

// The window of the world. Months are counted as year*12 + month-1.
const (
	firstFiscal = 2017
	lastFiscal  = 2026
	firstMonth  = 2018 * 12   // January 2018, the first zip
	lastMonth   = 2026*12 + 9 // October 2026, the last
	shards      = lastMonth - firstMonth + 1
)

// world is the plan: how many funders, organizations and grants there are, and where.
// It holds nothing per grant, per organization or per funder.
type world struct {
	seed            uint64
	grants          int
	funders, orgs   int
	foreign         int // recipients abroad
	harmonic        uint64
	correction      int // lines added to the largest funder so that the plan adds up
	zips            []ZIP
	slots           []slot
	byState         [][]int32 // state → its slots
	states          []string
	einMul, einAdd  uint64
	namedInBulletin map[int]int // organizations that bulletins name, and their place among them
	bulletinOrder   []int
	british         []int // recipients abroad that the register of charities knows
	downtown        int   // every n-th area has office buildings
	offices         int   // office buildings of such an area
	officeShare     int   // share of the area's organizations that rent there
	veterans        int   // the organization that the documentation looks for, -1 when there is none
	foodBanks       []int // the food banks of Ohio that the home page looks for
}

// slot is one metropolitan area: a run of neighboring ZIPs of one state. Organization i lives in slot i mod
// len(slots), so that an organization of a wanted area can be drawn without an index.
type slot struct {
	state  int
	lo, hi int // in zips
}

type state struct {
	code   string
	order  int // among the states by size
	people int // in tens of thousands; they share out the slots
	master int // the number of its master file
}

var (
	states = func() []state {
		list := each.Of(readRows("states.tsv", "code", "people", "master"), func(r table.Row) state {
			return state{code: r.Text("code"), people: r.Int("people"), master: r.Int("master")}
		})
		for i := range list {
			list[i].order = i
		}
		return list
	}()
	stateOf = func() map[string]*state {
		m := map[string]*state{}
		for i := range states {
			m[states[i].code] = &states[i]
		}
		return m
	}()
)

func newWorld(seed uint64, grants int, zips []ZIP) *world {
	w := &world{seed: mix(seed + golden), grants: grants}
	root := int(isqrt(uint64(grants)))
	w.funders = grants/95 + root + 8
	w.orgs = grants/11 + 12*root + 40
	w.foreign = grants/100 + root/2 + 5

	// 110 million EINs in eleven prefixes nobody was ever given; the affine
	// map below is a bijection because the multiplier shares no factor with it.
	w.einMul = mix(w.seed^1)%einSpace | 1
	for w.einMul%5 == 0 || w.einMul%11 == 0 {
		w.einMul += 2
	}
	w.einAdd = mix(w.seed^2) % einSpace

	w.assignZIPs(zips)
	w.planOffices()

	// Funder sizes fall as 1/(rank + 1.7), which gives the largest about five percent of all lines and the median about twenty.
	for r := range w.funders {
		w.harmonic += harmonicTerm(r)
	}
	planned := 0
	for r := range w.funders {
		planned += w.planned(r)
	}
	w.correction = grants - planned
	w.pickExamples()
	w.pickRevoked()
	w.pickBritish()
	return w
}

// assignZIPs sorts the ZIPs by state and cuts every state into slots in proportion to its people.
func (w *world) assignZIPs(zips []ZIP) {
	count := 1024
	if w.orgs < 8_000 {
		count = 128
	}
	kept := slices.DeleteFunc(slices.Clone(zips), func(z ZIP) bool { return stateOf[z.State] == nil })
	slices.SortFunc(kept, func(a, b ZIP) int {
		return cmp.Or(cmp.Compare(stateOf[a.State].order, stateOf[b.State].order), cmp.Compare(a.Code, b.Code))
	})
	w.zips = kept
	ends := make([]int, len(states)) // where the ZIPs of a state end; 0 when it has none
	for i, z := range kept {
		ends[stateOf[z.State].order] = i + 1
	}
	total := 0
	for i, s := range states {
		if ends[i] > 0 {
			total += s.people
		}
	}
	first := 0
	var slots []slot
	for i, s := range states {
		last := ends[i]
		if last == 0 {
			continue
		}
		n := max(min((s.people*count+total/2)/total, last-first), 1)
		for k := range n {
			slots = append(slots, slot{len(w.states), first + (last-first)*k/n, first + (last-first)*(k+1)/n})
		}
		w.states = append(w.states, s.code)
		first = last
	}
	// Shuffle, so that a world too small to fill all slots is still spread over the country.
	for i := len(slots) - 1; i > 0; i-- {
		j := scale(sub(w.seed, 'x', i), i+1)
		slots[i], slots[j] = slots[j], slots[i]
	}
	w.slots = slots
	w.byState = make([][]int32, len(w.states))
	for i, s := range slots {
		w.byState[s.state] = append(w.byState[s.state], int32(i))
	}
}

func (w *world) slotsOf(code string) []int32 {
	if i := slices.Index(w.states, code); i >= 0 {
		return w.byState[i]
	}
	return nil
}

// wellKnown is how many organizations are known all over the country: they come
// first, are larger, have acronyms and file every year.
func (w *world) wellKnown() int { return w.orgs / 60 }

const einSpace = 110_000_000

var einPrefixes = [...]uint64{7, 8, 9, 17, 18, 19, 49, 70, 79, 89, 96}

// Identities are numbered apart by kind, so that a larger world with the same
// seed gives the same EINs to the same organizations.
const (
	idOrg    = 0
	idSecond = 40_000_000 // second EIN of a public college
	idFunder = 80_000_000
	idFirm   = 100_000_000 // preparers and federations
)

func (w *world) ein(id int) ein.EIN {
	e := (uint64(id)*w.einMul + w.einAdd) % einSpace
	return ein.EIN(einPrefixes[e/10_000_000]*10_000_000 + e%10_000_000)
}

// object is the 18-digit object id of a return: year and day of receipt, the form, and a number that is
// unique within month and form because it is a bijection of who filed it for which year.
func (w *world) object(month, id, fiscal, version int, form form) uint64 {
	const space = 28 * 1_000_000
	if id >= idFunder {
		id = id - idFunder + 3_000_000 // organizations stay below three million
	}
	v := (uint64(id)*8 + uint64(version)*4 + uint64(fiscal&3)) % space
	v = (v*13_370_011 + w.einAdd) % space
	day, seq := int(v%28)+1, v/28
	yday := date(month/12, time.Month(month%12+1), day).YearDay()
	return uint64(month/12)*100_000_000_000_000 + (seq/100_000)*10_000_000_000_000 + uint64(yday)*10_000_000_000 +
		(93490+uint64(form.digit()))*100_000 + seq%100_000
}

// Cohorts are groups of filers that close their books in the same month and file together. Which cohort files
// what in a given month is a small table, so a shard finds its filers without looking at the others.
const cohorts = 128

// closing is the month in which a cohort's year ends, mostly December or June.
func closing(c int) int {
	switch x := c * 61 % cohorts; {
	case x < 80:
		return 11
	case x < 106:
		return 5
	case x < 114:
		return 8
	default:
		return (x - 114) * 11 / 14 % 11
	}
}

// filed is the month in which a cohort's returns for a fiscal year are published.
// Nearly all filers use the extension, and the IRS publishes returns months later.
func (w *world) filed(c, fiscal int) int {
	r := rng{sub(w.seed, 'f', c<<8|(fiscal-firstFiscal))}
	lag := 0
	switch x := r.n(100); {
	case x < 24:
		lag = 6 + r.n(4)
	case x < 82:
		lag = 10 + r.n(5)
	case x < 90:
		lag = 15 + r.n(4)
	default:
		lag = 19 + r.n(12)
	}
	if fiscal == lastFiscal && closing(c) <= 3 {
		lag = 6 + c&1 // the first few returns of the newest year
	}
	return max(fiscal*12+closing(c)+lag, firstMonth)
}

// amendedIn is the month in which amendments of a cohort's returns come out.
func (w *world) amendedIn(c, fiscal int) int {
	return w.filed(c, fiscal) + 3 + scale(sub(w.seed, 'a', c<<8|(fiscal-firstFiscal)), 8)
}

func harmonicTerm(r int) uint64 { return 1 << 40 / uint64(r*10+17) }

// planned is how many lines funder r is meant to write over all years, before the correction of the largest.
func (w *world) planned(r int) int {
	n := int(uint64(w.grants) * (harmonicTerm(r) >> 8) / (w.harmonic >> 8))
	if r >= 16 {
		// Sizes that only fall with the rank would be too regular.
		n = n * [...]int{4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 38}[scale(sub(w.seed, 'j', r), 12)] / 16
	}
	return max(n, 1)
}

// lines is how many grant lines funder r writes in the return for a fiscal year, and whether it files one at all.
func (w *world) lines(r, fiscal int) (n int, files bool) {
	key := sub(w.seed, 'F', r)
	start, end := firstFiscal, lastFiscal
	total := w.planned(r)
	if r >= 16 {
		// Large funders file every year. Small funders come and go, and in some years they give too little to have to file.
		span := 4 + scale(sub(key, 's', 0), 7)
		if total < 60 {
			span = 2 + scale(sub(key, 's', 1), 5)
		}
		if room := lastFiscal - firstFiscal + 1 - span; room > 0 {
			start += scale(sub(key, 's', 2), room+1)
			end = start + span - 1
		}
	}
	if r == 0 {
		total = max(total+w.correction, 1)
	}
	c := r % cohorts
	var sum, before, mine int
	for y := start; y <= end; y++ {
		if w.filed(c, y) > lastMonth {
			continue
		}
		weight := 8 + scale(sub(key, 'y', y), 7) + (y-firstFiscal)/2
		if y == fiscal {
			before, mine = sum, weight
			files = true
		}
		sum += weight
	}
	if !files {
		return 0, false
	}
	n = total*(before+mine)/sum - total*before/sum
	if n == 0 && !odds(sub(key, 'q', fiscal), 1500) {
		return 0, false // too small to have to file that year
	}
	return n, true
}

func (w *world) final(r, fiscal int) bool {
	if fiscal >= lastFiscal || r < 16 {
		return false
	}
	_, next := w.lines(r, fiscal+1)
	return !next && w.filed(r%cohorts, fiscal+1) <= lastMonth && odds(sub(w.seed, 'z', r), 5000)
}

type form uint8

const (
	form990 form = iota
	formEZ
	formPF
	formT
)

func (f form) String() string { return [...]string{"990", "990EZ", "990PF", "990T"}[f] }

// digit is the sixth digit of the document locator number.
func (f form) digit() int { return [...]int{3, 2, 1, 4}[f] }
