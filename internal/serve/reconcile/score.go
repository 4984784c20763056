package reconcile

import "grantgraph/internal/serve/search"

// What a candidate weighs is the exponential of a sum; what none of them weighs,
// too. See docs/reconcile.md for how well the probabilities that follow hold.
const (
	weighAgreement  = 14.0 // of a name that is the very one; the rest by how well it agrees
	weighExact      = 1.5  // the very name, as names are compared
	weighConflict   = -2.5 // a number, a direction or a body that the other name does not have
	weighProminence = 2.0
	weighState      = 2.0
	weighStateNot   = -3.0
	weighCity       = 2.0
	weighCityNot    = -1.5
	weighZIP        = 2.5
	weighZIPNear    = 0.5
	weighZIPNot     = -1.0

	weighNone      = 13.0 // that it is nobody known
	weighNoneShort = 2.0  // added for a name of no letters, less for longer ones
	longName       = 30   // letters from which a name is long
)

// Probabilities.
const (
	leastMatch = 0.9   // from which a candidate is the one meant
	leastShown = 0.001 // below which a candidate that is not the first is left out

	einAlone   = 0.999 // of an EIN that no name is beside
	einNamed   = 0.995 // of an EIN beside a name that agrees
	einAnother = 0.5   // of an EIN beside a name that does not
)

// leastLike is how well a name must agree to confirm an EIN.
const leastLike = 0.45

func (c *contender) logWeight() (w float64) {
	if !c.found {
		return 0
	}
	w = weighAgreement*c.Agreement + weighProminence*c.Prominence
	if c.Result.Match == search.Exact {
		w += weighExact
	}
	if c.conflict {
		w += weighConflict
	}
	w += c.state.either(weighState, weighStateNot)
	w += c.city.either(weighCity, weighCityNot)
	if c.zip == differs && c.near {
		w += weighZIPNear
	} else {
		w += c.zip.either(weighZIP, weighZIPNot)
	}
	return w
}

// logNone is the weight of nobody, for a name of this length.
func (c *contender) logNone() float64 {
	return weighNone + weighNoneShort*(1-float64(min(c.length, longName))/longName)
}

// either is the weight of a condition that is met or not.
func (a agreement) either(met, not float64) float64 {
	switch a {
	case agrees:
		return met
	case differs:
		return not
	}
	return 0
}

// withEIN is the probability of the organization with the EIN that was given.
func (c *contender) withEIN(p float64, named bool) float64 {
	switch {
	case !named:
		return einAlone
	case c.found && c.Agreement >= leastLike && !c.conflict:
		return max(p, einNamed)
	}
	return max(p, einAnother)
}
