package reconcile

import "grantgraph/internal/serve/search"

// What a candidate weighs is the exponential of a sum; what nobody weighs, too.
// These were fitted to names that funders wrote with the EIN, half of them; see
// docs/reconcile.md for what they are worth on the other half.
const (
	weighAgreement  = 2.0 // of a name that is the very one
	weighSquare     = 6.5 // of the same, by its square
	weighExact      = 1.45
	weighExactShort = 0.85 // added to that for a name of no letters, less for longer ones
	weighConflict   = -1.7 // a number, a direction or a body that the other name does not have
	weighProminence = 4.2

	weighState, weighStateNot = 0.65, -2.95
	weighCity, weighCityNot   = 0.45, -1.2
	weighZIP, weighZIPNot     = 0.95, -0.9

	weighNone      = 7.9
	weighNoneShort = 1.75 // added to that for a name of no letters, less for longer ones
	longName       = 30   // letters from which a name is long
)

// Probabilities.
const (
	leastMatch = 0.8   // from which a candidate is called a match
	leastShown = 0.001 // below which a candidate that is not the first is left out

	einAlone   = 0.999 // of an EIN that no name is beside
	einNamed   = 0.995 // of an EIN beside a name that agrees
	einAnother = 0.5   // of an EIN beside a name that does not
)

// How well a name must agree: to confirm an EIN, and to be called a match.
const (
	leastLike   = 0.45
	leastStrong = 0.85
)

func (c *contender) logWeight() (w float64) {
	if !c.found {
		return 0
	}
	w = weighAgreement*c.Agreement + weighSquare*c.Agreement*c.Agreement + weighProminence*c.Prominence
	if c.Result.Match == search.Exact {
		w += weighExact + weighExactShort*c.short()
	}
	if c.conflict {
		w += weighConflict
	}
	return w + c.state.either(weighState, weighStateNot) + c.city.either(weighCity, weighCityNot) + c.zip.either(weighZIP, weighZIPNot)
}

// logNone is the weight of nobody, for a name of this length.
func (c *contender) logNone() float64 { return weighNone + weighNoneShort*c.short() }

// short is how short the name is that was asked for: 1 without a letter, 0 when it
// is long.
func (c *contender) short() float64 { return 1 - float64(min(c.length, longName))/longName }

// strong reports whether its name, or its EIN, is near enough for a match.
func (c *contender) strong() bool {
	return c.ein == agrees || c.Agreement >= leastStrong && !c.conflict
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
