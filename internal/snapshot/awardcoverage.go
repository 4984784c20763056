package snapshot

import (
	"encoding/json"
	"fmt"
)

// AwardCoverage says which sources the tables of government funding cover. It tells
// "no awards" from "not searched".
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
