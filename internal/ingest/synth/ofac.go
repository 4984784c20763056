package synth

import (
	"bytes"
	"time"
)

// The sanctions list. Its people, companies and ships are made of syllables
// that no language has together, so that none of them can be mistaken for
// someone who is really on it; a few entries bear the names of organizations
// of this world, more or less, so that a screen has something to find.

// designated is how many entries the list has: enough not to be taken for a
// broken download.
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

// namesakeKinds are the ways an entry resembles an organization: by its name,
// or only by another name it is known by.
var namesakeKinds = []string{"exact", "typo", "lost_space", "word_order", "aka", "weak_aka"}

var (
	oddHeads = list("Zov Quim Vraz Thuz Jezh Khov Bruz Dvem Ghaz Lurz Mjor Pazh Rhuk Szal Tjev Uzgh Yizr Qelb Xhar Zhup Ovzi Kvet Wuzh Ilqa")
	oddMids  = list("avu emo ilo oqa uzi eba ary ydo ogu izhe unna ephi akke umbo erri ozza ihla otte evve azu")
	oddTails = list("rov nem thal kush dzi mar goth vek lun sid pahr nosh wez jik tull bran qul deh vosz fim")

	oddTrades = lines(`
Trading Company
General Trading LLC
Shipping Company Limited
Petrochemical Industries
Export Import Co.
Holding
Investment Group
Logistics FZE
Bank
Commercial Bank PJSC
Exchange
Technical Services JSC
Machine Works OAO
Electronics Limited
Relief Foundation
Charitable Society
Front
Martyrs Brigade
Revolutionary Command
Airlines
Mining Enterprise
Steel Complex
Institute of Applied Physics
Design Bureau
Construction and Development
Energy Offshore S.A.
Maritime Services Ltd
Agricultural Cooperative
Cartel
Media Network`)
	oddPrograms = list("SDGT NPWMD IRAN RUSSIA-EO14024 CUBA SYRIA GLOMAG SDNTK TCO BELARUS DPRK3 VENEZUELA ILLICIT-DRUGS-EO14059 CYBER2 MAGNIT SOMALIA YEMEN IFSR BALKANS SUDAN")
	oddLands    = list("Panama Cyprus Turkey Malta Belize Seychelles Liberia Singapore Lebanon Serbia Mexico Colombia Oman Latvia Kenya Malaysia")
	shipTypes   = lines("Crude Oil Tanker\nGeneral Cargo\nContainer Ship\nBulk Carrier\nChemical/Products Tanker\nTug\nLPG Tanker")
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

// sanctionsFiles is the four files of the list while they are written.
type sanctionsFiles struct {
	sdn, alt, add, comments *listFile
	alias, address          int // numbers given so far
	b, name, remarks        []byte
}

// null is what the list writes for nothing, trailing space included.
const null = "-0- "

// quoted appends a text in quotes, or the null.
func quoted(dst []byte, s []byte) []byte {
	if len(s) == 0 {
		return append(dst, null...)
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// sanctions writes the list and its three companions.
func (d *listWriter) sanctions() error {
	var s sanctionsFiles
	for _, f := range []struct {
		l    **listFile
		path string
	}{{&s.sdn, "ofac/sdn.csv"}, {&s.alt, "ofac/alt.csv"}, {&s.add, "ofac/add.csv"}, {&s.comments, "ofac/sdn_comments.csv"}} {
		l, err := d.create(f.path)
		if err != nil {
			return err
		}
		defer l.h.abandon()
		*f.l = l
	}
	s.alias, s.address = 11, 24
	number, planted := 36, 0
	for k := range designated {
		r := rng{sub(d.w.seed, 'z', k)}
		if k%(designated/namesakes) == designated/namesakes/2 && planted < namesakes {
			kind := planted % len(namesakeKinds)
			if d.impersonated(planted, &r) {
				d.namesakes = append(d.namesakes, Namesake{d.f.ein.String(), string(appendMaster(nil, &d.f)), number, namesakeKinds[kind]})
				d.namesake(&s, number, kind, &r)
			}
			planted++
		} else {
			d.designate(&s, number, &r)
		}
		number += 1 + r.n(5)
	}
	for _, l := range []*listFile{s.sdn, s.alt, s.add, s.comments} {
		l.WriteByte(0x1a)
		if err := d.finish(l); err != nil {
			return err
		}
	}
	d.counts["ofac_entries"] = s.sdn.rows
	d.counts["ofac_aliases"] = s.alt.rows
	d.counts["ofac_addresses"] = s.add.rows
	d.counts["ofac_comments"] = s.comments.rows
	d.counts["ofac_namesakes"] = int64(len(d.namesakes))
	return nil
}

// impersonated puts an organization into d.f whose name is long enough to be
// a name.
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

// punctuated reports whether a name has punctuation, which would make an exact copy
// of it inexact.
func punctuated(core []byte) bool { return bytes.ContainsAny(core, ".,'&#/") }

// namesake writes an entry that resembles the organization in d.f.
func (d *listWriter) namesake(s *sanctionsFiles, number, kind int, r *rng) {
	d.l.name = appendPlain(d.l.name[:0], d.f.core)
	alias := append([]byte(nil), d.l.name...)
	upper(alias)
	switch namesakeKinds[kind] {
	case "typo":
		d.typo(r)
	case "lost_space":
		d.loseSpace(r)
	case "word_order":
		i := bytes.IndexByte(d.l.name, ' ')
		d.l.name = append(append(append([]byte(nil), d.l.name[i+1:]...), ' '), d.l.name[:i]...)
	case "aka", "weak_aka":
		d.l.name = append(append(oddWord(d.l.name[:0], r), ' '), r.of(oddTrades)...)
	}
	s.name = append(s.name[:0], d.l.name...)
	upper(s.name)
	s.remarks = s.remarks[:0]
	switch namesakeKinds[kind] {
	case "aka":
		s.also(number, alias)
	case "weak_aka":
		s.remarks = append(append(append(s.remarks, "a.k.a. '"...), alias...), "'."...)
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
		s.name = oddWord(s.name, r)
		upper(s.name)
		s.remarks = append(s.remarks, "Vessel Registration Identification IMO "...)
		s.remarks = append(appendInt(s.remarks, int64(1_000_000+r.n(900_000))), '.')
		s.entry(number, "vessel", program, r)
	default:
		d.counts["ofac_aircraft"]++
		s.name = append(s.name, "ZQ-"...)
		for range 3 {
			s.name = append(s.name, byte('A'+r.n(26)))
		}
		s.remarks = append(s.remarks, "Aircraft Model "...)
		s.remarks = append(s.remarks, byte('A'+r.n(26)), '-')
		s.remarks = appendInt(s.remarks, int64(100+r.n(700)))
		s.remarks = append(s.remarks, "; Aircraft Manufacturer's Serial Number (MSN) "...)
		s.remarks = append(appendInt(s.remarks, int64(10_000+r.n(90_000))), '.')
		s.entry(number, "aircraft", program, nil)
	}
}

// company names an entity, its aliases and its addresses.
func (d *listWriter) company(s *sanctionsFiles, number int, r *rng) {
	style := func(dst []byte) []byte {
		dst = oddWord(dst, r)
		if r.odds(4500) {
			dst = oddWord(append(dst, ' '), r)
		}
		dst = append(append(dst, ' '), r.of(oddTrades)...)
		if r.odds(600) { // a comma before the form, which quotes protect
			dst = append(dst, ", S.A."...)
		}
		return dst
	}
	s.name = style(s.name)
	upper(s.name)
	for r.odds(4800) {
		also := style(nil)
		upper(also)
		s.also(number, also)
	}
	for r.odds(5500) {
		s.where(number, r)
	}
	land := r.of(oddLands)
	if r.odds(1200) {
		short := oddWord(nil, r)
		upper(short)
		s.remarks = append(append(append(s.remarks, "a.k.a. '"...), short[:5]...), "'; "...)
		d.counts["ofac_weak_aliases"]++
	}
	if r.odds(5000) {
		s.remarks = append(s.remarks, "Organization Established Date "...)
		day := time.Date(1975+r.n(48), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC)
		s.remarks = append(day.AppendFormat(s.remarks, "02 Jan 2006"), "; "...)
	}
	if r.odds(6500) {
		s.remarks = append(s.remarks, "Registration Number "...)
		s.remarks = appendInt(s.remarks, int64(100_000+r.n(9_000_000)))
		s.remarks = append(append(append(s.remarks, " ("...), land...), "); "...)
	}
	if r.odds(60) { // more than the column holds
		for len(s.remarks) < 1_200 {
			s.remarks = append(s.remarks, "Tax ID No. "...)
			s.remarks = appendInt(s.remarks, int64(1_000_000_000+r.n(900_000_000)))
			s.remarks = append(append(append(s.remarks, " ("...), land...), "); Linked To: "...)
			start := len(s.remarks)
			s.remarks = append(oddWord(s.remarks, r), " HOLDING; "...)
			upper(s.remarks[start:])
		}
	}
	s.period()
}

// person names an individual the way the list does, family name first.
func (d *listWriter) person(s *sanctionsFiles, number int, r *rng) {
	full := func(dst []byte) []byte {
		start := len(dst)
		dst = oddWord(dst, r)
		upper(dst[start:])
		dst = append(dst, ", "...)
		dst = oddWord(dst, r)
		if r.odds(4000) {
			dst = oddWord(append(dst, ' '), r)
		}
		return dst
	}
	s.name = full(s.name)
	for r.odds(4500) {
		s.also(number, full(nil))
	}
	if r.odds(5000) {
		s.where(number, r)
	}
	born := time.Date(1940+r.n(60), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC)
	s.remarks = append(s.remarks, "DOB "...)
	s.remarks = born.AppendFormat(s.remarks, "02 Jan 2006")
	s.remarks = append(append(append(s.remarks, "; nationality "...), r.of(oddLands)...), "; Gender Male; "...)
	if r.odds(6000) {
		s.remarks = append(s.remarks, "Passport "...)
		s.remarks = append(s.remarks, byte('A'+r.n(26)))
		s.remarks = append(appendInt(s.remarks, int64(1_000_000+r.n(8_000_000))), "; "...)
	}
	s.period()
}

// period ends the remarks.
func (s *sanctionsFiles) period() {
	if n := len(s.remarks); n > 2 {
		s.remarks = append(s.remarks[:n-2], '.')
	}
}

// entry writes the main row, and what its remarks have over a thousand
// characters into the comments. ship draws the columns of a vessel.
func (s *sanctionsFiles) entry(number int, kind, program string, ship *rng) {
	b := appendInt(s.b[:0], int64(number))
	b = quoted(append(b, ','), s.name)
	b = quoted(append(b, ','), []byte(kind))
	b = quoted(append(b, ','), []byte(program))
	b = append(b, ',')
	b = append(b, null...)
	if ship != nil {
		b = append(b, ',', '"')
		for range 4 {
			b = append(b, byte('A'+ship.n(26)))
		}
		b = append(b, '"', ',')
		b = quoted(b, []byte(ship.of(shipTypes)))
		b = append(b, ',', '"')
		b = appendInt(b, int64(2_000+ship.n(300_000)))
		b = append(b, `",`+null+`,`...)
		b = quoted(b, []byte(ship.of(oddLands)))
		b = append(b, ',')
		b = append(b, null...)
	} else {
		for range 6 {
			b = append(b, ',')
			b = append(b, null...)
		}
	}
	const room = 1_000
	b = quoted(append(b, ','), s.remarks[:min(len(s.remarks), room)])
	b = append(b, '\r', '\n')
	s.sdn.row(b)
	if len(s.remarks) > room {
		b = appendInt(b[:0], int64(number))
		b = quoted(append(b, ','), s.remarks[room:])
		b = append(b, '\r', '\n')
		s.comments.row(b)
	}
	s.b = b
}

// also writes another name of an entry.
func (s *sanctionsFiles) also(number int, name []byte) {
	b := appendInt(s.b[:0], int64(number))
	s.alias++
	b = appendInt(append(b, ','), int64(s.alias))
	b = append(b, ',')
	switch s.alias % 12 {
	case 5:
		b = append(b, `"fka"`...)
	case 9:
		b = append(b, `"nka"`...)
	default:
		b = append(b, `"aka"`...)
	}
	b = quoted(append(b, ','), name)
	b = append(b, ","+null+"\r\n"...)
	s.alt.row(b)
	s.b = b
}

// where writes an address of an entry.
func (s *sanctionsFiles) where(number int, r *rng) {
	b := appendInt(s.b[:0], int64(number))
	s.address++
	b = appendInt(append(b, ','), int64(s.address))
	b = append(b, ',')
	if r.odds(6000) {
		b = append(b, '"')
		b = appendInt(b, int64(1+r.n(300)))
		b = oddWord(append(b, ' '), r)
		b = append(b, ` Street"`...)
	} else {
		b = append(b, null...)
	}
	b = append(b, ',', '"')
	b = oddWord(b, r)
	b = append(b, '"')
	b = quoted(append(b, ','), []byte(r.of(oddLands)))
	b = append(b, ","+null+"\r\n"...)
	s.add.row(b)
	s.b = b
}
