package example

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/api/screening"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot/lists"
)

// Now is the moment at which all examples are answered.
func Now() time.Time { return day.Add(12 * time.Hour) }

// The organizations of the examples of screening, in the order of their EINs:
// a public charity, a private foundation, a food pantry and a museum, as in the
// grants; one that was revoked; one whose name resembles a sanctioned entity's;
// and one in California. The sanctioned entity is invented too.
func rows() *screen.Rows {
	dollars := func(n int64) *int64 { return &n }
	org := func(e ein.EIN, name, street, city, state, zip, foundation, ntee, ruling string, assets int64) lists.Master {
		m := lists.Master{
			EIN: e.String(), Name: name, Street: street, City: city, State: state, ZIP: zip, Subsection: "03", Affiliation: "3", Classification: "1000",
			Ruling: ruling, Deductibility: "1", Foundation: foundation, Organization: "1", Status: "01", TaxPeriod: "202412", AssetCode: band(assets), IncomeCode: band(assets / 4),
			FilingReq: "01", PFFilingReq: "0", AccountingPeriod: "12", Assets: dollars(assets), Income: dollars(assets / 4), Revenue: dollars(assets / 5), NTEE: ntee,
		}
		if foundation == "04" {
			m.FilingReq, m.PFFilingReq = "00", "1"
		}
		return m
	}
	r := &screen.Rows{
		Masters: []lists.Master{
			org(1, "EXAMPLE COMMUNITY FOUNDATION", "1 MAIN ST", "SPRINGFIELD", "IL", "62701-0001", "15", "T31", "199806", 21_000_000),
			org(2, "EXAMPLE FAMILY FOUNDATION", "2 OAK AVE", "PORTLAND", "OR", "97201-0002", "04", "T22", "200511", 8_500_000),
			org(4, "EXAMPLE FOOD PANTRY", "4 MILL RD", "SPRINGFIELD", "IL", "62701-0004", "15", "K31", "201203", 740_000),
			org(5, "EXAMPLE CITY MUSEUM", "5 LAKE DR", "CHICAGO", "IL", "60601-0005", "15", "A50", "198710", 4_200_000),
			org(7, "EXEMPLARY GAP TRADING COMPANY RELIEF FUND", "7 HARBOR BLVD", "NEWARK", "NJ", "07101-0007", "15", "M20", "201905", 310_000),
			org(8, "EXAMPLE COAST ALLIANCE", "8 BAY ST", "OAKLAND", "CA", "94601-0008", "15", "C30", "200902", 1_100_000),
		},
		Revoked: []lists.RevocationRow{
			{EIN: ein.EIN(6).String(), Name: "EXAMPLE LAPSED CLUB", City: "DAYTON", State: "OH", Subsection: "03", Revoked: "2024-05-15", Posted: "2024-08-12"},
		},
		Registry: []lists.Registration{
			{EIN: ein.EIN(8).String(), List: "may_operate", Status: "Current", Registration: "CT0000008", Name: "EXAMPLE COAST ALLIANCE", City: "OAKLAND", State: "CA", Issued: "2009-04-01", Renewed: "2025-05-15", StatusSet: "2025-06-02"},
		},
		Entities: []screen.Sanctioned{{
			Sanction: lists.Sanction{Num: sanctioned, Name: "EXEMPLARY GAP TRADING COMPANY", Programs: []string{"EXAMPLE"}},
			Names: []lists.SanctionName{
				{Num: sanctioned, Kind: "primary", Name: "EXEMPLARY GAP TRADING COMPANY"},
				{Num: sanctioned, Kind: "aka", Name: "EXEMPLARY GAP RELIEF"},
			},
			Places: []lists.SanctionPlace{{Num: sanctioned, Street: "1 Quay", City: "Port Example", Country: "Nowhere"}},
		}},
		Deleted: []lists.Deletion{
			{Bulletin: "2025-40", Published: "2025-09-29", Announcement: "2025-00", Name: "EXAMPLE LAPSED CLUB", City: "Dayton", State: "OH", Effective: "2024-05-15"},
		},
		BulletinsInAll: []lists.Bulletin{{Number: bulletin, Date: "2025-12-22"}},
	}
	for _, m := range r.Masters {
		codes := "PC"
		if m.Foundation == "04" {
			codes = "PF"
		}
		r.Pub78 = append(r.Pub78, lists.Deductible{EIN: m.EIN, Name: m.Name, City: m.City, State: m.State, Country: "United States", Codes: codes})
	}
	return r
}

// band is the code that the master file has for an amount.
func band(dollars int64) string {
	code := 0
	for _, from := range []int64{1, 10_000, 25_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 50_000_000} {
		if dollars >= from {
			code++
		}
	}
	return strconv.Itoa(code)
}

// The invented entity of the sanctions list, and the newest bulletin.
const (
	sanctioned = 900001
	bulletin   = "2025-52"
)

// Screener screens against the invented rows.
func Screener() *screen.Screener { return screener() }

// screener is made once: its lists take time, and nothing changes them.
var screener = sync.OnceValue(func() *screen.Screener { return screen.New(Lists(), rows()) })

// Ring has the key of the examples. It is no secret, so nothing that it signed
// proves anything.
func Ring() *keyring.Ring { return ringOf('1') }

// ringOf is a ring with one key, which is the same every time.
func ringOf(seed byte) *keyring.Ring {
	return keyring.Fixed(keyring.NewKey(bytes.Repeat([]byte{seed}, 32), day))
}

// Samples are the reports of the examples of verification: one of the ring of
// the examples, and one of another.
func Samples(base string) (s screening.Samples, err error) {
	q := screen.Query{EIN: 1}
	record := Screener().Screen(q, Now())
	for _, x := range []struct {
		ring *keyring.Ring
		to   *string
	}{{Ring(), &s.Report}, {ringOf('2'), &s.Foreign}} {
		r, err := report.Issue(context.Background(), x.ring, report.ContentOf(record), report.VerifyPage(base), Now())
		if err != nil {
			return s, err
		}
		b, err := json.Marshal(r)
		if err != nil {
			return s, err
		}
		*x.to = string(b)
	}
	return s, nil
}

// Lookup finds an organization by its EIN.
func (x Index) Lookup(e ein.EIN) (search.Result, bool) {
	for _, r := range x {
		if r.EIN == e {
			return r, true
		}
	}
	return search.Result{}, false
}
