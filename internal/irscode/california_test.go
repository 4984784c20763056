package irscode

import (
	"testing"
)

func TestMayOperateInCalifornia(t *testing.T) {
	t.Parallel()
	for status, want := range map[string][2]bool{
		"Current":                        {true, true},
		"CURRENT – Awaiting  Reporting ": {true, true},
		"Current - Reporting Incomplete": {true, true},
		"Exempt":                         {true, true},
		"Exempt - Form 990-PF Required":  {true, true},
		"Delinquent":                     {false, true},
		"Delinquent - Late Fees Due":     {false, true},
		"Suspended":                      {false, true},
		"Revoked":                        {false, true},
		"Not Registered":                 {false, true},
		"Not Registered - Cease and Desist Order": {false, true},
		"Exempt - Dissolved":                      {false, true},
		"Exempt - Withdrawn":                      {false, true},
		"Mutual Benefit":                          {},
		"Dissolution Waiver Issued":               {},
		"Enforcement Action Pending":              {},
		"Curren":                                  {},
		"":                                        {},
	} {
		if may, known := MayOperateInCalifornia(status); may != want[0] || known != want[1] {
			t.Errorf("%q: may %v, known %v", status, may, known)
		}
	}
	if len(californiaStandings) != 33 {
		t.Errorf("%d statuses, the registry uses 33", len(californiaStandings))
	}
}
