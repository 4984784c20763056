package synth

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/source/ukcharity"
)

type ukCharity struct {
	Number  int64    `parquet:"registered_charity_number"`
	Linked  int64    `parquet:"linked_charity_number"`
	Name    string   `parquet:"charity_name"`
	Status  string   `parquet:"charity_registration_status"`
	Joined  *int32   `parquet:"date_of_registration,date"`
	Left    *int32   `parquet:"date_of_removal,date"`
	Income  *float64 `parquet:"latest_income"`
	GiftAid *bool    `parquet:"charity_gift_aid"`
}

type ukTrustee struct {
	Number int64  `parquet:"registered_charity_number"`
	ID     int64  `parquet:"trustee_id"`
	Name   string `parquet:"trustee_name"`
	Chair  *bool  `parquet:"trustee_is_chair"`
	Kind   string `parquet:"individual_or_organisation"`
}

type ukRow struct {
	Number int64 `parquet:"registered_charity_number"`
}

// register reads the register of charities, and finds on its boards everything
// that boards are read for.
func (l *lists) register(t *testing.T) {
	zips, err := filepath.Glob(l.path("uk/*.zip"))
	if err != nil || len(zips) != len(tables) {
		t.Fatalf("%d tables, %v", len(zips), err)
	}
	registered := map[int64]bool{}
	names := map[string]bool{}
	var linked, live int64
	tally, err := ukcharity.Read(l.open(t, "uk/publicextract.charity.zip"), ukcharity.Charities, func(c *ukCharity) error {
		names[c.Name] = true
		switch {
		case c.Linked > 0:
			linked++
		case c.Status == "Registered":
			live++
			registered[c.Number] = true
		}
		if (c.Status == "Removed") != (c.Left != nil) || c.Joined == nil || c.Left != nil && *c.Left <= *c.Joined {
			t.Errorf("%+v", c)
		}
		return nil
	})
	clean(t, "charity", tally.Tally, err)
	if len(tally.Blanked) > 0 || tally.Oldest != "2026-10-14" || tally.Newest != tally.Oldest {
		t.Errorf("%+v", tally)
	}
	l.want(t, "uk_charity", tally.Rows)
	l.want(t, "uk_linked", linked)
	l.want(t, "uk_registered", live)
	w := newWorld(1, 20_000, shippedZIPs())
	shared := 0
	for _, k := range w.british {
		name, _, _ := w.foreignRecipient(k, nil)
		if names[string(bytes.ToUpper(name))] {
			shared++
		}
	}
	if shared == 0 || shared != len(w.british) {
		t.Errorf("the register knows %d of %d recipients abroad", shared, len(w.british))
	}

	seats, who := map[int64]map[int64]bool{}, map[int64]string{}
	firms := map[int64]bool{}
	tally, err = ukcharity.Read(l.open(t, "uk/publicextract.charity_trustee.zip"), ukcharity.Trustees, func(s *ukTrustee) error {
		if !registered[s.Number] {
			t.Errorf("%+v sits on the board of no registered charity", s)
		}
		if old, ok := who[s.ID]; ok && old != s.Name {
			t.Errorf("trustee %d is %q and %q", s.ID, old, s.Name)
		}
		who[s.ID] = strings.Clone(s.Name)
		if seats[s.ID] == nil {
			seats[s.ID] = map[int64]bool{}
		}
		if seats[s.ID][s.Number] {
			t.Errorf("%+v sits there twice", s)
		}
		seats[s.ID][s.Number] = true
		firms[s.ID] = s.Kind == "O"
		return nil
	})
	clean(t, "trustees", tally.Tally, err)
	l.want(t, "uk_charity_trustee", tally.Rows)
	var several, busy, corporate int
	for id, s := range seats {
		switch {
		case firms[id]:
			corporate++
		case len(s) > 25:
			busy++
		case len(s) > 1:
			several++
		}
	}
	if several < 20 || busy == 0 || corporate == 0 {
		t.Errorf("%d people on several boards, %d professionals, %d firms", several, busy, corporate)
	}
	families := 0
	for id, s := range seats {
		next := seats[id+1]
		if len(s) < 2 || len(next) < 2 || surname(who[id]) != surname(who[id+1]) {
			continue
		}
		for number := range s {
			if next[number] {
				families++
			}
		}
	}
	if families < 4 {
		t.Errorf("relatives sit together on %d boards", families)
	}
	for _, table := range tables {
		tally, err := ukcharity.Read(l.open(t, "uk/publicextract."+table.name+".zip"), ukcharity.Table(table.name), func(r *ukRow) error { return nil })
		clean(t, table.name, tally.Tally, err)
		l.want(t, "uk_"+table.name, tally.Rows)
		if tally.Rows == 0 || len(tally.Blanked) > 0 {
			t.Errorf("%s: %+v", table.name, tally)
		}
	}
}

func surname(name string) string {
	words := strings.Fields(strings.TrimSuffix(name, " Jr"))
	return words[len(words)-1]
}
