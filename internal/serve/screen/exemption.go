package screen

import (
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
)

// Exemption is what the IRS's lists say about one organization. A field is nil, never false, if its list is out of service.
type Exemption struct {
	InBMF             *bool
	Pub78Verified     *bool
	Revoked           *bool
	RevocationDate    string // of the revocation that decides; empty for none
	ReinstatementDate string
	AsOf              string // the oldest revision among the lists used, YYYY-MM-DD; empty when none was used
}

// Exemption looks an organization up in the lists that are usable at a time.
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
	if used(&sources.BMF) && !s.elsewhere(rows) {
		x.InBMF = new(rows.inMaster)
	}
	if used(&sources.Pub78) {
		x.Pub78Verified = new(len(rows.deductible) > 0)
	}
	if used(&sources.Revocation) {
		x.Revoked = new(rows.revoked())
		if last := rows.decidingRevocation(); last != nil {
			x.RevocationDate, x.ReinstatementDate = last.Revoked, last.Reinstated
		}
	}
	return x
}
