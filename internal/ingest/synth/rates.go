package synth

// The rates of the world: how often things go wrong, and how filers spell
// what they mean. Shares are in ten thousandths unless said otherwise, and
// defaults are what was measured on real filings or published about them. The
// calibration test reads the written files back and fails when one of them has
// drifted.
const (
	// Schedule I.
	siWithEIN     = 9200 // lines that state the recipient's EIN
	siOwnEIN      = 70   // of those, the filer's own EIN typed instead
	siSlipEIN     = 40   // of those, one slip of the finger
	siRelativeEIN = 200  // of those, the parent's or a sibling's EIN
	siNonCash     = 460  // lines of goods only, no cash
	siForeign     = 30   // lines abroad
	siOutside     = 200  // lines to organizations nobody lists

	// 990-PF.
	pfIndividual  = 670  // lines to people
	personCrowd   = 500  // of those, a crowd that is not named
	pfForeign     = 1000 // lines abroad
	pfOutside     = 850  // of domestic organization lines, one nobody lists
	outsideAlike  = 2500 // of those, named like one that is listed
	outsideTenant = 200  // of those, at the address of one that is listed
	outsideOffice = 1500 // of those, in an office building, where there is one
	pfBusiness    = 650  // of domestic organization lines, not a nonprofit
	pfNoPlace     = 690  // lines without ZIP and state
	pfZero        = 30   // lines of zero dollars
	pfPlaceholder = 200  // filings with one "see attached" line for everything
	hiddenChance  = 270  // drawn, since a single line is not worth hiding
	pfDoubled     = 15   // filings that list everything twice
	pfTotalLine   = 15   // filings whose last line is the total
	pfFuture      = 500  // filings that also list grants approved for later
	pfNoTotal     = 20   // filings that leave out their own total

	// Both.
	lineNegative = 4    // clawbacks
	lineRepeat   = 260  // the same line twice in a row
	lineStable   = 7000 // lines paid to the same recipient every year
	amountStable = 6500 // of those, the same amount every year
	amountRound  = 6000 // amounts of two significant digits

	// How the recipient's name is written, of lines to known organizations;
	// what is left over differs in suffix, THE or punctuation only.
	nameExact    = 3400
	nameAbbrev   = 330
	nameLost     = 100 // a space
	nameTypo     = 90  // one edit
	nameCut      = 200 // truncated
	nameAlias    = 150
	nameExtra    = 200 // more words than the name has
	nameCareOf   = 150
	nameFewer    = 800  // a word less than the name has
	nameReworded = 350  // a word that is not the name's
	nameProject  = 300  // a project of which it is the fiscal sponsor
	namePart     = 1500 // of an institution's lines, those that name a part of it
	nameTrade    = 6500 // of the lines to one with a trade name
	nameBase     = 500  // of the lines to an institution's foundation, those that name the institution
	nameFormer   = 3500 // of the lines to one that was renamed, those that go on with the old name
	abbrevChance = 390  // drawn, since not every name has a word to abbreviate
	abbreviates  = 500  // filers who abbreviate whatever they can

	// How its address is written.
	placeState  = 9500 // state agrees
	placeZIP    = 8000 // five-digit ZIP agrees
	placeStreet = 6600 // street number agrees

	// Returns.
	amended990     = 120
	amendedPF      = 100
	amendedLine    = 3000 // of its lines, those with another amount
	amendedHollow  = 1000 // of amendments, those that state a total and list nothing
	duplicated     = 20   // the same object in next month's zip as well
	generation12   = 500  // filers whose software writes tags of 2012 and before
	generation13   = 300  // tags of 2013
	bom            = 6000 // files that begin with a byte order mark
	narrowNames    = 150  // filers whose software breaks names after 35 characters
	indented       = 800  // files with line breaks between groups
	weekYears      = 80   // of filers by calendar year, those that count in weeks
	unrelatedTax   = 150  // filers of a 990 that also file a 990-T
	indexGhost     = 4    // index rows of returns that are in no zip
	indexLowercase = 300  // index rows that write the batch in lower case

	// Organizations.
	orgSibling  = 600 // X Foundation, Friends of X, at the same address
	orgRenamed  = 500
	orgInactive = 500 // gone from the master file
	orgTwoEINs  = 1000
	orgAcronym  = 800
	orgTrade    = 1100 // known by a trade name
	orgStation  = 2500 // of colleges, those with a radio station
	tradeOnFile = 1500 // of trade names, those that the master file has
	orgOffice   = 1050 // in an office building
	groupShort  = 7000 // members of a group that the master file lists by the name of the group

	// What became of those that are gone, of which the rest lost their
	// exemption by not filing.
	shareClosed     = 1200
	shareLapsedAnew = 300
	// Of those that are there, once revoked.
	shareReinstated = 115
	shareReruled    = 12
	bulletinLate    = 3 // organizations in the newest bulletin that are still on every list

	churchBodyMember = 4500 // congregations of a church body that are under its group ruling
	churchListed     = 7000 // churches that asked to be in Publication 78
	pub78Unknown     = 15   // public charities whose status is not determined
	trustNonexempt   = 2500 // bank trusts that are not exempt but treated as foundations
	operatingExempt  = 1500 // operating foundations that pay no tax on investments

	masterJoined = 600 // long names in the master file that lost a space between its two lines
	masterComma  = 10  // names there with a comma, hence in quotes

	// The share of one funder's lines by where the recipient is.
	giveMetro = 4500
	giveState = 2300

	// Whom they give to beside that: to places of learning first, to lodges last.
	giveLearning = 1250
	giveOffice   = 4200 // of those drawn, those looked for in an office building
	passShort    = 9000 // of those drawn that the master file lists by the name of their group, those passed over
	passChapter  = 6000 // of other members of a group
	drawTries    = 6    // how often another is drawn at most

	funderHasField  = 6000 // funders with a favorite field of work
	personReordered = 300  // filers who write people surname first
)

// relatedShare is how many of all lines with a text mark a related party.
const relatedShare = 20

// amounts by form, at the quartiles and tails of one line per filing.
var (
	pfAmounts = newQuantiles(0, 25, 10_000, 100, 50_000, 250, 100_000, 500, 250_000, 1_000, 500_000, 2_500, 750_000, 10_000,
		900_000, 45_000, 950_000, 110_000, 990_000, 500_000, 999_000, 3_500_000, 999_900, 18_000_000, 1_000_000, 60_000_000)
	siAmounts = newQuantiles(0, 400, 20_000, 4_000, 50_000, 5_000, 100_000, 5_500, 250_000, 9_105, 500_000, 17_445, 750_000, 50_000,
		900_000, 165_000, 950_000, 350_000, 990_000, 1_740_000, 999_000, 9_000_000, 999_900, 40_000_000, 1_000_000, 110_000_000)
)
