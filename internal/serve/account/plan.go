package account

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/fault"
)

// Plan names what a key may use.
type Plan string

const (
	Free Plan = "free"
	Plus Plan = "plus"
	Pro  Plan = "pro"
	// Internal is for the operator's own people and programs. It opens everything without a limit and is not offered.
	Internal Plan = "internal"
)

// Agent takes the place of a plan on the key of an agent. No key can be moved to this plan or from it.
const Agent Plan = "agent"

var agentTerms = Terms{Plan: Agent, Letter: 'a', Scopes: Grants}

// Scope is a set of the parts of the service that a plan opens.
type Scope uint8

const (
	Grants   Scope = 1 << iota // the grant graph
	Paid                       // screening, profiles, organization search, SQL
	ProScope                   // government funding and the Pro tables
)

// Window is the calendar period, in UTC, after which an allowance resets.
type Window string

const (
	Day   Window = "day"
	Month Window = "month"
)

// Start returns the beginning of the window that contains t.
func (w Window) Start(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	if w == Month {
		d = 1
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func (w Window) Reset(t time.Time) time.Time {
	if w == Month {
		return w.Start(t).AddDate(0, 1, 0)
	}
	return w.Start(t).AddDate(0, 0, 1)
}

type Terms struct {
	Plan      Plan
	Letter    byte // in the text of keys issued under the plan
	Allowance int  // calls in a window
	Window    Window
	Scopes    Scope
}

// Unlimited is the allowance of a plan without a limit.
const Unlimited = math.MaxInt32

var plans = [...]Terms{
	{Free, 'f', 50, Day, Grants},
	{Plus, 'p', 250, Day, Grants | Paid},
	{Pro, 'r', 10_000, Month, Grants | Paid | ProScope},
	{Internal, 'i', Unlimited, Month, Grants | Paid | ProScope},
}

// Plans lists the terms of every plan that is offered, in rising order.
func Plans() []Terms { return slices.Clone(plans[:len(plans)-1]) }

// ParseCalls reads the allowances that an operator sets, each written as free=100.
func ParseCalls(list []string) (map[Plan]int, error) {
	calls := map[Plan]int{}
	for _, item := range list {
		name, number, _ := strings.Cut(item, "=")
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		p, known := ParsePlan(name)
		if err != nil || known != nil || n < 1 || p == Internal {
			return nil, refuse(nil, "bad_calls", fault.Clip(item, maxQuoted))
		}
		calls[p] = int(n)
	}
	return calls, nil
}

// Terms returns the terms of the plan; a plan that does not exist allows nothing.
func (p Plan) Terms() Terms {
	for _, t := range plans {
		if t.Plan == p {
			return t
		}
	}
	if p == Agent {
		return agentTerms
	}
	return Terms{Plan: p, Window: Day}
}

func ParsePlan(s string) (Plan, error) {
	p := Plan(strings.ToLower(strings.TrimSpace(s)))
	if p.Terms().Allowance == 0 {
		return "", refuse(nil, "bad_plan", fault.Clip(s, maxQuoted))
	}
	return p, nil
}

func ParseWindow(s string) (Window, error) {
	switch w := Window(strings.ToLower(strings.TrimSpace(s))); w {
	case Day, Month:
		return w, nil
	}
	return "", refuse(nil, "bad_window", fault.Clip(s, maxQuoted))
}

// Tier is how far an agent has identified itself. It decides what its key may do.
type Tier string

// The tiers, in rising order.
const (
	Anonymous Tier = "anonymous"
	Signed    Tier = "signed"
	Attested  Tier = "attested"
	Trusted   Tier = "trusted"
)

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
