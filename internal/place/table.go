package place

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// zipsGZ is the shipped table, compressed text in two blocks.
//
//	counties N
//	FIPS <tab> name                                     (N lines, rising)
//	zips N
//	step <tab> city <tab> state <tab> county <tab> other (N lines, rising)
//
// step is the distance from the ZIP code before. An empty city, state or county is that of the line before; "-" is none. other
// is the second county of a ZIP code that lies in two, usually empty.
//
//go:embed zips.gz
var zipsGZ []byte

// Shipped is the gazetteer that travels in the binary, decoded at first use.
var Shipped = sync.OnceValue(func() *Gazetteer {
	g, err := unpack()
	if err != nil {
		panic("place: the shipped table is damaged: " + err.Error())
	}
	return g
})

func unpack() (*Gazetteer, error) {
	text, err := inflate(zipsGZ, 16<<20)
	if err != nil {
		return nil, err
	}
	return decode(string(text))
}

func inflate(packed []byte, most int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, most))
}

// townShare is the share of a ZIP code with two counties that counts as lying in the first county, that of the town. The table
// has no areas. An independent list of ZIP codes agrees with the first county in four of five cases, so the share stays below
// 0.8.
const townShare = 0.75

func decode(text string) (*Gazetteer, error) {
	d := decoder{rest: text}
	n := d.block("counties", 10_000)
	g := &Gazetteer{at: make([]uint32, 100_000)}
	for range n {
		fips, name, _ := strings.Cut(d.line(), "\t")
		state, ok := StateOfFIPS(fips)
		if len(fips) != 5 || zipNumber(fips) < 0 || !ok || name == "" || len(g.counties) > 0 && fips <= g.counties[len(g.counties)-1].FIPS {
			return nil, d.fail("bad county %q", fips)
		}
		g.counties = append(g.counties, County{fips, name, state})
	}
	n = d.block("zips", 60_000)
	g.zips = make([]entry, 0, n)
	g.parts = make([]countyShare, 0, n)
	code, city, state, county := 0, "", -1, -1
	for range n {
		var f [5]string
		rest := d.line()
		for i := range f {
			f[i], rest, _ = strings.Cut(rest, "\t")
		}
		step, err := strconv.ParseUint(f[0], 10, 17)
		if code += int(step); err != nil || code > 99_999 || step == 0 {
			return nil, d.fail("bad step %q", f[0])
		}
		switch f[1] {
		case "":
		case "-":
			city = ""
		default:
			city = f[1]
		}
		if f[2] != "" {
			if state = slices.IndexFunc(regions[:], func(r Region) bool { return r.Code == f[2] }); state < 0 {
				return nil, d.fail("no state %q", f[2])
			}
		}
		switch f[3] {
		case "":
		case "-":
			county = -1
		default:
			i, ok := g.countyIndex(f[3])
			if !ok {
				return nil, d.fail("no county %q", f[3])
			}
			county = i
		}
		if state < 0 {
			return nil, d.fail("first line has no state")
		}
		e := entry{code: uint32(code), city: city, state: uint8(state), first: uint32(len(g.parts))}
		if county >= 0 {
			g.parts = append(g.parts, countyShare{uint16(county), 1})
			e.n = 1
			if f[4] != "" {
				i, ok := g.countyIndex(f[4])
				if !ok {
					return nil, d.fail("no county %q", f[4])
				}
				g.parts[len(g.parts)-1].share = townShare
				g.parts = append(g.parts, countyShare{uint16(i), 1 - townShare})
				e.n = 2
			}
		}
		g.zips = append(g.zips, e)
	}
	if d.err != nil {
		return nil, d.err
	}
	if d.rest != "" {
		return nil, d.fail("text after the last ZIP code")
	}
	g.index()
	return g, nil
}

// index fills what is derived from the ZIP codes.
func (g *Gazetteer) index() {
	g.towns = make(map[town]townCounty, len(g.zips))
	var buf [96]byte
	for i := range g.zips {
		e := &g.zips[i]
		g.at[e.code] = uint32(i + 1)
		g.zip3[e.code/100] |= 1 << e.state
		if e.city == "" || e.n == 0 {
			continue
		}
		// The first county is that of the town, so it alone counts.
		p := g.parts[e.first]
		key := town{e.state, string(cityKey(buf[:0], e.city))}
		t, ok := g.towns[key]
		if !ok {
			t.county = p.county
		}
		t.many = t.many || t.county != p.county
		t.sure = t.sure || p.share >= wholly
		g.towns[key] = t
	}
}

// decoder walks the lines of a table and remembers the first failure.
type decoder struct {
	rest string
	n    int
	err  error
}

func (d *decoder) line() string {
	l, rest, ok := strings.Cut(d.rest, "\n")
	d.rest = rest
	d.n++
	if !ok && d.err == nil {
		d.err = d.fail("text ends early")
	}
	return l
}

// block reads the heading of a block and returns how many lines it has.
func (d *decoder) block(name string, most int) int {
	l := d.line()
	count, ok := strings.CutPrefix(l, name+" ")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 0 || n > most {
		d.err = d.fail("want %q and a count, got %q", name, l)
		return 0
	}
	return n
}

func (d *decoder) fail(format string, args ...any) error {
	if d.err != nil {
		return d.err
	}
	return fmt.Errorf("line %d: "+format, append([]any{d.n}, args...)...)
}
