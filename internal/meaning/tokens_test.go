package meaning

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func opened(t testing.TB) *Model {
	t.Helper()
	m, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTokens holds the pieces against those of the tokenizer of the original.
func TestTokens(t *testing.T) {
	t.Parallel()
	m := opened(t)
	for text, want := range map[string]string{
		"":                              "",
		" \n\t":                         "",
		"Food bank":                     "food bank",
		"unaffordable housing":          "una ##ff ##ord ##able housing",
		"Children's Fund":               "children ' s fund",
		"Children’s Fund":               "children ' s fund",
		"AT&T, Inc.":                    "at & t , inc .",
		"AT&amp;T":                      "at & t",
		"Café El Niño":                  "cafe el nino",
		"COVID-19 relief":               "co ##vid - 19 relief",
		"501(c)(3)":                     "501 ( c ) ( 3 )",
		"zzzzqqqq":                      "z ##zz ##z ##q ##q ##q ##q",
		"$1,000":                        "$ 1 , 000",
		strings.Repeat("x", 101) + " a": "[UNK] a",
	} {
		var got []string
		for _, id := range m.tokens.encode(nil, text, 64) {
			got = append(got, m.tokens.text[id])
		}
		if joined := strings.Join(got, " "); joined != strings.Join(strings.Fields("[CLS] "+want+" [SEP]"), " ") {
			t.Errorf("%q is %q", text, joined)
		}
	}
}

func TestTokenLimit(t *testing.T) {
	t.Parallel()
	m := opened(t)
	for _, limit := range []int{3, 64, 128} {
		ids := m.tokens.encode(nil, strings.Repeat("unaffordable housing ", 90), limit)
		if len(ids) != limit || ids[0] != beginToken || ids[limit-1] != endToken {
			t.Errorf("%d tokens of %d", len(ids), limit)
		}
	}
}

// TestSpaces cuts what was filed without spaces, and leaves long words alone.
func TestSpaces(t *testing.T) {
	t.Parallel()
	m := opened(t)
	for text, want := range map[string]string{
		"TOPROVIDEAFFORDABLEHOUSING":           "to provide affordable housing",
		"EDUCATIONALANDSOCIALSERVICES":         "educational and social services",
		"TOSUPPORTTHEEDUCATIONOFCHILDREN,ETC.": "to support the education of children,etc.",
		"FEEDTHEHUNGRY":                        "feedthehungry", // too short to be sure
		"counterterrorism":                     "counter terrorism",
		"contraceptives":                       "contraceptives",
		"transplantation":                      "transplantation",
		"epidemiological":                      "epidemiological",
		"commercialization":                    "commercialization",
		"responsibilities":                     "responsibilities",
		"telecommunications":                   "telecommunications",
		"interdisciplinary":                    "interdisciplinary",
		strings.Repeat("xqz", 40):              strings.Repeat("xqz", 40),
	} {
		if got := m.tokens.clean(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	m := opened(t)
	var got []string
	m.EachTerm("The Children's FOOD bank, 2nd 'Qwyjibo'", func(term []byte) bool {
		got = append(got, string(term))
		return string(term) != "qwyjibo"
	})
	want := []string{
		"the", "children's", "the_children's", "food", "children's_food", "bank", "food_bank", "2", "bank_2",
		"nd", "2_nd", "qwyjibo", "\x01q", "\x01##wy", "\x01##ji", "\x01##bo", "nd_qwyjibo",
	}
	if !slices.Equal(got, want) {
		t.Errorf("terms are %q", got)
	}
	n := 0
	m.EachTerm(strings.Repeat("a b ", 500), func(term []byte) bool {
		if len(term) == 1 {
			n++
		}
		return true
	})
	if n != gistWords {
		t.Errorf("%d words are read", n)
	}
}

// FuzzEncode reads whatever it is given: vectors are of unit length or zero, and
// tokens are within bounds.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "food bank", "TOPROVIDEAFFORDABLEHOUSING", "\xff\xfe", "日本語", "a'b''c", "&#x41;&amp;", strings.Repeat("é", 3000)} {
		f.Add(s)
	}
	m := opened(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids := m.tokens.encode(nil, text, queryTokens)
		if len(ids) < 2 || len(ids) > queryTokens {
			t.Fatalf("%d tokens", len(ids))
		}
		for _, id := range ids {
			if id < 0 || id >= vocabSize {
				t.Fatalf("token %d", id)
			}
		}
		if clean := m.tokens.clean(text); !utf8.ValidString(clean) {
			t.Fatalf("%q is cleaned to %q", text, clean)
		}
		v := m.Gist(text)
		if length := v.Dot(&v); length != 0 && (length < .999 || length > 1.001) {
			t.Fatalf("the length of a vector is %v", length)
		}
	})
}

// TestTogether encodes from many sides at once and finds the same vectors.
func TestTogether(t *testing.T) {
	t.Parallel()
	m := opened(t)
	texts := []string{"animal shelter", "a longer text about homes for people who have none, and work", "math"}
	var want []Vector
	for _, text := range texts {
		want = append(want, m.Query(text), m.Gist(text))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i, text := range texts {
				if m.Query(text) != want[2*i] || m.Gist(text) != want[2*i+1] {
					t.Errorf("%q has another vector", text)
				}
			}
		})
	}
	all.Wait()
}
