package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
)

// someRecipients are lines of a few names, towns, streets and EINs, mixed.
func someRecipients() *lines {
	g := newLines(0)
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 3_000 {
		l := stage.Line{
			Name1: pick("Grace Chapel", "GRACE CHAPEL", "Zeppelin Heritage Museum", "Zepelin Heritage Museum", "Friends of Zeppelin Museum", "C/O A Bank", "(Quarry Park)", "See Attached", ""),
			Name2: pick("", "", "", "Inc", "of Akron"), Person: pick("", "", "Jane Roe"),
			Street: pick("1 Elm St", "20 Hangar Way", "C/O Smith", ""), City: pick("Akron", "Dayton"), State: pick("OH", "OH", "PA", "", "Ohio"),
			ZIP: pick("44301", "45402", "44301-1234", "443", ""), Country: pick("", "", "", "CA"), EIN: pick("", "", "340000001", "340000010", "999999999"), Status: pick("", "PC", "GOV"),
		}
		g.add(&l, 0, 0, false)
	}
	return g
}

// TestByPlace holds that every recipient comes once, by place, and that those who
// share names and town come together.
func TestByPlace(t *testing.T) {
	t.Parallel()
	g := someRecipients()
	order := g.byPlace()
	sorted := slices.Sorted(slices.Values(order))
	for i, no := range sorted {
		if int(no) != i {
			t.Fatalf("recipient %d is missing or comes twice", i)
		}
	}
	if len(order) != g.recipients.len() {
		t.Fatalf("%d of %d recipients", len(order), g.recipients.len())
	}
	before, seen := "", map[string]bool{}
	place := uint64(0)
	for _, i := range order {
		names, city, state, zip := g.recipientKey(i).nameAndPlace()
		at := placeNumber(state, zip)
		if at < place {
			t.Fatalf("place %d comes after %d", at, place)
		}
		place = at
		if own := fmt.Sprint(names, "|", city, "|", at); own != before {
			if seen[own] {
				t.Fatalf("those of %s are apart", own)
			}
			seen[own], before = true, own
		}
	}
}

func TestPlaceNumber(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for _, p := range [][2]string{{"OH", "00000"}, {"OH", "44301"}, {"OH", "99999"}, {"OH", ""}, {"AA", ""}, {"ZZ", "4430"}, {"", ""}} {
		at := placeNumber(p[0], p[1])
		if at >= 1<<placeBits || seen[at] != "" {
			t.Errorf("%q has number %d, as has %q", p, at, seen[at])
		}
		seen[at] = fmt.Sprint(p)
	}
	if placeNumber("OH", "44301") != placeNumber("PA", "44301-1234") || placeNumber("Ohio", "4430x") != placeNumber("", "") {
		t.Error("what is no ZIP or no state counts")
	}
}

// TestSharedNames holds that recipients are resolved alike whether or not the one
// before has been read.
func TestSharedNames(t *testing.T) {
	t.Parallel()
	u := resolve.NewUniverse()
	for i, o := range []resolve.Org{
		{Name: "GRACE CHAPEL", Street: "1 ELM ST", City: "AKRON", State: "OH", ZIP5: "44301"},
		{Name: "GRACE CHAPEL", Street: "2 OAK ST", City: "DAYTON", State: "OH", ZIP5: "45402"},
		{Name: "ZEPPELIN HERITAGE MUSEUM", Street: "20 HANGAR WAY", City: "AKRON", State: "OH", ZIP5: "44301"},
		{Name: "QUARRY PARK", Street: "30 STONE AVE", City: "AKRON", State: "OH", ZIP5: "44301"},
	} {
		o.EIN, o.Sources, o.Active = ein.EIN(340000001+i), resolve.BMF, true
		u.Add(o)
	}
	g := someRecipients()
	g.telling = make([]uint64, g.recipients.len())
	f := &recipientFinder{corpus: &corpus{lines: g}, resolver: resolve.New(u.Build(), resolve.Options{Model: resolve.Prior()})}
	var last namedRecipient
	rules := map[resolve.Rule]int{}
	for _, i := range g.byPlace() {
		got, telling := f.resolve(i, &last), g.telling[i]
		want := f.resolve(i, new(namedRecipient))
		if got != want || telling != g.telling[i] {
			t.Fatalf("%+v: %+v, alone %+v", g.recipient(i), got, want)
		}
		rec := g.recipient(i)
		if n := rec.ParseName(); !want.nameless && want.match != keepMatch(f.resolver.Resolve(&rec, &n)) {
			t.Fatalf("%+v is resolved otherwise by itself", rec)
		}
		rules[got.match.rule]++
	}
	if len(rules) < 4 {
		t.Errorf("only %v: too few rules to tell", rules)
	}
}
