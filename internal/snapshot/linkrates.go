package snapshot

import (
	"encoding/json"
	"fmt"
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
	kept := r.Years[:0]
	for _, y := range r.Years {
		if y.Grants > 0 {
			kept = append(kept, y)
		}
	}
	r.Years = kept
	return r, nil
}
