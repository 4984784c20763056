package orgname

import (
	_ "embed"
	"strings"

	"grantgraph/internal/table"
)

//go:embed abbreviations.tsv
var abbreviationsText string

// Classes of words. The steps of normalization look each word up once and then test
// its classes.
const (
	legal     uint32 = 1 << iota // a legal form, dropped from the end
	stop                         // dropped from K2
	context                      // a number word or a roman numeral may follow
	numeral                      // ONE to TWENTY: a number after context
	roman                        // II to IX without V: a number when last or after context
	romanV                       // V and X: a number only after context
	inner                        // expanded only when it is not the last word
	saintly                      // ST and its kin: inner, and not after a number
	nomark                       // NO, NUMBER: dropped before a number
	marker                       // may begin one of the phrases that cut a name
	later                        // expanded only when it is not the first word
	holder                       // may be part of a phrase that names a sponsor
	organized                    // ORG behind it stands for organization
)

// word is an entry of the vocabulary. to is the long form, or nil if the word has
// none.
type word struct {
	to    []byte
	class uint32
}

// words is the vocabulary of normalization. It is short on purpose: more abbreviations
// match few more names and confuse more of them.
var words = func() map[string]word {
	m := make(map[string]word, 256)
	class := func(c uint32, list string) {
		for _, s := range strings.Fields(list) {
			w := m[s]
			w.class |= c
			m[s] = w
		}
	}
	to := func(long, list string) {
		for _, s := range strings.Fields(list) {
			w := m[s]
			w.to = []byte(long)
			m[s] = w
		}
	}
	numbers := func(c uint32, list string) {
		for _, pair := range strings.Fields(list) {
			s, n, _ := strings.Cut(pair, "=")
			to(n, s)
			class(c, s)
		}
	}

	class(legal, "INC INCORPORATED INCOPORATED INCORPERATED INCORPORTED INCORP CORP CORPORATION CO COMPANY LTD LIMITED LLC LLP LP LC LLLP PC PLLC NFP NPO PBC")
	class(stop, "AND OF THE FOR A AN IN AT TO ON")
	class(context, "NO NUMBER POST LOCAL ENGINE DISTRICT TROOP PACK PHASE FUND CHAPTER LODGE UNIT REGION COUNCIL AERIE WARD")
	class(nomark, "NO NUMBER")
	class(holder, "PROJECT PROGRAM INITIATIVE DIVISION SPONSOR SPONSORED SPONSORSHIP AGENT")
	class(organized, "TEACHER TEACHERS HEALTH YOUTH COMMUNITY PARENT PARENTS SERVICE SERVICES CHARITABLE NONPROFIT WOMEN VETERAN CULTURAL "+
		"NEIGHBORHOOD SPORTS WELFARE RELIEF EDUCATION EDUCATIONAL CIVIC LABOR TRADE")
	class(marker, "C CARE ATTN ATTENTION DBA D AKA A FKA F FORMERLY ALSO DOING FBO FOR IN")

	numbers(0, "FIRST=1 SECOND=2 THIRD=3 FOURTH=4 FIFTH=5 SIXTH=6 SEVENTH=7 EIGHTH=8 NINTH=9 TENTH=10")
	numbers(numeral, "ONE=1 TWO=2 THREE=3 FOUR=4 FIVE=5 SIX=6 SEVEN=7 EIGHT=8 NINE=9 TEN=10 ELEVEN=11 TWELVE=12 "+
		"THIRTEEN=13 FOURTEEN=14 FIFTEEN=15 SIXTEEN=16 SEVENTEEN=17 EIGHTEEN=18 NINETEEN=19 TWENTY=20")
	numbers(roman, "II=2 III=3 IV=4 VI=6 VII=7 VIII=8 IX=9")
	numbers(romanV, "V=5 X=10")

	when := map[string]uint32{"": 0, "inner": inner, "saintly": saintly | inner, "later": later}
	for _, r := range table.Read("abbreviations.tsv", abbreviationsText, "long", "short", "when") {
		c, ok := when[r.Text("when")]
		if !ok {
			r.Fail("no such place as %q", r.Text("when"))
		}
		to(r.Text("long"), r.Text("short"))
		class(c, r.Text("short"))
	}
	return m
}()

// contextOf reports whether a number may be spelled out after w.
func contextOf(w []byte) bool { return words[string(w)].class&context != 0 }

// The long forms that steps test for or put in place of several words.
var (
	saint         = []byte("SAINT")
	boys          = []byte("BOYS")
	girls         = []byte("GIRLS")
	club          = []byte("CLUB")
	ymca          = []byte("YMCA")
	ywca          = []byte("YWCA")
	university    = []byte("UNIVERSITY")
	us            = []byte("US")
	state         = []byte("STATE")
	international = []byte("INTERNATIONAL")
	wordAnd       = []byte("AND")
	wordAt        = []byte("AT")
)
