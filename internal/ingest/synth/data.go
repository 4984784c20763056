package synth

import (
	"embed"
	"reflect"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

// The words, shares and shapes of the world are tables in the folder data.

//go:embed data
var dataFiles embed.FS

func text(name string) string {
	b, err := dataFiles.ReadFile("data/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func readRows(name string, columns ...string) []table.Row {
	return table.Read(name, text(name), columns...)
}

type wordLists map[string][]string

func readLists(name, key, value string) wordLists { return table.Lists(name, text(name), key, value) }

func (l wordLists) of(name string) []string {
	if len(l[name]) == 0 {
		panic("synth: no list " + name)
	}
	return l[name]
}

var (
	words     = readLists("words.tsv", "list", "word")
	templates = readLists("templates.tsv", "kind", "template")
	columns   = readLists("columns.tsv", "file", "column")
	schemas   = readLists("schemas.tsv", "year", "version")

	surnames   = words.of("surname")
	givenWomen = words.of("given name, woman")
	givenMen   = words.of("given name, man")
	firms      = words.of("firm")
	industries = words.of("industry")
	natures    = words.of("nature")
	seconds    = words.of("second")
	virtues    = words.of("virtue")
	brandNouns = words.of("brand")
	streets    = words.of("street")
)

// weighted is a list of values with their shares in ten thousandths.
type weighted []struct {
	value string
	share int
}

// pickOr picks a value by its share. Where the shares add up to less than one, ok is
// false in the remaining cases, and the value is the last of the list.
func (w weighted) pickOr(h uint64) (value string, ok bool) {
	x := scale(h, 10_000)
	for i := range w {
		if x < w[i].share {
			return w[i].value, true
		}
		x -= w[i].share
	}
	return w[len(w)-1].value, false
}

func (w weighted) pick(h uint64) string {
	value, _ := w.pickOr(h)
	return value
}

var shares = func() map[string]weighted {
	m := map[string]weighted{}
	for _, r := range readRows("shares.tsv", "list", "value", "share") {
		list := r.Text("list")
		m[list] = append(m[list], struct {
			value string
			share int
		}{r.Text("value"), r.Int("share")})
	}
	return m
}()

// What 990-PF filers write as the recipient's foundation status and relationship, what
// filers of Schedule I write as its section, and the legal suffixes of names.
var (
	statuses           = shares["foundation status"]
	statusCodes        = shares["foundation status code"] // the only values from schema 2025v4.0 on
	relationships      = shares["relationship"]
	sections           = shares["section"]
	governmentSections = shares["section, government"]
	suffixes           = shares["legal suffix"]
)

// federation is an invented national body with local units.
type federation struct {
	name, unit, style string
	field             int
	section           string // 501(c) number
}

var federations = each.Of(readRows("federations.tsv", "name", "unit", "field", "style", "section"), func(r table.Row) federation {
	return federation{r.Text("name"), r.Text("unit"), r.Text("style"), fieldIndex(r.Text("field")), r.Text("section")}
})

// foreignPlace is a place abroad, with the IRS's country code (FIPS 10-4).
type foreignPlace struct {
	city, province, country, postal string
	forms                           string // legal words, separated by |
}

var foreignPlaces = each.Of(readRows("foreign_places.tsv", "city", "province", "country", "postal", "forms"), func(r table.Row) foreignPlace {
	return foreignPlace{r.Text("city"), r.Text("province"), r.Text("country"), r.Text("postal"), r.Text("forms")}
})

var abbreviations = table.Map("abbreviations.tsv", text("abbreviations.tsv"), "word", "short")

// field is one field of work: its NTEE code, what organizations in it call
// themselves, what they say they do, for whom, and what grants to them are for.
type field struct {
	code     string
	nouns    []string
	does     []string
	whom     []string
	programs []string
}

var (
	phrases = func() map[[2]string][]string {
		m := map[[2]string][]string{}
		for _, r := range readRows("phrases.tsv", "field", "kind", "phrase") {
			key := [2]string{r.Text("field"), r.Text("kind")}
			m[key] = append(m[key], r.Text("phrase"))
		}
		return m
	}()
	fieldRows = readRows("fields.tsv", "code", "weight")

	fields = each.Of(fieldRows, func(r table.Row) field {
		of := func(kind string) []string { return phrases[[2]string{r.Text("code"), kind}] }
		return field{r.Text("code"), of("noun"), of("does"), of("whom"), of("program")}
	})

	// generalFields are the fields that an ordinary local organization works in, repeated by weight.
	generalFields = func() (out []int) {
		for i, r := range fieldRows {
			for range r.Int("weight") {
				out = append(out, i)
			}
		}
		return out
	}()

	// sentences are what organizations of a major group of the NTEE like to add about themselves, by the letter of the group.
	// They differ by cause, so that a search by meaning can tell causes apart. No sentence names a place.
	sentences = func() (out [128][]string) {
		for key, list := range phrases {
			if key[1] == "adds" {
				out[key[0][0]] = list
			}
		}
		return out
	}()
)

// fieldIndex finds a field by its NTEE code. For a code that is no field, which some
// federations have, it is the first field of the same major group.
func fieldIndex(code string) int {
	i := slices.IndexFunc(fields, func(f field) bool { return f.code == code })
	if i < 0 {
		i = slices.IndexFunc(fields, func(f field) bool { return f.code[0] == code[0] })
	}
	if i < 0 {
		panic("synth: no field for " + code)
	}
	return i
}

func (r *rng) general() int { return generalFields[r.n(len(generalFields))] }

// rateTable are the rates of the world, which rates.tsv states and explains.
type rateTable struct {
	SIWithEIN, SIOwnEIN, SISlipEIN, SIRelativeEIN, SINonCash, SIForeign, SIOutside                                        int
	PFIndividual, PersonCrowd, PFForeign, PFOutside, OutsideAlike, OutsideTenant, OutsideOffice, PFBusiness, PFNoPlace    int
	PFZero, PFPlaceholder, HiddenChance, PFDoubled, PFTotalLine, PFFuture, PFNoTotal, PFPreselected, PFBoxAndForm         int
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
