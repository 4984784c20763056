package grant

import "slices"

// Kinds of amounts in the account of a return: where the dollars are that the filer
// gave, and how they relate to the total that it declares.
const (
	Itemized          = "itemized"
	Reversals         = "reversals"
	NonCash           = "noncash"
	People            = "individuals"
	PeopleNonCash     = "individuals_noncash"
	Abroad            = "abroad"
	AbroadNonCash     = "abroad_noncash"
	PeopleAbroad      = "individuals_abroad"
	PeopleAbroadGoods = "individuals_abroad_noncash"
	Unlisted          = "unlisted"
	DeclaredTotal     = "declared"
	FutureCommitments = "future"
)

// Amount describes a kind of amount.
type Amount struct {
	Kind  string
	Label string // for people
	Where string // in the return
	Given bool   // part of what was given; the amounts that are add up to the declared total, if there is one
}

var amounts = []Amount{
	{Itemized, "Cash grants, listed by recipient", "Schedule I Part II; Form 990-PF, paid during the year", true},
	{Reversals, "Reversals", "negative lines of the same lists", true},
	{NonCash, "Non-cash assistance", "Schedule I Part II", true},
	{People, "Grants to individuals", "Schedule I Part III", true},
	{PeopleNonCash, "Non-cash assistance to individuals", "Schedule I Part III", true},
	{Abroad, "Grants to organizations abroad", "Schedule F Part II", true},
	{AbroadNonCash, "Non-cash assistance to organizations abroad", "Schedule F Part II", true},
	{PeopleAbroad, "Grants to individuals abroad", "Schedule F Part III", true},
	{PeopleAbroadGoods, "Non-cash assistance to individuals abroad", "Schedule F Part III", true},
	{Unlisted, "Declared, but on no line", "the declared total less everything above", true},
	{DeclaredTotal, "Total that the filer declares", "Form 990 Part I line 13; Form 990-EZ line 10; Form 990-PF, total paid", false},
	{FutureCommitments, "Approved for future payment", "Form 990-PF", false},
}

// Amounts lists the kinds of amounts in the order of an account.
func Amounts() []Amount { return amounts }

// AmountOf describes a kind; known is false if there is no such kind.
func AmountOf(kind string) (a Amount, known bool) {
	i := slices.IndexFunc(amounts, func(a Amount) bool { return a.Kind == kind })
	if i < 0 {
		return Amount{}, false
	}
	return amounts[i], true
}

// Sums are amounts by kind.
type Sums map[string]int64

// Outside is what was given outside the rows: an amount below zero, such as a reversal, takes nothing away.
func (s Sums) Outside() (dollars int64) {
	for _, a := range amounts {
		if a.Given && a.Kind != Itemized {
			dollars += max(s[a.Kind], 0)
		}
	}
	return dollars
}

// MostlyOutside reports whether so much was given outside the rows that an answer
// about the funder has to say so: more than a tenth.
func (s Sums) MostlyOutside() bool {
	outside := s.Outside()
	return 10*outside > outside+s[Itemized]
}
