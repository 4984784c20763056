package snapshot

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Rates say how the build found the EINs of recipients.
type Rates struct {
	Rules []RuleCount  `json:"ein_source"` // strongest first; rows without an EIN come last, as none
	Years []YearCounts `json:"by_year"`
	Model ModelRates   `json:"model"`
}

// ModelRates describe the model for grants that no rule decided.
type ModelRates struct {
	Origin  string `json:"origin"` // trained or prior; empty if the build did not say
	Metrics struct {
		Labels int `json:"labels"` // grants with a known organization on which it was fitted
	} `json:"metrics"`
}

type RuleCount struct {
	Name        string `json:"name"`
	Grants      int64  `json:"grant_count"`
	TotalAmount int64  `json:"total_amount"`
}

type YearCounts struct {
	FiscalYear  int         `json:"fiscal_year"`
	Grants      int64       `json:"grant_count"`
	TotalAmount int64       `json:"total_amount"`
	Partial     bool        `json:"partial"`
	Rules       []RuleCount `json:"ein_source"`
}

// Unresolved is the name of the count of rows without an EIN.
const Unresolved = "none"

func (y *YearCounts) Linked() (n int64) {
	for _, r := range y.Rules {
		if r.Name != Unresolved {
			n += r.Grants
		}
	}
	return n
}

// Rates reads the rates from the build report, without years that have no grants.
func (m *Manifest) Rates() (r Rates, err error) {
	if len(m.Report) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(m.Report, &r); err != nil {
		return Rates{}, fmt.Errorf("reading the build report: %w", err)
	}
	r.Years = slices.DeleteFunc(r.Years, func(y YearCounts) bool { return y.Grants == 0 })
	return r, nil
}

// AwardCoverage says which sources the tables of government funding cover. It tells "no awards" from "not searched".
type AwardCoverage struct {
	FederalThrough string   // day of the latest federal action read; empty if no archive was read
	StatesRead     []string // two-letter codes, sorted; other states were not searched
}

// AwardCoverage reads the coverage from the build report.
func (m *Manifest) AwardCoverage() (AwardCoverage, error) {
	c := AwardCoverage{StatesRead: []string{}}
	if len(m.Report) == 0 {
		return c, nil
	}
	var report struct {
		Awards struct {
			Federal struct {
				Through string `json:"through"`
			} `json:"federal"`
			States []struct {
				State string `json:"state"`
				Files int    `json:"files"`
			} `json:"states"`
		} `json:"awards"`
	}
	if err := json.Unmarshal(m.Report, &report); err != nil {
		return c, fmt.Errorf("reading the build report: %w", err)
	}
	c.FederalThrough = report.Awards.Federal.Through
	for _, s := range report.Awards.States {
		if s.Files > 0 {
			c.StatesRead = append(c.StatesRead, s.State)
		}
	}
	return c, nil
}
