package ein

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want EIN
	}{
		{"07-0000001", 70000001},
		{"070000001", 70000001},
		{" 49 1234567 ", 491234567},
		{"49.1234567", 491234567},
		{"8123456", 8123456},
		{"70000001", 70000001},
		{"00-0000007", 7},
		{"999999999", 999999999},
	} {
		got, err := Parse(c.in)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %v", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{"", " ", "-", "123456", "1234567890", "000000000", "0000000", "12-345678A",
		"Smith 491234567", "49_1234567", "４９１２３４５６７", "49-1234567\x00", "49\t1234567"} {
		if got, err := Parse(in); !errors.Is(err, ErrMalformed) || got != None {
			t.Errorf("Parse(%q) = %v, %v; want ErrMalformed", in, got, err)
		}
	}
}

func TestFiled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want EIN
		ok   bool
	}{
		{"49-1234567", 491234567, true},
		{"EIN 49-1234567", 491234567, true},
		{"70000001", 70000001, true}, // eight digits lost a zero
		{"00-0000007", 7, true},      // hygiene of prefixes is for Prefixes
		{"7000001", None, false},
		{"4912345670", None, false},
		{"", None, false},
		{"N/A", None, false},
		{"000000000", None, false},
		{"00000000", None, false},
		{"111111111", None, false},
		{"999999999", None, false},
		{"11111111", 11111111, true}, // 01-1111111
		{"123456789", None, false},
		{"98-7654321", None, false},
		{"012345678", None, false},
		{"12345678", None, false},
	} {
		if got, ok := Filed(c.in); got != c.want || ok != c.ok {
			t.Errorf("Filed(%q) = %v, %v; want %v, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	p := Issued()
	for _, n := range []int{0, 7, 8, 9, 17, 18, 19, 49, 70, 79, 89, 96} {
		if e := EIN(n)*10_000_000 + 1; p.Has(e) {
			t.Errorf("prefix %02d counts as issued", n)
		}
	}
	for _, n := range []int{1, 10, 50, 67, 69, 78, 97, 98, 99} {
		if e := EIN(n)*10_000_000 + 1; !p.Has(e) {
			t.Errorf("prefix %02d counts as not issued", n)
		}
	}
	if p.Has(None) {
		t.Error("None has an issued prefix")
	}
	p.Add(490000001)
	p.Add(None)
	if !p.Has(491234567) || p.Has(7) {
		t.Error("Add changed the wrong prefix")
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	e := EIN(70000001)
	if got := e.String(); got != "070000001" {
		t.Error(got)
	}
	if got := e.Hyphenated(); got != "07-0000001" {
		t.Error(got)
	}
	if got := string(e.Append([]byte("x"))); got != "x070000001" {
		t.Error(got)
	}
	if None.String() != "" || None.Hyphenated() != "" || len(None.Append(nil)) != 0 {
		t.Error("None prints")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type row struct {
		A EIN         `json:"a"`
		B EIN         `json:"b"`
		M map[EIN]int `json:"m"`
	}
	in := row{A: 70000001, M: map[EIN]int{491234567: 2}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"070000001","b":"","m":{"491234567":2}}`; string(b) != want {
		t.Fatalf("got %s, want %s", b, want)
	}
	var out row
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if out.A != in.A || out.B != None || out.M[491234567] != 2 {
		t.Fatalf("round trip gave %+v", out)
	}
	if err := json.Unmarshal([]byte(`{"a":"nine"}`), &out); !errors.Is(err, ErrMalformed) {
		t.Fatalf("malformed EIN gave %v", err)
	}
}

func TestOneSlipTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
		why  string
	}{
		{"491234567", "491234567", false, "equal"},
		{"491234567", "491234568", true, "last digit wrong"},
		{"491234567", "091234567", true, "first digit wrong"},
		{"491234567", "491235467", true, "neighbours swapped"},
		{"491234567", "491254367", false, "digits swapped across another"},
		{"491234567", "049123567", true, "4 left out, zero in front"},
		{"491234567", "491235670", true, "4 left out, 0 at the end"},
		{"491234567", "491235678", true, "4 left out, 8 at the end"},
		{"491234567", "491123456", true, "1 struck twice"},
		{"491234567", "491233456", true, "3 struck twice"},
		{"491234567", "449123456", true, "4 struck twice"},
		{"491234567", "491235568", false, "two digits wrong"},
		{"491234567", "941235467", false, "two swaps"},
		{"491234567", "765432194", false, "reversed"},
	} {
		a, _ := Parse(c.a)
		b, _ := Parse(c.b)
		if got := OneSlip(a, b); got != c.want {
			t.Errorf("OneSlip(%s, %s) = %v: %s", c.a, c.b, got, c.why)
		}
		if OneSlip(a, b) != OneSlip(b, a) {
			t.Errorf("OneSlip(%s, %s) is not symmetric", c.a, c.b)
		}
	}
	if OneSlip(None, 7) || OneSlip(7, None) || len(Slips(nil, None)) != 0 {
		t.Error("None slips")
	}
}

// typed is an independent statement of what one slip of a typist gives: it
// edits the text of the number instead of comparing digits, and may repeat
// itself.
func typed(dst []EIN, meant EIN) []EIN {
	m := meant.Append(nil)
	var buf [10]byte
	add := func(parts ...[]byte) {
		b := buf[:0]
		for _, p := range parts {
			b = append(b, p...)
		}
		var v EIN
		for _, c := range b[:9] {
			v = v*10 + EIN(c-'0')
		}
		if v != meant && v != None {
			dst = append(dst, v)
		}
	}
	for i := range m {
		for d := byte('0'); d <= '9'; d++ {
			add(m[:i], []byte{d}, m[i+1:])
			add(m[:i], m[i+1:], []byte{d})
		}
		add([]byte{'0'}, m[:i], m[i+1:])
		add(m[:i+1], m[i:])
		if i < 8 {
			add(m[:i], m[i+1:i+2], m[i:i+1], m[i+2:])
		}
	}
	return dst
}

func TestEverySlipIsFound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var buf, slips []EIN
	for range 10_000 {
		meant := EIN(1 + rng.Uint32N(999_999_999))
		if rng.IntN(4) == 0 {
			meant %= 10_000_000 // many leading zeros
		}
		if meant == None {
			continue
		}
		buf = Slips(buf[:0], meant)
		if len(buf) > MaxSlips {
			t.Fatalf("%v has %d slips, MaxSlips is %d", meant, len(buf), MaxSlips)
		}
		if !slices.IsSorted(buf) || len(slices.Compact(slices.Clone(buf))) != len(buf) {
			t.Fatalf("slips of %v are not sorted and distinct", meant)
		}
		slips = typed(slips[:0], meant)
		for _, got := range slips {
			if !OneSlip(meant, got) || !OneSlip(got, meant) {
				t.Fatalf("%v typed as %v is not seen as one slip", meant, got)
			}
			if _, ok := slices.BinarySearch(buf, got); !ok {
				t.Fatalf("%v typed as %v is not among the slips", meant, got)
			}
		}
	}
}

// TestNoFalseSlip checks both directions against the independent statement:
// whatever OneSlip accepts, one of the two numbers typed with one slip gives
// the other. The pairs are two random slips apart, which is where a loose test
// would go wrong, and pairs that differ in two digits that are no neighbours'
// swap and no shift.
func TestNoFalseSlip(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var one, two []EIN
	rejected := 0
	for range 10_000 {
		a := EIN(1 + rng.Uint32N(999_999_999))
		one = Slips(one[:0], a)
		b := one[rng.IntN(len(one))]
		two = Slips(two[:0], b)
		c := two[rng.IntN(len(two))]
		if a == c {
			continue
		}
		want := slices.Contains(typed(nil, a), c) || slices.Contains(typed(nil, c), a)
		if got := OneSlip(a, c); got != want {
			t.Fatalf("OneSlip(%v, %v) = %v, typing says %v", a, c, got, want)
		}
		if _, ok := slices.BinarySearch(one, c); ok != want {
			t.Fatalf("Slips(%v) holds %v: %v, typing says %v", a, c, ok, want)
		}
		if !want {
			rejected++
		}
	}
	if rejected < 8_000 {
		t.Errorf("only %d of 10,000 pairs were a real test", rejected)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "49-1234567", "070000001", "EIN", "１", "000000000", "4912345678"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := Parse(s)
		if (err == nil) == (e == None) {
			t.Fatalf("Parse(%q) = %v, %v", s, e, err)
		}
		if err == nil {
			back, err := Parse(e.String())
			if err != nil || back != e || len(e.String()) != 9 {
				t.Fatalf("%v does not survive its own form: %v, %v", e, back, err)
			}
			back, err = Parse(e.Hyphenated())
			if err != nil || back != e {
				t.Fatalf("%v does not survive its hyphenated form", e)
			}
		}
		if e, ok := Filed(s); ok != (e != None) {
			t.Fatalf("Filed(%q) = %v, %v", s, e, ok)
		}
	})
}

func BenchmarkOneSlip(b *testing.B) {
	for b.Loop() {
		OneSlip(491234567, 491235467)
	}
}

func BenchmarkSlips(b *testing.B) {
	buf := make([]EIN, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buf = Slips(buf[:0], 491234567)
	}
}
