package meaning

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// TestWeights holds the files of weights by their digests: a vector that was
// stored is comparable with one that is made only if both came of the same.
func TestWeights(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]struct{ data, sum string }{
		"gte-small.bin": {encoderWeights, "7a2a0810b55f8526f6bcc4262f45961f8c05a44c8662a985267f20ad8053cb8d"},
		"student.bin":   {studentWeights, "7081fc68d80dc1c7ab631f1356d009e574726589e25d3a2d3d69ee210376af4d"},
	} {
		sum := sha256.Sum256([]byte(file.data))
		if got := hex.EncodeToString(sum[:]); got != file.sum {
			t.Errorf("%s has %d bytes and the digest %s", name, len(file.data), got)
		}
	}
	if size := len(encoderWeights) + len(studentWeights); size > 60e6 {
		t.Errorf("the weights are %d bytes", size)
	}
}

// TestSpoiled refuses weights that are not whole.
func TestSpoiled(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 7, 8, 11, 12, 5000, 200_000, len(studentWeights) - 400_000} {
		if _, err := readStudent(studentWeights[:n]); n > 0 && err == nil {
			t.Errorf("a student of %d bytes is taken", n)
		}
	}
	for _, n := range []int{0, 8, 1 << 20, len(encoderWeights) - 1000} {
		if _, _, err := readEncoder(encoderWeights[:n]); err == nil {
			t.Errorf("an encoder of %d bytes is taken", n)
		}
	}
	if _, err := readStudent("GGstu000" + studentWeights[8:]); err == nil {
		t.Error("a student of another version is taken")
	}
}

// TestNear wants each text nearer to its like than to any other, by either
// encoder and by one asked with the other.
func TestNear(t *testing.T) {
	t.Parallel()
	m := opened(t)
	pairs := [][2]string{
		{"Homeless cats and dogs find new families", "animal rescue and adoption shelter"},
		{"Groceries for families who cannot afford them", "food pantry"},
		{"Tutoring after school", "helping children learn to read"},
		{"Counseling for soldiers who came home", "mental health of veterans"},
		{"Planting trees along rivers", "conservation of nature"},
		{"Violin lessons and a youth orchestra", "teaching music to the young"},
	}
	for name, encode := range map[string][2]func(string) Vector{
		"gte-small": {m.Query, m.Read}, "student": {m.Gist, m.Gist}, "both": {m.Query, m.Gist},
		"blend": {m.Query, func(s string) Vector { return Blend(m.Gist(s), m.Read(s)) }},
	} {
		vectors := make([]Vector, len(pairs))
		for i, p := range pairs {
			vectors[i] = encode[1](p[0])
		}
		for i, p := range pairs {
			q := encode[0](p[1])
			for j := range pairs {
				if i != j && q.Dot(&vectors[j]) >= q.Dot(&vectors[i]) {
					t.Errorf("%s: %q is nearer to %q than to %q", name, p[1], pairs[j][0], p[0])
				}
			}
		}
	}
}

// TestNothing gives the zero vector to what says nothing.
func TestNothing(t *testing.T) {
	t.Parallel()
	m := opened(t)
	for _, text := range []string{"", "   ", "\x00\n", "日本語"} {
		for name, encode := range map[string]func(string) Vector{"query": m.Query, "read": m.Read, "gist": m.Gist} {
			if encode(text) != (Vector{}) {
				t.Errorf("%s of %q says something", name, text)
			}
		}
	}
	v := m.Gist("food bank")
	if Blend(v, Vector{}) == (Vector{}) || Blend(Vector{}, Vector{}) != (Vector{}) {
		t.Error("a blend with nothing is wrong")
	}
}

// TestLong reads no more of a text than its beginning.
func TestLong(t *testing.T) {
	t.Parallel()
	m := opened(t)
	begin := strings.Repeat("food bank ", 200)
	if m.Gist(begin) != m.Gist(begin+"zebra") || m.Query(begin) != m.Query(begin+"zebra") {
		t.Error("the end of a long text counts")
	}
}
