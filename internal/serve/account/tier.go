package account

import "time"

// Tier is how far an agent has identified itself. It decides what its key may do.
type Tier string

// The tiers, in rising order.
const (
	Anonymous Tier = "anonymous"
	Signed    Tier = "signed"
	Attested  Tier = "attested"
	Trusted   Tier = "trusted"
)

// TierTerms are the terms of a tier.
type TierTerms struct {
	Tier     Tier
	Lifetime time.Duration
	Calls    int // in all; a challenge refills those of the anonymous tier
	Rows     int // the most rows a page may have
}

var tiers = [...]TierTerms{
	{Anonymous, 24 * time.Hour, 10, 10},
	{Signed, 24 * time.Hour, 250, 25},
	{Attested, 7 * 24 * time.Hour, 1_000, 100},
	{Trusted, 30 * 24 * time.Hour, 5_000, 1_000},
}

// Tiers lists the terms of every tier, in rising order.
func Tiers() []TierTerms { return append([]TierTerms(nil), tiers[:]...) }

// Terms returns the terms of the tier; a tier that does not exist allows nothing.
func (t Tier) Terms() TierTerms {
	for _, terms := range tiers {
		if terms.Tier == t {
			return terms
		}
	}
	return TierTerms{Tier: t}
}
