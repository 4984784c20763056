package synth

import "bytes"

// The sanctions list. The names of its people, companies and ships are made of syllables that no language combines, so that no
// entry can be mistaken for a real one. A few entries resemble organizations of this world, so that screening finds something.

// designated is the number of entries. A shorter list would look like a broken download.
const designated = 12_600

// namesakes is how many of them seem to name an organization of the world.
const namesakes = 24

// Namesake is an entry of the sanctions list that resembles an organization.
type Namesake struct {
	EIN   string `json:"ein"`
	Name  string `json:"name"` // the organization's
	Entry int    `json:"ent_num"`
	Kind  string `json:"kind"`
}

// namesakeKinds are the ways an entry resembles an organization: by its name, or only by another name it is known by.
var namesakeKinds = []string{"exact", "typo", "lost_space", "word_order", "aka", "weak_aka"}

var (
	oddHeads    = words.of("odd head")
	oddMids     = words.of("odd middle")
	oddTails    = words.of("odd tail")
	oddTrades   = words.of("odd trade")
	oddPrograms = words.of("sanctions program")
	oddLands    = words.of("odd land")
	shipTypes   = words.of("ship type")
)

// oddWord makes a word of two to four syllables.
func oddWord(dst []byte, r *rng) []byte {
	dst = append(dst, r.of(oddHeads)...)
	dst = append(dst, r.of(oddMids)...)
	if r.odds(3000) {
		dst = append(dst, r.of(oddMids)[1:]...)
	}
	return append(dst, r.of(oddTails)...)
}

type sanctionsFiles struct {
	sdn, alt, add, comments             *listFile
	sdnRow, altRow, addRow, commentsRow *record
	alias, address                      int // numbers given so far
	name, remarks                       []byte
}

// null is what the list writes for nothing, trailing space included.
const null = "-0- "

func quoted[T string | []byte](s T) any {
	if len(s) == 0 {
		return null
	}
	return parts{'"', s, '"'}
}

func (d *listWriter) sanctions() error {
	paths := []string{"ofac/sdn.csv", "ofac/alt.csv", "ofac/add.csv", "ofac/sdn_comments.csv"}
	return d.writeAll(paths, "", func(files []*listFile) error {
		row := func(name string) *record { return newRecord("ofac "+name, ",", "\r\n", false) }
		s := sanctionsFiles{sdn: files[0], alt: files[1], add: files[2], comments: files[3],
			sdnRow: row("sdn"), altRow: row("alt"), addRow: row("add"), commentsRow: row("comments"), alias: 11, address: 24}
		number, planted := 36, 0
		for k := range designated {
			r := rng{sub(d.w.seed, 'z', k)}
			if k%(designated/namesakes) == designated/namesakes/2 && planted < namesakes {
				kind := namesakeKinds[planted%len(namesakeKinds)]
				if d.impersonated(planted, &r) {
					d.namesakes = append(d.namesakes, Namesake{d.f.ein.String(), string(appendMaster(nil, &d.f)), number, kind})
					d.namesake(&s, number, kind, &r)
				}
				planted++
			} else {
				d.designate(&s, number, &r)
			}
			number += 1 + r.n(5)
		}
		for i, name := range []string{"ofac_entries", "ofac_aliases", "ofac_addresses", "ofac_comments"} {
			files[i].WriteByte(0x1a)
			d.counts[name] = files[i].rows
		}
		d.counts["ofac_namesakes"] = int64(len(d.namesakes))
		return nil
	})
}

// impersonated puts an organization into d.f whose name is long enough to be recognized.
func (d *listWriter) impersonated(k int, r *rng) bool {
	for range 400 {
		if k%5 == 4 {
			d.w.funder(r.n(d.w.funders), &d.f)
		} else {
			d.w.org(r.n(max(d.w.orgs/3, 1)), &d.f)
		}
		e := &d.f
		if e.listed && bytes.Count(e.core, []byte{' '}) >= 2 && len(e.core) >= 16 && !punctuated(e.core) {
			return true
		}
	}
	return false
}

// punctuated reports whether a name has punctuation. The list drops punctuation, so an
// entry with such a name would not be an exact copy.
func punctuated(core []byte) bool { return bytes.ContainsAny(core, ".,'&#/") }

// namesake writes an entry that resembles the organization in d.f.
func (d *listWriter) namesake(s *sanctionsFiles, number int, kind string, r *rng) {
	d.l.name = appendPlain(d.l.name[:0], d.f.core)
	alias := join(nil, caps(d.l.name))
	s.remarks = s.remarks[:0]
	switch kind {
	case "typo":
		d.typo(r)
	case "lost_space":
		d.loseSpace(r)
	case "word_order":
		i := bytes.IndexByte(d.l.name, ' ')
		d.l.name = join(nil, d.l.name[i+1:], ' ', d.l.name[:i])
	case "aka", "weak_aka":
		d.l.name = join(oddWord(d.l.name[:0], r), ' ', r.of(oddTrades))
	}
	s.name = join(s.name[:0], caps(d.l.name))
	switch kind {
	case "aka":
		s.also(number, alias)
	case "weak_aka":
		s.remarks = join(s.remarks, "a.k.a. '", alias, "'.")
		d.counts["ofac_weak_aliases"]++
	}
	s.where(number, r)
	s.entry(number, "", r.of(oddPrograms), nil)
	d.counts["ofac_entities"]++
}

// designate writes one entry that resembles nobody.
func (d *listWriter) designate(s *sanctionsFiles, number int, r *rng) {
	s.name, s.remarks = s.name[:0], s.remarks[:0]
	program := r.of(oddPrograms)
	if r.odds(1800) {
		program += "] [" + r.of(oddPrograms)
	}
	switch x := r.n(100); {
	case x < 50:
		d.counts["ofac_entities"]++
		d.company(s, number, r)
		s.entry(number, "", program, nil)
	case x < 88:
		d.counts["ofac_individuals"]++
		d.person(s, number, r)
		s.entry(number, "individual", program, nil)
	case x < 97:
		d.counts["ofac_vessels"]++
		s.name = join(s.name, caps(oddWord(nil, r)))
		s.remarks = join(s.remarks, "Vessel Registration Identification IMO ", 1_000_000+r.n(900_000), '.')
		s.entry(number, "vessel", program, r)
	default:
		d.counts["ofac_aircraft"]++
		s.name = join(s.name, "ZQ-", r.letter(), r.letter(), r.letter())
		s.remarks = join(s.remarks, "Aircraft Model ", r.letter(), '-', 100+r.n(700),
			"; Aircraft Manufacturer's Serial Number (MSN) ", 10_000+r.n(90_000), '.')
		s.entry(number, "aircraft", program, nil)
	}
}

// company names an entity, its aliases and its addresses.
func (d *listWriter) company(s *sanctionsFiles, number int, r *rng) {
	style := func() []byte {
		dst := oddWord(nil, r)
		if r.odds(4500) {
			dst = oddWord(append(dst, ' '), r)
		}
		dst = join(dst, ' ', r.of(oddTrades))
		if r.odds(600) { // a comma before the form, which quotes protect
			dst = append(dst, ", S.A."...)
		}
		upper(dst)
		return dst
	}
	s.name = append(s.name, style()...)
	for r.odds(4800) {
		s.also(number, style())
	}
	for r.odds(5500) {
		s.where(number, r)
	}
	land := r.of(oddLands)
	if r.odds(1200) {
		s.remarks = join(s.remarks, "a.k.a. '", caps(oddWord(nil, r)[:5]), "'; ")
		d.counts["ofac_weak_aliases"]++
	}
	if r.odds(5000) {
		s.remarks = join(s.remarks, "Organization Established Date ", day{r.day(1975, 48), "02 Jan 2006"}, "; ")
	}
	if r.odds(6500) {
		s.remarks = join(s.remarks, "Registration Number ", 100_000+r.n(9_000_000), " (", land, "); ")
	}
	if r.odds(60) { // more than the column holds
		for len(s.remarks) < 1_200 {
			s.remarks = join(s.remarks, "Tax ID No. ", 1_000_000_000+r.n(900_000_000), " (", land, "); Linked To: ", caps(oddWord(nil, r)), " HOLDING; ")
		}
	}
	s.period()
}

// person names an individual the way the list does, family name first.
func (d *listWriter) person(s *sanctionsFiles, number int, r *rng) {
	full := func() []byte {
		dst := join(nil, caps(oddWord(nil, r)), ", ", oddWord(nil, r))
		if r.odds(4000) {
			dst = oddWord(append(dst, ' '), r)
		}
		return dst
	}
	s.name = append(s.name, full()...)
	for r.odds(4500) {
		s.also(number, full())
	}
	if r.odds(5000) {
		s.where(number, r)
	}
	s.remarks = join(s.remarks, "DOB ", day{r.day(1940, 60), "02 Jan 2006"}, "; nationality ", r.of(oddLands), "; Gender Male; ")
	if r.odds(6000) {
		s.remarks = join(s.remarks, "Passport ", r.letter(), 1_000_000+r.n(8_000_000), "; ")
	}
	s.period()
}

func (s *sanctionsFiles) period() {
	if n := len(s.remarks); n > 2 {
		s.remarks = append(s.remarks[:n-2], '.')
	}
}

// entry writes the main row, and what its remarks have over a thousand
// characters into the comments. ship draws the columns of a vessel.
func (s *sanctionsFiles) entry(number int, kind, program string, ship *rng) {
	s.sdnRow.add(number, quoted(s.name), quoted(kind), quoted(program), null)
	if ship != nil {
		s.sdnRow.add(quoted([]byte{ship.letter(), ship.letter(), ship.letter(), ship.letter()}), quoted(ship.of(shipTypes)),
			parts{'"', 2_000 + ship.n(300_000), '"'}, null, quoted(ship.of(oddLands)), null)
	} else {
		s.sdnRow.add(null, null, null, null, null, null)
	}
	const room = 1_000
	s.sdnRow.add(quoted(s.remarks[:min(len(s.remarks), room)]))
	s.sdn.row(s.sdnRow.finish())
	if len(s.remarks) > room {
		s.commentsRow.add(number, quoted(s.remarks[room:]))
		s.comments.row(s.commentsRow.finish())
	}
}

func (s *sanctionsFiles) also(number int, name []byte) {
	s.alias++
	kind := "aka"
	switch s.alias % 12 {
	case 5:
		kind = "fka"
	case 9:
		kind = "nka"
	}
	s.altRow.add(number, s.alias, quoted(kind), quoted(name), null)
	s.alt.row(s.altRow.finish())
}

func (s *sanctionsFiles) where(number int, r *rng) {
	s.address++
	var street any = null
	if r.odds(6000) {
		street = parts{'"', 1 + r.n(300), ' ', oddWord(nil, r), ` Street"`}
	}
	s.addRow.add(number, s.address, street, quoted(oddWord(nil, r)), quoted(r.of(oddLands)), null)
	s.add.row(s.addRow.finish())
}
