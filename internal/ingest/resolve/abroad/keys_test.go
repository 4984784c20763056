package abroad

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
)

func TestReadKeysRefuses(t *testing.T) {
	t.Parallel()
	const head = keysHeader + "\n"
	for name, text := range map[string]string{
		"nothing":            "",
		"another table":      "<html>\n",
		"no header":          "UK\tUMBRA\n",
		"one column":         head + "UK\n",
		"an empty line":      head + "\n",
		"a long country":     head + "UKX\tUMBRA\n",
		"a lower-case one":   head + "uk\tUMBRA\n",
		"no name":            head + "UK\t\n",
		"a name with spaces": head + "UK\tUM BRA\n",
		"an empty key":       head + "UK\tUMBRA\t\n",
		"a needless key":     head + "UK\tUMBRA\tUMBRA\n",
		"four columns":       head + "UK\tA\nUK\tB\tA\tA\n",
		"twice":              head + "UK\tUMBRA\nUK\tUMBRA\n",
		"out of order":       head + "UK\tB\nUK\tA\n",
		"countries reversed": head + "UK\tA\nFR\tA\n",
		"a key of nobody":    head + "UK\tB\tA\n",
		"another country's":  head + "FR\tA\nUK\tB\tA\n",
		"a key with a key":   head + "UK\tA\nUK\tB\tA\nUK\tC\tB\n",
		"too long a name":    head + "UK\t" + strings.Repeat("A", maxName+1) + "\n",
		"too long a line":    head + "UK\t" + strings.Repeat("A", 3*maxName) + "\n",
	} {
		_, err := ReadKeys(strings.NewReader(text))
		if f, ok := fault.Of(err); !ok || !errors.Is(err, ErrKeys) || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeysText(t *testing.T) {
	t.Parallel()
	all := spellAll("Umbra Relief Ltd", "Umbra Relief e.V. ' 2021", "Tenebra")
	all[2].Country = "fr"
	var b bytes.Buffer
	n, err := Cluster(all, Keys{}).Keys().WriteTo(&b)
	const want = keysHeader + "\nFR\tTENEBRA\nUK\tUMBRARELIEF\nUK\tUMBRARELIEFEV\tUMBRARELIEF\n"
	if err != nil || b.String() != want || n != int64(len(want)) {
		t.Errorf("wrote %d bytes, %v:\n%s", n, err, b.String())
	}
	k, err := ReadKeys(&b)
	if err != nil || len(k.founders) != 3 {
		t.Errorf("read %d names, %v", len(k.founders), err)
	}
	if k, err := ReadKeys(strings.NewReader(keysHeader)); err != nil || len(k.founders) != 0 {
		t.Errorf("a table of nothing: %v", err)
	}
	// What was given is not changed.
	var none Keys
	Cluster(all, none)
	if len(none.founders) != 0 {
		t.Error("the keys that were given have grown")
	}
}

func FuzzReadKeys(f *testing.F) {
	f.Add([]byte(keysHeader + "\nFR\tTENEBRA\nUK\tUMBRA\nUK\tUMBRAE\tUMBRA\n"))
	f.Add([]byte(keysHeader + "\r\nUK\tA\n"))
	f.Add([]byte("UK\tA"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := ReadKeys(bytes.NewReader(text))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if _, err := k.WriteTo(&first); err != nil {
			t.Fatal(err)
		}
		again, err := ReadKeys(bytes.NewReader(first.Bytes()))
		if err != nil || len(again.founders) != len(k.founders) {
			t.Fatalf("%d names became %d: %v", len(k.founders), len(again.founders), err)
		}
		if again.WriteTo(&second); !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("written as %q and as %q", first.Bytes(), second.Bytes())
		}
	})
}

// Any text may be a name, and every name that has letters is in a cluster, the
// same one whatever the order, and stays there.
func FuzzCluster(f *testing.F) {
	f.Add("Umbra Relief Kampala\nUmbra Relief Kampla\nUmbra Relief Kampala Ltd\nURK (Umbra Relief Kampala)\nURK", "London")
	f.Add("Umbra (UMB) (\nA A A A\nA\n((()\n7 8\nC/O X", "8059 X CEDEX")
	f.Fuzz(func(t *testing.T, names, city string) {
		var all []Spelling
		for i, name := range strings.Split(names, "\n") {
			s := Spelling{Country: "UK", Raw: name, Rows: int64(i % 3), FirstYear: i % 5}
			if i%2 == 0 {
				s.City = city
			}
			s.Name = orgname.ParseLine(name, "", s.City, "")
			s.Kind = KindOf(name, city, false)
			all = append(all, s)
		}
		c := Cluster(all, Keys{})
		back := make([]Spelling, 0, len(all))
		for i := range all {
			back = append(back, all[len(all)-1-i])
		}
		d := Cluster(back, Keys{})
		e := Cluster(all[:len(all)/2], c.Keys())
		for i := range all {
			s := &all[i]
			id, ok := c.Of(s.Country, s.Name.KX, s.Kind)
			if want := s.Name.KX != "" && len(s.Name.KX) <= maxName && s.Kind != Person; ok != want {
				t.Fatalf("%q is in a cluster: %v", s.Raw, ok)
			}
			if other, _ := d.Of(s.Country, s.Name.KX, s.Kind); other != id || d.Canonical(id) != c.Canonical(id) {
				t.Fatalf("%q is %s (%q) and %s (%q)", s.Raw, id, c.Canonical(id), other, d.Canonical(id))
			}
			if other, ok := e.Of(s.Country, s.Name.KX, s.Kind); ok && other != id {
				t.Fatalf("%q was %s and is %s", s.Raw, id, other)
			}
		}
	})
}
