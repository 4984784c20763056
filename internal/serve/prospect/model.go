package prospect

import (
	"fmt"
	"io"
	"math"
)

// Names are the features that the model weighs, in the order of Weights.
var Names = [...]string{
	"constant", "walk", "shared", "recipients", "first_time", "state", "county", "cause", "code", "cause_in_state",
	"same_state", "same_county", "years_since", "amount_gap", "no_walk",
}

// Ways says whether a feature counts for a funder (1), against it (-1), or either way (0).
var Ways = [len(Names)]int{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, 0}

// Weights holds one weight per feature.
type Weights [len(Names)]float64

// Fitted are the weights that ship with the program. `measure eval --prospects
// --fit --year 2022` fitted them to the sample of real filings. That sample has
// too few funders near each other to weigh nearness (county, same_state,
// same_county). Those weights are the means of that fit and of a fit to an
// invented world. docs/prospects.md says how well the model does.
var Fitted = Weights{-7.830, 0.362, 0.610, 1.269, 0.692, 0.565, 0.142, 0.600, 0.296, 0.000, 1.437, 0.553, -0.832, -0.214, 1.657}

// Features turns the signs of a candidate into numbers of similar range. A
// share of few recipients is moved toward the share that funders usually have.
func Features(s *Signs) (x Weights) {
	share := func(known bool, part int, usual float64) float64 {
		if !known {
			return 0
		}
		const weight = 3 // weight of the usual share, counted in recipients
		return math.Log10((float64(part) + weight*usual) / (float64(s.Sample) + weight) / usual)
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	gap := 1.0 // if not known
	if s.AmountGap >= 0 {
		gap = math.Min(s.AmountGap, 3)
	}
	return Weights{
		1,
		math.Log10(1 + 1000*s.Walk),
		math.Log10(1 + float64(s.Shared)),
		math.Log10(1 + float64(s.Recipients)),
		math.Log10(1 + float64(s.Fresh)),
		share(s.HasState, s.InState, 0.02),
		share(s.HasCounty, s.InCounty, 0.002),
		share(s.HasCause, s.InCause, 0.05),
		share(s.HasCode, s.InCode, 0.005),
		share(s.HasCause && s.HasState, s.InBoth, 0.001),
		is(s.SameState), is(s.SameCounty),
		math.Min(float64(s.YearsSince), 2),
		gap,
		is(!s.HasWalk),
	}
}

// Score estimates how likely a candidate is to give to the organization for the
// first time within a year: a number from 0 to 1 that orders candidates.
func (w *Weights) Score(s *Signs) float64 {
	x := Features(s)
	sum := 0.0
	for i := range x {
		sum += x[i] * w[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// Print writes the weights with their names.
func (w *Weights) Print(to io.Writer) error {
	for i, name := range Names {
		if _, err := fmt.Fprintf(to, "%-15s %7.3f\n", name, w[i]); err != nil {
			return err
		}
	}
	return nil
}
