package ein

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
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
		meant, typed string
		want         bool
		why          string
	}{
		{"491234567", "491234567", false, "equal"},
		{"491234567", "491234568", true, "last digit wrong"},
		{"491234567", "091234567", true, "first digit wrong"},
		{"491234567", "491235467", true, "neighbours swapped"},
		{"491234567", "491254367", false, "digits swapped across another"},
		{"491234567", "049123567", true, "4 left out, zero in front"},
		{"049123567", "491234567", false, "a digit too many"},
		{"491234567", "491235670", true, "4 left out, 0 at the end"},
		{"491234567", "491235678", true, "4 left out, 8 at the end"},
		{"491234567", "491123456", true, "1 struck twice"},
		{"491234567", "491233456", true, "3 struck twice"},
		{"491234567", "449123456", true, "4 struck twice"},
		{"491234567", "491235568", false, "two digits wrong"},
		{"491234567", "941235467", false, "two swaps"},
		{"491234567", "765432194", false, "reversed"},
	} {
		meant, _ := Parse(c.meant)
		typed, _ := Parse(c.typed)
		if got := OneSlip(typed, meant); got != c.want {
			t.Errorf("%s typed for %s: %v: %s", c.typed, c.meant, got, c.why)
		}
	}
	if OneSlip(None, 7) || OneSlip(7, None) {
		t.Error("None slips")
	}
}

// slips lists every number one slip away from the one meant, by the words of
// the definition.
func slips(meant EIN) map[string]bool {
	s, all := meant.String(), map[string]bool{}
	for i := range 9 {
		for d := byte('0'); d <= '9'; d++ {
			all[s[:i]+string(d)+s[i+1:]] = true
			all[s[:i]+s[i+1:]+string(d)] = true // left out, something put at the end
		}
		all["0"+s[:i]+s[i+1:]] = true // left out, zero put in front
		if i < 8 {
			all[s[:i]+s[i+1:i+2]+s[i:i+1]+s[i+2:]] = true
		}
		all[(s[:i+1] + s[i:])[:9]] = true // struck twice
	}
	delete(all, s)
	return all
}

// TestOneSlip finds every slip of many numbers, and nothing in numbers two
// digits away that is none.
func TestOneSlip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	rejected := 0
	for range 10_000 {
		meant := EIN(1 + r.IntN(999_999_998))
		if r.IntN(4) == 0 {
			meant = 1 + meant%10_000_000 // many leading zeros
		}
		all := slips(meant)
		for s := range all {
			if typed, err := Parse(s); err == nil && !OneSlip(typed, meant) {
				t.Fatalf("%s for %s is one slip", s, meant)
			}
		}
		for range 20 {
			b := []byte(meant.String())
			b[r.IntN(9)] = byte('0' + r.IntN(10))
			b[r.IntN(9)] = byte('0' + r.IntN(10))
			typed, err := Parse(string(b))
			if err != nil {
				continue
			}
			got := OneSlip(typed, meant)
			if got != all[typed.String()] {
				t.Fatalf("%s for %s: %v", typed, meant, got)
			}
			if !got {
				rejected++
			}
		}
	}
	if rejected < 100_000 {
		t.Errorf("only %d pairs were no slip", rejected)
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

func TestStored(t *testing.T) {
	t.Parallel()
	for _, e := range []EIN{None, 1, 10_000_000, 123_456_789, 999_999_999} {
		if got := Stored(e.String()); got != e {
			t.Errorf("%s is stored, and %d is read", e, got)
		}
	}
	for _, s := range []string{"", "1", "12345678", "1234567890", "12-345678", "12345678x", " 12345678", "１２３"} {
		if got := Stored(s); got != None {
			t.Errorf("%q is read as %d", s, got)
		}
	}
}
