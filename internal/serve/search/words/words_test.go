package words

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/snapshot/mapped/mappedtest"
	"grantgraph/internal/stem"
)

// made is the index of some documents, and its bytes.
func made(t testing.TB, docs []document.Document) (*Index, []byte) {
	t.Helper()
	b := NewBuilder()
	for i := range docs {
		b.Add(&docs[i])
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	x, err := Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return x, out.Bytes()
}

// vocabulary are words of every rarity: the first are in most documents.
var vocabulary = strings.Fields("community food arts veterans housing pantry shelter music health youth rescue library garden orchard lighthouse quilting beekeeping falconry")

// crowd makes documents of such words.
func crowd(r *rand.Rand, n int) []document.Document {
	docs := make([]document.Document, n)
	pick := func(most int) string {
		var w []string
		for range r.IntN(most + 1) {
			i := int(float64(len(vocabulary)) * r.Float64() * r.Float64())
			w = append(w, vocabulary[i])
		}
		return strings.Join(w, " ")
	}
	states := []string{"OH", "NY", "NC", ""}
	for i := range docs {
		docs[i] = document.Document{Name: "X " + pick(3), Mission: []string{pick(8)}, Purposes: []string{pick(4)}, City: "Thornton", State: states[r.IntN(len(states))]}
		if r.IntN(3) == 0 {
			docs[i].Others = []string{pick(2)}
		}
	}
	return docs
}

// stemsOf lists the stems of a document, in the plainest way.
func stemsOf(d *document.Document) map[string]bool {
	m := map[string]bool{}
	state := map[string]string{"OH": "Ohio", "NY": "New York", "NC": "North Carolina"}[d.State]
	for _, text := range slices.Concat([]string{d.Name, d.City, state, d.Cause}, d.Others, d.Mission, d.Programs, d.Purposes) {
		for w := range stem.Words(text) {
			m[stem.Of(w)] = true
		}
	}
	return m
}

// TestAll holds the organizations that have every word against a plain search of
// all documents, for thousands of questions.
func TestAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	docs := crowd(r, 3_000)
	x, _ := made(t, docs)
	have := make([]map[string]bool, len(docs))
	for i := range docs {
		have[i] = stemsOf(&docs[i])
	}
	extra := []string{"ohio", "new york", "NC", "thornton", "the", "pantries", "veteran", "unheard"}
	for n := range 3_000 {
		var q []string
		for range 1 + r.IntN(4) {
			if r.IntN(5) == 0 {
				q = append(q, extra[r.IntN(len(extra))])
			} else {
				q = append(q, vocabulary[r.IntN(len(vocabulary))])
			}
		}
		var within []uint64
		if n%3 == 0 {
			within = make([]uint64, (len(docs)+63)/64)
			for i := range within {
				within[i] = r.Uint64() & r.Uint64()
			}
		}
		text := strings.Join(q, " ")
		var stems []string
		for i, w := range strings.Fields(text) {
			switch {
			case w == "NC" && i > 0:
				stems = append(stems, "NORTH", "CAROLINA")
			case w != "the":
				stems = append(stems, stem.Of(strings.ToUpper(w)))
			}
		}
		var want []uint32
		for i := range docs {
			if in(within, uint32(i)) && len(stems) > 0 && !slices.ContainsFunc(stems, func(s string) bool { return !have[i][s] }) {
				want = append(want, uint32(i))
			}
		}
		question := x.Parse(text)
		var got []uint32
		if err := x.All(t.Context(), &question, within, func(s Score) {
			if s.Text <= 0 || s.Text > 1 || s.Name < 0 || s.Name > 1 {
				t.Errorf("%q: scores %v", text, s)
			}
			got = append(got, s.Org)
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q finds %d, want %d", text, len(got), len(want))
		}
	}
}

// TestAny asks for any of the words: who has all of them, in the name, comes
// first; the scores of others are told; a set is kept to.
func TestAny(t *testing.T) {
	t.Parallel()
	docs := []document.Document{
		{Name: "Food Bank of Thornton", State: "OH"}, {Name: "Thornton Players", Mission: []string{"we bank on food for thought"}},
		{Name: "Bank of Seeds"}, {Name: "Larkspur Choir"},
	}
	x, _ := made(t, docs)
	q := x.Parse("food banks")
	rank := func(s Score) float32 { return s.Text }
	best, of, err := x.Any(t.Context(), &q, nil, 10, Effort{1000, 100}, rank, []uint32{3, 2, 900})
	if err != nil || len(best) != 3 || best[0].Org != 0 || best[0].Name <= 0 || best[1].Org != 1 && best[1].Name != 0 || of[0].Text != 0 || of[1].Text <= 0 || of[2].Text != 0 {
		t.Errorf("best %v, of %v, %v", best, of, err)
	}
	if best, _, _ := x.Any(t.Context(), &q, []uint64{0b10}, 10, Effort{1000, 100}, rank, nil); len(best) != 1 || best[0].Org != 1 {
		t.Errorf("within a set: %v", best)
	}
	if best, _, _ := x.Any(t.Context(), &q, nil, 1, Effort{1000, 100}, rank, nil); len(best) != 1 || best[0].Org != 0 {
		t.Errorf("one of them: %v", best)
	}
	// With little to read, the commoner word still tells them apart.
	if again, _, _ := x.Any(t.Context(), &q, nil, 10, Effort{2, 100}, rank, nil); len(again) != 2 || again[0] != best[0] {
		t.Errorf("with little effort: %v, before %v", again, best)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.Any(ctx, &q, nil, 10, Effort{1000, 100}, rank, nil); err == nil {
		t.Error("nobody waits, and it goes on")
	}
	if err := x.All(ctx, &q, nil, func(Score) {}); err == nil {
		t.Error("nobody waits, and it goes on")
	}
}

// TestAnyCommon asks for a word that more organizations have than are read: the
// scores that are asked for do not depend on where an organization stands.
func TestAnyCommon(t *testing.T) {
	t.Parallel()
	docs := make([]document.Document, 500)
	for i := range docs {
		docs[i] = document.Document{Name: "Thornton School"}
	}
	docs[400].Name = "Larkspur Choir"
	x, _ := made(t, docs)
	rank := func(s Score) float32 { return s.Text }
	for _, text := range []string{"school", "school thornton"} {
		q := x.Parse(text)
		_, of, err := x.Any(t.Context(), &q, nil, 10, Effort{20, 10}, rank, []uint32{3, 19, 20, 499, 400})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range of[:4] {
			if s.Text <= 0 || s.Text != of[0].Text || s.Name != of[0].Name {
				t.Errorf("%q: organization %d has %v, and %d has %v", text, s.Org, s, of[0].Org, of[0])
			}
		}
		if of[4].Text != 0 {
			t.Errorf("%q: %v has none of the words", text, of[4])
		}
	}
}

// TestRoom asks while as many ask as there is room for: who waits and is gone gets
// nothing, and when there is room again it is used.
func TestRoom(t *testing.T) {
	t.Parallel()
	x, _ := made(t, []document.Document{{Name: "Food Bank"}})
	q := x.Parse("food")
	some := func(ctx context.Context) ([]Score, error) {
		best, _, err := x.Any(ctx, &q, nil, 1, Effort{10, 10}, func(s Score) float32 { return s.Text }, nil)
		return best, err
	}
	for range cap(x.room) {
		x.room <- struct{}{}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if best, err := some(gone); err == nil || best != nil {
		t.Errorf("without room: %v, %v", best, err)
	}
	for range cap(x.room) {
		<-x.room
	}
	for range cap(x.room) + 1 {
		if best, err := some(t.Context()); err != nil || len(best) != 1 {
			t.Errorf("with room: %v, %v", best, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	x, _ := made(t, []document.Document{
		{Name: "Food Bank", City: "Akron", State: "OH"}, {Name: "Food Bank", City: "Salem", State: "OR"}, {Name: "Ohio Players", State: "NY"},
		{Name: "Food Bank", State: "NY"}, {Name: "Food Bank", State: "IN"},
	})
	for q, want := range map[string][]uint32{
		"food bank ohio": {0}, "food bank OH": {0}, "food bank, OR": {1}, "food bank or": {0, 1, 3, 4}, "food bank in IN": {4}, "food banks in new york": {3},
		"ohio": {0, 2}, "food bank akron oh": {0}, "FOOD BANK OR": {0, 1, 3, 4}, "the of": nil, "": nil, "xyzzy food": nil,
	} {
		question := x.Parse(q)
		var got []uint32
		_ = x.All(t.Context(), &question, nil, func(s Score) { got = append(got, s.Org) })
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", q, got, want)
		}
	}
}

// TestSame builds twice: the bytes are the same.
func TestSame(t *testing.T) {
	t.Parallel()
	docs := crowd(rand.New(rand.NewPCG(5, 6)), 500)
	_, a := made(t, docs)
	_, b := made(t, docs)
	if !bytes.Equal(a, b) {
		t.Error("two builds differ")
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	_, data := made(t, crowd(rand.New(rand.NewPCG(3, 4)), 4))
	mappedtest.Damage(t, Kind, data, func(data []byte) error {
		_, err := Read(data)
		return err
	})
}

// TestSenselessNumbers spoils what checksums cannot tell: whatever the numbers
// are, questions end and stay inside of the file.
func TestSenselessNumbers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	docs := crowd(r, 600)
	_, data := made(t, docs)
	for range 60 {
		spoiled := mappedtest.Rewrite(t, Kind, data, func(name string, body []byte) ([]byte, bool) {
			if name == "lists" || name == "skips.org" || name == "skips.at" {
				for range 1 + len(body)/50 {
					body[r.IntN(len(body))] = byte(r.Uint32())
				}
			}
			return body, true
		})
		x, err := Read(spoiled)
		if err != nil {
			continue
		}
		q := x.Parse("community food arts")
		visit := func(s Score) {
			if int(s.Org) >= len(docs) {
				t.Fatalf("organization %d of %d", s.Org, len(docs))
			}
		}
		if err := x.All(t.Context(), &q, nil, visit); err != nil {
			t.Fatal(err)
		}
		best, _, err := x.Any(t.Context(), &q, nil, 20, Effort{1000, 100}, func(s Score) float32 { return s.Text }, []uint32{1, 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range best {
			visit(s)
		}
	}
}
