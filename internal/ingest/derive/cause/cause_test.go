package cause

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
)

var (
	places = strings.Fields("HARLOW ELMWOOD BRIARTON CEDARVALE MILLFORD OAKRIDGE STONEBROOK WESTHAVEN LAKEMOOR PINECREST FAIRMEAD NORWICK ASHBOURNE GLENDALE RIVERTON SUMMERFIELD")
	second = strings.Fields("NORTH SOUTH EAST WEST UPPER LOWER GREATER OLD NEW FIRST SECOND CENTRAL LITTLE GRAND HIGH FAR")
	clear  = map[byte][]string{
		'A': {"THEATER COMPANY", "SYMPHONY ORCHESTRA", "HISTORICAL MUSEUM"},
		'B': {"ELEMENTARY SCHOOL PTA", "LIBRARY FRIENDS", "SCHOLARSHIP FUND"},
		'D': {"HUMANE SOCIETY", "ANIMAL RESCUE"},
		'M': {"VOLUNTEER FIRE DEPARTMENT", "RESCUE SQUAD"},
		'X': {"BAPTIST CHURCH", "COMMUNITY CHURCH", "TABERNACLE"},
	}
	vague = []string{"COMMUNITY ASSOCIATION", "FOUNDATION", "PARTNERS", "ALLIANCE", "TRUST"}
)

// invent makes organizations: most have names that give their cause away, some
// vague ones have any cause, and a few codes are wrong.
func invent(seed uint64, n int) []Case {
	r := rand.New(rand.NewPCG(seed, 7))
	letters := []byte("ABDMX")
	list := make([]Case, 0, n)
	for i := range n {
		letter := letters[r.IntN(len(letters))]
		kind := clear[letter][r.IntN(len(clear[letter]))]
		if r.IntN(4) == 0 {
			kind = vague[r.IntN(len(vague))]
		} else if r.IntN(100) == 0 {
			letter = letters[r.IntN(len(letters))]
		}
		name := fmt.Sprintf("%s %s %s %s", second[r.IntN(len(second))], places[r.IntN(len(places))], places[r.IntN(len(places))], kind)
		list = append(list, Case{Letter: letter, Org: Org{EIN: ein.EIN(1_000_000*int(seed) + i + 1), Name: name, Subsection: "03", Foundation: "15", Affiliation: "3", Group: "0000"}})
	}
	return list
}

func train(t testing.TB, workers int, list []Case) *Model {
	t.Helper()
	tr := NewTrainer()
	for i := range list {
		tr.Add(&list[i].Org, list[i].Letter)
	}
	m, err := tr.Train(t.Context(), workers)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestInvented learns from one invented world and infers the causes of another.
func TestInvented(t *testing.T) {
	t.Parallel()
	r := train(t, 2, invent(1, 6000)).Reader()
	var clearOnes, found, right, vagueOnes, guessed int
	for _, c := range invent(2, 3000) {
		isVague := slices.ContainsFunc(vague, func(v string) bool { return strings.HasSuffix(c.Name, " "+v) })
		letter, sure, ok := r.Infer(&c.Org)
		if ok && (sure <= 0 || sure > 1 || letter < 'A' || letter > 'Y') {
			t.Fatalf("%s is %q, %v", c.Name, letter, sure)
		}
		switch {
		case isVague:
			vagueOnes++
			guessed += one(ok)
		default:
			clearOnes++
			found += one(ok)
			right += one(ok && letter == c.Letter)
		}
	}
	if float64(right) < 0.95*float64(found) || float64(found) < 0.8*float64(clearOnes) {
		t.Errorf("of %d clear names %d were inferred, %d right", clearOnes, found, right)
	}
	if guessed*10 > vagueOnes {
		t.Errorf("of %d vague names %d were inferred", vagueOnes, guessed)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestDeterministic learns on any number of workers, from the same labels in
// another order: every answer is the same to the last bit.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	list, asked := invent(3, 2500), invent(4, 300)
	var first []string
	for _, workers := range []int{1, 2, 5} {
		rand.New(rand.NewPCG(uint64(workers), 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		m := train(t, workers, list)
		r := m.Reader()
		var said []string
		for _, c := range asked {
			letter, sure, ok := r.Infer(&c.Org)
			said = append(said, fmt.Sprint(letter, sure, ok))
		}
		said = append(said, fmt.Sprint(m.Causes, m.Kin, m.Labels, m.Learned))
		if first == nil {
			first = said
		} else if !slices.Equal(first, said) {
			t.Errorf("%d workers learn something else", workers)
		}
	}
}

// TestCollected: evidence that was kept says what the organization says.
func TestCollected(t *testing.T) {
	t.Parallel()
	for _, labels := range []int{3000, MinLabels - 1} {
		r := train(t, 2, invent(10, labels)).Reader()
		var collector Collector
		asked := invent(11, 2000)
		kept := make([]Evidence, len(asked))
		for i := range asked {
			kept[i] = collector.Read(&asked[i].Org)
		}
		for i := range asked {
			letter, sure, ok := r.Infer(&asked[i].Org)
			gotLetter, gotSure, gotOK := r.InferFrom(&kept[i])
			if kept[i].EIN != asked[i].EIN || gotLetter != letter || gotSure != sure || gotOK != ok {
				t.Fatalf("%s is %q %v %v, collected %q %v %v", asked[i].Name, letter, sure, ok, gotLetter, gotSure, gotOK)
			}
		}
	}
}

func TestTooFewLabels(t *testing.T) {
	t.Parallel()
	list := invent(5, MinLabels-1)
	m := train(t, 1, list)
	if m.Labels != MinLabels-1 || m.Learned != 0 {
		t.Errorf("learned from %d of %d", m.Learned, m.Labels)
	}
	for i := range list[:100] {
		if letter, _, ok := m.Reader().Infer(&list[i].Org); ok {
			t.Fatalf("%s is %q", list[i].Name, letter)
		}
	}
	res, err := Measure(t.Context(), 1, list)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := res.Print(&out, false); err != nil || !strings.Contains(out.String(), "fewer than 2000, so we infer no causes") || !res.Passed {
		t.Errorf("%v: %s", err, &out)
	}
}

// TestNoise learns from codes that have nothing to do with the names: nothing is
// inferred.
func TestNoise(t *testing.T) {
	t.Parallel()
	list := invent(6, 3000)
	r := rand.New(rand.NewPCG(6, 6))
	for i := range list {
		list[i].Letter = "ABDMX"[r.IntN(5)]
	}
	m := train(t, 2, list)
	for c := range m.Causes {
		if !m.Causes[c].Never() {
			t.Errorf("%c can be inferred from noise: %+v", 'A'+c, m.Causes[c])
		}
	}
}

// TestThresholds: whatever was guessed, what a threshold lets through was right
// often enough, and the next lower one would not do.
func TestThresholds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	set := 0
	for range 60 {
		labels, held := make([]label, 4000), make([]guess, 4000)
		noise := r.Float32()
		for i := range held {
			held[i] = guess{uint8(r.IntN(4)), float32(r.IntN(50)) / 50}
			labels[i] = label{cause: held[i].cause, family: uint64(r.IntN(3000))}
			if r.Float32() > held[i].prob+noise*(1-held[i].prob) {
				labels[i].cause = 24
			}
		}
		var m Model
		for c := range m.Causes {
			m.Causes[c].Min = never
		}
		m.setThresholds(labels, held)
		for c := range m.Causes {
			th := &m.Causes[c]
			if th.Never() {
				continue
			}
			set++
			var n, right int
			families := map[uint64]bool{}
			for i, g := range held {
				if int(g.cause) == c && g.prob >= th.Min {
					n++
					right += one(int(labels[i].cause) == c)
					families[labels[i].family] = true
				}
			}
			if n != th.Inferred || right != th.Right || len(families) < minFamilies || lowerBound(float64(right)/float64(n), len(families)) < Target {
				t.Fatalf("%c: %+v lets %d through, %d right, of %d families", 'A'+c, *th, n, right, len(families))
			}
		}
	}
	if set == 0 {
		t.Error("no threshold was ever set")
	}
}

func TestLowerBound(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0, 0.5, 0.9, 0.97, 1} {
		last := 0.0
		for _, n := range []int{1, 10, 100, 1000, 100_000} {
			b := lowerBound(p, n)
			if b < last-1e-12 || b > p+1e-12 {
				t.Errorf("the lower bound of %v among %d is %v, of fewer %v", p, n, b, last)
			}
			last = b
		}
	}
	if lowerBound(1, 0) != 0 {
		t.Error("nothing seen says something")
	}
}

// TestKin: posts of one name follow those that have a code, and a name that has
// several causes says nothing.
func TestKin(t *testing.T) {
	t.Parallel()
	list := invent(7, 2500)
	add := func(name, group string, letters string) {
		for i := range letters {
			list = append(list, Case{Letter: letters[i], Org: Org{EIN: ein.EIN(90_000_000 + len(list)), Name: name, Group: group, Subsection: "19", Foundation: "00"}})
		}
	}
	add("ORDER OF THE EXAMPLE", "0000", strings.Repeat("W", 60)+"Y")
	add("SOCIETY OF SAMPLES", "0000", strings.Repeat("W", 30)+strings.Repeat("Y", 30))
	for i := range 40 {
		add(fmt.Sprintf("LODGE %s %s", places[i%16], second[i/3%16]), "1234", "Y")
	}
	m := train(t, 2, list)
	r := m.Reader()
	for _, c := range []struct {
		o    Org
		want string
	}{
		{Org{Name: "THE ORDER OF THE EXAMPLE, INC", Subsection: "19", Foundation: "00", Group: "0000"}, "W"},
		{Org{Name: "ORDER OF THE EXAMPLE", Subsection: "03", Foundation: "15", Group: "0000"}, ""},
		{Org{Name: "SOCIETY OF SAMPLES", Subsection: "19", Foundation: "00"}, ""},
		{Org{Name: "SOMETHING ELSE", Subsection: "19", Foundation: "00", Group: "1234"}, "Y"},
		{Org{Name: "SOMETHING ELSE", Subsection: "19", Foundation: "00", Group: "0000"}, ""},
	} {
		got := ""
		if kin, ok := m.relatives(families(&c.o)); ok {
			got = string(rune('A' + kin.cause))
		}
		if got != c.want {
			t.Errorf("relatives of %+v say %q, want %q", c.o, got, c.want)
		}
	}
	if letter, sure, ok := r.Infer(&Org{Name: "ORDER OF THE EXAMPLE", Subsection: "19", Foundation: "00"}); letter != 'W' || !ok || sure < 0.97 || sure > 0.99 {
		t.Errorf("a post is %q, %v, %v", letter, sure, ok)
	}
	// 61 of the order, of which one is no W; the society says nothing; 40 lodges.
	if m.Kin != (Measured{101, 100}) {
		t.Errorf("measured %+v", m.Kin)
	}
}

// TestMeasure hides codes and finds them again, and holds its sums together.
func TestMeasure(t *testing.T) {
	t.Parallel()
	list := invent(8, 5000)
	for i := range list {
		list[i].Unseen = i%2 == 0
		if i%10 == 0 {
			list[i].Letter = 0
		}
	}
	res, err := Measure(t.Context(), 2, list)
	if err != nil {
		t.Fatal(err)
	}
	var sum Share
	for _, l := range res.Letters {
		sum.Organizations += l.Organizations
		sum.Inferred += l.Inferred
		sum.Right += l.Right
	}
	sum.finish()
	if sum != res.All || sum.Organizations != 4500 || res.Labels != 4500 || res.Codeless.Organizations != 500 || res.Unseen.Organizations != 2000 {
		t.Errorf("the sums are %+v of %+v", sum, res)
	}
	if !res.Passed || res.All.Precision < Gate || res.All.Coverage < 0.5 || res.Codeless.Coverage < 0.5 || res.Codeless.Precision < Gate {
		t.Errorf("%+v", res)
	}
	var table, line bytes.Buffer
	if err := errors.Join(res.Print(&table, false), res.Print(&line, true)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "| X Religion |") || !strings.Contains(table.String(), ": passed.") || strings.Count(line.String(), "\n") != 1 {
		t.Errorf("%s%s", &table, &line)
	}
	res.All.Right = 0
	res.All.finish()
	if passes(res.All) {
		t.Error("nothing right passes")
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, 1, invent(9, 2500)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestLetter(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]byte{"B42": 'B', "b42": 'B', "X20": 'X', "Y99": 'Y', "Z99": 0, "": 0, "B": 0, "0": 0} {
		if got := Letter(code); got != want {
			t.Errorf("Letter(%q) = %q", code, got)
		}
	}
}

// FuzzEvidence: whatever an organization is called, its features are few and
// the same each time.
func FuzzEvidence(f *testing.F) {
	f.Add("FIRST BAPTIST CHURCH OF HARLOW", "St. Mary's", "Feeding the hungry; ALL 50 states", "1234")
	f.Add("", "", "", "0000")
	f.Add("\xff\x00 é 𝔘 0123456789", strings.Repeat("A ", 5000), strings.Repeat("mission ", 5000), "")
	f.Fuzz(func(t *testing.T, name, other, text, group string) {
		o := Org{Name: name, Others: []string{other, name, other, name, other}, Texts: []string{text, text}, Group: group}
		var a, b evidence
		a.read(&Org{Name: "SOMETHING BEFORE IT", Texts: []string{"that is gone"}})
		a.read(&o)
		b.read(&o)
		if !slices.Equal(a.names, b.names) || !slices.Equal(a.texts, b.texts) {
			t.Error("the features depend on what was read before")
		}
		if len(a.names) > 3+(1+maxNames)*(7*maxNameWords+3) || len(a.texts) > maxTextWords+1 {
			t.Errorf("%d and %d features", len(a.names), len(a.texts))
		}
		if first := families(&o); first != families(&o) {
			t.Error("an organization changed its families")
		}
	})
}
