package resolve

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/typo"
)

// The features of a candidate, by position.
const (
	fSimilar = iota // Jaro-Winkler of the keys
	fJaccard        // words in common, of all
	fOverlap        // the same by weight of rarity
	fLineIn         // share of the line's words, by weight, that the candidate has
	fNameIn         // share of the candidate's words, by weight, that the line has
	fExact          // keys equal
	fEdit           // one edit apart
	fBag            // same words, another order
	fAcronym        // one is the initials of the other
	fPrefix         // one key begins the other
	fRarest         // rarity of the rarest word in common
	fCommon         // how many organizations have the candidate's name
	fZIP            // same ZIP
	fZIP3           // same first three digits
	fCity           // same city
	fState          // same state
	fNoState        // the line has no state
	fNoZIP          // the line has no ZIP
	fStreet         // same street address
	fTenants        // how many organizations share that address
	fNum            // conflicts between the names
	fDir
	fAff
	fStateName
	fInst
	fCareOf
	fFoundation // the candidate is a private foundation
	fChurch
	fGroup
	fInactive
	fFiledOnly // known only from filed EINs
	fOtherName // found through another of its names
	fFiledName // found through a name that filers gave it
	fPop       // how many funders filed it
	fRevenue
	fRevenueShare // among the candidates of the exact name
	fRegistry     // share of the registry's statements for this name
	fRegistryRows
	fRows         // how often the registry has this name, for candidates not in the registry
	fExactAway    // exact name, another state
	fExactRare    // exact name that no other organization has
	fLineInStreet // from here on: products of two features
	fNameInStreet
	fLineInZIP
	fNameInZIP
	fOverlapCity
	fSimilarAway
	fExactAwayWeight
	fFiledOnlyNameIn
	fNameInLineIn
	fAffStreet
	fPrefixLong
	fCore
	fTaxStatus      // the line states the candidate's tax status
	fTaxStatusClash // the line states another tax status
	fHistory        // overlap with a past recipient of the funder; less if the funder has paid many
	fGovernment     // the line names a government, and the candidate is known only from filed EINs
	fAffClash       // one is an affiliate of the other, and their tax statuses differ
	fAcronymHere    // initials, in the same ZIP or city
	fStation        // the line is call letters, and the candidate a broadcaster
	fStationStreet  // the same, at the same street address
	fStationCollege // the line is call letters, and the candidate the college at that address
	fLocalAway      // a church or a member of a group, in another place
	fAttached       // the candidate's name is the line's plus an affiliate word
	fGovernmentName // the line's name is a government's, and the candidate's is not
	fSamePlace      // in the line's ZIP or city, and the names differ only by words of the line's place
	nFeatures
)

// features are the names of the features in the model file.
var features = [nFeatures]string{
	"similar", "jaccard", "overlap", "line_in", "name_in", "exact", "edit", "bag", "acronym", "prefix", "rarest", "common",
	"zip", "zip3", "city", "state", "no_state", "no_zip", "street", "tenants",
	"num", "dir", "aff", "state_name", "inst", "care_of", "foundation", "church", "group", "inactive", "filed_only",
	"other_name", "filed_name", "pop", "revenue", "revenue_share", "registry", "registry_rows", "registry_other",
	"exact_away", "exact_rare", "line_in_street", "name_in_street", "line_in_zip", "name_in_zip", "overlap_city", "similar_away",
	"exact_away_weight", "filed_only_name_in", "name_in_line_in", "aff_street", "prefix_long", "core",
	"standing", "standing_clash", "history", "government", "aff_clash", "acronym_here",
	"station", "station_street", "station_college", "local_away", "attached", "government_name", "same_place",
}

// nameComparison compares the words of a candidate's name with the line's.
type nameComparison struct {
	read *reading // the reading of the line that is closest to the name
	wordOverlap
}

// measure computes the features of the candidates and drops candidates that the line cannot mean.
func (r *Resolver) measure(q *query, s *search, known []einCount) {
	r.compareNames(q, s, known)
	r.fillIn(q, s, known)
}

// compareNames compares the words of the line with those of the candidates, and drops candidates with unrelated names.
func (r *Resolver) compareNames(q *query, s *search, known []einCount) {
	d := &r.u.index
	s.setPlaces(d, q)
	s.touch(d)
	// Without support from filers or call letters, the name itself must be plausible.
	nameDecides := len(known) == 0 && q.station == noStation
	n := 0
	for _, found := range s.found {
		c := d.closest(s.read, found.name, s.places)
		if nameDecides && c.rarest < distinctiveRarity && !d.alikeByLetters(c.read, found.name) {
			continue
		}
		s.found[n], s.compared[n] = found, c
		n++
	}
	s.found = s.found[:n]
}

// anyNamed is a cheap form of byChance that runs before candidates are measured. It may report true too often, but it
// never reports false for candidates that byChance would pass. If byChance would reject every candidate, none can be
// chosen, and measuring is skipped.
func (r *Resolver) anyNamed(q *query, s *search) bool {
	d := &r.u.index
	for i := range s.found {
		name, c := s.found[i].name, &s.compared[i]
		if c.overlap >= leastOverlap || c.jaccard == 1 || c.overlap >= leastAtAddress && isTenant(q.atStreet, d.orgOf(name)) || d.alikeByLetters(c.read, name) {
			return true
		}
	}
	return len(s.found) > 0 && q.station != noStation
}

// fillIn computes the features of candidates whose words are compared.
//
// Kept whole: it lists the features in the order of their names above. Barred candidates leave it early.
func (r *Resolver) fillIn(q *query, s *search, known []einCount) {
	d := &r.u.index
	city := d.cityNo(q.inCity())
	var rows uint32
	for _, a := range known {
		if a.state == 0 {
			rows += a.rows
		}
	}
	paid := r.opt.History.of(q.funder)
	var revenue float64
	n := 0
	for i := range s.found {
		name, c := s.found[i].name, &s.compared[i]
		p, org := c.read, d.orgOf(name)
		line, kx := p.name.KX, d.kx[name]
		exact := kx == line
		// If a funder filed the foundation's EIN for the university, the foundation is still not the university.
		if own := d.traits(org); int(name) >= d.orgs && (d.isBodyAt(&p.traits, org) || own.AroundPart(&p.traits)) {
			continue
		}
		// Check for barred candidates first: comparing letters takes longest.
		var conflicts orgname.Veto
		if !exact {
			other := d.traits(name)
			conflicts = p.traits.Conflicts(&other)
			if isBarring(&p.traits, &other, conflicts, c.nameIn) {
				continue
			}
		}
		o := &d.facts[org]
		agree, clash := q.t.TaxStatus.compareWith(o)
		if clash && conflicts&orgname.Aff != 0 {
			continue
		}
		x := &s.rows[n]
		*x = [nFeatures]float64{}
		x[fJaccard], x[fOverlap], x[fLineIn], x[fNameIn], x[fRarest] = c.jaccard, c.overlap, c.lineIn, c.nameIn, c.rarest/10
		if exact {
			x[fExact], x[fSimilar] = 1, 1
		} else {
			x[fSimilar] = similar(line, kx)
			x[fEdit] = oneIf(len(kx) >= minFuzzy && typo.OneSlip(line, kx))
			if short := begins(line, kx); short > 0 {
				x[fPrefix], x[fPrefixLong] = 1, float64(min(short, 60))/30
			}
			x[fAcronym] = oneIf(d.initials(p, name))
			x[fBag] = oneIf(c.jaccard == 1)
			x[fNum], x[fDir], x[fAff] = oneIf(conflicts&orgname.Num != 0), oneIf(conflicts&orgname.Dir != 0), oneIf(conflicts&orgname.Aff != 0)
			x[fStateName], x[fInst] = oneIf(conflicts&orgname.State != 0), oneIf(conflicts&orgname.Inst != 0)
		}
		x[fTaxStatus], x[fTaxStatusClash] = oneIf(agree), oneIf(clash)
		x[fCore] = c.core
		if len(paid.pairs) > 0 && c.rarest >= distinctiveRarity && paid.has(r.u.eins[org]) {
			x[fHistory] = c.overlap / math.Log2(1+float64(len(paid.pairs)))
		}
		x[fGovernment] = oneIf(q.t.TaxStatus == Government && o.is(filedOnly))
		x[fCommon] = log1p(int(d.names[name].bearers))
		x[fZIP] = oneIf(q.zip != 0 && r.isInZIP(org, q.zip))
		x[fZIP3] = oneIf(q.zip != 0 && o.zip/100 == q.zip/100)
		x[fState] = oneIf(q.state != 0 && (o.state == q.state || o.is(elsewhere) && r.u.orgs[org].hadState(q.state)))
		x[fCity] = oneIf(city != 0 && o.city == city && o.state == q.state)
		x[fNoState], x[fNoZIP], x[fCareOf] = oneIf(q.state == 0), oneIf(q.zip == 0), oneIf(q.careOf)
		if x[fStreet] = oneIf(isTenant(q.atStreet, org)); x[fStreet] == 1 {
			x[fTenants] = log1p(len(q.atStreet) - 1)
		}
		x[fFoundation] = oneIf(o.is(private))
		x[fChurch] = oneIf(o.is(church))
		x[fGroup] = oneIf(o.is(grouped))
		x[fInactive] = oneIf(o.is(inactive))
		x[fFiledOnly] = oneIf(o.is(filedOnly))
		x[fFiledName] = oneIf(int(name) >= d.firstFiled)
		x[fOtherName] = oneIf(int(name) >= d.orgs && int(name) < d.firstFiled)
		x[fPop] = log1p(coarse(int64(min(r.funders(q, org), enoughFunders))))
		x[fRevenue] = revenueLogs[o.revenue] / 10
		if x[fExact] == 1 {
			revenue += float64(o.coarseRevenue()) + 1
		}
		if rows > 0 {
			of := uint32(0)
			// The national count of an EIN comes before its counts by state.
			if k, ok := slices.BinarySearchFunc(known, r.u.eins[org], func(a einCount, e ein.EIN) int { return cmp.Compare(a.ein, e) }); ok {
				of = known[k].rows
			}
			x[fRegistry], x[fRegistryRows] = float64(of)/float64(rows), log1p(of)
			if of == 0 {
				x[fRows] = log1p(rows)
			}
		}
		if q.station != noStation && x[fZIP] == 1 {
			switch r.holder(q, org, x[fStreet] == 1, q.atStreet) {
			case broadcaster:
				x[fStation], x[fStationStreet] = 1, x[fStreet]
			case college:
				x[fStationCollege] = 1
			}
		}
		if !isPlausible(x) {
			continue
		}
		away := oneIf(q.state != 0 && x[fState] == 0)
		x[fExactAway] = x[fExact] * away
		x[fExactRare] = oneIf(x[fExact] == 1 && x[fCommon] < 0.8)
		x[fLineInStreet], x[fNameInStreet] = x[fLineIn]*x[fStreet], x[fNameIn]*x[fStreet]
		x[fLineInZIP], x[fNameInZIP] = x[fLineIn]*x[fZIP], x[fNameIn]*x[fZIP]
		x[fOverlapCity] = x[fOverlap] * x[fCity]
		x[fSimilarAway] = x[fSimilar] * away
		x[fExactAwayWeight] = x[fExactAway] * float64(p.words.weight) * step / 20
		x[fFiledOnlyNameIn] = x[fFiledOnly] * x[fNameIn]
		x[fNameInLineIn] = x[fNameIn] * x[fLineIn]
		x[fAffStreet], x[fAffClash] = x[fAff]*x[fStreet], x[fAff]*x[fTaxStatusClash]
		x[fLocalAway] = oneIf(x[fChurch] == 1 || x[fGroup] == 1 && !o.is(central)) * (1 - max(x[fZIP], x[fCity]))
		x[fAttached] = oneIf(x[fAff] == 1 && x[fLineIn] > 0.999)
		x[fGovernmentName] = oneIf(p.government && !isGovernment(d.k2[name]))
		x[fSamePlace] = oneIf(c.same) * max(x[fZIP], x[fCity])
		x[fAcronymHere] = x[fAcronym] * max(x[fZIP], x[fCity])
		s.found[n] = s.found[i]
		n++
	}
	s.found = s.found[:n]
	if revenue > 0 {
		for i := range s.found {
			if s.rows[i][fExact] == 1 {
				s.rows[i][fRevenueShare] = (float64(d.facts[d.orgOf(s.found[i].name)].coarseRevenue()) + 1) / revenue
			}
		}
	}
}

// touch reads a little of the data of every candidate. The data is scattered in memory, and independent reads wait
// for memory together instead of one after the other.
func (s *search) touch(d *orgIndex) {
	sum := uint32(0)
	for i := range s.found {
		name := s.found[i].name
		if int(name) >= d.orgs {
			sum += d.owner[int(name)-d.orgs]
		}
		sum += uint32(len(d.kx[name])+len(d.k2[name])) + d.names[name].end
	}
	for i := range s.found {
		name := s.found[i].name
		if kx := d.kx[name]; kx != "" {
			sum += uint32(kx[0]) + d.words[d.names[name].end-1]
		}
		sum += d.facts[d.orgOf(name)].zip
	}
	s.touched = sum
}

// isPlausible reports whether the names of a candidate and a line are related: by a distinctive word, initials,
// letters, or a name that filers used. A shared town or building is not enough.
func isPlausible(x *[nFeatures]float64) bool {
	return x[fRarest]*10 >= distinctiveRarity || x[fExact]+x[fEdit]+x[fPrefix]+x[fAcronym]+x[fRegistry]+x[fStation]+x[fStationCollege] > 0 ||
		x[fSimilar] >= veryAlike
}

// alikeByLetters is the cheap part of isPlausible for names without a shared distinctive word. Most candidates share
// only the town.
func (d *orgIndex) alikeByLetters(p *reading, name uint32) bool {
	line, kx := p.name.KX, d.kx[name]
	return line == kx || begins(line, kx) > 0 || d.initials(p, name) ||
		mayBeVeryAlike(line, kx) && similar(line, kx) >= veryAlike || len(kx) >= minFuzzy && typo.OneSlip(line, kx)
}

// begins is the length of the shorter key if it is a prefix of the other and long enough to mean something; otherwise 0.
func begins(a, b string) int {
	short := min(len(a), len(b))
	if short < 6 || a[:short] != b[:short] {
		return 0
	}
	return short
}

// initials reports whether a line is the initials of a name, or the reverse.
func (d *orgIndex) initials(p *reading, name uint32) bool {
	line, kx := p.name.KX, d.kx[name]
	return p.ka != "" && p.ka == kx || len(line) <= 8 && len(line) >= 3 && len(kx) > 8 && isAcronym(line, d.k2[name]) ||
		title(p.name.K2) != "" && title(p.name.K2) == title(d.k2[name]) || d.beginsInitials(p.name.K2, d.k2[name]) || d.beginsInitials(d.k2[name], p.name.K2)
}

// beginsInitials reports whether a name is another whose first words are initials: EG LANTERNS is Elm Grove Lanterns.
func (d *orgIndex) beginsInitials(short, long string) bool {
	initials, rest, _ := strings.Cut(short, " ")
	for i := range len(initials) {
		first, others, _ := strings.Cut(long, " ")
		if first == "" || first[0] != initials[i] {
			return false
		}
		long = others
	}
	return len(initials) > 1 && rest == long && d.anyRare(strings.Fields(rest), rareWord)
}

func (d *orgIndex) anyRare(words []string, least float64) bool {
	return slices.ContainsFunc(words, func(w string) bool { return float64(d.rarityOf(w))*step >= least })
}

// distinctiveRarity is the rarity of a word that distinguishes names. veryAlike is the similarity of keys that differ
// by one or two typing errors.
const (
	distinctiveRarity = 3
	veryAlike         = 0.93
)

// isBarring reports whether a conflict rules the candidate out: one name is a body at the institution that the other
// names, or both names have a number or direction and these differ. A number or direction on one side only may be an
// addition, and part of an institution may be paid through the institution; the model weighs both. nameIn is the
// share of the candidate's name that the line has.
func isBarring(line, name *orgname.Traits, v orgname.Veto, nameIn float64) bool {
	if v&orgname.Inst != 0 && (nameIn < 1 || v&orgname.Aff != 0) || name.Around(line) || name.AroundPart(line) || line.ElsewhereInState(name) {
		return true
	}
	if v&(orgname.Num|orgname.Dir) == 0 {
		return false
	}
	var nothing orgname.Traits
	both := line.Conflicts(&nothing) & name.Conflicts(&nothing)
	return v&both&(orgname.Num|orgname.Dir) != 0
}

func (d *orgIndex) closest(read []reading, name uint32, places []uint32) (best nameComparison) {
	for i := range read {
		c := nameComparison{&read[i], d.weigh(&read[i].words, name, places)}
		if c.read.name.KX == d.kx[name] {
			return c
		}
		if best.read == nil || c.overlap > best.overlap {
			best = c
		}
	}
	return best
}

// coarse rounds a count or an amount down to a power of two. Exact values drift from month to month, and the model's
// answers would drift with them.
func coarse(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return 1 << (bits.Len64(uint64(n)) - 1)
}

// funders counts the funders that filed an organization's EIN, up to a maximum and except for the funder left out.
func (r *Resolver) funders(q *query, org uint32) int32 {
	n := int32(r.u.index.facts[org].pop)
	if q.without != ein.None && n > 0 && r.u.filedBy(r.u.eins[org], q.without) {
		n--
	}
	return n
}

// hadState reports whether another address of the organization is in a state.
func (o *Org) hadState(state stateCode) bool {
	return slices.ContainsFunc(o.Others, func(l Location) bool { return codeOf(l.State) == state })
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// isTenant reports whether an organization is among the tenants of one place.
func isTenant(list []tenant, org uint32) bool {
	_, ok := slices.BinarySearchFunc(list, org, func(t tenant, id uint32) int { return cmp.Compare(t.id, id) })
	return ok
}

// wordOverlap compares the words of a line with those of a name.
type wordOverlap struct {
	jaccard, overlap, lineIn, nameIn float64
	core                             float64 // overlap by words that are not part of the line's place
	rarest                           float64 // rarity of the rarest of those words
	same                             bool    // the names differ only by words of the line's place
}

// placeWord is the share of its rarity that a word of the line's place counts for when only one side has the word.
const placeWord = 0.15

// weigh compares a line with a name by their words. Adding or omitting words of the line's own place costs almost nothing.
func (d *orgIndex) weigh(p *lineWords, name uint32, places []uint32) (w wordOverlap) {
	var shared, core, other, local, spared, rarest int32
	common := 0
	own := d.wordIDs(name)
	i := 0
	alone := func(word uint32) {
		if slices.Contains(places, word) {
			spared += int32(d.rarity[word])
		}
	}
	for _, word := range own {
		for ; i < p.n && p.ids[i] < word; i++ {
			alone(p.ids[i])
		}
		r := int32(d.rarity[word])
		switch {
		case i < p.n && p.ids[i] == word:
			shared += r
			common++
			i++
			if !slices.Contains(places, word) {
				core += r
				rarest = max(rarest, r)
			}
		case slices.Contains(places, word):
			local += r
		default:
			other += r
		}
	}
	for ; i < p.n; i++ {
		alone(p.ids[i])
	}
	weight := p.weight
	if p.nshort > 0 && common < len(own) {
		p.spellOut(d, name, func(short, long int32) {
			weight += long - short
			shared, core, other = shared+long, core+long, other-long
			common++
		})
		other = max(other, 0) // a word of the place is not among the others
	}
	both := float64(shared)
	line := max(float64(weight)-(1-placeWord)*float64(spared), both)
	rest := float64(other) + placeWord*float64(local)
	if all := p.all + len(own) - common; all > 0 {
		w.jaccard = float64(common) / float64(all)
	}
	if all := line + rest; all > 0 {
		w.overlap, w.core = both/all, float64(core)/all
	}
	if line > 0 {
		w.lineIn = both / line
	}
	if both+rest > 0 {
		w.nameIn = both / (both + rest)
	}
	w.rarest = float64(rarest) * step
	w.same = other == 0 && core > 0 && shared+spared == weight
	return w
}

// setPlaces records the words of a line's city and state.
func (s *search) setPlaces(d *orgIndex, q *query) {
	if q.t.City != s.city {
		s.city, s.cityWords = q.t.City, d.appendWords(s.cityWords[:0], q.t.City)
	}
	s.places = append(append(s.places[:0], s.cityWords...), d.stateWords[q.state]...)
}

var stateKeys = func() map[stateCode]string {
	m := map[stateCode]string{}
	for code, title := range stateTitles {
		m[code] = strings.ToUpper(title)
	}
	return m
}()

var stateTitles = func() map[stateCode]string {
	m := map[stateCode]string{}
	for _, r := range place.Regions() {
		m[codeOf(r.Code)] = r.Name
	}
	return m
}()
