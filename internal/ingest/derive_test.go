package ingest

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// TestDerivedTables builds a whole world and holds every derived table against
// the rows it was made from.
func TestDerivedTables(t *testing.T) {
	t.Parallel()
	result, _ := builtWorld(t)
	s := result.Snapshot
	counted := map[string]int64{}
	for _, table := range result.Report.Derived.Tables {
		counted[table.Name] = table.Count
		if table.Count == 0 && table.Name != snapshot.InferredCauses { // too few codes to learn from
			t.Errorf("table %s is empty", table.Name)
		}
	}
	if len(counted) != 13 {
		t.Errorf("derived tables: %v", result.Report.Derived.Tables)
	}
	grants := rowsOf[snapshot.Grant](t, s, snapshot.Grants)
	t.Run("grants", func(t *testing.T) { checkGiven(t, s, grants) })
	t.Run("recipients", func(t *testing.T) { checkRecipients(t, s, grants) })
	t.Run("families", func(t *testing.T) { checkFamilies(t, s) })
	t.Run("boards", func(t *testing.T) { checkBoards(t, s, result.Report.Derived.Seats) })
	t.Run("assets", func(t *testing.T) { checkAssets(t, s) })
	t.Run("areas", func(t *testing.T) { checkAreas(t, s) })
}

// checkGiven: the edges hold the grants to somebody, each once, and the purposes
// those of the universe tier.
func checkGiven(t *testing.T, s *snapshot.Snapshot, grants []snapshot.Grant) {
	type sum struct {
		count, dollars int64
		first, last    int32
	}
	us, abroad := map[[2]string]sum{}, map[[2]string]sum{}
	purposes := 0
	for _, g := range grants {
		if g.SourceTier == grant.Universe && g.Purpose != "" {
			purposes++
		}
		if g.IsIndividual || g.IsUnidentified {
			continue
		}
		edges, key := us, [2]string{g.RecipientEIN, g.FunderEIN}
		if g.RecipientEIN == "" {
			cluster, ok := strings.CutPrefix(g.RecipID, "intl-")
			if !ok {
				continue
			}
			edges, key = abroad, [2]string{cluster, g.FunderEIN}
		}
		x, ok := edges[key]
		if !ok {
			x.first = math.MaxInt32
		}
		edges[key] = sum{x.count + 1, x.dollars + g.Amount, min(x.first, g.TaxYear), max(x.last, g.TaxYear)}
	}
	n := 0
	for _, e := range rowsOf[snapshot.CofunderEdge](t, s, snapshot.CofunderEdges) {
		n++
		if got := (sum{e.GrantCount, e.TotalAmount, e.FirstYear, e.LastYear}); got != us[[2]string{e.RecipientEIN, e.FunderEIN}] {
			t.Fatalf("edge %+v, the grants say %+v", e, us[[2]string{e.RecipientEIN, e.FunderEIN}])
		}
	}
	for _, e := range rowsOf[snapshot.CofunderEdgeIntl](t, s, snapshot.CofunderEdgesIntl) {
		n++
		if got := (sum{e.GrantCount, e.TotalAmount, e.FirstYear, e.LastYear}); got != abroad[[2]string{e.ClusterID, e.FunderEIN}] {
			t.Fatalf("edge %+v, the grants say %+v", e, abroad[[2]string{e.ClusterID, e.FunderEIN}])
		}
	}
	if n != len(us)+len(abroad) {
		t.Errorf("%d edges, the grants have %d", n, len(us)+len(abroad))
	}
	if got := len(rowsOf[snapshot.GrantPurpose](t, s, snapshot.GrantPurposes)); got != purposes {
		t.Errorf("%d purposes, the universe tier has %d", got, purposes)
	}
}

// checkRecipients: every EIN that was paid has one name, every spelling abroad
// its cluster.
func checkRecipients(t *testing.T, s *snapshot.Snapshot, grants []snapshot.Grant) {
	spellings := map[string]map[string]bool{}
	abroad := map[[3]string]bool{}
	for _, g := range grants {
		if g.RecipientEIN != "" {
			if spellings[g.RecipientEIN] == nil {
				spellings[g.RecipientEIN] = map[string]bool{}
			}
			spellings[g.RecipientEIN][g.RecipientRaw] = true
		} else if g.RecipientCountry != "" && (g.IsIndividual || !g.IsUnidentified) {
			abroad[[3]string{g.RecipientCountry, g.RecipientRaw, strings.TrimPrefix(g.RecipID, "intl-")}] = g.IsIndividual
		}
	}
	filed, registered := map[string]string{}, map[string]string{}
	for _, o := range rowsOf[snapshot.Org](t, s, snapshot.Orgs) {
		filed[o.EIN] = o.Name
	}
	for _, o := range rowsOf[snapshot.Organization](t, s, snapshot.Organizations) {
		registered[o.EIN] = o.Name
	}
	names := rowsOf[snapshot.RecipientName](t, s, snapshot.RecipientNames)
	for _, n := range names {
		if int(n.Spellings) != len(spellings[n.EIN]) || n.Name == "" {
			t.Fatalf("%+v has the spellings %v", n, spellings[n.EIN])
		}
		switch {
		case filed[n.EIN] != "":
			if n.Source != "own_filed" || n.Name != filed[n.EIN] {
				t.Fatalf("%+v calls itself %q", n, filed[n.EIN])
			}
		case registered[n.EIN] != "":
			if n.Source == "own_filed" || n.Name != registered[n.EIN] {
				t.Fatalf("%+v is listed as %q", n, registered[n.EIN])
			}
		case n.Source != "filed" || !spellings[n.EIN][n.Name]:
			t.Fatalf("%+v is called %v", n, spellings[n.EIN])
		}
	}
	if len(names) != len(spellings) {
		t.Errorf("%d names for %d recipients", len(names), len(spellings))
	}
	entities := rowsOf[snapshot.IntlEntity](t, s, snapshot.IntlEntities)
	canonical := map[string]string{}
	for _, e := range entities {
		person, ok := abroad[[3]string{e.Country, e.RecipientRaw, e.ClusterID}]
		if !ok || person != (e.Kind == "person") {
			t.Fatalf("%+v is no recipient abroad", e)
		}
		if before, ok := canonical[e.ClusterID]; ok && before != e.CanonicalName {
			t.Fatalf("cluster %s is called %q and %q", e.ClusterID, before, e.CanonicalName)
		}
		canonical[e.ClusterID] = e.CanonicalName
	}
	if len(entities) != len(abroad) {
		t.Errorf("%d spellings abroad, the grants have %d", len(entities), len(abroad))
	}
}

func checkFamilies(t *testing.T, s *snapshot.Snapshot) {
	members := map[string]int32{}
	families := rowsOf[snapshot.OrgFamily](t, s, snapshot.OrgFamilies)
	for _, f := range families {
		members[f.FamilyID]++
	}
	together := 0
	for _, f := range families {
		if members[f.FamilyID] != f.FamilySize || f.FamilyID > "fam-"+f.EIN {
			t.Fatalf("%+v has %d members", f, members[f.FamilyID])
		}
		if f.FamilySize > 1 {
			together++
		}
	}
	n := 0
	for _, o := range rowsOf[snapshot.Organization](t, s, snapshot.Organizations) {
		if o.Sources != snapshot.SourceLine {
			n++
		}
	}
	if len(families) != n || together == 0 {
		t.Errorf("%d rows for %d organizations, %d of them in a family", len(families), n, together)
	}
}

// checkBoards asks how well the links tell boards that share a person from
// boards that share a name. The world knows who is who. (How the confidence
// ranks the two is a test of package board, whose people are more alike.)
func checkBoards(t *testing.T, s *snapshot.Snapshot, seats Seats) {
	sources, _ := Invented(t)
	f, err := os.Open(filepath.Join(sources, "people.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type seat struct {
		ObjectID string `json:"object_id"`
		N        int    `json:"n"`
		Person   string `json:"person"`
	}
	who := map[string]map[int]string{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		var x seat
		if err := json.Unmarshal(scan.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if who[x.ObjectID] == nil {
			who[x.ObjectID] = map[int]string{}
		}
		who[x.ObjectID][x.N] = x.Person
	}
	family := map[string]string{}
	for _, r := range rowsOf[snapshot.OrgFamily](t, s, snapshot.OrgFamilies) {
		family[r.EIN] = r.FamilyID
	}
	// Boards by name and by person, a family being one board.
	named, sat := map[string][]string{}, map[string]map[string]bool{}
	n := map[string]int{}
	for _, p := range rowsOf[snapshot.Person](t, s, snapshot.People) {
		n[p.Filing]++
		if int(p.TaxYear) < seats.Since {
			continue
		}
		person := who[p.Filing][n[p.Filing]]
		if person == "" {
			continue // a return without its object id, or mangled
		}
		words := strings.Fields(strings.ToUpper(strings.ReplaceAll(p.Name, ",", " ,")))
		if i := slices.Index(words, ","); i > 0 {
			words = append(words[i+1:], words[:i]...)
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "JR" })
		name := words[0] + " " + words[len(words)-1]
		id := family[p.EIN]
		if !slices.Contains(named[name], id) {
			named[name] = append(named[name], id)
		}
		if sat[id] == nil {
			sat[id] = map[string]bool{}
		}
		sat[id][person] = true
	}
	conf := map[[2]string]float64{}
	for _, l := range rowsOf[snapshot.BoardLink](t, s, snapshot.BoardLinks) {
		a, b := family[l.E1], family[l.E2]
		if l.E1 >= l.E2 || a == b || l.Conf < .1 || l.Conf > 1 || l.SharedPeople+l.PossibleSharedPeople < 1 {
			t.Fatalf("%+v", l)
		}
		conf[[2]string{min(a, b), max(a, b)}] = l.Conf
	}
	var right, wrong []float64
	done := map[[2]string]bool{}
	for _, boards := range named {
		for _, a := range boards {
			for _, b := range boards {
				pair := [2]string{a, b}
				if a >= b || done[pair] {
					continue
				}
				done[pair] = true
				shared := false
				for p := range sat[a] {
					shared = shared || sat[b][p]
				}
				if shared {
					right = append(right, conf[pair])
				} else {
					wrong = append(wrong, conf[pair])
				}
			}
		}
	}
	surely := func(list []float64) (n int) {
		for _, c := range list {
			if c >= .5 {
				n++
			}
		}
		return n
	}
	linked, mistaken := surely(right), surely(wrong)
	t.Logf("%d links; %d of %d pairs that share a person are surely linked, %d of %d that share a name only", len(conf), linked, len(right), mistaken, len(wrong))
	if 10*linked < 9*len(right) || 10*linked < 9*(linked+mistaken) {
		t.Errorf("%d of %d true pairs are linked, and %d false ones", linked, len(right), mistaken)
	}
}

func checkAssets(t *testing.T, s *snapshot.Snapshot) {
	type sums struct{ items, fmv int64 }
	want := map[string]sums{} // of the latest return
	filing := map[string]string{}
	foundations := 0
	for _, o := range rowsOf[snapshot.Org](t, s, snapshot.Orgs) {
		if o.ReturnType == "990PF" {
			foundations++
			filing[o.EIN] = o.Filing
		}
	}
	for _, h := range rowsOf[snapshot.Holding](t, s, snapshot.Holdings) {
		if filing[h.EIN] != h.Filing || h.FMV == nil || *h.FMV == 0 {
			continue
		}
		w := want[h.EIN]
		want[h.EIN] = sums{w.items + 1, w.fmv + *h.FMV}
	}
	held := map[string]int64{}
	for _, h := range rowsOf[snapshot.FoundationHolding](t, s, snapshot.FoundationHoldings) {
		held[h.EIN] += h.FMV
	}
	profiles := rowsOf[snapshot.AssetProfile](t, s, snapshot.AssetProfiles)
	var known, all int64
	for _, p := range profiles {
		if w := want[p.EIN]; p.Items != w.items || held[p.EIN] != w.fmv {
			t.Fatalf("%+v holds %d, its return lists %+v", p, held[p.EIN], w)
		}
		if p.ClassifiedFMV > held[p.EIN] || p.AltsFMV > p.ClassifiedFMV || p.TopHoldingFMV > held[p.EIN] || p.ClassifiedPct != nil && (*p.ClassifiedPct < 0 || *p.ClassifiedPct > 100) {
			t.Fatalf("%+v", p)
		}
		known += p.ClassifiedFMV
		all += held[p.EIN]
	}
	if len(profiles) != foundations {
		t.Errorf("%d profiles of %d foundations", len(profiles), foundations)
	}
	if 10*known < 9*all {
		t.Errorf("%d of %d dollars are classified", known, all)
	}
	for _, e := range rowsOf[snapshot.HoldingEntity](t, s, snapshot.HoldingEntities) {
		if e.Holders < 1 || e.CanonicalName == "" || e.Status == "" || e.AssetClass == "" || e.EntityType == "" {
			t.Fatalf("%+v", e)
		}
	}
}

func checkAreas(t *testing.T, s *snapshot.Snapshot) {
	seen := map[[2]string]bool{}
	county := map[string]string{}
	for _, o := range rowsOf[snapshot.Organization](t, s, snapshot.Organizations) {
		if o.Sources != snapshot.SourceLine {
			county[o.EIN] = o.County
		}
	}
	for _, a := range rowsOf[snapshot.ServiceArea](t, s, snapshot.ServiceAreas) {
		key := [2]string{a.EIN, a.FIPS}
		if seen[key] || a.Name == "" || a.Confidence < .3 || a.Confidence > 1 {
			t.Fatalf("%+v", a)
		}
		seen[key] = true
	}
	for e, c := range county {
		if c != "" && !seen[[2]string{e, c}] {
			t.Fatalf("%s does not serve its own county %s", e, c)
		}
	}
}

// TestGroupReturns: who is listed on a return for a group sits on no board.
func TestGroupReturns(t *testing.T) {
	t.Parallel()
	people := func(name, group string) string {
		return strings.Replace(name, "<IRS990>", "<IRS990><GroupReturnForAffiliatesInd>"+group+"</GroupReturnForAffiliatesInd>"+
			"<Form990PartVIISectionAGrp><PersonNm>Quillon Featherstonehaugh</PersonNm><TitleTxt>DIRECTOR</TitleTxt></Form990PartVIISectionAGrp>", 1)
	}
	w := sample()
	w["990/2022_TEOS_XML_03A.zip"] = map[string]string{
		"202200039349100007_public.xml": people(si("090000011", "OAK COUNCIL", "2021-12-31", "2022-05-01T10:00:00-05:00"), "0"),
		"202200039349100008_public.xml": people(si("090000012", "LARCH LEAGUE", "2021-12-31", "2022-05-01T10:00:00-05:00"), "0"),
		"202200039349100009_public.xml": people(si("090000013", "PINE LODGES", "2021-12-31", "2022-05-01T10:00:00-05:00"), "1"),
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	if seats := result.Report.Derived.Seats; seats.OfGroups != 1 {
		t.Errorf("%+v", seats)
	}
	for _, l := range rowsOf[snapshot.BoardLink](t, result.Snapshot, snapshot.BoardLinks) {
		if l.E1 == "090000013" || l.E2 == "090000013" {
			t.Errorf("%+v", l)
		}
	}
}
