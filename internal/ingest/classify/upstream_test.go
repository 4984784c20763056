package classify

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/irs990"
)

// TestRealLines trains on the officers of the real returns and the register at
// hand, then asks about their grant lines: persons where the filer used the
// element for persons, organizations where the filer stated an EIN or the
// status of a public charity. It also counts how many purposes get a strategy.
func TestRealLines(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	trainer := NewTrainer()
	registers, _ := filepath.Glob(filepath.Join(dir, "bmf", "2026-04", "*.csv.gz"))
	for _, name := range registers {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = bmf.Read(f, func(r *bmf.Record) error { trainer.AddOrg(r.Name); return nil })
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	var (
		persons, orgs, doubtful []Line
		purposes                = map[string]int{}
		texts, labels           int
		hits, combined          int
		officers                int
	)
	clone := func(g *irs990.Grant) Line {
		return Line{Name1: strings.Clone(g.Name1), Name2: strings.Clone(g.Name2), Street: strings.Clone(g.Address.Line1), Status: strings.Clone(g.Status),
			Relationship: strings.Clone(g.Relationship), Purpose: strings.Clone(g.Purpose), PF: g.Part != irs990.ScheduleI}
	}
	sink := &irs990.Sink{
		Person: func(p *irs990.Person) error {
			if p.Name != "" {
				officers++
				trainer.AddPerson(p.Name)
			}
			return nil
		},
		Grant: func(g *irs990.Grant) error {
			purposes[strings.Clone(g.Purpose)]++
			if Placeholder(strings.ToUpper(g.Name1)) {
				hits++
			}
			switch l := clone(g); {
			case g.Person != "" && g.Name1 == "":
				// Many organizations stand in the element for persons, and many
				// lines for all the scholars of a college.
				l.Name1 = strings.Clone(g.Person)
				if individualStatus(g.Status) && !(*People)(nil).HasOrgWord(g.Person) && !strings.Contains(words(g.Person), "SCHOLARSHI") && !Placeholder(words(g.Person)) {
					persons = append(persons, l)
				} else {
					doubtful = append(doubtful, l)
				}
			case g.EIN != "" || words(g.Status) == "PC" && g.Person == "":
				orgs = append(orgs, l)
			}
			return nil
		},
	}
	zips, _ := filepath.Glob(filepath.Join(dir, "990", "zips", "*.zip"))
	reader := irs990.NewReader()
	for _, name := range zips {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range z.File {
			f, err := m.Open()
			if err != nil {
				continue
			}
			var ret irs990.Return
			_ = reader.Read(f, &ret, sink)
			f.Close()
		}
		z.Close()
	}
	if len(zips) == 0 || len(persons) == 0 {
		t.Skip("no real returns among the real files")
	}
	people := trainer.Train()
	distinct := func(lines []Line) []Line {
		seen, out := map[string]bool{}, lines[:0]
		for _, l := range lines {
			if key := fullName(&l); !seen[key] {
				seen[key] = true
				out = append(out, l)
			}
		}
		return out
	}
	persons, orgs = distinct(persons), distinct(orgs)
	var found, foundLine, taken, takenLine int
	for i := range persons {
		l := persons[i]
		l.Status = "" // what is asked is whether the name shows it
		if people.LogOdds(l.Name1) >= oddsWithSupport {
			found++
		}
		if Individual(&l, people) {
			foundLine++
		}
	}
	for i := range orgs {
		if people.LogOdds(fullName(&orgs[i])) >= oddsWithSupport {
			taken++
		}
		if Individual(&orgs[i], people) {
			takenLine++
		}
	}
	doubtful = distinct(doubtful)
	inPerson := 0
	for _, l := range doubtful {
		l.Person, l.Name1 = l.Name1, ""
		if Individual(&l, people) {
			inPerson++
		}
	}
	share := func(n, of int) float64 { return float64(n) / float64(of) }
	t.Logf("%d officers; of %d persons paid, %.4f by name alone at the lower threshold, %.4f with the line", officers, len(persons), share(found, len(persons)), share(foundLine, len(persons)))
	t.Logf("of %d organizations paid, %.4f taken for persons by name alone, %.4f with the line", len(orgs), share(taken, len(orgs)), share(takenLine, len(orgs)))
	t.Logf("%d names stand in the element for persons without their status; %d of them are taken for persons", len(doubtful), inPerson)
	// A full corpus has a hundred times the officers; this is what thirty
	// thousand of them are good for.
	if share(foundLine, len(persons)) < 0.94 || share(takenLine, len(orgs)) > 0.005 {
		t.Error("at least .94 of persons and at most .005 of organizations wanted")
	}
	for p, n := range purposes {
		if strings.TrimSpace(p) == "" {
			continue
		}
		texts += n
		if s := SupportOf(p); s != 0 {
			labels += n
			if s&(s-1) != 0 {
				combined += n
			}
		}
	}
	t.Logf("of %d purposes, %.3f have a strategy and %.3f several; %d placeholder lines", texts, share(labels, texts), share(combined, texts), hits)
	if share(labels, texts) < 0.5 {
		t.Error("fewer than half of the purposes have a strategy")
	}
}
