package change

import (
	"bytes"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// sampleSince is a file of changes since two builds.
func sampleSince(t testing.TB) []byte {
	t.Helper()
	filers := []Filer{{EIN: 1, Funder: 1, Counts: Counts{RowsAdded: 2, NetAmount: -5}}, {EIN: 7, Counts: Counts{ReturnsNew: 1}}}
	var b bytes.Buffer
	if err := write(&b, []since{newSince("20251101T000000Z", filers), newSince("20251201T000000Z", filers[:1])}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openSince(data []byte) error {
	f, err := mapped.Read("sample", data, sinceKind)
	if err != nil {
		return err
	}
	newIndex(f)
	return f.Err()
}

// sampleLog is a log of three editions.
func sampleLog(t testing.TB) []byte {
	t.Helper()
	var r record
	add := func(version string, before, after uint8, list string, e ein.EIN) {
		for i := range followed {
			if followed[i].name == list {
				r.add(&followed[i], &entry{key: uint64(e), text: "1\nA NAME"}, before, after)
			}
		}
		r.editions = append(r.editions, edition{Stamp: stamp(version), Compared: ^uint32(0), Steps: 1})
	}
	r.editions = []edition{{Stamp: stamp("20251101T000000Z")}}
	add("20251102T000000Z", 0, 1, lists.Revocation, 6)
	add("20251103T000000Z", 1, 2, lists.Revocation, 6)
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openLog(data []byte) error {
	f, err := mapped.Read("sample", data, logKind)
	if err != nil {
		return err
	}
	readLog(f)
	return f.Err()
}

func TestDamage(t *testing.T) {
	t.Parallel()
	mappedtest.Damage(t, sinceKind, sampleSince(t), openSince)
	mappedtest.Damage(t, logKind, sampleLog(t), openLog)
	mappedtest.Damage(t, matchesKind, sampleMatches(t), checkMatches)
}

// TestSenseless opens files that are whole and make no sense.
func TestSenseless(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := write(&b, []since{newSince("20251201T000000Z", nil), newSince("20251101T000000Z", nil)}); err != nil {
		t.Fatal(err)
	}
	if openSince(b.Bytes()) == nil {
		t.Error("builds are out of order")
	}
	b.Reset()
	bad := newSince("20251201T000000Z", []Filer{{EIN: 1}})
	bad.funders = []uint32{1}
	if err := write(&b, []since{bad}); err != nil {
		t.Fatal(err)
	}
	if openSince(b.Bytes()) == nil {
		t.Error("a funder is none of the filers")
	}
	if write(&b, []since{newSince("monday", nil)}) == nil {
		t.Error("monday is no version")
	}
	for what, r := range map[string]record{
		"a step too many":       {editions: []edition{{Stamp: stamp("20251101T000000Z")}}, steps: []step{{List: 1, States: 1}}},
		"a list that is none":   {editions: []edition{{Stamp: stamp("20251101T000000Z")}, {Stamp: stamp("20251102T000000Z"), Steps: 1}}, steps: []step{{List: 9, States: 1}}},
		"a state that is none":  {editions: []edition{{Stamp: stamp("20251101T000000Z")}, {Stamp: stamp("20251102T000000Z"), Steps: 1}}, steps: []step{{List: 1, States: 2}}},
		"a text out of bounds":  {editions: []edition{{Stamp: stamp("20251101T000000Z")}, {Stamp: stamp("20251102T000000Z"), Steps: 1}}, steps: []step{{List: 1, States: 1, Length: 1}}},
		"a match that is none":  {editions: []edition{{Stamp: stamp("20251101T000000Z")}, {Stamp: stamp("20251102T000000Z"), Steps: 1}}, steps: []step{{List: 8, States: 1, Length: 3}}, texts: []byte("101")},
		"editions out of order": {editions: []edition{{Stamp: stamp("20251102T000000Z")}, {Stamp: stamp("20251101T000000Z")}}},
	} {
		b.Reset()
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		if openLog(b.Bytes()) == nil {
			t.Errorf("a log with %s is opened", what)
		}
	}
}

// TestTrim keeps a log within its bounds.
func TestTrim(t *testing.T) {
	t.Parallel()
	r := record{}
	for i := range mostEditions + 10 {
		e := edition{Stamp: stamp("20251101T000000Z")}
		if i > 0 {
			e.Steps = 1
			r.add(&followed[0], &entry{key: uint64(i), text: "x"}, 0, 1)
		}
		r.editions = append(r.editions, e)
	}
	r.trim()
	if len(r.editions) != mostEditions || r.editions[0].Steps != 0 || len(r.steps) != mostEditions-1 || len(r.texts) != len(r.steps) || r.steps[0].Text != 0 || r.steps[0].Key != 11 {
		t.Errorf("%d editions, %d steps, %d bytes, first %+v", len(r.editions), len(r.steps), len(r.texts), r.steps[0])
	}
}

// FuzzOpen opens whatever it is given. What is opened answers.
func FuzzOpen(f *testing.F) {
	f.Add(sampleSince(f), 0)
	f.Add(sampleLog(f), 1)
	f.Add(sampleMatches(f), 2)
	f.Fuzz(func(t *testing.T, data []byte, which int) {
		data = bytes.Clone(data)
		if which == 0 {
			if m, err := mapped.Read("fuzz", data, sinceKind); err == nil {
				if x := newIndex(m); m.Err() == nil {
					for _, v := range x.Versions() {
						x.Page(v, 0, 10)
					}
					x.Latest(1)
				}
			}
			return
		}
		if m, err := mapped.Read("fuzz", data, matchesKind); err == nil {
			readMatches(m)
			return
		}
		if m, err := mapped.Read("fuzz", data, logKind); err == nil {
			if l := readLog(m); m.Err() == nil {
				for _, v := range l.Versions() {
					l.Since(v)
				}
			}
		}
	})
}
