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
	case has(cues.Program), has(cues.PRI) && !has(cues.Receivable) && (line == lineOther || line == lineAssets || line == lineLoans):
		return Program
	case line == lineLoans:
		return Unknown
	case has(cues.Crypto) && !debt:
		return Crypto
	case has(cues.MoneyMarket):
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
		if has(cues.Equipment) && !has(cues.Property|cues.Land) {
			return Unknown
		}
		return RealEstate
	case line == lineAssets && has(cues.Receivable|cues.Equipment):
		return Unknown
	case has(cues.SurelyArt), has(cues.Art) && line == lineAssets:
		return Art
	case has(cues.Cash) && line == lineOther && !t.traded() && !has(cues.Receivable|cues.LP|cues.LLC|cues.Ltd|cues.Fund|cues.Debt|cues.Note|cues.Trust),
		has(cues.Deposit) && line == lineOther && !has(cues.Receivable):
		return Cash
	case has(cues.Note) && line == lineAssets && !has(cues.Fund):
		return Unknown
	}
	if has(cues.Pipeline) && !t.shares && !t.ticker {
		return Unknown
	}
	if t.traded() || has(cues.Family|cues.ETF|cues.BondHouse) && !has(cues.Private|cues.LP|cues.Buyout|cues.Venture) {
		return classOfTraded(t)
	}
	return classOfPrivate(t)
}

// traded reports whether an item looks like a traded security: it has a security number, or it has a ticker or share
// class and is no partnership.
func (t *description) traded() bool {
	return t.number || (t.ticker || t.shares) && t.cues&(cues.LP|cues.LLC|cues.Private) == 0
}

// classOfStock classifies an item listed as corporate stock: stock, unless it is clearly a fund of something else.
func classOfStock(t *description) Class {
	has := func(x cue) bool { return t.cues&x != 0 }
	fund := has(cues.Fund | cues.ETF | cues.Family)
	switch {
	case !t.shares && (has(cues.Debt|cues.Income) && (fund || isGeneric(t.words)) && !has(cues.Equity) && !equityIncome(t) || has(cues.Debt) && has(cues.ETF)):
		return FixedIncome
	case has(cues.Buyout) && has(cues.LP|cues.Fund) && !t.traded() && !isPLC(t):
		return PrivateEquity
	case has(cues.Hedge) && has(cues.Fund) && !t.traded():
		return Hedge
	}
	return PublicEquity
}

// classOfTraded classifies a security that has a number, a ticker or a share class, or that a well-known fund family offers.
func classOfTraded(t *description) Class {
	has := func(x cue) bool { return t.cues&x != 0 }
	switch {
	case has(cues.Hedge) && !has(cues.Debt):
		return Hedge
	case has(cues.Debt|cues.Income) && !equityIncome(t):
		return FixedIncome
	case has(cues.Equity):
		return PublicEquity
	case has(cues.BondHouse):
		return FixedIncome
	case has(cues.ETF), t.traded(), has(cues.Family) && has(cues.WeakEquity):
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
	case has(cues.Structured):
		return FixedIncome
	case has(cues.Venture):
		return Venture
	case has(cues.Buyout):
		return PrivateEquity
	case has(cues.Property) && incorporated(t) && !has(cues.Fund|cues.LP|cues.LLC):
		return PublicEquity
	case has(cues.Property), has(cues.Land) && !has(cues.Fund):
		return RealEstate
	case has(cues.Hedge), has(cues.Offshore) && !counted:
		return Hedge
	case has(cues.Debt|cues.Income) && !equityIncome(t):
		if counted && has(cues.LP) {
			return PrivateEquity
		}
		return FixedIncome
	case counted && has(cues.LP|cues.Partners|cues.Offshore|cues.Private):
		return PrivateEquity
	case has(cues.Equity) && (!has(cues.LP|cues.LLC) || has(cues.Fund|cues.Trust)):
		return PublicEquity
	case has(cues.Note) && !has(cues.LP|cues.Ltd):
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
	case has(cues.ETF):
		return etf
	case has(cues.Account) && !t.traded():
		return account
	case has(cues.LP) || class == PrivateEquity && numeral(t.words) && !has(cues.LLC):
		return lp
	case has(cues.LLC) && !t.due && !t.coupon && line != lineBonds:
		return llc
	case class == Cash && !has(cues.Fund):
		return account
	case has(cues.Fund|cues.Family) && !t.due && !t.coupon && (has(cues.Family) || class == PublicEquity || class == FixedIncome || class == Cash):
		return mutual
	case t.due || t.coupon || line == lineBonds || line == lineGovernment || line == lineStock || t.traded():
		return direct
	case has(cues.Note) && class == FixedIncome:
		return note
	case has(cues.Trust):
		return trust
	case class == RealEstate && !has(cues.Fund|cues.Ltd) || class == Art || class == Crypto || line == lineLand:
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
	case line == lineGovernment || t.cues&cues.Government != 0 && class == FixedIncome && vehicle == direct:
		return government
	case isGeneric(t.words):
		return other
	case vehicle == etf, vehicle == mutual, vehicle == lp && class != RealEstate, class == Hedge, class == Venture, class == PrivateEquity,
		t.cues&cues.Fund != 0 && (class != Unknown || vehicle == llc) && vehicle != direct:
		return fund
	case class == RealEstate:
		return property
	case class == PublicEquity || vehicle == direct && class == FixedIncome || vehicle == llc:
		return company
	}
	return other
}
