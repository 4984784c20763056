package resolve

import (
	"fmt"
	"testing"

	"grantgraph/internal/ein"
)

// placeUniverse has a few organizations to be told apart by place, in a state
// of many others, without which no word would be rare.
func placeUniverse() *Universe {
	orgs := []Org{
		{EIN: 70000001, Name: "GRACE CHAPEL", Street: "1 ELM ST", City: "AKRON", State: "OH", ZIP5: "44301"},
		{EIN: 70000002, Name: "GRACE CHAPEL", Street: "2 OAK ST", City: "DAYTON", State: "OH", ZIP5: "45402"},
		{EIN: 70000003, Name: "GRACE CHAPEL", Street: "3 FIR ST", City: "DAYTON", State: "OH", ZIP5: "45403"},
		{EIN: 70000004, Name: "WAVERLY OBSERVATORY SOCIETY", Street: "10 HILL RD", City: "AKRON", State: "OH", ZIP5: "44302"},
		{EIN: 70000005, Name: "ZEPPELIN HERITAGE MUSEUM", Street: "20 HANGAR WAY", City: "AKRON", State: "OH", ZIP5: "44303"},
		{EIN: 70000006, Name: "FRIENDS OF ZEPPELIN HERITAGE MUSEUM", Street: "20 HANGAR WAY", City: "AKRON", State: "OH", ZIP5: "44303"},
		{EIN: 70000007, Name: "QUARRY PARK CONSERVANCY", Street: "30 STONE AVE", City: "AKRON", State: "OH", ZIP5: "44304"},
		{EIN: 70000008, Name: "VETERANS LEAGUE POST 7", Street: "40 FLAG ST", City: "AKRON", State: "OH", ZIP5: "44305"},
		{EIN: 70000009, Name: "WALNUT HOLLOW UNIVERSITY ALUMNI UNION", Street: "50 QUAD", City: "AKRON", State: "OH", ZIP5: "44306"},
		{EIN: 70000010, Name: "GRACE MEMORIAL CHAPEL", Street: "60 ASH ST", City: "AKRON", State: "OH", ZIP5: "44307"},
		{EIN: 70000011, Name: "GRACE MEMORIAL CHAPEL", Street: "70 FIG ST", City: "DAYTON", State: "OH", ZIP5: "45404"},
	}
	for i := range orgs {
		orgs[i].Sources, orgs[i].Active = BMF, true
	}
	for i := range 400 {
		orgs = append(orgs, Org{EIN: ein.EIN(71000000 + i), Name: fmt.Sprintf("NEIGHBOR %c%c COMMUNITY SOCIETY", 'A'+i/26, 'A'+i%26),
			Street: fmt.Sprintf("%d MAIN ST", i/30*100+1), City: "CLEVELAND", State: "OH", ZIP5: "44101", Sources: BMF, Active: true})
	}
	return build(orgs...)
}

func TestByEvidenceOfPlace(t *testing.T) {
	t.Parallel()
	r := New(placeUniverse(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"zip":                          {Recipient{Name1: "GRACE CHAPEL", State: "OH", ZIP: "45402"}, found(ZIP, 70000002)},
		"zip, nine digits":             {Recipient{Name1: "Grace Chapel", State: "OH", ZIP: "45403-1234"}, found(ZIP, 70000003)},
		"city":                         {Recipient{Name1: "GRACE CHAPEL", State: "OH", City: "Akron", ZIP: "44399"}, found(ZIP, 70000001)},
		"two in the city":              {Recipient{Name1: "GRACE CHAPEL", State: "OH", City: "DAYTON"}, Match{}},
		"neither":                      {Recipient{Name1: "GRACE CHAPEL", State: "OH"}, Match{}},
		"care of, so no place":         {Recipient{Name1: "GRACE CHAPEL C/O BANK", State: "OH", ZIP: "45402"}, Match{}},
		"words reordered":              {Recipient{Name1: "OBSERVATORY SOCIETY WAVERLY", State: "OH", ZIP: "44302"}, found(ZIP, 70000004)},
		"fuzzy":                        {Recipient{Name1: "WAVERLY OBSERVATRY SOCIETY", State: "OH", ZIP: "44302"}, found(Fuzzy, 70000004)},
		"fuzzy in another ZIP":         {Recipient{Name1: "WAVERLY OBSERVATRY SOCIETY", State: "OH", ZIP: "44301"}, Match{}},
		"two edits":                    {Recipient{Name1: "WAVERLY OBSRVATRY SOCIETY", State: "OH", ZIP: "44302"}, Match{}},
		"one edit in the number":       {Recipient{Name1: "VETERANS LEAGUE POST 8", State: "OH", ZIP: "44305"}, Match{}},
		"address":                      {Recipient{Name1: "THE WAVERLY OBSERVATORY", Street: "10 Hill Road", State: "OH", ZIP: "44302"}, found(Address, 70000004)},
		"address, the friends":         {Recipient{Name1: "FRIENDS OF THE ZEPPELIN MUSEUM", Street: "20 Hangar Way", State: "OH", ZIP: "44303"}, found(Address, 70000006)},
		"address, not them":            {Recipient{Name1: "ZEPPELIN MUSEUM OF HERITAGE", Street: "20 Hangar Way Ste 4", State: "OH", ZIP: "44303"}, found(Address, 70000005)},
		"initials, sole tenant":        {Recipient{Name1: "QPC", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}, found(Address, 70000007)},
		"street, one word of many":     {Recipient{Name1: "STEWARDS OF THE QUARRY LANDS AND TRAILS", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}, Match{}},
		"street, and its own words":    {Recipient{Name1: "QUARRY PARK CONSERVANCY BUTTERFLY GARDEN WALKS", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}, found(Street, 70000007)},
		"street, another last word":    {Recipient{Name1: "QUARRY PARK FORUM", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}, Match{}},
		"street, nothing shared":       {Recipient{Name1: "BAKERY ON THE CORNER", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}, Match{}},
		"street, in care of":           {Recipient{Name1: "STEWARDS OF THE QUARRY LANDS", Street: "C/O SMITH 30 STONE AVE", State: "OH", ZIP: "44304"}, Match{}},
		"street, two tenants":          {Recipient{Name1: "ZEPPELIN FLIERS", Street: "20 HANGAR WAY", State: "OH", ZIP: "44303"}, Match{}},
		"street, another number":       {Recipient{Name1: "LEAGUE OF VETERANS POST 9", Street: "40 FLAG ST", State: "OH", ZIP: "44305"}, Match{}},
		"street, body of a school":     {Recipient{Name1: "WALNUT HOLLOW UNIVERSITY", Street: "50 QUAD", State: "OH", ZIP: "44306"}, Match{}},
		"mail drop":                    {Recipient{Name1: "NEIGHBOR AA COMMUNITY SOCIETY FUND", Street: "1 MAIN ST", State: "OH", ZIP: "44101"}, Match{}},
		"foreign":                      {Recipient{Name1: "GRACE CHAPEL", Country: "CA", ZIP: "45402"}, Match{}},
		"with its town at the end":     {Recipient{Name1: "Grace Memorial Chapel of Akron", City: "Akron", State: "OH", ZIP: "44399"}, found(ZIP, 70000010)},
		"with another town at the end": {Recipient{Name1: "Grace Memorial Chapel of Akron", City: "Toledo", State: "OH", ZIP: "43601"}, Match{}},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
}
