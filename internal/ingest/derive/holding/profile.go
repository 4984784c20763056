package holding

import (
	"iter"
	"math"

	"grantgraph/internal/snapshot"
)

// Thresholds for a foundation that picks its own securities.
const (
	selfDirect  = .6   // least share of classified assets that it holds directly
	selfItems   = 10   // least number of investments
	selfManager = .4   // share that no single manager may exceed
	selfFees    = .001 // investment management fees as a share of the assets
)

// addUp finds the foundations whose items exceed their assets, so that one of the two is wrong.
func (p *Portfolio) addUp() {
	at := 0
	for _, f := range p.foundations {
		var sum int64
		for ; at < len(p.positions) && p.positions[at].ein == f.EIN; at++ {
			if x := &p.positions[at]; !x.program {
				sum += x.fmv
			}
		}
		if f.AssetsFMV != nil && *f.AssetsFMV > 0 && float64(sum) > overstated*float64(*f.AssetsFMV) {
			p.over[f.EIN] = true
		}
	}
}

// Profiles yields one row for every foundation, in the order of their EINs.
func (p *Portfolio) Profiles() iter.Seq[snapshot.AssetProfile] {
	return func(yield func(snapshot.AssetProfile) bool) {
		at := 0
		for _, f := range p.foundations {
			from := at
			for at < len(p.positions) && p.positions[at].ein == f.EIN {
				at++
			}
			if !yield(p.profile(f, p.positions[from:at])) {
				return
			}
		}
	}
}

func (p *Portfolio) profile(f *Foundation, held []position) snapshot.AssetProfile {
	row := snapshot.AssetProfile{
		EIN: f.EIN.String(), OrgName: f.Name, State: f.State, City: f.City, ReturnType: f.ReturnType, TotalAssetsFMV: f.AssetsFMV,
	}
	var byClass [classes]int64
	var directly, largest int64
	managed := make(map[string]int64)
	for i := range held {
		x := &held[i]
		row.Items += int64(x.items)
		if x.impact {
			row.ImpactFMV += x.fmv
		}
		if x.program {
			continue
		}
		class, e := p.classOf(x), &p.entities[x.entity]
		byClass[class] += x.fmv
		if x.vehicle == direct && (class == PublicEquity || class == FixedIncome) {
			directly += x.fmv
		}
		if e.Manager != "" {
			managed[e.Manager] += x.fmv
			largest = max(largest, managed[e.Manager])
		}
		if !e.generic && !e.blank {
			row.TopHoldingFMV = max(row.TopHoldingFMV, x.fmv)
		}
	}
	for c := PublicEquity; c < classes; c++ {
		row.ClassifiedFMV += byClass[c]
	}
	row.PublicEquityFMV, row.FixedIncomeFMV = byClass[PublicEquity], byClass[FixedIncome]
	row.PEFMV, row.VCFMV, row.HedgeFMV = byClass[PrivateEquity], byClass[Venture], byClass[Hedge]
	row.AltsFMV = row.PEFMV + row.VCFMV + row.HedgeFMV + byClass[RealEstate]
	if f.AssetsFMV == nil || *f.AssetsFMV <= 0 {
		return row
	}
	assets := float64(*f.AssetsFMV)
	row.ClassifiedPct = percent(float64(row.ClassifiedFMV) / assets)
	row.TopHoldingPct = percent(float64(row.TopHoldingFMV) / assets)
	fees := 0.0
	if f.InvestmentFees != nil {
		fees = float64(*f.InvestmentFees)
	}
	classified := float64(row.ClassifiedFMV)
	row.SelfManaged = classified > 0 && float64(directly) >= selfDirect*classified && row.Items >= selfItems &&
		float64(largest) <= selfManager*classified && fees < selfFees*assets
	return row
}

// percent is a share in percent with two decimals, limited to 0 through 100.
func percent(share float64) *float64 { return new(math.Round(max(0, min(1, share))*1e4) / 100) }
