package synth

import (
	"reflect"
)

// rateTable are the rates of the world, which rates.tsv states and explains.
type rateTable struct {
	SIWithEIN, SIOwnEIN, SISlipEIN, SIRelativeEIN, SINonCash, SIForeign, SIOutside                                        int
	PFIndividual, PersonCrowd, PFForeign, PFOutside, OutsideAlike, OutsideTenant, OutsideOffice, PFBusiness, PFNoPlace    int
	PFZero, PFPlaceholder, HiddenChance, PFDoubled, PFTotalLine, PFFuture, PFNoTotal                                      int
	LineNegative, LineRepeat, LineStable, AmountStable, AmountRound                                                       int
	NameExact, NameAbbrev, NameLost, NameTypo, NameCut, NameAlias, NameExtra, NameCareOf, NameFewer, NameReworded         int
	NameProject, NamePart, NameTrade, NameBase, NameFormer, AbbrevChance, Abbreviates                                     int
	PlaceState, PlaceZIP, PlaceStreet                                                                                     int
	Amended990, AmendedPF, AmendedLine, AmendedHollow, Duplicated, Generation12, Generation13, BOM, NarrowNames, Indented int
	WeekYears, UnrelatedTax, IndexGhost, IndexLowercase                                                                   int
	OrgSibling, OrgRenamed, OrgInactive, OrgTwoEINs, OrgAcronym, OrgTrade, OrgStation, TradeOnFile, OrgOffice, GroupShort int
	ShareClosed, ShareLapsedAnew                                                                                          int
	ShareReinstated, ShareReruled, BulletinLate                                                                           int
	ChurchBodyMember, ChurchListed, Pub78Unknown, TrustNonexempt, OperatingExempt                                         int
	MasterJoined, MasterComma                                                                                             int
	GiveMetro, GiveState                                                                                                  int
	GiveLearning, GiveOffice, PassShort, PassChapter, DrawTries                                                           int
	FunderHasField, PersonReordered                                                                                       int
	RelatedShare                                                                                                          int
}

var rates = func() (t rateTable) {
	fields := reflect.ValueOf(&t).Elem()
	named := readRows("rates.tsv", "rate", "share", "meaning")
	for _, r := range named {
		field := fields.FieldByName(r.Text("rate"))
		if !field.IsValid() {
			r.Fail("no rate %s", r.Text("rate"))
		}
		field.SetInt(int64(r.Int("share")))
	}
	if len(named) != fields.NumField() {
		panic("synth: rates.tsv does not state every rate once")
	}
	return t
}()

// amounts by form, at the quartiles and tails of one line per filing.
var (
	pfAmounts = newQuantiles(0, 25, 10_000, 100, 50_000, 250, 100_000, 500, 250_000, 1_000, 500_000, 2_500, 750_000, 10_000,
		900_000, 45_000, 950_000, 110_000, 990_000, 500_000, 999_000, 3_500_000, 999_900, 18_000_000, 1_000_000, 60_000_000)
	siAmounts = newQuantiles(0, 400, 20_000, 4_000, 50_000, 5_000, 100_000, 5_500, 250_000, 9_105, 500_000, 17_445, 750_000, 50_000,
		900_000, 165_000, 950_000, 350_000, 990_000, 1_740_000, 999_000, 9_000_000, 999_900, 40_000_000, 1_000_000, 110_000_000)
)
