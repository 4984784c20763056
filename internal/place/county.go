package place

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// County is a county or its equivalent: a parish, borough, census area, municipality, independent city or municipio.
type County struct {
	FIPS  string // five digits
	Name  string // with its kind: "Cook County", "Orleans Parish"
	State string // postal code
}

// CountyOf finds the county of an address and says how sure that is. The state may be empty or a code; the city as filed. The
// answer is empty, with confidence 0, when nothing is known.
//
// A ZIP code that lies in one county (to four fifths at least) settles it. A ZIP code that is spread over counties is settled
// by its town when the town lies in one of them, else the largest part is returned with its share. An address without a usable
// ZIP code is settled by its town when the town lies in one county.
func (g *Gazetteer) CountyOf(zip5, city, state string) (fips string, confidence float64) {
	r := region(state)
	if n := zipNumber(zip5); n >= 0 && g.at[n] != 0 {
		e := &g.zips[g.at[n]-1]
		parts := g.parts[e.first : e.first+uint32(e.n)]
		if len(parts) > 0 && (r == nil || g.counties[parts[0].county].State == r.Code) {
			best := parts[0]
			if best.share >= wholly {
				return g.counties[best.county].FIPS, 1
			}
			if t, ok := g.townOf(city, &regions[e.state]); ok && !t.many && t.sure {
				for _, p := range parts {
					if p.county == t.county {
						return g.counties[t.county].FIPS, byTownInZIP
					}
				}
			}
			return g.counties[best.county].FIPS, float64(best.share)
		}
		if len(parts) == 0 {
			return "", 0 // military mail has no county, whatever the city says
		}
	}
	if t, ok := g.townOf(city, r); ok && !t.many {
		return g.counties[t.county].FIPS, byTown
	}
	return "", 0
}

// The certainties of CountyOf.
const (
	wholly      = 0.8 // share from which a ZIP code counts as lying in one county
	byTownInZIP = 0.9
	byTown      = 0.8
)

// townOf looks a city up without allocating.
func (g *Gazetteer) townOf(city string, r *Region) (townCounty, bool) {
	if r == nil || city == "" {
		return townCounty{}, false
	}
	var buf [48]byte
	key := cityKey(buf[:0], city)
	t, ok := g.towns[town{uint8(regionIndex(r)), string(key)}]
	return t, ok
}

// County returns a county by its five-digit code. Planning regions of Connecticut are known by name; no ZIP code maps to them.
func (g *Gazetteer) County(fips string) (County, bool) {
	if i, ok := g.countyIndex(fips); ok {
		return g.counties[i], true
	}
	if i := slices.IndexFunc(planningRegions[:], func(c County) bool { return c.FIPS == fips }); i >= 0 {
		return planningRegions[i], true
	}
	return County{}, false
}

func (g *Gazetteer) countyIndex(fips string) (int, bool) {
	return slices.BinarySearchFunc(g.counties, fips, func(c County, f string) int { return strings.Compare(c.FIPS, f) })
}

// Counties lists the counties, sorted by code, without Connecticut's planning regions.
func (g *Gazetteer) Counties() []County { return slices.Clone(g.counties) }

// named finds counties by what they are called.
type named struct {
	once sync.Once
	by   map[string][]namedCounty
}

type namedCounty struct {
	County
	whole bool // the name has its kind: "Cook County", not "Cook"
}

// countyKinds are the words that the names of counties and their equivalents end in, longer ones first.
var countyKinds = []string{
	" CITY AND BOROUGH", " PLANNING REGION", " CENSUS AREA", " MUNICIPALITY", " MUNICIPIO", " BOROUGH", " COUNTY", " PARISH", " ISLAND", " DISTRICT", " CITY",
}

// CountiesNamed lists the counties that are called so, with their kind ("Summit County") or without ("Summit"), sorted by code:
// all of them where state is empty, else those of the state. A name with its kind means that kind alone, so "Baltimore" is two
// counties and "Baltimore County" one.
func (g *Gazetteer) CountiesNamed(name, state string) []County {
	g.named.once.Do(g.nameCounties)
	var list, whole []County
	for _, c := range g.named.by[countyKey(name)] {
		if state != "" && c.State != state {
			continue
		}
		list = append(list, c.County)
		if c.whole {
			whole = append(whole, c.County)
		}
	}
	// If the caller named a kind of county, a county with that full name comes first.
	if _, short := cutKind(string(cityKey(nil, name))); short && len(whole) > 0 {
		return whole
	}
	return list
}

func (g *Gazetteer) nameCounties() {
	by := map[string][]namedCounty{}
	add := func(c County) {
		full := string(cityKey(nil, c.Name))
		bare, cut := cutKind(full)
		by[squeeze(full)] = append(by[squeeze(full)], namedCounty{c, true})
		if cut {
			by[squeeze(bare)] = append(by[squeeze(bare)], namedCounty{c, false})
		}
	}
	for _, c := range slices.Concat(g.counties, planningRegions[:]) {
		add(c)
	}
	g.named.by = by
}

// cutKind takes the kind off a name in the form of cityKey.
func cutKind(key string) (bare string, ok bool) {
	for _, kind := range countyKinds {
		if bare, ok := strings.CutSuffix(key, kind); ok && bare != "" {
			return bare, true
		}
	}
	return key, false
}

// countyKey is the form in which names of counties are compared: that of towns without
// spaces, because people write De Kalb and DeKalb.
func countyKey(name string) string { return squeeze(string(cityKey(nil, name))) }

func squeeze(key string) string { return strings.ReplaceAll(key, " ", "") }

// ErrCensus is wrapped by every complaint about a Census relationship file.
var ErrCensus = errors.New("not a usable ZCTA to county relationship file")

// The columns of the relationship file that are read. A file without one of them is another file.
const (
	colZCTA   = "GEOID_ZCTA5_20"
	colCounty = "GEOID_COUNTY_20"
	colName   = "NAMELSAD_COUNTY_20"
	colLand   = "AREALAND_PART"
)

// Bounds of the relationship file; the real one has 47,000 lines of 200 bytes.
const (
	maxCensusLine  = 4096
	maxCensusRows  = 200_000
	maxNewCounties = 1000
)

// WithCensus returns a gazetteer in which the counties of ZIP codes come from the Census 2020 relationship file between ZIP
// code tabulation areas and counties (pipe-delimited, tab20_zcta520_county20_natl). A ZIP code's counties are ordered by land
// area and carry their share of it. Cities, and ZIP codes that have no area of their own, stay as they are in g.
func (g *Gazetteer) WithCensus(r io.Reader) (*Gazetteer, error) {
	rows, added, err := readCensus(r, g)
	if err != nil {
		return nil, err
	}
	out := &Gazetteer{counties: g.counties, towns: g.towns, at: make([]uint32, len(g.at)), census: true}
	back := identity(len(g.counties)) // from positions in g.counties to those in out.counties
	if len(added) > 0 {
		out.counties, back = merge(g.counties, added)
		out.towns = make(map[town]townCounty, len(g.towns))
		for k, t := range g.towns {
			t.county = back[t.county]
			out.towns[k] = t
		}
	}

	i := 0
	add := func(e entry, parts []countyShare) {
		e.first, e.n = uint32(len(out.parts)), uint16(len(parts))
		out.parts = append(out.parts, parts...)
		out.zips = append(out.zips, e)
	}
	keep := func(e *entry) {
		parts := slices.Clone(g.parts[e.first : e.first+uint32(e.n)])
		for k := range parts {
			parts[k].county = back[parts[k].county]
		}
		add(*e, parts)
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].zip == rows[0].zip {
			n++
		}
		parts, err := shares(rows[:n], out)
		if err != nil {
			return nil, err
		}
		for i < len(g.zips) && g.zips[i].code < rows[0].zip {
			keep(&g.zips[i])
			i++
		}
		if i < len(g.zips) && g.zips[i].code == rows[0].zip {
			add(g.zips[i], parts)
			i++
		} else {
			state := out.counties[parts[0].county].State
			add(entry{code: rows[0].zip, state: uint8(regionIndex(region(state)))}, parts)
		}
		rows = rows[n:]
	}
	for ; i < len(g.zips); i++ {
		keep(&g.zips[i])
	}
	for i := range out.zips {
		e := &out.zips[i]
		out.at[e.code] = uint32(i + 1)
		out.zip3[e.code/100] |= 1 << e.state
	}
	return out, nil
}

// censusRow is one line of the file: a part of a ZIP code in a county.
type censusRow struct {
	zip  uint32
	fips string
	land int64
}

// readCensus reads the file and returns its rows, those of a ZIP code together
// and the largest first, and the counties that known does not have.
func readCensus(r io.Reader, known *Gazetteer) (rows []censusRow, added []County, err error) {
	in := bufio.NewReaderSize(r, maxCensusLine)
	line := func() (string, error) {
		b, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return "", fmt.Errorf("%w: a line is longer than %d bytes", ErrCensus, maxCensusLine)
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(b) == 0) {
			return "", err
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
	head, err := line()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: it is empty", ErrCensus)
		}
		return nil, nil, err
	}
	names := strings.Split(strings.TrimPrefix(head, "\ufeff"), "|")
	var at [4]int
	for i, want := range [...]string{colZCTA, colCounty, colName, colLand} {
		if at[i] = slices.Index(names, want); at[i] < 0 {
			return nil, nil, fmt.Errorf("%w: the header has no column %s; fetch tab20_zcta520_county20_natl.txt", ErrCensus, want)
		}
	}
	counties := make(map[string]string) // FIPS to itself, to keep one copy of each
	for n := 2; ; n++ {
		l, err := line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if l == "" {
			continue
		}
		if n > maxCensusRows {
			return nil, nil, fmt.Errorf("%w: more than %d lines", ErrCensus, maxCensusRows)
		}
		f := strings.Split(l, "|")
		if len(f) != len(names) {
			return nil, nil, fmt.Errorf("%w: line %d has %d fields, the header %d", ErrCensus, n, len(f), len(names))
		}
		if f[at[0]] == "" {
			continue // a part of a county outside every ZIP code area
		}
		zip := zipNumber(f[at[0]])
		land, err := strconv.ParseInt(f[at[3]], 10, 64)
		if zip < 0 || err != nil || land < 0 || land > 1e13 || zipNumber(f[at[1]]) < 0 {
			return nil, nil, fmt.Errorf("%w: line %d: ZIP code %q, county %q, area %q", ErrCensus, n, f[at[0]], f[at[1]], f[at[3]])
		}
		fips, ok := counties[f[at[1]]]
		if !ok {
			fips = strings.Clone(f[at[1]])
			counties[fips] = fips
			if _, ok := known.countyIndex(fips); !ok {
				state, ok := StateOfFIPS(fips)
				if !ok {
					return nil, nil, fmt.Errorf("%w: line %d: county %q is in no state", ErrCensus, n, fips)
				}
				if len(added) == maxNewCounties {
					return nil, nil, fmt.Errorf("%w: more than %d unknown counties", ErrCensus, maxNewCounties)
				}
				added = append(added, County{fips, strings.Clone(f[at[2]]), state})
			}
		}
		rows = append(rows, censusRow{uint32(zip), fips, land})
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("%w: it has no rows", ErrCensus)
	}
	slices.SortFunc(rows, func(a, b censusRow) int {
		return cmp.Or(cmp.Compare(a.zip, b.zip), cmp.Compare(b.land, a.land), strings.Compare(a.fips, b.fips))
	})
	slices.SortFunc(added, func(a, b County) int { return strings.Compare(a.FIPS, b.FIPS) })
	return rows, added, nil
}

// shares turns the rows of one ZIP code into parts. An area that is all water is shared evenly.
func shares(rows []censusRow, g *Gazetteer) ([]countyShare, error) {
	var total int64
	for _, r := range rows {
		total += r.land
	}
	parts := make([]countyShare, 0, len(rows))
	for _, r := range rows {
		c, _ := g.countyIndex(r.fips)
		if slices.ContainsFunc(parts, func(p countyShare) bool { return int(p.county) == c }) {
			return nil, fmt.Errorf("%w: ZIP code %05d lists county %s twice", ErrCensus, r.zip, r.fips)
		}
		share := 1 / float32(len(rows))
		if total > 0 {
			share = float32(float64(r.land) / float64(total))
		}
		parts = append(parts, countyShare{uint16(c), share})
	}
	return parts, nil
}

// merge joins two sorted lists of counties and tells where those of the first have gone.
func merge(old, added []County) (all []County, where []uint16) {
	all = slices.Concat(old, added)
	slices.SortFunc(all, func(a, b County) int { return strings.Compare(a.FIPS, b.FIPS) })
	where = make([]uint16, len(old))
	for i, c := range old {
		k, _ := slices.BinarySearchFunc(all, c.FIPS, func(c County, f string) int { return strings.Compare(c.FIPS, f) })
		where[i] = uint16(k)
	}
	return all, where
}

func identity(n int) []uint16 {
	id := make([]uint16, n)
	for i := range id {
		id[i] = uint16(i)
	}
	return id
}
