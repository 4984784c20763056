package abroad

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/table"
)

// form is all spellings of a country that have one comparison key.
type form struct {
	nameInCountry
	key       string // key of its cluster in an earlier build, empty if new
	kind      Kind
	rows      int64
	first     int // year, 0 when unknown
	spellings int

	raw     string // its most frequent spelling, then the longest
	rawRows int64

	words    string   // words of raw in their long form, without legal forms
	stem     string   // words without the spaces
	cities   []string // known cities, sorted
	acronyms []string // acronyms in parentheses that abbreviate the name
	meanings []string // stems of names in parentheses that the name abbreviates
}

// year orders forms by age. A form without a year is the youngest.
func (f *form) year() int {
	if f.first == 0 {
		return math.MaxInt
	}
	return f.first
}

// better reports whether f is preferred over g to name a cluster.
func (f *form) better(g *form) bool { return f.rank(g) < 0 }

func (f *form) rank(g *form) int {
	return cmp.Or(cmp.Compare(g.rawRows, f.rawRows), cmp.Compare(len(g.raw), len(f.raw)), strings.Compare(f.raw, g.raw), f.compare(g.nameInCountry))
}

// gatherForms makes the forms, sorted by country and key.
func gatherForms(spellings []Spelling, keys Keys) []form {
	type entry struct {
		nameInCountry
		*Spelling
	}
	order := make([]entry, 0, len(spellings))
	for i := range spellings {
		s := &spellings[i]
		if p, ok := newNameInCountry(s.Country, s.Name.KX); ok && s.Kind != Person {
			order = append(order, entry{p, s})
		}
	}
	slices.SortFunc(order, func(a, b entry) int {
		return cmp.Or(a.compare(b.nameInCountry), strings.Compare(a.Raw, b.Raw), strings.Compare(a.Name.K2, b.Name.K2))
	})
	var forms []form
	for named := range radix.Runs(order, func(a, b entry) bool { return a.nameInCountry == b.nameInCountry }) {
		f := form{nameInCountry: named[0].nameInCountry}
		var gov int64
		var k2 string
		for spelled := range radix.Runs(named, func(a, b entry) bool { return a.Raw == b.Raw }) {
			raw, rows := spelled[0].Raw, int64(0)
			for _, s := range spelled {
				rows += s.Rows
				if s.Kind == Gov {
					gov += s.Rows
				}
				if s.FirstYear > 0 && (f.first == 0 || s.FirstYear < f.first) {
					f.first = s.FirstYear
				}
				if c := cityOf(s.City, f.cc); c != "" {
					f.cities = append(f.cities, c)
				}
				f.readParentheses(&s.Name)
			}
			f.rows += rows
			f.spellings++
			if f.spellings == 1 || rows > f.rawRows || rows == f.rawRows && len(raw) > len(f.raw) {
				f.raw, f.rawRows, k2 = raw, rows, spelled[0].Name.K2
			}
		}
		// Filers disagree on what is a government, but a name is one recipient, so the majority of its lines decides.
		if gov > 0 && gov*2 >= f.rows {
			f.kind = Gov
		}
		f.words = withoutLegalForms(k2)
		f.stem = strings.ReplaceAll(f.words, " ", "")
		f.cities, f.acronyms, f.meanings = distinct(f.cities), distinct(f.acronyms), distinct(f.meanings)
		f.key = keys.founders[f.nameInCountry]
		forms = append(forms, f)
	}
	return slices.Clip(forms)
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.Clip(slices.Compact(s))
}

// legalForms end a foreign name without being part of it. TRUST and STICHTING are not in the list, because they
// distinguish names.
var legalForms = table.SetOf(
	"LTD LIMITED PLC PTY PTE " + // Commonwealth
		"GMBH EV AG " + // German
		"SA SARL SAS ASBL " + // French
		"VZW BV NV " + // Dutch
		"AB OY AS " + // Nordic
		"SRL ONLUS AC IAP RF") // Italian, Mexican, Kenyan

// leadingForms also stand before a name, as in ASBL LES AMIS.
var leadingForms = table.SetOf("ASBL VZW ONLUS")

// withoutLegalForms drops the legal forms of a K2 key, but never its last word.
func withoutLegalForms(k2 string) string {
	for {
		i := strings.LastIndexByte(k2, ' ')
		if i < 0 || !legalForms[k2[i+1:]] {
			break
		}
		k2 = k2[:i]
	}
	if first, rest, ok := strings.Cut(k2, " "); ok && leadingForms[first] {
		return rest
	}
	return k2
}

// readParentheses records the acronyms that the parentheses of a name explain.
func (f *form) readParentheses(n *orgname.Name) {
	for _, a := range n.Aliases {
		if acronym(a) && abbreviates(a, n.K1) {
			f.acronyms = append(f.acronyms, a)
			continue
		}
		if acronym(f.kx) {
			if long := orgname.Parse(a); abbreviates(f.kx, long.K1) {
				f.meanings = append(f.meanings, strings.ReplaceAll(withoutLegalForms(long.K2), " ", ""))
			}
		}
	}
}

// Lengths of an acronym. Two letters are often a country or a legal form.
const (
	minAcronym = 3
	maxAcronym = 12
)

func acronym(s string) bool {
	return len(s) >= minAcronym && len(s) <= maxAcronym && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// smallWords may be left out of an acronym.
var smallWords = func() map[string]bool {
	set := table.SetOf("AND OF THE FOR A AN IN AT TO ON BY WITH " +
		"DE LA LE LES L D DU DES ET EN POUR SUR AU AUX DEL EL LOS LAS Y E PARA POR CON " +
		"DI DA DO DOS DAS DELLA PER VON DER DIE UND FUR VAN VOOR HET I OG FOR")
	maps.Copy(set, legalForms)
	return set
}()

// maxSyllable is how many letters of one word an acronym may use: AMREF has two of Research.
const maxSyllable = 3

// abbreviates reports whether an acronym consists of the beginnings of all words of a name, in order. Only small
// words may be missing.
func abbreviates(acronym, name string) bool {
	reach := uint16(1) // bit p: the words so far can spell acronym[:p]
	count := 0
	for w := range strings.FieldsSeq(name) {
		count++
		var next uint16
		if smallWords[w] {
			next = reach
		}
		for p := range len(acronym) {
			if reach&(1<<p) == 0 {
				continue
			}
			for k := 0; k < maxSyllable && k < len(w) && p+k < len(acronym) && acronym[p+k] == w[k]; k++ {
				next |= 1 << (p + k + 1)
			}
		}
		reach = next
	}
	return count > 1 && reach&(1<<len(acronym)) != 0
}

// cityOf folds a foreign city for comparison. It drops postal codes and countries, which filers often add.
func cityOf(city string, cc [2]byte) string {
	city = orgname.City(city)
	if city == "" {
		return ""
	}
	words := strings.Fields(city)
	n := len(words)
	for n > 0 && (strings.ContainsAny(words[n-1], "0123456789") || words[n-1] == "CEDEX") {
		n--
	}
	if n < len(words) && n > 1 && len(words[n-1]) == 2 {
		n-- // a province or country before the postal code
	}
	words = slices.DeleteFunc(words[:n], func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	city = strings.Join(words, " ")
	if nation, ok := place.Country(string(cc[:])); ok {
		for _, end := range [...]string{" " + strings.ToUpper(nation), " " + string(cc[:])} {
			// The country is part of CIUDAD DE MEXICO.
			if rest, ok := strings.CutSuffix(city, end); ok && !smallWords[rest[strings.LastIndexByte(rest, ' ')+1:]] {
				city = rest
			}
		}
	}
	return city
}
