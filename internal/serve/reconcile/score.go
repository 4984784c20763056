package reconcile

import "grantgraph/internal/serve/search"

// The weight of a candidate, and of no match, is the exponential of a sum of these
// terms. They were fitted to half of the names that funders filed with an EIN.
// docs/reconcile.md has the results on the other half.
const (
	weighAgreement  = 2.0 // of a name equal to the one asked for
	weighSquare     = 6.5 // of the square of the agreement
	weighExact      = 1.45
	weighExactShort = 0.85 // added for a name of no letters, less for longer names
	weighConflict   = -1.7 // a number, a direction or a body that only one of the names has
	weighProminence = 4.2

	weighState, weighStateNot = 0.65, -2.95
	weighCity, weighCityNot   = 0.45, -1.2
	weighZIP, weighZIPNot     = 0.95, -0.9

	weighNone      = 7.9
	weighNoneShort = 1.75 // added for a name of no letters, less for longer names
	longName       = 30   // letters from which a name is long
)

// Probabilities.
const (
	leastMatch = 0.8   // from which a candidate is called a match
	leastShown = 0.001 // below which a candidate that is not the first is left out

	einAlone   = 0.999 // of an EIN given without a name
	einNamed   = 0.995 // of an EIN given with a name that agrees
	einAnother = 0.5   // of an EIN given with a name that disagrees
)

// How well a name must agree to confirm an EIN, and to be called a match.
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

// logNone is the log weight of no match, for a name of this length.
func (c *contender) logNone() float64 { return weighNone + weighNoneShort*c.short() }

// short is 1 for a name of no letters and falls to 0 for a long name.
func (c *contender) short() float64 { return 1 - float64(min(c.length, longName))/longName }

// strong reports whether the name or the EIN is near enough for a match.
func (c *contender) strong() bool {
	return c.ein == agrees || c.Agreement >= leastStrong && !c.conflict
}

// either is met or not, by whether the condition is met, and 0 if that is unknown.
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
