// Package classify determines the kind of a grant line or a funder from the filing alone: whether a line names a
// person, nobody in particular or a related party; what kind of support its purpose describes; and whether a funder
// is a private foundation, a public charity or a sponsor of donor-advised funds.
//
// Everything here is a pure function, except for the classifier of persons' names. Each build trains it on its own
// officers and register, so no list of people's names is stored.
package classify

import (
	_ "embed"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/table"
)

// FunderFacts is what the build knows about a funder over all its years.
type FunderFacts struct {
	Name             string
	ReturnType       string // 990, 990EZ or 990PF, of the latest return
	Grantees         int    // distinct recipients over all years
	GranteesBestYear int    // the most distinct recipients in one year
	Grants           int
	TotalOut         int64
	MedianGrant      int64

	DAFCount          int64 // most donor advised funds held in any year, Schedule D
	DAFGrants         int64 // paid from them in the latest year with a figure
	DAFGrantsYearPaid int64 // all grants paid in that same year
	AdvisedGrants     int   // grants whose purpose says that a donor advised them
}

// The values of Kind.Signal.
const (
	SignalScheduleD  = "schedule-d"
	SignalName       = "name"
	SignalMegaFanout = "mega-fanout"
)

// Kind is the kind of a funder. Signal and Confidence give the strongest evidence that it distributes other people's
// money; this may be too weak to set IsDAF. Signal is empty without any evidence.
type Kind struct {
	Kind       string
	IsDAF      bool
	Signal     string
	Confidence float64
}

// A platform for employee gifts pays small amounts to tens of thousands of recipients.
const (
	fanoutGrantees = 20_000
	fanoutYear     = 5_000
	fanoutMedian   = 2_500
)

// KindOf weighs the evidence. Only filers of the public charity form can be conduits, because a private foundation
// grants its own money.
func KindOf(f FunderFacts) Kind {
	private := strings.HasPrefix(f.ReturnType, "990PF") || strings.HasPrefix(f.ReturnType, "990-PF")
	var k Kind
	note := func(signal string, confidence float64, sets bool) {
		if confidence > k.Confidence {
			k.Signal, k.Confidence = signal, confidence
		}
		k.IsDAF = k.IsDAF || sets
	}
	if !private {
		if f.DAFCount >= 1 && f.DAFGrants > 0 {
			share := 0.0
			if f.DAFGrantsYearPaid > 0 {
				share = float64(f.DAFGrants) / float64(f.DAFGrantsYearPaid)
			}
			// A university that holds some donor-advised funds is no conduit. Schedule D gives their dollars, but
			// only the lines show the number of grants.
			switch {
			case share >= 0.5:
				note(SignalScheduleD, 0.99, true)
			case f.AdvisedGrants > 0 && 2*f.AdvisedGrants >= f.Grants:
				note(SignalScheduleD, 0.9, true)
			default:
				note(SignalScheduleD, 0.7, false)
			}
		}
		if sponsors[orgname.Key(f.Name)] || sponsorName(f.Name) {
			note(SignalName, 0.85, true)
		} else if sponsorWording(f.Name) {
			note(SignalName, 0.6, false)
		}
		if (f.Grantees >= fanoutGrantees || f.GranteesBestYear >= fanoutYear) && f.MedianGrant < fanoutMedian {
			note(SignalMegaFanout, 0.8, true)
		}
	}
	switch {
	case k.IsDAF:
		k.Kind = grant.Passthrough
	case private:
		k.Kind = grant.PrivateFoundation
	default:
		k.Kind = grant.PublicCharity
	}
	return k
}

// DonorAdvised reports whether the purpose of a grant says that it is made on a donor's advice.
func DonorAdvised(purpose string) bool {
	if !mayBeDonorAdvised(purpose) {
		return false
	}
	s := " " + words(purpose) + " "
	return strings.Contains(s, " DONOR ADVISED ") || strings.Contains(s, " DAF ")
}

// mayBeDonorAdvised is a cheap first test: whether the purpose contains DAF or DON in any case. Nearly every purpose fails it.
func mayBeDonorAdvised(purpose string) bool {
	for i := 2; i < len(purpose); i++ {
		if purpose[i-2]|0x20 != 'd' {
			continue
		}
		if next := [2]byte{purpose[i-1] | 0x20, purpose[i] | 0x20}; next == [2]byte{'a', 'f'} || next == [2]byte{'o', 'n'} {
			return true
		}
	}
	return false
}

// sponsorName reports whether a name says explicitly that donors advise the funder.
func sponsorName(name string) bool {
	s := " " + words(orgname.Fold(name)) + " "
	return hasAny(s, " DONOR ADVISED ", " CHARITABLE GIFT FUND ", " CHARITABLE GIFT TRUST ")
}

// sponsorWording reports whether a name sounds like a sponsor of donor-advised funds. Most community foundations are
// sponsors, but the wording alone does not prove it.
func sponsorWording(name string) bool {
	s := " " + words(orgname.Fold(name)) + " "
	return hasAny(s, " GIFT TRUST ", " GIVING FUND ", " COMMUNITY FOUNDATION ", " COMMUNITY FDN ", " JEWISH FEDERATION ", " JEWISH COMMUNAL ",
		" COMMUNAL FUND ", " UNITED WAY ", " TIDES ", " PHILANTHROPIC TRUST ", " CHARITABLE FUND OF ", " PHILANTHROPY FUND ")
}

// sponsorList names national sponsors of donor advised funds, giving platforms and fiscal sponsors, one per line.
//
//go:embed sponsors.txt
var sponsorList string

var sponsors = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range table.Words("sponsors.txt", sponsorList) {
		m[orgname.Key(name)] = true
	}
	return m
}()
