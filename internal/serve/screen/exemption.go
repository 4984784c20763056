package screen

import (
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
)

// Exemption is how one organization stands with the IRS's lists now. What rests
// on a list that is out of service is nil, never false.
type Exemption struct {
	InBMF             *bool
	Pub78Verified     *bool
	Revoked           *bool
	RevocationDate    string // of the latest revocation; empty for none
	ReinstatementDate string
	AsOf              string // the oldest revision among the lists used, YYYY-MM-DD; empty when none was
}

// Exemption looks an organization up in the lists that count at a moment, without
// screening anything.
func (s *Screener) Exemption(e ein.EIN, at time.Time) (x Exemption) {
	sources := s.Sources(at)
	used := func(source *client.ComplianceSource) bool {
		if source.Screens {
			for _, date := range []*string{source.Revised, source.FetchedAt} {
				if date != nil && len(*date) >= len(time.DateOnly) {
					if day := (*date)[:len(time.DateOnly)]; x.AsOf == "" || day < x.AsOf {
						x.AsOf = day
					}
					break
				}
			}
		}
		return source.Screens
	}
	rows := s.find(e)
	if used(&sources.BMF) {
		x.InBMF = truth(rows.inMaster)
	}
	if used(&sources.Pub78) {
		x.Pub78Verified = truth(len(rows.deductible) > 0)
	}
	if used(&sources.Revocation) {
		x.Revoked = truth(rows.revoked())
		if last := rows.lastRevocation(); last != nil {
			x.RevocationDate, x.ReinstatementDate = last.Revoked, last.Reinstated
		}
	}
	return x
}
