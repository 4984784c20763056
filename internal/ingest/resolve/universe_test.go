package resolve

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

func build(orgs ...Org) *Universe {
	b := NewUniverse()
	for _, o := range orgs {
		b.Add(o)
	}
	return b.Build()
}

func lookup(t *testing.T, u *Universe, e ein.EIN) Org {
	t.Helper()
	o, ok := u.Lookup(e)
	if !ok {
		t.Fatalf("no %s", e)
	}
	return *o
}

func TestMerge(t *testing.T) {
	t.Parallel()
	const e = ein.EIN(70000001)
	u := build(
		Org{EIN: e, Name: "LANTERN HOUSE", Street: "9 OAK", City: "PORT", State: "PA", ZIP5: "15001", Revenue: 5, Sources: Filer, Active: true, AsOf: 2022},
		Org{EIN: e, Name: "LANTERN HOUSE OF HOPE", Street: "8 FIR", City: "PORT", State: "PA", ZIP5: "15001", Revenue: 7, Sources: Filer, Active: true, AsOf: 2024},
		Org{EIN: e, Name: "LANTERN HOUSE INC", Street: "1 ELM", City: "TOWN", State: "OH", ZIP5: "44101", Subsection: "03", Sources: BMF, Active: true},
		Org{EIN: e, Name: "LANTERN", City: "TOWN", State: "OH", NTEE: "B43", Subsection: "04", Sources: Pub78},
		Org{EIN: 70000002, Name: "GONE", Sources: Revoked},
	)
	want := Org{EIN: e, Name: "LANTERN HOUSE INC", Aliases: []string{"LANTERN", "LANTERN HOUSE", "LANTERN HOUSE OF HOPE"},
		Street: "1 ELM", City: "TOWN", State: "OH", ZIP5: "44101",
		Others: []Location{{"8 FIR", "PORT", "PA", "15001"}, {"9 OAK", "PORT", "PA", "15001"}, {"", "TOWN", "OH", ""}},
		NTEE:   "B43", Subsection: "03", Revenue: 7, Sources: BMF | Filer | Pub78, Active: true, AsOf: 2024,
		Known: &KnownNames{Also: []string{"LANTERN HOUSE OF HOPE", "LANTERN"}}}
	if got := lookup(t, u, e); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if gone := lookup(t, u, 70000002); gone.Active || gone.Sources != Revoked {
		t.Errorf("got %+v", gone)
	}
}

func TestAddIgnoresTheSayingOfNothing(t *testing.T) {
	t.Parallel()
	u := build(Org{Name: "NO EIN", Sources: BMF}, Org{EIN: 70000001, Sources: BMF, Name: " "}, Org{EIN: 70000001, Name: "NO SOURCE"})
	if u.Len() != 0 {
		t.Errorf("%d organizations", u.Len())
	}
	if _, ok := u.Lookup(70000001); ok {
		t.Error("found one")
	}
	if n := u.Named("ANY"); n != 0 {
		t.Errorf("named %d", n)
	}
}

// invented makes a statement about one of a few organizations, so that many
// statements meet.
func invented(r *rand.Rand) Org {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return Org{
		EIN:        ein.EIN(70000001 + r.IntN(12)),
		Name:       pick("LANTERN HOUSE", "RIVER TRUST", "HARBOR LIGHTS INC", "HARBOR LIGHTS", "QUIET GARDEN (QGARDEN)", "MILL SCHOOL"),
		Aliases:    []string{pick("LAMPLIGHTERS", "RIVERKEEPERS", "")},
		Street:     pick("", "1 ELM ST", "2 OAK AVE"),
		City:       pick("EXAMPLE", "SAMPLETON"),
		State:      pick("OH", "PA", "", "VT"),
		ZIP5:       pick("", "44101", "15001"),
		NTEE:       pick("", "B43", "P20"),
		Subsection: pick("", "03"),
		Revenue:    int64(r.IntN(3)),
		Sources:    []Source{BMF, OldBMF, Filer, Pub78, Revoked}[r.IntN(5)],
		Active:     r.IntN(2) == 0,
		AsOf:       int32(2020 + r.IntN(3)),
	}
}

func TestUniverseDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		orgs := make([]Org, 60)
		for i := range orgs {
			orgs[i] = invented(r)
		}
		type line struct {
			funder, filed ein.EIN
			name          string
			at            Location
		}
		lines := make([]line, 80)
		for i := range lines {
			o := invented(r)
			lines[i] = line{ein.EIN(80000001 + r.IntN(6)), ein.EIN(70000008 + r.IntN(12)), o.Name, Location{o.Street, o.City, o.State, o.ZIP5}}
		}
		make := func() *Universe {
			b := NewUniverse()
			both := r.Perm(len(orgs) + len(lines))
			for _, i := range both {
				if i < len(orgs) {
					b.Add(orgs[i])
				} else {
					l := lines[i-len(orgs)]
					b.AddFiled(FiledRecipient{l.filed, orgname.Key(l.name), l.name, l.at}, l.funder)
				}
			}
			return b.Build()
		}
		first := make()
		for range 4 {
			if again := make(); !reflect.DeepEqual(first, again) {
				for i := range first.orgs {
					if !reflect.DeepEqual(first.orgs[i], again.orgs[i]) {
						t.Errorf("%+v\n%+v", first.orgs[i], again.orgs[i])
					}
				}
				t.Fatalf("seed %d: order shows", seed)
			}
		}
		if !slices.IsSortedFunc(first.orgs, func(a, b Org) int { return int(a.EIN) - int(b.EIN) }) {
			t.Error("not in EIN order")
		}
	}
}

func TestFiledOnly(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	at := Location{City: "NORMAN", State: "OK", ZIP5: "73019"}
	file := func(filed ein.EIN, name string, funders ...int) {
		for _, f := range funders {
			b.AddFiled(FiledRecipient{filed, orgname.Key(name), name, at}, ein.EIN(80000000+f))
		}
	}
	file(70000001, "PRAIRIE STATE UNIVERSITY", 1, 2)
	file(70000001, "Prairie State University", 3, 3, 4, 4)
	file(70000002, "TWO FUNDERS ONLY", 1, 2, 2, 2)
	file(70000003, "THREE NAMES", 1)
	file(70000003, "FOUR NAMES", 2)
	file(70000003, "FIVE NAMES", 3)
	file(70000004, "KNOWN AFTERWARDS", 1, 2, 3)
	file(80000001, "FUNDER ITSELF", 1)
	file(70000005, "TOWN OF EXAMPLE", 1, 2, 3)
	// Most funders name the headquarters, each in another way; those of a branch agree.
	for i, street := range []string{"350 FIFTH AVE", "350 5TH AVENUE", "350 5TH AVE 34TH FL", "EMPIRE STATE BLDG"} {
		b.AddFiled(FiledRecipient{70000006, "LANTERN WATCH", "Lantern Watch", Location{street, "NEW YORK", "NY", "10118"}}, ein.EIN(80000001+i))
	}
	b.AddFiled(FiledRecipient{70000006, "LANTERN WATCH", "Lantern Watch", Location{"1 BRANCH ST", "CHICAGO", "IL", "60601"}}, 80000007, 80000007, 80000007, 80000008)
	file(70000005, "EXAMPLE POLICE DEPARTMENT", 1, 2, 3, 4)
	b.Add(Org{EIN: 70000004, Name: "KNOWN INC", State: "OK", Sources: Revoked})
	u := b.Build()

	if u.Len() != 4 {
		t.Fatalf("%d organizations, want 4", u.Len())
	}
	if o := lookup(t, u, 70000006); o.State != "NY" || o.City != "NEW YORK" || o.ZIP5 != "10118" {
		t.Errorf("got %+v", o)
	}
	o := lookup(t, u, 70000001)
	if o.Name != "Prairie State University" || o.State != "OK" || o.ZIP5 != "73019" || o.Sources != FiledOnly || !o.Active || o.Pop != 4 {
		t.Errorf("got %+v", o)
	}
	if o := lookup(t, u, 70000004); o.Name != "KNOWN INC" || len(o.Aliases) != 0 || o.Pop != 3 || o.Sources != Revoked {
		t.Errorf("got %+v", o)
	}
	if o := lookup(t, u, 70000005); o.Name != "EXAMPLE POLICE DEPARTMENT" || !slices.Equal(o.Aliases, []string{"TOWN OF EXAMPLE"}) {
		t.Errorf("got %+v", o)
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	b.Add(Org{EIN: 70000001, Name: "LANTERN", Sources: BMF})
	for f := range 5 {
		b.AddFiled(FiledRecipient{190000001, "TOWN", "TOWN", Location{}}, ein.EIN(80000001+f))
	}
	u := b.Build()
	p := u.Prefixes()
	if _, ok := u.Lookup(190000001); ok {
		t.Error("an EIN that cannot exist is an organization")
	}
	if !p.Has(70000009) {
		t.Error("a prefix of the register is not in use")
	}
	if p.Has(190000001) {
		t.Error("an EIN that was only filed vouches for its own prefix")
	}
	if !p.Has(130000001) {
		t.Error("a prefix known to be issued is not in use")
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	u := build(
		Org{EIN: 70000001, Name: "FIRST CHURCH", State: "OH", Sources: BMF, Active: true},
		Org{EIN: 70000002, Name: "1ST CHURCH INC", State: "PA", Sources: BMF},
		Org{EIN: 70000003, Name: "FIRST CHURCH", State: "VT", Sources: BMF},
		Org{EIN: 70000004, Name: "LANTERN HOUSE", State: "VT", Others: []Location{{State: "OH"}}, Sources: BMF},
	)
	for name, want := range map[string]int{"FIRST CHURCH": 2, "LANTERN HOUSE": 1, "NOBODY": 0, "": 0} {
		if got := u.Named(orgname.Key(name)); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// Every entry put into the index is found again, among those of its key only.
func TestNameIndex(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 1000} {
		var entries []nameEntry
		for i := range n {
			for _, st := range []string{"", "OH", "PA"} {
				entries = append(entries, nameEntry{hash: hashKey(fmt.Sprint("K", i/2)), id: uint32(i), state: codeOf(st)})
			}
		}
		x := newNameIndex(slices.Clone(entries))
		for i := range n {
			got := inState(x.find(fmt.Sprint("K", i/2)), codeOf("OH"))
			if len(got) == 0 || len(got) > 2 || !slices.ContainsFunc(got, func(e nameEntry) bool { return e.id == uint32(i) }) {
				t.Fatalf("n=%d, key %d: %v", n, i, got)
			}
		}
		if got := x.find("NOT THERE"); len(got) != 0 {
			t.Errorf("found %v", got)
		}
	}
}
