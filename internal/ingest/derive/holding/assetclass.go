package holding

import (
	"slices"
	"strings"
)

type Class uint8

// The classes, in the order that breaks ties.
const (
	Unknown Class = iota
	PublicEquity
	FixedIncome
	PrivateEquity
	Venture
	Hedge
	RealEstate
	Cash
	Program // a program-related investment
	Art
	Crypto
	classes
)

var classNames = [classes]string{
	"unknown", "public_equity", "fixed_income", "private_equity", "venture", "hedge", "real_estate", "cash", "pri", "art", "crypto",
}

func (c Class) String() string { return classNames[c] }

// Classes are the names of all classes except unknown.
func Classes() []string { return classNames[1:] }

// ClassOf is the class of an investment, from its schedule and its description.
func ClassOf(schedule, text string) string {
	t := readDescription(text)
	return classOf(&t, schedule).String()
}

func (c Class) private() bool {
	return c == PrivateEquity || c == Venture || c == Hedge || c == RealEstate
}

// Schedules of the return that a holding is listed in, as the reader names them.
const (
	lineStock      = "stock"
	lineBonds      = "bonds"
	lineGovernment = "government"
	lineOther      = "other"
	lineAssets     = "other_assets"
	lineLand       = "land"
	linePrograms   = "pri"
	lineLoans      = "loans"
)

// classOf determines the class of an item from its words and its schedule. The schedule is the filer's statement;
// words override it only if they are clear.
//
// Kept whole: the order of the cases is the rule.
func classOf(t *description, line string) Class {
	c := t.cues
	has := func(x cue) bool { return c&x != 0 }
	debt := t.due || t.coupon && line != lineStock // a share with a rate is preferred stock
	switch {
	case t.blank:
		return Unknown
	case line == linePrograms:
		return Program
	case has(cueProgram), has(cuePRI) && !has(cueReceivable) && (line == lineOther || line == lineAssets || line == lineLoans):
		return Program
	case line == lineLoans:
		return Unknown
	case has(cueCrypto) && !debt:
		return Crypto
	case has(cueMoneyMarket):
		return Cash
	case line == lineBonds && !debt && t.common:
		return PublicEquity // a custodian's full list, entered in one schedule
	case debt || line == lineBonds || line == lineGovernment:
		return FixedIncome
	}
	if line == lineStock {
		return classOfStock(t)
	}
	switch {
	case line == lineLand:
		if has(cueEquipment) && !has(cueProperty|cueLand) {
			return Unknown
		}
		return RealEstate
	case line == lineAssets && has(cueReceivable|cueEquipment):
		return Unknown
	case has(cueSurelyArt), has(cueArt) && line == lineAssets:
		return Art
	case has(cueCash) && line == lineOther && !t.traded() && !has(cueReceivable|cueLP|cueLLC|cueLtd|cueFund|cueDebt|cueNote|cueTrust),
		has(cueDeposit) && line == lineOther && !has(cueReceivable):
		return Cash
	case has(cueNote) && line == lineAssets && !has(cueFund):
		return Unknown
	}
	if has(cuePipeline) && !t.shares && !t.ticker {
		return Unknown
	}
	if t.traded() || has(cueFamily|cueETF|cueBondHouse) && !has(cuePrivate|cueLP|cueBuyout|cueVenture) {
		return classOfTraded(t)
	}
	return classOfPrivate(t)
}

// traded reports whether an item looks like a traded security: it has a security number, or it has a ticker or share
// class and is no partnership.
func (t *description) traded() bool {
	return t.number || (t.ticker || t.shares) && t.cues&(cueLP|cueLLC|cuePrivate) == 0
}

// classOfStock classifies an item listed as corporate stock: stock, unless it is clearly a fund of something else.
func classOfStock(t *description) Class {
	has := func(x cue) bool { return t.cues&x != 0 }
	fund := has(cueFund | cueETF | cueFamily)
	switch {
	case !t.shares && (has(cueDebt|cueIncome) && (fund || isGeneric(t.words)) && !has(cueEquity) && !equityIncome(t) || has(cueDebt) && has(cueETF)):
		return FixedIncome
	case has(cueBuyout) && has(cueLP|cueFund) && !t.traded() && !isPLC(t):
		return PrivateEquity
	case has(cueHedge) && has(cueFund) && !t.traded():
		return Hedge
	}
	return PublicEquity
}

// classOfTraded classifies a security that has a number, a ticker or a share class, or that a well-known fund family offers.
func classOfTraded(t *description) Class {
	has := func(x cue) bool { return t.cues&x != 0 }
	switch {
	case has(cueHedge) && !has(cueDebt):
		return Hedge
	case has(cueDebt|cueIncome) && !equityIncome(t):
		return FixedIncome
	case has(cueEquity):
		return PublicEquity
	case has(cueBondHouse):
		return FixedIncome
	case has(cueETF), t.traded(), has(cueFamily) && has(cueWeakEquity):
		return PublicEquity
	}
	return Unknown
}

// isPLC reports a company whose shares are listed, by its legal form.
func isPLC(t *description) bool { return strings.Contains(" "+t.name+" ", " PLC ") }

// incorporated reports a company, by its legal form.
func incorporated(t *description) bool {
	return slices.ContainsFunc(strings.Fields(t.name), func(w string) bool {
		return w == "INC" || w == "CORP" || w == "PLC" || w == "CORPORATION" || w == "INCORPORATED"
	})
}

// classOfPrivate classifies an item among other investments that has only a name.
func classOfPrivate(t *description) Class {
	has := func(x cue) bool { return t.cues&x != 0 }
	counted := numeral(t.words) && len(t.words) > 1 && !isGeneric(t.words[:len(t.words)-1])
	switch {
	case has(cueStructured):
		return FixedIncome
	case has(cueVenture):
		return Venture
	case has(cueBuyout):
		return PrivateEquity
	case has(cueProperty) && incorporated(t) && !has(cueFund|cueLP|cueLLC):
		return PublicEquity
	case has(cueProperty), has(cueLand) && !has(cueFund):
		return RealEstate
	case has(cueHedge), has(cueOffshore) && !counted:
		return Hedge
	case has(cueDebt|cueIncome) && !equityIncome(t):
		if counted && has(cueLP) {
			return PrivateEquity
		}
		return FixedIncome
	case counted && has(cueLP|cuePartners|cueOffshore|cuePrivate):
		return PrivateEquity
	case has(cueEquity) && (!has(cueLP|cueLLC) || has(cueFund|cueTrust)):
		return PublicEquity
	case has(cueNote) && !has(cueLP|cueLtd):
		return FixedIncome
	}
	return Unknown
}

// equityIncome reports whether a fund seeks income from shares. Its name alone may suggest bonds.
func equityIncome(t *description) bool {
	for i, w := range t.words {
		switch w {
		case "DIVIDEND":
			return true
		case "EQUITY", "STOCK":
			if i+1 < len(t.words) && (t.words[i+1] == "INCOME" || t.words[i+1] == "PREMIUM") {
				return true
			}
		}
	}
	return false
}

// Vehicles are the legal forms through which assets are held.
const (
	direct  = "direct"
	mutual  = "mutual_fund"
	etf     = "etf"
	lp      = "lp"
	llc     = "llc"
	trust   = "trust"
	note    = "note"
	account = "account"
)

// vehicleOf determines through which vehicle an asset is held.
//
// Kept whole: the order of the cases is the rule.
func vehicleOf(t *description, line string, class Class) string {
	c := t.cues
	has := func(x cue) bool { return c&x != 0 }
	switch {
	case t.blank:
		return ""
	case line == lineLoans:
		return note
	case has(cueETF):
		return etf
	case has(cueAccount) && !t.traded():
		return account
	case has(cueLP) || class == PrivateEquity && numeral(t.words) && !has(cueLLC):
		return lp
	case has(cueLLC) && !t.due && !t.coupon && line != lineBonds:
		return llc
	case class == Cash && !has(cueFund):
		return account
	case has(cueFund|cueFamily) && !t.due && !t.coupon && (has(cueFamily) || class == PublicEquity || class == FixedIncome || class == Cash):
		return mutual
	case t.due || t.coupon || line == lineBonds || line == lineGovernment || line == lineStock || t.traded():
		return direct
	case has(cueNote) && class == FixedIncome:
		return note
	case has(cueTrust):
		return trust
	case class == RealEstate && !has(cueFund|cueLtd) || class == Art || class == Crypto || line == lineLand:
		return direct
	}
	return ""
}

// Kinds of assets held.
const (
	company    = "company"
	fund       = "fund"
	government = "government"
	property   = "property"
	personNote = "person_note"
	other      = "other"
)

func entityType(t *description, line string, class Class, vehicle string) string {
	switch {
	case line == lineLoans:
		return personNote
	case t.blank:
		return other
	case line == lineGovernment || t.cues&cueGovernment != 0 && class == FixedIncome && vehicle == direct:
		return government
	case isGeneric(t.words):
		return other
	case vehicle == etf, vehicle == mutual, vehicle == lp && class != RealEstate, class == Hedge, class == Venture, class == PrivateEquity,
		t.cues&cueFund != 0 && (class != Unknown || vehicle == llc) && vehicle != direct:
		return fund
	case class == RealEstate:
		return property
	case class == PublicEquity || vehicle == direct && class == FixedIncome || vehicle == llc:
		return company
	}
	return other
}
