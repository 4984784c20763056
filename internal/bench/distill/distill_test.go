package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/meaning"
	"grantgraph/internal/serve/search/quality"
)

// field is a protobuf field of bytes.
func field(number int, body ...byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number<<3|2)), uint64(len(body))), body...)
}

// tensor is an ONNX tensor of floats.
func tensor(name string, numbers ...float32) []byte {
	var raw []byte
	for _, v := range numbers {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return field(5, slices.Concat([]byte{2 << 3, 1}, field(8, []byte(name)...), field(9, raw...))...)
}

func smallModel() []byte {
	node := func(operation string, inputs ...string) []byte {
		var body []byte
		for _, in := range inputs {
			body = append(body, field(1, []byte(in)...)...)
		}
		return field(1, append(body, field(4, []byte(operation)...)...)...)
	}
	return field(7, slices.Concat(
		node("MatMul", "x", "w1"), node("Add", "w3", "y"), node("MatMul", "x", "y"), node("MatMul", "w2", "x"),
		tensor("w2", 3), tensor("w1", 1, 2), tensor("w3", 4), tensor("bert.norm.bias", 5),
	)...)
}

func TestModel(t *testing.T) {
	t.Parallel()
	m, err := readModel(smallModel())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"0.query": {1, 2}, "0.key": {3}, "norm.bias": {5}, "w3": {4}} {
		if got, err := m.tensor(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v: %v", name, got, err)
		}
	}
	for _, name := range []string{"0.value", "1.query", "0.other", "orm.bias"} {
		if got, err := m.tensor(name); err == nil {
			t.Errorf("%s is %v", name, got)
		}
	}
}

// FuzzModel reads whatever it is given.
func FuzzModel(f *testing.F) {
	f.Add(smallModel())
	f.Add([]byte{7<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{5, 1, 2, 3})
	f.Fuzz(func(_ *testing.T, file []byte) { _, _ = readModel(file) })
}

func TestSample(t *testing.T) {
	t.Parallel()
	texts := []string{"a", "b", "c", "d", "e", "f"}
	few := slices.Clone(sample(slices.Clone(texts), 2))
	slices.Reverse(texts)
	if more := sample(texts, 4); len(few) != 2 || !slices.Equal(few, more[:2]) {
		t.Errorf("two are %v, four are %v", few, more)
	}
	if got := sample([]string{"a"}, -1); len(got) != 0 {
		t.Errorf("less than none is %v", got)
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	got := passages("We help. We feed many people in the county every day; and more. Short.")
	if want := []string{"We help We feed many people in the county every day"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	documents := []string{"a", "b", "c"}
	judged := map[string]int{"a": 2, "b": 1}
	for _, c := range []struct {
		order        []int
		gain, recall float64
	}{
		{[]int{0, 1, 2}, 1, 1},
		{[]int{2, 0, 1}, (3/math.Log2(3) + .5) / (3 + 1/math.Log2(3)), 1},
		{[]int{2, 1}, 1 / math.Log2(3) / (3 + 1/math.Log2(3)), .5},
		{[]int{2}, 0, 0},
	} {
		var found []string
		for _, i := range c.order {
			found = append(found, documents[i])
		}
		if g, r := quality.Judge(found, judged); math.Abs(g-c.gain) > 1e-9 || r != c.recall {
			t.Errorf("%v: %v and %v, not %v and %v", c.order, g, r, c.gain, c.recall)
		}
	}
}

// TestStudent asks the student's vectors of real organizations with queries of
// gte-small.
func TestStudent(t *testing.T) {
	t.Parallel()
	m, err := meaning.Open()
	if err != nil {
		t.Fatal(err)
	}
	if m.Encoder() == "student" {
		t.Skip("this machine has no kernel for gte-small")
	}
	s, err := readSet(filepath.Join(upstream.Dir(t), "..", "eval", "semantic"))
	if err != nil {
		t.Skip("no evaluation set beside the upstream samples")
	}
	vectors := make([]meaning.Vector, len(s.documents))
	for i := range s.documents {
		vectors[i] = m.Gist(textOf(&s.documents[i]))
	}
	if gain, recall := s.score(vectors, m.Query); gain < .66 || recall < .67 {
		t.Errorf("nDCG@10 is %.3f, recall@20 %.3f", gain, recall)
	}
}

// TestTrain learns vectors of terms back from sums of them, the same each time.
func TestTrain(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	truth := make([]meaning.Vector, 40)
	for i := range truth {
		for j := range truth[i] {
			truth[i][j] = float32(rng.NormFloat64())
		}
	}
	var l lessons
	for range 10_000 {
		ids := []int32{rng.Int32N(40), rng.Int32N(40), rng.Int32N(40)}
		var v meaning.Vector
		for _, id := range ids {
			for j, x := range truth[id] {
				v[j] += x
			}
		}
		l.texts, l.targets = append(l.texts, ids), append(l.targets, meaning.Blend(v, meaning.Vector{}))
	}
	l.terms = make([]string, len(truth))
	learned := l.train()
	all := make([]int, len(l.texts))
	for i := range all {
		all[i] = i
	}
	if c := l.cosine(learned, all); c < .95 {
		t.Errorf("the cosine is %v", c)
	}
	if again := l.train(); !slices.Equal(again, learned) {
		t.Error("the second time is another")
	}
}
