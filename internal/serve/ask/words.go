package ask

import (
	"strings"
	"sync"
	"unicode"
)

// token is one word of a question.
type token struct {
	text      string // small letters, without the possessive
	typed     string // as it was typed
	from      int    // where it stands in the question
	to        int
	cap       bool // it begins with a capital
	poss      bool // it ends in 's
	comma     bool // a comma follows
	dash      bool // a dash follows that joins numbers
	corrected bool // it was misspelled
	quote     int  // number of the quotation that it is in, 0 for none
	tag       string
	item      int // of the reading, from 1; 0 while it has no meaning
}

// tokens cuts a question into words. Signs between them are dropped, but for those
// that belong to numbers.
func tokens(q string) (list []token) {
	runes := []rune(q)
	at := make([]int, len(runes)+1) // byte offsets
	for i, n := 0, 0; i < len(runes); i++ {
		at[i] = n
		n += len(string(runes[i]))
		at[i+1] = n
	}
	digit := func(i int) bool { return i >= 0 && i < len(runes) && runes[i] >= '0' && runes[i] <= '9' }
	letter := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsLetter(runes[i]) }
	quote, quotes := 0, 0
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r == '"' || r == '“' || r == '”':
			if quote != 0 {
				quote = 0
			} else {
				quotes++
				quote = quotes
			}
			i++
			continue
		case (r == '-' || r == '–' || r == '—') && len(list) > 0:
			list[len(list)-1].dash = true
			i++
			continue
		case r == ',' || r == ';' || r == ':':
			if len(list) > 0 {
				list[len(list)-1].comma = true
			}
			i++
			continue
		case !letter(i) && !digit(i) && r != '$' && !(r == '&' || r == '+' && len(list) > 0 && (digit(i-1) || letter(i-1) && strings.ContainsAny(list[len(list)-1].text, "0123456789"))):
			i++
			continue
		}
		j := i
		if r == '$' || r == '&' || r == '+' {
			j++
		}
		for j < len(runes) && r != '&' && r != '+' {
			c := runes[j]
			inside := (c == '\'' || c == '’') && letter(j-1) && letter(j+1) ||
				c == '-' && letter(j-1) && letter(j+1) ||
				c == '.' && digit(j-1) && digit(j+1) || c == '.' && letter(j-1) && letter(j+1) && (j < 2 || !letter(j-2)) ||
				c == ',' && digit(j-1) && digit(j+1) && digit(j+2) && digit(j+3)
			if !letter(j) && !digit(j) && !inside && !unicode.Is(unicode.Mn, c) {
				break
			}
			j++
		}
		if j == i {
			j++
		}
		typed := string(runes[i:j])
		t := token{typed: typed, from: at[i], to: at[j], cap: unicode.IsUpper(runes[i]), quote: quote}
		t.text = strings.ToLower(strings.ReplaceAll(typed, "’", "'"))
		if strings.HasSuffix(t.text, "'s") {
			t.text, t.poss = strings.TrimSuffix(t.text, "'s"), true
		}
		if short, ok := contractions[t.text]; ok && t.poss {
			t.text, t.poss = short, false
		}
		if t.text != "" {
			// "foundations' giving"
			if j < len(runes) && (runes[j] == '\'' || runes[j] == '’') && strings.HasSuffix(t.text, "s") {
				t.poss = true
			}
			list = append(list, t)
		}
		i = j
	}
	return list
}

// contractions are words whose 's is a verb.
var contractions = map[string]string{"who": "who", "what": "what", "how": "how", "where": "where", "that": "that", "let": "let", "there": "there", "when": "when", "it": "it"}

// Tags of words.
const (
	tagFill   = "fill"  // says nothing
	tagAux    = "aux"   // did, has
	tagBe     = "be"    // is, was: with a participle, it turns who gives and who receives around
	tagGive   = "give"  // verbs of those who give
	tagGet    = "get"   // verbs of those who receive
	tagGo     = "go"    // verbs of the money
	tagTo     = "to"    // before a recipient
	tagFrom   = "from"  // before a funder
	tagBy     = "by"    //
	tagOf     = "of"    //
	tagIn     = "in"    // before a place or a year
	tagAnd    = "and"   //
	tagOr     = "or"    //
	tagWho    = "who"   // who, which, what
	tagGrant  = "grant" // grants, gifts
	tagMoney  = "money" // dollars, funding
	tagParty  = "party" // an organization by name
	tagPlace  = "place"
	tagCause  = "cause"
	tagYear   = "year"
	tagAmount = "amount"
	tagTop    = "top"

	tagFunder    = "funder"    // funders, foundations
	tagRecipient = "recipient" // recipients, grantees
	tagOrg       = "org"       // organizations, which may be either
	tagKind      = "kind"      // a kind of funders
	tagPerson    = "person"
	tagThing     = "thing" // causes, states: what groups are of
	tagSupport   = "support"
	tagFact      = "fact"
	tagMeasure   = "measure"
	tagNot       = "not" // excluding
)

// lexicon is the words that have a meaning of their own: phrase, tag, value. The
// longest phrase counts.
const lexicon = `
fill		the|a|an|this|these|those|please|pls|plz|can you|could you|tell me|show me|give me|i want to know|i want|i would like to know|i'd like to know|i need to know|i need|do you know|let me know|want to know|know|tell|show|me|us|my|about how|exactly|in all|in total|altogether|overall|all together|combined|together|ever|so far|to date|there|that|it|its|their|they|them|have to|hey|hi|hello|thanks|thank you|question|find out|find|see|look up|lookup|display|get me|such|any|some|all|each of|been|being|also|actually|roughly|approximately|about|around|did you|on record|recorded|reported|in the data|in your data|in this data|according to the data|in the dataset|out there|whole|entire|whats|given out as|as well|just|only the|kindly|hows|were there|was there|are there|is there|have there been|has there been|worth of|saw|see a|seen|worth|across|on|with|as|at|then|whose|located|based|headquartered|made of|different|distinct|unique|separate|individual grants|anyone|anybody|somebody|someone|nice to know|curious|wondering|i am|im|i'm|i|we|you|your|our|if
aux		did|does|do|has|have|had|didnt|didn't
be		is|are|was|were|be
give		give|gives|gave|given|giving out|gives out|gave out|give out|gave away|give away|gives away|given away|donate|donates|donated|donating|award|awarded|awarding|granted|granting|pay|pays|paid|paying|pay out|paid out|pays out|contribute|contributes|contributed|contributing|distribute|distributes|distributed|distributing|provide|provides|provided|providing|send|sends|sent|sending|disburse|disburses|disbursed|hand out|handed out|hands out|make|makes|made|making|fund|funded|funds|support|supports|supported|supporting|back|backs|backed|backing|finance|finances|financed|financing|sponsor|sponsors|sponsored|sponsoring|bankroll|bankrolls|underwrite|underwrites|gifted|givin|gav|giv|help|helps|helped|helping
get		receive|receives|received|receiving|get|gets|got|gotten|getting|win|wins|won|winning|obtain|obtains|obtained|rcvd
go		go|goes|went|gone|going|flow|flows|flowed|come|comes|came|coming|ended up|ends up|end up|reach|reaches|reached|reaching
to		to|toward|towards|into|for|benefiting|benefitting|benefit|aimed at|2
from		from|frm|thru|through|via
by		by
of		of
in		in|within|during|inside|throughout|across all of|inn
and		and|&|plus|as well as|along with|&amp
or		or|vs|versus|vs.|v.s
who		who|whom|which|what|list|name|whos|who all|which ones|wich|whcih|wht|waht
grant		grant|grants|gift|gifts|donation|donations|contribution|contributions|awards|grant awards|transactions|grants made|cash grants|single grant|single grants|grantmaking grants|line items
money		money|dollars|dollar|funding|amount|amounts|sum|sums|cash|giving|grantmaking|grant making|grant-making|philanthropy|philanthropic giving|philanthropic|charitable giving|grant money|grant dollars|grant funding|grants money|usd|$|bucks|financial support|funds given|volume|value|size|funding amount|charitable|foundation funding|foundation giving|foundation money|foundation support
funder		funder|funders|grantmaker|grantmakers|grant makers|grant maker|grant-makers|donor|donors|giver|givers|backer|backers|supporter|supporters|foundation|foundations|philanthropies|philanthropy organizations|grantor|grantors|funding source|funding sources|sources of funding|source of funding|grantmaking organizations|grant-making organizations|grantmaking foundations|funding organizations|benefactor|benefactors|contributor|contributors|sponsor organizations
recipient	recipient|recipients|grantee|grantees|beneficiary|beneficiaries|awardee|awardees|grant recipients|grant recipient|recipient organizations|recipient organization|grant winners
org		organization|organizations|organisation|organisations|nonprofit|nonprofits|non-profit|non-profits|non profits|non profit|charity|charities|group|groups|org|orgs|entities|institutions|nonprofit organizations|charitable organizations|nonprofit orgs|ngos|npos|non profit organizations
kind private_foundation	private foundation|private foundations|family foundations|pvt foundations
kind public_charity	public charity|public charities
kind daf_or_passthrough	donor-advised fund|donor-advised funds|donor advised fund|donor advised funds|daf|dafs|pass-through funds|passthrough funds|pass-through funders|daf sponsors|donor-advised|donor advised|donor-advised and pass-through funders|daf money
person		individuals|individual|individual people|individual persons|people|persons|private persons|private individuals|individual recipients
thing causes	cause|causes|subject|subjects|cause area|cause areas|issue area|issue areas|issues|field|fields|sector|sectors|subject areas|topics|program areas|areas of giving
thing states	state|states|us states
thing counties	county|counties
thing years	year|years|fiscal year|fiscal years|fy|yr|yrs
thing support	kinds of support|types of support|support types|type of support|kind of support|support strategies|support strategy
thing funder_types	kinds of funders|types of funders|kind of funder|type of funder|funder types|funder type|kinds of funder|types of funder|kinds of grantmakers|types of grantmakers
support general_operating	general operating support|general operating|operating support|general support|core support|unrestricted support|unrestricted grants|unrestricted|operating grants|general operations
support program	program support|project support
support capital	capital support|capital campaign|capital campaigns|capital grants|capital projects|building campaigns
support endowment	endowment|endowments|endowment support
support scholarship	scholarship|scholarships|student aid|scholarship support
support fellowship	fellowship|fellowships
support research	research|research support|research grants
support capacity_building	capacity building|capacity-building
support matching	matching grants|matching|challenge grants|matching support
support emergency_relief	emergency relief|emergency support|emergency
support equipment	equipment
support sponsorship	sponsorship|sponsorships|event sponsorship
fact revenue	revenue|revenues|total revenue|annual revenue|income
fact expenses	expenses|total expenses|expenditures|annual expenses
fact assets	assets|total assets|asset size
fact liabilities	liabilities|total liabilities|debts
fact net_assets	net assets|net worth
fact grants_paid	grants paid|declared grants
fact founded	founded|formed|established|formation year|year of formation|year founded|created|started
fact ruling_year	ruling year|ruling|tax-exempt since|tax exempt since|exempt since|become tax-exempt|become tax exempt|become exempt|became tax-exempt|became exempt|exemption ruling|exemption granted|tax exemption
fact mission	mission|mission statement|purpose statement
fact website	website|web site|homepage|web address|url
fact place	headquarters|city|town|what city|which city
fact ein	ein|eins|employer identification number|tax id|tax number|tax id number
measure much	how much|how mutch|hw much|how muc|how mch|how muh|howmuch|total amount|total dollars|total giving|total grants|total funding|total money|total|totals|grand total|sum of|sum total|total value|how many dollars|aggregate|amount of money|what amount|how big|how large
measure many	how many|how meny|how manny|number of|count of|count|how mny|howmany|total number of|total number|the number|numbers of|tally|no of|how often|how many times|how frequently|times
measure average	average|mean|avg|on average
measure median	median|typical|typically|midpoint|usual
measure most	most|the most
measure dollarsmost	most money|most dollars|most funding|most generous|most in grants|most support|most grant money|most grant dollars
measure often	most common|most often|most frequently|most times|by number of grants|by grant count|by number|by count
measure bydollars	by dollars|by amount|by total dollars|by total amount|by total giving|by giving|by money|by total|by dollar amount|by size
measure big	largest|biggest|top|highest|greatest|leading|major|main|maximum|max|best-funded|best funded|heaviest
measure more	more|larger|bigger|greater|higher|more money|more funding|more dollars
measure least	smallest|least|lowest|fewest|bottom|tiniest|minimum|min|less|fewer|smaller|lower
measure trend	over time|over the years|over the last years|per year|by year|each year|every year|year by year|year over year|year-over-year|trend|trends|annually|yearly|history|annual|through the years|across the years|across years|per annum|per fiscal year|by fiscal year|timeline|over years|evolve|evolved|evolution|year on year|trended|broken down by year|from year to year|trnd
measure change	change|changed|changes|grow|grew|grown|growth|growing|increase|increased|increases|increasing|decrease|decreased|decline|declined|rise|rose|risen|rising|fall|fell|fallen|drop|dropped|difference|shrink|shrank|shrunk|go up|gone up|went up|go down|gone down|went down|develop|developed|moved|shift|shifted
measure compare	than|compare|compared|comparison|compare with|compared with|compared to|comparing|compares|side by side|against|relative to|stack up|comparison between|comparison of
measure share	share|percent|percentage|proportion|fraction|portion|pct|%|how much of|what part|part|share of|percent of|percentage of|what percent of|shares
measure similar	similar to|similar|like|resemble|resembles|resembling|alike|comparable to|akin to|peers of|peers|lookalikes of|same kind as|comparable
measure cofunders	co-funders|cofunders|co-funder|co-fund|co-funds|cofunds|fund alongside|funds alongside|alongside|co-funded|fund the same organizations as|funds the same organizations as|fund the same recipients as|fund the same groups as|fund the same nonprofits as|same grantees as|same recipients as
measure each	each|every|per|broken down|breakdown|break down|break-down|broken out|grouped|split|sorted|ranked|rank|ranking|order
measure both	both|in common|common|shared|same
measure one	single|one
measure screen	revoked|tax-exempt|tax exempt|exempt|good standing|in good standing|sanctioned|sanctions|sanctions list|ofac|on the sanctions list|ofac list|sanction list|on a sanctions list|tax deductible|tax-deductible|deductible|exempt status|tax status|tax-exempt status|status|lost its exemption|lost exemption|eligible|eligible for grants|blocked|registered|pub 78|pub78|publication 78|compliant|in compliance|compliance|screen|check|lose its exemption|lost its tax-exempt status|lose its tax-exempt status|deductibility
measure awards	government|government awards|government funding|government grants|government money|public money|taxpayer money|government contracts|govt|gov't|government award|govt funding|govt grants|gov funding
measure federal	federal|federal government|federal awards|federal funding|federal grants|federal money|federal award|from washington
measure stategov	state government|state awards|state government awards|state government funding|state agencies|state agency|state governments
measure agency	agency|agencies|federal agencies|federal agency|government agencies|government agency|departments|department
measure words	mentioning|mention|mentions|mentioned|containing|contain|contains|the word|the words|the phrase|with the word|with the words|keyword|keywords|described as|whose purpose mentions|whose purpose says
measure where	where|where is|where in
measure when	when
measure else	else|other|others|another
measure first	first|earliest
measure last	latest|most recent|newest
place abroad	abroad|overseas|outside the us|outside the united states|outside of the us|outside of the united states|outside the usa|outside america|international recipients|foreign recipients|foreign countries|other countries|foreign organizations|internationally|recipients abroad|foreign grantees|in foreign countries|non-us|outside the u.s|outside the country
not		excluding|exclude|without|not counting|not including|leaving out|except|except for|other than|ignoring|minus|apart from|leave out|besides|but not|omit|omitting|no
`

// entry is a phrase of the lexicon.
type entry struct{ tag, value string }

// phrases is the lexicon by phrase, and the words of it that a misspelled one may
// mean.
var phrases = sync.OnceValues(func() (map[string]entry, []string) {
	m := map[string]entry{}
	for line := range strings.SplitSeq(strings.TrimSpace(lexicon), "\n") {
		head, list, _ := strings.Cut(line, "\t")
		tag, value, _ := strings.Cut(head, " ")
		for p := range strings.SplitSeq(strings.TrimLeft(list, "\t"), "|") {
			if p = strings.TrimSpace(p); p != "" {
				if _, ok := m[p]; !ok {
					m[p] = entry{tag, value}
				}
			}
		}
	}
	seen := map[string]bool{}
	var words []string
	for p, e := range m {
		for w := range strings.FieldsSeq(p) {
			if len(w) >= 5 && !seen[w] && e.tag != tagFill {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return m, words
})

// longestPhrase is the most words that a phrase has.
const longestPhrase = 7
