package holding

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/table"
)

// cue is a set of hints from the words of a description.
type cue uint64

//go:embed cues.tsv
var cuesText string

// cueLists maps the name of each cue to its words and phrases. cueNames holds the names in the order of their bits.
var (
	cueLists = table.Lists("cues.tsv", cuesText, "cue", "phrase")
	cueNames = slices.Sorted(maps.Keys(cueLists))
)

func cueOf(name string) cue {
	i, ok := slices.BinarySearch(cueNames, name)
	if !ok {
		panic("cues.tsv has no cue " + name)
	}
	return 1 << i
}

var (
	cueBlank       = cueOf("blank")
	cueProgram     = cueOf("program")
	cueCrypto      = cueOf("crypto")
	cueArt         = cueOf("art")
	cueSurelyArt   = cueOf("surely_art")
	cueMoneyMarket = cueOf("money_market")
	cueCash        = cueOf("cash")
	cueDeposit     = cueOf("deposit")
	cueVenture     = cueOf("venture")
	cueBuyout      = cueOf("buyout")
	cuePartners    = cueOf("partners")
	cueProperty    = cueOf("property")
	cueLand        = cueOf("land")
	cueHedge       = cueOf("hedge")
	cueOffshore    = cueOf("offshore")
	cueDebt        = cueOf("debt")
	cueIncome      = cueOf("income")
	cueNote        = cueOf("note")
	cueEquity      = cueOf("equity")
	cueETF         = cueOf("etf")
	cueFund        = cueOf("fund")
	cueFamily      = cueOf("family")
	cueImpact      = cueOf("impact")
	cueGovernment  = cueOf("government")
	cueAccount     = cueOf("account")
	cueLP          = cueOf("lp")
	cueLLC         = cueOf("llc")
	cueLtd         = cueOf("ltd")
	cueTrust       = cueOf("trust")
	cueEquipment   = cueOf("equipment")
	cueReceivable  = cueOf("receivable")
	cuePipeline    = cueOf("pipeline")
	cuePrivate     = cueOf("private")
	cueWeakEquity  = cueOf("weak_equity")
	cueBondHouse   = cueOf("bond_house")
	cuePRI         = cueOf("pri")
	cueStructured  = cueOf("structured")
)

// generic are words for a kind of asset that name no particular asset.
var generic = wordSets.Of("generic")

// isGeneric reports whether a name only states a kind of asset.
func isGeneric(list []string) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !generic[w] })
}

// isPointer reports whether a text is not a name: "N/A", "None", "Total", a number.
func isPointer(list []string) bool {
	if len(list) > 2 {
		return false
	}
	if slices.Contains([]string{"NA", "N A", "NONE", "TOTAL", "TOTALS", "VARIOUS", "OTHER", "STATEMENT", "ATTACHED", "SEE", "UNKNOWN", "DESCRIPTION", "NAME",
		"NIL"}, strings.Join(list, " ")) {
		return true
	}
	return !slices.ContainsFunc(list, func(w string) bool { return strings.Trim(w, "0123456789") != "" })
}

// phrase is the rest of a cue after its first word.
type phrase struct {
	rest []string
	cue  cue
}

var phrases = func() map[string][]phrase {
	m := make(map[string][]phrase)
	for name, list := range cueLists {
		for _, p := range list {
			words := strings.Fields(p)
			m[words[0]] = append(m[words[0]], phrase{words[1:], cueOf(name)})
		}
	}
	return m
}()

// scan finds the cues in a list of words. A word may have become several when its abbreviation was spelled out.
func scan(list []string) (c cue) {
	words := list
	if slices.ContainsFunc(list, func(w string) bool { return strings.Contains(w, " ") }) {
		words = strings.Fields(strings.Join(list, " "))
	}
	for i, w := range words {
		for _, p := range phrases[w] {
			if after := words[i+1:]; len(p.rest) <= len(after) && slices.Equal(p.rest, after[:len(p.rest)]) {
				c |= p.cue
			}
		}
	}
	return c
}

// numeral reports whether a word numbers a series of funds: FUND III, CAPITAL IX-B, PARTNERS 4.
func numeral(list []string) bool {
	for i, w := range list {
		if i == 0 || slices.Contains([]string{"SERIES", "CLASS", "TRANCHE", "CL", "SER"}, list[i-1]) {
			continue
		}
		if len(w) > 1 {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "A"), "B")
		}
		if w == "" || len(w) > 5 {
			continue
		}
		switch {
		case strings.Trim(w, "IVX") == "" && (len(w) > 1 || i == len(list)-1 && (w != "X" || product[list[i-1]])):
			return true
		case len(w) <= 2 && strings.Trim(w, "0123456789") == "" && w != "0" && i >= len(list)-2:
			return true
		}
	}
	return false
}
