// Package holding reads the investments that private foundations report.
//
// A return lists investments as free text, one line per lot, fund or account: "1,250 SHS LARCH INDUSTRIES COM",
// "ALDER PARTNERS IV LP". The package parses the text, determines the asset class, groups the spellings of one asset,
// and sums up each foundation's holdings. It uses only the latest return of a foundation.
//
// The rules look at words, with the schedule of the return as the prior. A line that says too little stays unknown:
// the profile gives the share of the assets that could be classified.
package holding

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// How well the identity of a holding is confirmed.
const (
	CorroboratedPublic  = "corroborated_public"
	CorroboratedPrivate = "corroborated_private"
	Review              = "review"
)

// Thresholds of the rules.
const (
	corroborators = 3    // holders that confirm a public holding
	managedBy     = 3    // foundations needed before leading words count as a manager
	maxName       = 70   // bytes of a canonical name
	overstated    = 1.05 // share of the assets above which the items do not add up
)

// Foundation is what the profile needs of the latest return of a foundation.
type Foundation struct {
	EIN               ein.EIN
	Name, City, State string
	ReturnType        string
	Filing            string
	AssetsFMV         *int64
	InvestmentFees    *int64
}

// Builder gathers foundations and their investments.
type Builder struct {
	foundations map[ein.EIN]*Foundation
	byKey       map[string]uint32
	entities    []entity
	spellings   map[string]*spelling
	positions   []position
}

// entity is one asset that many foundations may hold.
type entity struct {
	key     string
	words   []string
	generic bool
	blank   bool
	marked  bool
}

type spelling struct {
	entity uint32
	count  int32
}

// position is one foundation's holding of one entity, or one item of that holding.
type position struct {
	entity     uint32
	ein        ein.EIN
	fmv        int64
	items      int32
	class      Class
	impact     bool
	program    bool // listed as a payment of the year, not as an asset
	vehicle    string
	entityType string
}

func New() *Builder {
	return &Builder{foundations: make(map[ein.EIN]*Foundation), byKey: make(map[string]uint32), spellings: make(map[string]*spelling)}
}

// AddFoundation adds a foundation. Add all foundations before any investment.
func (b *Builder) AddFoundation(f *Foundation) { b.foundations[f.EIN] = f }

// AddItem adds one line of a schedule of investments. It skips lines that are not from a foundation's latest return
// or that say nothing.
func (b *Builder) AddItem(h *snapshot.Holding) {
	e, err := ein.Parse(h.EIN)
	if err != nil {
		return
	}
	f := b.foundations[e]
	if f == nil || f.Filing != h.Filing {
		return
	}
	switch h.Schedule {
	case lineStock, lineBonds, lineGovernment, lineOther, lineAssets, lineLand, linePrograms, lineLoans:
	default:
		return // assets in use, not investments
	}
	var value int64
	if filed := cmp.Or(h.FMV, h.Book); filed != nil {
		value = *filed
	}
	t := readDescription(h.Name)
	if t.blank && value == 0 {
		return
	}
	class := classOf(&t, h.Schedule)
	vehicle := vehicleOf(&t, h.Schedule, class)
	p := position{
		ein: e, fmv: value, items: 1, class: class, vehicle: vehicle, entityType: entityType(&t, h.Schedule, class, vehicle),
		impact: class == Program || t.cues&cues.Impact != 0, program: h.Schedule == linePrograms,
	}
	name, key := canonical(&t, h.Schedule, class)
	p.entity = b.entity(key, name, &t)
	b.positions = append(b.positions, p)
}

// canonical returns the name of an item and the key for grouping. A bond and a share of one company are two assets.
// The borrower of a private loan is not named.
func canonical(t *description, line string, class Class) (name, key string) {
	switch {
	case line == lineLoans && t.cues&(cues.LP|cues.LLC|cues.Ltd|cues.Fund|cues.Trust) == 0 && len(t.words) == len(strings.Fields(t.name)):
		return "PRIVATE LOAN", "PRIVATE LOAN"
	case t.blank:
		return "NOT ITEMIZED", "NOT ITEMIZED"
	}
	name = t.name
	if line == linePrograms {
		// The text after the name is the purpose of the money.
		for _, cut := range [...]string{" TO ", " FOR ", " SUPPORTING ", " SUPPORT "} {
			if i := strings.Index(name, cut); i > 8 {
				name = name[:i]
			}
		}
	}
	name = cutAtWord(name)
	if class == FixedIncome && t.cues&(cues.Debt|cues.Fund|cues.Note|cues.Family|cues.ETF) == 0 && !isGeneric(t.words) {
		name += " BONDS"
	}
	return name, keyOf(strings.Fields(name))
}

// cutAtWord shortens a name, at a word boundary if that keeps at least half of it.
func cutAtWord(s string) string {
	if len(s) <= maxName {
		return s
	}
	if i := strings.LastIndexByte(s[:maxName], ' '); i > maxName/2 {
		return s[:i]
	}
	return s[:maxName]
}

func (b *Builder) entity(key, name string, t *description) uint32 {
	at, ok := b.byKey[key]
	if !ok {
		at = uint32(len(b.entities))
		key = strings.Clone(key)
		words := strings.Fields(key)
		b.byKey[key] = at
		b.entities = append(b.entities, entity{key: key, words: words, generic: isGeneric(words) || key == "PRIVATE LOAN", blank: t.blank})
	}
	b.entities[at].marked = b.entities[at].marked || t.number || t.ticker
	s := b.spellings[name]
	if s == nil {
		s = &spelling{entity: at}
		b.spellings[strings.Clone(name)] = s
	}
	s.count++
	return at
}

// Portfolio is what all foundations hold. It does not change.
type Portfolio struct {
	foundations []*Foundation // in EIN order
	positions   []position    // by foundation, the largest first
	entities    []heldEntity  // by name
	over        map[ein.EIN]bool
}

// heldEntity is an entity after all positions in it are known.
type heldEntity struct {
	snapshot.HoldingEntity
	class Class
	generic,
	blank bool
}

// Portfolio determines what each asset is. The order in which items were added does not matter.
func (b *Builder) Portfolio() *Portfolio {
	names := b.chooseNames()
	slices.SortFunc(b.positions, func(x, y position) int {
		// Lots of one asset may be in several schedules; known classes come first.
		if c := cmp.Or(cmp.Compare(x.entity, y.entity), cmp.Compare(x.ein, y.ein), cmp.Compare(rankOf(&x), rankOf(&y))); c != 0 {
			return c
		}
		return cmp.Compare(x.vehicle+x.entityType, y.vehicle+y.entityType)
	})
	merged := b.positions[:0]
	for _, p := range b.positions {
		if n := len(merged); n > 0 && merged[n-1].entity == p.entity && merged[n-1].ein == p.ein && merged[n-1].program == p.program {
			last := &merged[n-1]
			last.fmv += p.fmv
			last.items += p.items
			last.impact = last.impact || p.impact
			continue
		}
		merged = append(merged, p)
	}
	managers := b.managers(merged)

	// Renumber the entities in the order of their names.
	number := make([]uint32, len(names))
	for n, at := range radix.OrderTexts(names) {
		number[at] = uint32(n)
	}
	p := &Portfolio{entities: make([]heldEntity, len(names)), positions: merged, over: make(map[ein.EIN]bool)}
	for held := range radix.Runs(merged, func(x, y position) bool { return x.entity == y.entity }) {
		at := held[0].entity
		s := classifyEntity(held, &b.entities[at])
		s.CanonicalName, s.Manager = names[at], managers[at]
		s.Status = statusOf(&s, &b.entities[at])
		p.entities[number[at]] = s
	}
	for i := range merged {
		merged[i].entity = number[merged[i].entity]
	}
	for _, e := range slices.Sorted(maps.Keys(b.foundations)) {
		p.foundations = append(p.foundations, b.foundations[e])
	}
	slices.SortFunc(p.positions, func(x, y position) int {
		return cmp.Or(cmp.Compare(x.ein, y.ein), cmp.Compare(y.fmv, x.fmv), cmp.Compare(x.entity, y.entity), cmp.Compare(rankOf(&x), rankOf(&y)))
	})
	p.addUp()
	*b = Builder{}
	return p
}

// rankOf orders positions in one asset: assets before payments, known classes before unknown.
func rankOf(p *position) int {
	rank := int(p.class)
	if p.class == Unknown {
		rank = int(classes)
	}
	if p.program {
		rank += 100
	}
	return rank
}

// chooseNames picks the name of each entity: the most frequent spelling, then the longest.
func (b *Builder) chooseNames() []string {
	names := make([]string, len(b.entities))
	best := make([]int32, len(b.entities))
	for _, name := range slices.Sorted(maps.Keys(b.spellings)) {
		s := b.spellings[name]
		if best[s.entity] == 0 || s.count > best[s.entity] || s.count == best[s.entity] && len(name) > len(names[s.entity]) {
			names[s.entity], best[s.entity] = name, s.count
		}
	}
	for i := range names {
		names[i] = cmp.Or(names[i], b.entities[i].key)
	}
	return names
}

// classifyEntity determines the class of an entity by a vote of its holders.
func classifyEntity(held []position, e *entity) (s heldEntity) {
	var votes [classes]int32
	vehicles, types := make(map[string]int32), make(map[string]int32)
	known := int32(0)
	for i := range held {
		p := &held[i]
		s.FMV += p.fmv
		s.IsImpact = s.IsImpact || p.impact
		if i == 0 || p.ein != held[i-1].ein {
			s.Holders++
		}
		if p.class != Unknown {
			votes[p.class]++
			known++
		}
	}
	if 2*known >= int32(len(held)) || known >= 25 {
		for c := range votes {
			if votes[c] > votes[s.class] {
				s.class = Class(c)
			}
		}
	}
	for i := range held {
		if p := &held[i]; p.class == s.class || p.class == Unknown {
			vehicles[p.vehicle]++
			types[p.entityType]++
		}
	}
	delete(vehicles, "")
	s.AssetClass, s.Vehicle, s.EntityType = s.class.String(), mostFrequent(vehicles), mostFrequent(types)
	s.generic, s.blank = e.generic, e.blank
	return s
}

// mostFrequent is the most frequent value; among equals, the first in alphabetical order.
func mostFrequent(votes map[string]int32) (best string) {
	for _, v := range slices.Sorted(maps.Keys(votes)) {
		if best == "" || votes[v] > votes[best] {
			best = v
		}
	}
	return best
}

func statusOf(s *heldEntity, e *entity) string {
	switch {
	case s.generic || s.blank:
		return Review
	case (s.class == PublicEquity || s.class == FixedIncome || s.Vehicle == etf) && (s.Holders >= corroborators || e.marked):
		return CorroboratedPublic
	case s.class.private() && s.Holders >= 2:
		return CorroboratedPrivate
	}
	return Review
}

// Entities yields every thing held, by name.
func (p *Portfolio) Entities() iter.Seq[snapshot.HoldingEntity] {
	return func(yield func(snapshot.HoldingEntity) bool) {
		for i := range p.entities {
			if !p.entities[i].blank && !yield(p.entities[i].HoldingEntity) {
				return
			}
		}
	}
}

// Holdings yields what each foundation holds, the largest first.
func (p *Portfolio) Holdings() iter.Seq[snapshot.FoundationHolding] {
	return snapshot.Each(p.positions, func(x position) snapshot.FoundationHolding {
		e := &p.entities[x.entity]
		row := snapshot.FoundationHolding{
			EIN: x.ein.String(), CanonicalName: e.CanonicalName, FMV: x.fmv, EntityType: x.entityType, AssetClass: p.classOf(&x).String(),
			Vehicle: cmp.Or(x.vehicle, e.Vehicle), Manager: e.Manager, IsImpact: x.impact, Status: e.Status,
		}
		if p.over[x.ein] {
			row.Status = Review
		}
		return row
	})
}

func (p *Portfolio) classOf(x *position) Class {
	if x.class == Unknown {
		if e := &p.entities[x.entity]; !e.generic && !e.blank {
			return e.class
		}
	}
	return x.class
}

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
