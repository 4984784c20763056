package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// filedFunders is how many distinct funders must file one EIN for one name before we accept an organization that is on no list.
const filedFunders = 3

// filedElsewhere is how many of them must file another address of it.
const filedElsewhere = 2

// FiledRecipient is a recipient for which grant lines give an EIN.
type FiledRecipient struct {
	EIN      ein.EIN
	KX       string // the key of its name
	Spelling string // of the name, as filed
	At       Location
}

// filedParts is the number of parts into which filed statements are divided, by the top bits of the name key. Each
// part is small enough to sort within a processor cache.
const (
	filedBits  = 8
	filedParts = 1 << filedBits
)

// filedPart holds the statements that lines file for the names of one part.
type filedPart struct {
	mu       sync.Mutex
	said     []funderStatement
	names    []filedName
	unlisted []unlistedRecipient
}

type filedName struct {
	kx       uint64
	ein      ein.EIN
	spelling string
}

// unlistedRecipient is a recipient whose EIN was on no list when it was added.
type unlistedRecipient struct {
	kx       uint64
	ein      ein.EIN
	spelling string
	at       Location
	funders  []ein.EIN // number of lines
}

// AddFiled records that funders stated an EIN for a recipient; funders has one entry per line. The statements count toward the
// recipient's Pop and teach the rules which names the recipient uses. An EIN that no source knows becomes an organization if
// three distinct funders gave it for the same key. The builder owns the strings and funders until Build.
func (b *UniverseBuilder) AddFiled(f FiledRecipient, funders ...ein.EIN) {
	if f.EIN == ein.None || f.KX == "" || strings.TrimSpace(f.Spelling) == "" {
		return
	}
	funders = slices.DeleteFunc(funders, func(e ein.EIN) bool { return e == f.EIN })
	if len(funders) == 0 {
		return
	}
	slices.Sort(funders)
	if codeOf(f.At.State) == 0 {
		f.At.State, _ = place.State(f.At.State) // as the line is read when it is asked for
	}
	kx, state, city, unlisted := hashKey(f.KX), codeOf(f.At.State), shortCity(cityPlace(f.At.City)), !b.knows(f.EIN)
	p := &b.filed[kx>>(64-filedBits)]
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, funder := range funders {
		if i > 0 && funder == funders[i-1] {
			p.said[len(p.said)-1].rows++
			continue
		}
		p.said = append(p.said, funderStatement{kx, f.EIN, funder, 1, state, city})
	}
	p.names = append(p.names, filedName{kx, f.EIN, f.Spelling})
	if unlisted {
		p.unlisted = append(p.unlisted, unlistedRecipient{kx, f.EIN, f.Spelling, f.At, funders})
	}
}

// addFiledOnly makes organizations from filed EINs that are on no list. It ignores an EIN whose prefix the IRS never
// issued, however many funders file it.
func (b *UniverseBuilder) addFiledOnly(issued *ein.Prefixes) {
	var found []Org
	for i := range b.filed {
		p := &b.filed[i]
		list := slices.DeleteFunc(p.unlisted, func(r unlistedRecipient) bool { return b.knows(r.ein) || !issued.Has(r.ein) })
		slices.SortFunc(list, func(x, y unlistedRecipient) int { return cmp.Or(cmp.Compare(x.kx, y.kx), cmp.Compare(x.ein, y.ein)) })
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].kx == list[0].kx && list[n].ein == list[0].ein {
				n++
			}
			if o, ok := believe(list[:n]); ok {
				found = append(found, o)
			}
			list = list[n:]
		}
		p.unlisted = nil
	}
	for i := range found {
		b.Add(found[i])
	}
}

// believe makes one organization from the recipients with one EIN and one key, if enough funders have paid it.
func believe(as []unlistedRecipient) (Org, bool) {
	var funders []ein.EIN
	elsewhere := map[Location]map[ein.EIN]bool{}
	for i := range as {
		funders = append(funders, as[i].funders...)
		if elsewhere[as[i].at] == nil {
			elsewhere[as[i].at] = map[ein.EIN]bool{}
		}
		for _, funder := range as[i].funders {
			elsewhere[as[i].at][funder] = true
		}
	}
	slices.Sort(funders)
	n := len(slices.Compact(funders))
	if n < filedFunders {
		return Org{}, false
	}
	spelling := mostFrequent(as, func(r *unlistedRecipient) string { return r.spelling })[0].spelling
	// A street is spelled in many ways, so the most frequent whole address can be that of a branch.
	near := as
	for _, part := range []func(*unlistedRecipient) string{
		func(r *unlistedRecipient) string { return r.at.State },
		func(r *unlistedRecipient) string { return r.at.City },
		func(r *unlistedRecipient) string { return r.at.ZIP5 },
		func(r *unlistedRecipient) string { return r.at.Street },
	} {
		near = mostFrequent(near, part)
	}
	at := near[0].at
	var others []Location
	for _, l := range slices.SortedFunc(maps.Keys(elsewhere), CompareLocations) {
		if l != at && len(elsewhere[l]) >= filedElsewhere && len(others) < maxNames {
			others = append(others, l)
		}
	}
	// Prefer the name that more funders give.
	return Org{EIN: as[0].ein, Name: spelling, Street: at.Street, City: at.City, State: at.State, ZIP5: at.ZIP5, Others: others,
		Sources: FiledOnly, Active: true, AsOf: int32(n)}, true
}

// CompareLocations orders addresses by state, ZIP, city and street.
func CompareLocations(a, b Location) int {
	return cmp.Or(strings.Compare(a.State, b.State), strings.Compare(a.ZIP5, b.ZIP5),
		strings.Compare(a.City, b.City), strings.Compare(a.Street, b.Street))
}

// mostFrequent returns the recipients with the value that most funders give, on most lines; among equals, the first in order.
// An empty value says nothing.
func mostFrequent(as []unlistedRecipient, of func(*unlistedRecipient) string) []unlistedRecipient {
	funders, lines := map[string]map[ein.EIN]bool{}, map[string]int{}
	for i := range as {
		value := of(&as[i])
		if funders[value] == nil {
			funders[value] = map[ein.EIN]bool{}
		}
		for _, funder := range as[i].funders {
			funders[value][funder] = true
		}
		lines[value] += len(as[i].funders)
	}
	best := slices.MinFunc(slices.Collect(maps.Keys(funders)), func(x, y string) int {
		return cmp.Or(cmp.Compare(min(1, len(y)), min(1, len(x))), cmp.Compare(len(funders[y]), len(funders[x])),
			cmp.Compare(lines[y], lines[x]), strings.Compare(x, y))
	})
	return slices.DeleteFunc(slices.Clone(as), func(r unlistedRecipient) bool { return of(&r) != best })
}

// sumFiled sorts and adds up the filed statements, and keeps one spelling for each EIN and key. All spellings of a
// key have the same words; it keeps the first in order so that the result does not depend on the order of arrival.
func (b *UniverseBuilder) sumFiled() (said []funderStatement, names []filedName) {
	eachOnAllCores(filedParts, func(i int) {
		p := &b.filed[i]
		p.said = sumStatements(p.said)
		slices.SortFunc(p.names, func(x, y filedName) int {
			return cmp.Or(cmp.Compare(x.kx, y.kx), cmp.Compare(x.ein, y.ein), strings.Compare(x.spelling, y.spelling))
		})
		p.names = slices.CompactFunc(p.names, func(x, y filedName) bool { return x.kx == y.kx && x.ein == y.ein })
	})
	statements, spellings := 0, 0
	for i := range b.filed {
		statements += len(b.filed[i].said)
		spellings += len(b.filed[i].names)
	}
	said, names = make([]funderStatement, 0, statements), make([]filedName, 0, spellings)
	for i := range b.filed {
		said, names = append(said, b.filed[i].said...), append(names, b.filed[i].names...)
		b.filed[i] = filedPart{}
	}
	return said, names
}

// filedPairs lists the filed EINs with the funders that filed them.
func filedPairs(said []funderStatement) []uint64 {
	pairs := make([]uint64, len(said))
	for i := range said {
		pairs[i] = uint64(said[i].ein)<<32 | uint64(said[i].funder)
	}
	slices.Sort(pairs)
	return slices.Clip(slices.Compact(pairs))
}

// filedNames lists the names that filers use for the organizations of the universe.
func (u *Universe) filedNames(names []filedName) []otherName {
	list := make([]otherName, 0, len(names))
	for i := range names {
		if org, ok := u.position(names[i].ein); ok {
			list = append(list, otherName{uint32(org), names[i].spelling, ""})
		}
	}
	onAllCores(len(list), func(from, to int) {
		var text arena
		for i := from; i < to; i++ {
			n := orgname.Parse(list[i].k2)
			list[i].k2, list[i].kx = text.keep(n.K2), text.keep(n.KX)
		}
	})
	slices.SortFunc(list, func(a, b otherName) int {
		return cmp.Or(cmp.Compare(a.org, b.org), strings.Compare(a.kx, b.kx), strings.Compare(a.k2, b.k2))
	})
	return slices.CompactFunc(list, func(a, b otherName) bool { return a.org == b.org && a.kx == b.kx })
}
