package usaspending

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		paths []string
		want  []string // path, with - when it is superseded and + when it is remembered
	}{
		{"one year each", []string{"usaspending/FY2023_All_Assistance_Full_20250106.zip", "usaspending/FY2024_All_Assistance_Full_20250106.zip", "usaspending/FY2024_All_Contracts_Full_20250106.zip"},
			[]string{"usaspending/FY2023_All_Assistance_Full_20250106.zip", "usaspending/FY2024_All_Assistance_Full_20250106.zip", "usaspending/FY2024_All_Contracts_Full_20250106.zip"}},
		{"an older posting", []string{"FY2024_All_Assistance_Full_20241206.zip", "FY2024_All_Assistance_Full_20250106.zip"},
			[]string{"FY2024_All_Assistance_Full_20250106.zip", "-FY2024_All_Assistance_Full_20241206.zip"}},
		{"an agency within all", []string{"FY2024_012_Assistance_Full_20250106.zip", "FY2024_All_Assistance_Full_20250106.zip"},
			[]string{"FY2024_All_Assistance_Full_20250106.zip", "-FY2024_012_Assistance_Full_20250106.zip"}},
		{"an agency newer than all", []string{"FY2024_012_Assistance_Full_20250106.zip", "FY2024_All_Assistance_Full_20241206.zip"},
			[]string{"+FY2024_012_Assistance_Full_20250106.zip", "FY2024_All_Assistance_Full_20241206.zip"}},
		{"two agencies", []string{"FY2024_012_Assistance_Full_20250106.zip", "FY2024_075_Assistance_Full_20250106.zip"},
			[]string{"FY2024_012_Assistance_Full_20250106.zip", "FY2024_075_Assistance_Full_20250106.zip"}},
		{"a delta", []string{"FY2024_All_Contracts_Full_20250106.zip", "FY(All)_All_Contracts_Delta_20250206.zip", "FY(All)_All_Assistance_Delta_20250206.zip"},
			[]string{"-FY(All)_All_Assistance_Delta_20250206.zip", "+FY(All)_All_Contracts_Delta_20250206.zip", "FY2024_All_Contracts_Full_20250106.zip"}},
		{"a delta before a full posting", []string{"FY2024_All_Contracts_Full_20250306.zip", "FY(All)_All_Contracts_Delta_20250206.zip", "FY2023_All_Contracts_Full_20250106.zip"},
			[]string{"FY2024_All_Contracts_Full_20250306.zip", "+FY(All)_All_Contracts_Delta_20250206.zip", "FY2023_All_Contracts_Full_20250106.zip"}},
		{"parts taken out of a zip", []string{"FY2024_All_Contracts_Full_20250306_1.csv", "FY2024_All_Contracts_Full_20250306_2.csv", "FY2024_All_Contracts_Full_20250206_1.csv"},
			[]string{"FY2024_All_Contracts_Full_20250306_1.csv", "FY2024_All_Contracts_Full_20250306_2.csv", "-FY2024_All_Contracts_Full_20250206_1.csv"}},
		{"a name that says nothing", []string{"FY2024_All_Contracts_Full_20250306.zip", "mine.csv"},
			[]string{"+mine.csv", "FY2024_All_Contracts_Full_20250306.zip"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range Plan(c.paths) {
				mark := ""
				if p.Superseded {
					mark = "-"
				}
				if p.Repeats() {
					mark += "+"
				}
				got = append(got, mark+p.Path)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			slices.Reverse(c.paths)
			if again := Plan(c.paths); again[0].Path != strings.TrimLeft(c.want[0], "+-") {
				t.Errorf("the order of the paths shows: %s first", again[0].Path)
			}
		})
	}
}

// TestPostings reads postings in the order of the plan and says what each
// transaction comes to.
func TestPostings(t *testing.T) {
	t.Parallel()
	full24 := table(grantColumns, grant("a1", "100"), grant("a2", "200"), grant("b1", "300"), grant("c1", "400"))
	full23 := table(grantColumns, grant("d1", "5", "action_date_fiscal_year", "2023"), grant("e1", "6", "action_date_fiscal_year", "2023"))
	delta := table(grantColumns, grant("A1", "150", "correction_delete_ind", "C"), row{"assistance_transaction_unique_key": "a2", "correction_delete_ind": "D"},
		grant("b1", "300", "assistance_type_code", "07"), grant("n1", "7"), grant("d1", "9", "action_date_fiscal_year", "2023"))
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"a delta after the full posting", map[string]string{"FY2024_All_Assistance_Full_20250106.zip": full24, "FY(All)_All_Assistance_Delta_20250206.zip": delta},
			[]string{"A1 150", "c1 400", "n1 7"}},
		{"a delta of the same day", map[string]string{"FY2024_All_Assistance_Full_20250206.zip": full24, "FY(All)_All_Assistance_Delta_20250206.zip": delta},
			[]string{"a1 100", "a2 200", "b1 300", "c1 400"}},
		{"a delta of one agency", map[string]string{"FY2024_012_Assistance_Full_20250106.zip": full24, "FY(All)_012_Assistance_Delta_20250206.zip": delta, "FY(All)_075_Assistance_Delta_20250207.zip": delta},
			[]string{"A1 150", "c1 400", "n1 7"}},
		{"a delta to a file of another name", map[string]string{"mine.csv": full24, "FY(All)_All_Assistance_Delta_20250206.zip": delta},
			[]string{"a1 100", "a2 200", "b1 300", "c1 400"}},
		{"a delta before the full posting of one year", map[string]string{"FY2024_All_Assistance_Full_20250306.zip": full24, "FY2023_All_Assistance_Full_20250106.zip": full23, "FY(All)_All_Assistance_Delta_20250206.zip": delta},
			[]string{"a1 100", "a2 200", "b1 300", "c1 400", "d1 9", "e1 6"}},
		{"full postings twice", map[string]string{"FY2024_All_Assistance_Full_20250306.zip": full24, "FY2024_All_Assistance_Full_20250106.zip": table(grantColumns, grant("z", "1"))},
			[]string{"a1 100", "a2 200", "b1 300", "c1 400"}},
		{"a delta alone", map[string]string{"FY(All)_All_Assistance_Delta_20250206.zip": delta}, nil},
		{"two deltas", map[string]string{"FY2024_All_Assistance_Full_20250106.zip": full24, "FY(All)_All_Assistance_Delta_20250206.zip": delta, "FY(All)_All_Assistance_Delta_20250306.zip": table(grantColumns, grant("n1", "8"), grant("a2", "1"))},
			[]string{"A1 150", "a2 1", "c1 400", "n1 8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var paths, got []string
			for p := range c.files {
				paths = append(paths, p)
			}
			log := NewDeduplicator()
			for _, p := range Plan(paths) {
				if p.Superseded {
					continue
				}
				_, err := log.Read(&p, strings.NewReader(c.files[p.Path]), func(a *Award) error {
					got = append(got, a.Transaction+" "+fmt.Sprint(a.Amount.Dollars()))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestHistory lets an archive change from month to month, posts parts of it in
// full and every change as a delta, and expects that what is read is the archive
// of the last month, whatever was posted in between.
func TestHistory(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		type entry struct {
			year, agency string
			amount       int
		}
		now, files := map[string]entry{}, map[string]string{}
		post := func(month int, year, agency string) {
			var list []row
			for _, key := range slices.Sorted(maps.Keys(now)) {
				if e := now[key]; e.year == year && (agency == "All" || e.agency == agency) {
					list = append(list, grant(key, fmt.Sprint(e.amount), "action_date_fiscal_year", e.year))
				}
			}
			files[fmt.Sprintf("FY%s_%s_Assistance_Full_2025%02d06.zip", year, agency, month)] = table(grantColumns, list...)
		}
		years, agencies := []string{"2023", "2024"}, []string{"012", "075"}
		for month := 1; month <= 6; month++ {
			var changes []row
			for n := range r.IntN(8) {
				key := fmt.Sprint("t", r.IntN(15))
				e, ok := now[key]
				switch {
				case ok && r.IntN(3) == 0:
					delete(now, key)
					changes = append(changes, row{"assistance_transaction_unique_key": key, "correction_delete_ind": "D"})
					continue
				case !ok:
					e = entry{years[r.IntN(2)], agencies[r.IntN(2)], 0}
				}
				e.amount = 100*month + n
				now[key] = e
				changes = append(changes, grant(key, fmt.Sprint(e.amount), "action_date_fiscal_year", e.year, "correction_delete_ind", "C"))
			}
			// A delta names a transaction once, as it is at the end of the month.
			last := map[string]row{}
			for _, c := range changes {
				last[c["assistance_transaction_unique_key"]] = c
			}
			files[fmt.Sprintf("FY(All)_All_Assistance_Delta_2025%02d06.zip", month)] = table(grantColumns, slices.Collect(maps.Values(last))...)
			for _, year := range years {
				if month == 1 || r.IntN(4) == 0 {
					post(month, year, "All")
				}
				if r.IntN(4) == 0 {
					post(month, year, agencies[r.IntN(2)])
				}
			}
		}
		got, want := map[string]int{}, map[string]int{}
		for key, e := range now {
			want[key] = e.amount
		}
		log := NewDeduplicator()
		for _, p := range Plan(slices.Collect(maps.Keys(files))) {
			if p.Superseded {
				continue
			}
			if _, err := log.Read(&p, strings.NewReader(files[p.Path]), func(a *Award) error { got[a.Transaction] += int(a.Amount / 100); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v\nfrom %q", seed, got, want, slices.Sorted(maps.Keys(files)))
		}
	}
}
