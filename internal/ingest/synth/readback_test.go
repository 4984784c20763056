package synth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/irs990"
)

// worldReading is a world read back from its files with the project's own readers.
type worldReading struct {
	returns map[string]*returnReading // by object id
	bad     int
	copies  int
	truth   map[string]truthLine // by object id, part and line
	master  map[ein.EIN]masterLine
	index   map[string]irs990.IndexRow
}

type returnReading struct {
	irs990.Return
	object string
	grants []irs990.Grant
	people []string
}

type truthLine struct {
	ObjectID string   `json:"object_id"`
	Part     string   `json:"part"`
	Line     int      `json:"line"`
	TrueEIN  *ein.EIN `json:"true_ein"`
	Class    string   `json:"class"`
	Noise    []string `json:"noise"`
}

type masterLine struct{ name, street, city, state, zip string }

func (l *truthLine) has(tag string) bool { return slices.Contains(l.Noise, tag) }

func lineKey(object, part string, line int) string { return fmt.Sprint(object, "/", part, "/", line) }

func readWorld(t *testing.T, dir string) *worldReading {
	t.Helper()
	s := &worldReading{returns: map[string]*returnReading{}, truth: map[string]truthLine{}, master: map[ein.EIN]masterLine{},
		index: map[string]irs990.IndexRow{}}
	rd := irs990.NewReader()
	zips, err := filepath.Glob(filepath.Join(dir, "990", "*.zip"))
	if err != nil || len(zips) != shards {
		t.Fatalf("%d zips, %v", len(zips), err)
	}
	for _, name := range zips {
		a, err := archive.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s.bad += len(a.Problems)
		for i := range a.Members {
			s.read(t, rd, &a.Members[i])
		}
		a.Close()
	}
	f, err := os.Open(filepath.Join(dir, "truth.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var l truthLine
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", sc.Text(), err)
		}
		k := lineKey(l.ObjectID, l.Part, l.Line)
		if _, dup := s.truth[k]; dup {
			t.Fatalf("the truth of %s is told twice", k)
		}
		s.truth[k] = l
	}
	for i := range 4 {
		f, err := os.Open(filepath.Join(dir, "bmf", fmt.Sprintf("eo%d.csv", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		stats, err := bmf.Read(f, func(r *bmf.Record) error {
			if _, dup := s.master[r.EIN]; dup {
				t.Errorf("%s is in the master file twice", r.EIN)
			}
			s.master[r.EIN] = masterLine{strings.Clone(r.Name), strings.Clone(r.Street), strings.Clone(r.City), strings.Clone(r.State), strings.Clone(r.ZIP)}
			return nil
		})
		f.Close()
		if err != nil || len(stats.Rejected) > 0 {
			t.Fatalf("eo%d: %v, rejected %v", i+1, err, stats.Rejected)
		}
	}
	for y := firstMonth / 12; y <= lastMonth/12; y++ {
		f, err := os.Open(filepath.Join(dir, "990", fmt.Sprintf("index_%d.csv", y)))
		if err != nil {
			t.Fatal(err)
		}
		err = irs990.ReadIndex(f, func(r irs990.IndexRow) error { s.index[r.ObjectID] = r; return nil })
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *worldReading) read(t *testing.T, rd *irs990.Reader, m *archive.Member) {
	t.Helper()
	object, ok := irs990.ObjectID(m.Name)
	if !ok {
		t.Errorf("%s has no object id", m.Name)
	}
	rc, err := m.Open()
	if err != nil {
		s.bad++
		return
	}
	defer rc.Close()
	r := &returnReading{object: object}
	err = rd.Read(rc, &r.Return, &irs990.Sink{Grant: func(g *irs990.Grant) error {
		c := *g
		for _, p := range []*string{&c.Name1, &c.Name2, &c.Person, &c.Address.Line1, &c.Address.City, &c.Address.State,
			&c.Address.ZIP, &c.Address.Country, &c.EIN, &c.Status, &c.Purpose, &c.Relationship, &c.IRCSection} {
			*p = strings.Clone(*p)
		}
		r.grants = append(r.grants, c)
		return nil
	}, Person: func(p *irs990.Person) error {
		r.people = append(r.people, strings.Clone(p.Name))
		return nil
	}})
	if err != nil {
		s.bad++
		return
	}
	if s.returns[object] != nil {
		s.copies++
		return
	}
	s.returns[object] = r
}

// TestWorldIsReadAsMeant reads a world with the project's readers, applies the
// rules of a build in the plainest way, and finds what world.json promises.
func TestWorldIsReadAsMeant(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	rep := write(t, Options{Out: dir, Grants: 6_000})
	s := readWorld(t, dir)

	var wantBad, notUTF8 int64
	for kind, n := range rep.Bad {
		if wantBad += n; kind == "not_utf8" {
			notUTF8 += n // a lenient reader may make something of these
		}
	}
	if b := int64(s.bad); b < wantBad-notUTF8 || b > wantBad {
		t.Errorf("%d members cannot be read, want %d", b, wantBad)
	}
	if int64(len(rep.BadFiles)) != wantBad {
		t.Errorf("%d bad members are listed, %d counted", len(rep.BadFiles), wantBad)
	}
	for _, b := range rep.BadFiles {
		if s.returns[b.ObjectID] != nil && b.Kind != "not_utf8" {
			t.Errorf("%+v was read as a return", b)
		}
		if _, ok := s.index[b.ObjectID]; !ok {
			t.Errorf("%+v is in no index", b)
		}
	}
	if int64(s.copies) != rep.Duplicates {
		t.Errorf("%d members repeat an object, want %d", s.copies, rep.Duplicates)
	}
	if n := int64(len(s.returns)); n != rep.Returns+wantBad-int64(s.bad) {
		t.Errorf("%d returns, want %d", n, rep.Returns)
	}

	newest := map[string]*returnReading{}
	older := map[string]*returnReading{} // what an amendment without a list leaves standing
	for _, r := range s.returns {
		k := r.EIN + r.Form + r.PeriodEnd
		switch old := newest[k]; {
		case old == nil:
			newest[k] = r
		case r.Timestamp > old.Timestamp:
			newest[k], older[k] = r, old
		default:
			older[k] = r
		}
		row, ok := s.index[r.object]
		if !ok && r.PeriodEnd != "" && r.Name1 != "" && len(r.grants) > 0 {
			t.Errorf("%s is in no index", r.object)
		}
		if ok && len(r.grants) > 0 && (row.EIN != r.EIN || row.ReturnType != r.Form || row.TaxPeriod != r.PeriodEnd[:4]+r.PeriodEnd[5:7] && r.PeriodEnd[5:8] != "01-") {
			t.Errorf("index row %+v of a %s of %s for %s", row, r.Form, r.EIN, r.PeriodEnd)
		}
		s.checkReturn(t, r)
	}
	years := map[int]*ExpectedYear{}
	var rows, dollars, hollow int64
	for k, r := range newest {
		y, _ := r.FiscalYear()
		if total := r.Declared.PFPaidCharity.Value + r.Declared.DomesticOrgs.Value; len(r.grants) == 0 && r.Amended && total != 0 && older[k] != nil {
			r = older[k]
			hollow++
		}
		for _, g := range r.grants {
			l := s.truth[lineKey(r.object, g.Part.String(), g.Line)]
			if g.Part == irs990.PFFuture || g.Cash.Value <= 0 || l.has("doubled_list") || l.has("total_line") {
				continue
			}
			rows++
			dollars += g.Cash.Value
			if years[y] == nil {
				years[y] = &ExpectedYear{FiscalYear: y}
			}
			years[y].Rows++
			years[y].Dollars += g.Cash.Value
		}
	}
	if rows != rep.Expected.Rows || dollars != rep.Expected.Dollars {
		t.Errorf("%d rows of %d dollars, want %d of %d", rows, dollars, rep.Expected.Rows, rep.Expected.Dollars)
	}
	for _, want := range rep.Expected.ByYear {
		if got := years[want.FiscalYear]; got == nil || *got != want {
			t.Errorf("fiscal year %d: %+v, want %+v", want.FiscalYear, got, want)
		}
	}
	lines := 0
	for _, r := range s.returns {
		lines += len(r.grants)
	}
	if lines != len(s.truth) {
		t.Errorf("%d lines and the truth of %d", lines, len(s.truth))
	}
}

// TestPeopleAreTheSameEverywhere: the truth about boards names one person by
// one number, that person has one name up to case and order, and some sit on
// several boards.
func TestPeopleAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	rep := write(t, Options{Out: dir, Grants: 4_000})
	s := readWorld(t, dir)
	f, err := os.Open(filepath.Join(dir, "people.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := map[string]string{}
	boards := map[string]map[string]bool{}
	var seats int64
	for sc := bufio.NewScanner(f); sc.Scan(); seats++ {
		var seat struct {
			ObjectID string `json:"object_id"`
			N        int    `json:"n"`
			Person   string `json:"person"`
		}
		if err := json.Unmarshal(sc.Bytes(), &seat); err != nil {
			t.Fatal(err)
		}
		r := s.returns[seat.ObjectID]
		if r == nil || seat.N < 1 || seat.N > len(r.people) {
			t.Fatalf("%+v is on no board", seat)
		}
		words := strings.Fields(strings.ToUpper(strings.NewReplacer(",", "", " Jr", "", " JR", "").Replace(r.people[seat.N-1])))
		slices.Sort(words)
		name := strings.Join(words, " ")
		if old, ok := names[seat.Person]; ok && old != name {
			t.Errorf("%s is %q and %q", seat.Person, old, name)
		}
		names[seat.Person] = name
		if boards[seat.Person] == nil {
			boards[seat.Person] = map[string]bool{}
		}
		boards[seat.Person][r.EIN] = true
	}
	if seats != rep.Seats || seats == 0 {
		t.Errorf("%d seats, want %d", seats, rep.Seats)
	}
	linked := 0
	for _, b := range boards {
		if len(b) > 1 {
			linked++
		}
	}
	if share := float64(linked) / float64(len(boards)); share < .02 || share > .5 {
		t.Errorf("%.3f of %d people sit on several boards", share, len(boards))
	}
}

// checkReturn: every line has its truth, and the figures add up.
func (s *worldReading) checkReturn(t *testing.T, r *returnReading) {
	t.Helper()
	var paid, si int64
	placeholder := false
	for _, g := range r.grants {
		l, ok := s.truth[lineKey(r.object, g.Part.String(), g.Line)]
		if !ok {
			t.Errorf("no truth for %s %s %d", r.object, g.Part, g.Line)
			continue
		}
		if l.has("doubled_list") || l.has("total_line") {
			continue
		}
		placeholder = placeholder || l.Class == "placeholder"
		switch g.Part {
		case irs990.PFPaid:
			paid += g.Cash.Value
		case irs990.ScheduleI:
			si += g.Cash.Value + g.NonCash.Value
		}
	}
	hollow := r.Amended && paid == 0 && si == 0
	if d := r.Declared.PFPaid; d.Set && d.Value != paid && !hollow {
		t.Errorf("%s declares %d and lists %d", r.object, d.Value, paid)
	}
	if d := r.Declared.DomesticOrgs; d.Set && d.Value != si && !hollow {
		t.Errorf("%s declares %d and lists %d", r.object, d.Value, si)
	}
	if placeholder && len(r.grants) > 4 {
		t.Errorf("%s has a placeholder among %d lines", r.object, len(r.grants))
	}
	m := r.Money
	if r.Form == "990" {
		if sum := m.Contributions.Value + m.ProgramRevenue.Value + m.InvestmentIncome.Value + m.OtherIncome.Value; sum != m.Revenue.Value {
			t.Errorf("%s: parts of revenue sum to %d, not %d", r.object, sum, m.Revenue.Value)
		}
		if m.Revenue.Value-m.Expenses.Value != m.Surplus.Value || m.Assets.Value-m.Liabilities.Value != m.NetAssets.Value {
			t.Errorf("%s does not add up: %+v", r.object, m)
		}
		if r.Mission == "" || r.Tally.PartVIIPeople < 3 {
			t.Errorf("%s has mission %q and %d people", r.object, r.Mission, r.Tally.PartVIIPeople)
		}
	}
	if r.Form == "990PF" && (m.Revenue.Value-m.Expenses.Value != m.Surplus.Value || r.Tally.PFOfficers < 2) {
		t.Errorf("%s: %+v with %d officers", r.object, m, r.Tally.PFOfficers)
	}
}

// TestCalibration reads a world back and compares how often things go wrong
// in it with the rates.
func TestCalibration(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	rep := write(t, Options{Out: dir, Grants: 40_000, zips: shippedZIPs()})
	s := readWorld(t, dir)

	if int64(s.copies) != rep.Duplicates {
		t.Errorf("%d members repeat an object, want %d", s.copies, rep.Duplicates)
	}
	var c counts
	for _, r := range s.returns {
		c.count(s, r)
		checkBooks(t, r)
	}
	check := func(name string, part, whole, knob int) {
		t.Helper()
		want := float64(knob) / 10_000
		got := float64(part) / float64(whole)
		// A fifth, or three standard deviations where the thing is rare.
		slack := max(want/5, 3*math.Sqrt(want*(1-want)/float64(whole)))
		if math.Abs(got-want) > slack {
			t.Errorf("%s: %.4f of %d, the knob says %.4f", name, got, whole, want)
		}
	}
	check("Schedule I lines with EIN", c.siFiled, c.siOrg, rates.SIWithEIN)
	check("own EIN", c.own, c.siFiled, rates.SIOwnEIN)
	check("one slip", c.slip, c.siFiled, rates.SISlipEIN)
	check("relative's EIN", c.relative, c.siFiled, rates.SIRelativeEIN)
	check("goods only", c.goods, c.si, rates.SINonCash)
	check("people", c.person, c.pf, rates.PFIndividual)
	check("abroad", c.foreign, c.pf, rates.PFForeign)
	check("outside", c.outside, c.pfDomestic, rates.PFOutside)
	check("business", c.business, c.pfDomestic, rates.PFBusiness)
	check("no place", c.noPlace, c.pf-c.foreign-c.placeholder, rates.PFNoPlace)
	check("zero", c.zero, c.pf, rates.PFZero)
	check("negative", c.negative, c.pf+c.si, rates.LineNegative)
	check("repeat", c.repeat, c.pf+c.si, rates.LineRepeat)
	check("box of preselected organizations", c.preselected, c.pfReturns, rates.PFPreselected)
	check("applications", c.applications, c.pfReturns, 3100)
	if c.abroad == 0 || c.peopleAbroad == 0 || c.people == 0 {
		t.Errorf("%d lines of Schedule F Part II, %d of Part III, %d of Schedule I Part III", c.abroad, c.peopleAbroad, c.people)
	}
	check("placeholder filings", c.placeholder, c.pfReturns, rates.PFPlaceholder)
	check("name exact", c.exact, c.byName, rates.NameExact)
	check("name as in the master file", c.sameName, c.listed, rates.NameExact)
	check("name suffix only", c.suffix, c.byName, 4300)
	check("abbreviation", c.abbrev, c.byName, rates.NameAbbrev)
	check("lost space", c.lost, c.byName, rates.NameLost)
	check("typo", c.typo, c.byName, rates.NameTypo)
	check("cut", c.cut, c.byName, rates.NameCut)
	check("alias", c.alias, c.byName, rates.NameAlias)
	check("extra words", c.extra, c.byName, rates.NameExtra)
	check("care of", c.careOf, c.byName, rates.NameCareOf)
	check("fewer words", c.fewer, c.byName, rates.NameFewer)
	check("another word", c.reworded, c.byName, rates.NameReworded)
	check("project", c.project, c.byName, rates.NameProject)
	check("trade name", c.trade, c.known, 650)
	check("part of an institution", c.part, c.known, 200)
	check("state agrees", c.sameState, c.listedPlaced, rates.PlaceState)
	check("ZIP agrees", c.sameZIP, c.listedPlaced, rates.PlaceZIP)
	check("street number agrees", c.sameNumber, c.listedStreet, rates.PlaceStreet)
	check("old tags", c.ancient, c.filers, rates.Generation12)
	check("amended", int(rep.Amended), c.grantReturns, 110)
	check("status PC", c.pc, c.pfOldOrg, 5300)

	for _, a := range []struct {
		form   string
		lines  []int64
		anchor map[int]float64
	}{
		{"990-PF", c.pfSample, map[int]float64{25: 1_000, 50: 2_500, 75: 10_000}},
		{"Schedule I", c.siSample, map[int]float64{25: 9_105, 50: 17_445, 75: 50_000}},
	} {
		slices.Sort(a.lines)
		for p, want := range a.anchor {
			got := float64(a.lines[len(a.lines)*p/100])
			if math.Abs(math.Log(got/want)) > math.Log(1.2) {
				t.Errorf("%s: %dth percentile of one line per filing is %.0f, want %.0f", a.form, p, got, want)
			}
		}
	}
	mean := float64(c.purposeBytes) / float64(c.pf+c.si)
	if mean < 20 || mean > 32 {
		t.Errorf("purposes are %.1f characters long, want about 27", mean)
	}
}

type counts struct {
	preselected, applications    int
	abroad, peopleAbroad, people int // lines that name nobody

	pf, si, siOrg, siFiled, own, slip, relative, goods                      int
	person, foreign, outside, business, pfDomestic, noPlace, zero, negative int
	repeat, placeholder, pfReturns, known, listed, sameName                 int
	exact, suffix, abbrev, lost, typo, cut, alias, extra, careOf            int
	byName, fewer, reworded, project, trade, part                           int
	listedPlaced, sameState, sameZIP, listedStreet, sameNumber              int
	ancient, filers, grantReturns, pc, pfOldOrg, purposeBytes               int
	pfSample, siSample                                                      []int64
}

func (c *counts) count(s *worldReading, r *returnReading) {
	if r.Form == "990PF" {
		c.pfReturns++
		if r.Preselected {
			c.preselected++
		}
		if r.Tally.Applications > 0 {
			c.applications++
		}
	}
	c.abroad += r.Tally.ScheduleFOrgs
	c.peopleAbroad += r.Tally.ScheduleFPeople
	c.people += r.Tally.ScheduleIPeople
	c.filers++
	if r.Version < "2013" {
		c.ancient++
	}
	if len(r.grants) > 0 {
		c.grantReturns++
		// One line per filing, and not the same each time.
		g := &r.grants[int(mix(uint64(len(r.object))+uint64(r.grants[0].Cash.Value))%uint64(len(r.grants)))]
		if v := g.Cash.Value; v > 0 && g.Part == irs990.PFPaid {
			c.pfSample = append(c.pfSample, v)
		} else if v > 0 && g.Part == irs990.ScheduleI {
			c.siSample = append(c.siSample, v)
		}
	}
	for i := range r.grants {
		g := &r.grants[i]
		l := s.truth[lineKey(r.object, g.Part.String(), g.Line)]
		if g.Part == irs990.PFFuture {
			continue
		}
		c.purposeBytes += len(g.Purpose)
		org := l.Class == "org" || l.Class == "gov"
		bump := func(n *int, v bool) {
			if v {
				*n++
			}
		}
		bump(&c.negative, g.Cash.Value < 0)
		bump(&c.repeat, l.has("repeat"))
		if g.Part == irs990.PFPaid {
			c.pf++
			bump(&c.person, l.Class == "individual")
			bump(&c.foreign, g.Address.Country != "")
			bump(&c.outside, l.Class == "outside")
			bump(&c.business, l.Class == "business")
			bump(&c.pfDomestic, org || l.Class == "outside" || l.Class == "business")
			bump(&c.placeholder, l.Class == "placeholder")
			bump(&c.zero, g.Cash.Value == 0)
			bump(&c.noPlace, g.Address.Country == "" && g.Address.State == "" && l.Class != "placeholder")
			if l.Class == "org" && r.Version < "2025" {
				c.pfOldOrg++
				bump(&c.pc, g.Status == "PC")
			}
		} else {
			c.si++
			bump(&c.goods, g.Cash.Value == 0 && g.NonCash.Value > 0)
			if org {
				c.siOrg++
				bump(&c.siFiled, g.EIN != "")
				bump(&c.own, g.EIN == r.EIN)
				bump(&c.slip, l.has("slip_ein"))
				bump(&c.relative, l.has("relative_ein"))
			}
		}
		if !org {
			continue
		}
		c.known++
		bump(&c.trade, l.has("trade_name"))
		bump(&c.part, l.has("part"))
		bump(&c.byName, !l.has("trade_name") && !l.has("part"))
		for tag, n := range map[string]*int{"exact": &c.exact, "suffix": &c.suffix, "abbreviation": &c.abbrev, "lost_space": &c.lost,
			"typo": &c.typo, "truncated": &c.cut, "alias": &c.alias, "extra_words": &c.extra, "care_of": &c.careOf,
			"fewer_words": &c.fewer, "reworded": &c.reworded, "project": &c.project} {
			bump(n, l.has(tag))
		}
		m, ok := s.master[*l.TrueEIN]
		if !ok {
			continue
		}
		c.listed++
		name := strings.TrimSpace(g.Name1 + " " + g.Name2)
		bump(&c.sameName, strings.ToUpper(name) == m.name)
		if g.Address.State != "" {
			c.listedPlaced++
			bump(&c.sameState, g.Address.State == m.state)
			bump(&c.sameZIP, g.Address.ZIP[:5] == m.zip[:5])
		}
		if g.Address.Line1 != "" {
			c.listedStreet++
			bump(&c.sameNumber, strings.EqualFold(g.Address.Line1, m.street))
		}
	}
}
