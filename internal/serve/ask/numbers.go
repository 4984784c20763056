package ask

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
	"grantgraph/internal/table"
)

//go:embed numbers.tsv
var numbersText string

// numberRow is a row of numbers.tsv.
type numberRow struct {
	tag, how string
	text     *regexp.Regexp
}

// numberRows is numbers.tsv, with its abbreviations written out.
var numberRows = sync.OnceValue(func() (list []numberRow) {
	short := []string{"{Y}", `(?:fy)?(?:199\d|20[0-3]\d) |fy[0-3]\d `, "{N}", `\w+ `, "{Z}", `(?:zip |code |zipcode |zips )*`,
		"{P}", `(?:(?:fiscal|tax|calendar|years?|fy) )*`,
		"{A}", `(?:\$?\d[\d,.]*[a-z]* |[a-z]+ )(?:(?:` + strings.Join(slices.Sorted(maps.Keys(units)), "|") + `) )?(?:(?:dollars?|usd|bucks) )?`}
	limits := map[string][]string{}
	for phrase, e := range lexicon().phrases {
		if e.tag == "limit" {
			limits[e.value] = append(limits[e.value], regexp.QuoteMeta(phrase))
		}
	}
	for value, phrases := range limits {
		slices.Sort(phrases)
		short = append(short, "{"+value+"}", `(?:`+strings.Join(phrases, "|")+`) `)
	}
	for _, r := range table.Read("numbers.tsv", numbersText, "tag", "how", "text") {
		list = append(list, numberRow{r.Text("tag"), r.Text("how"), regexp.MustCompile(`^` + strings.NewReplacer(short...).Replace(r.Text("text")))})
	}
	return list
})

var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50}

// isYear matches a number that may be a year.
var isYear = regexp.MustCompile(`^(?:199|20[0-3])\d$`)

// units are the multipliers that an amount may have. "The 5 B corps" does not mean
// 5 billion, so b must follow its number directly.
var units = map[string]int64{"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mm": 1e6, "mil": 1e6, "mln": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}

// smallNumber reads a number of rows or years.
func smallNumber(text string) (int, bool) {
	if n, ok := numberWords[text]; ok {
		return n, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= 100 && len(text) <= 3
}

// calendarYear reads a year: 2022, FY2022, FY22.
func calendarYear(text string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(text), "fy"))
	if err == nil && n < 100 {
		n += 2000
	}
	return n
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// addNumbers adds the EIN, the amount, the years, the ZIP code and the number of
// rows that begin at a word.
func (r *reading) addNumbers(i int) {
	var b strings.Builder
	for _, t := range r.toks[i:min(i+14, len(r.toks))] {
		if t.quote != 0 {
			break
		}
		if b.WriteString(t.text + " "); t.dash {
			b.WriteString("~ ")
		}
	}
	makers := map[string]func(how string, words []string) *item{"YEAR": r.year, "AMOUNT": r.amount, "PARTY": r.byEIN, "PLACE": r.zip}
	longest := map[string]int{}
	found := map[string]*item{}
	for _, row := range numberRows() {
		m := row.text.FindStringSubmatch(b.String())
		if m == nil || len(m[0]) <= longest[row.tag] {
			continue
		}
		if it := makers[row.tag](row.how, m); it != nil {
			longest[row.tag], found[row.tag] = len(m[0]), it
			it.sym, it.to = row.tag, i+strings.Count(strings.ReplaceAll(m[0], "~ ", ""), " ")
		}
	}
	for _, tag := range []string{"PARTY", "AMOUNT", "YEAR", "PLACE"} {
		before := r.textAt(i - 1)
		if it := found[tag]; it != nil && !(tag == "YEAR" && is("numbered", before)) && !(tag == "PARTY" && before == "ein") {
			r.add(i, it.to, *it)
		}
	}
	r.addTop(i)
}

// byEIN makes the item of an EIN.
func (r *reading) byEIN(_ string, m []string) *item {
	e, err := ein.Parse(strings.NewReplacer(" ", "", "~", "").Replace(m[1]))
	if err != nil {
		return nil
	}
	if found, ok := r.a.Data.Search.Lookup(e); ok {
		return &item{party: &Party{EIN: e.String(), Name: found.DisplayName, Asked: e.String()}}
	}
	return &item{refuse: unclear("no_ein", "ein", e.Hyphenated())}
}

// dollars reads an amount: its value, its multiplier, and whether it is surely an
// amount of dollars.
func dollars(text string) (value, scale int64, sure bool) {
	words := strings.Fields(text)
	number := strings.TrimPrefix(words[0], "$")
	sure, scale = number != words[0], 1
	if unit := strings.TrimLeft(number, "0123456789.,"); unit != number && unit != "" {
		number = strings.TrimSuffix(number, unit)
		if scale, sure = units[unit], true; unit == "b" {
			scale = 1e9
		}
	}
	for _, w := range words[1:] {
		sure, scale = true, scale*max(units[w], 1)
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if n, ok := numberWords[number]; ok {
		x, err = float64(n), nil
	} else if number == "a" && len(words) > 1 && scale > 1 {
		x, err = 1, nil
	}
	if err != nil || scale == 0 || len(number) > 15 || x*float64(scale) > 1<<50 {
		return -1, 0, false
	}
	return int64(x*float64(scale) + .5), scale, sure
}

// meant reports whether a number that may be something else is an amount: it is
// compared, or has a comma, or the other end of its range is an amount.
func meant(text, how string, n int64, sureHigh bool) bool {
	first, _, _ := strings.Cut(text, " ")
	compared := how != "" && how != "=" && how != ".."
	return !isYear.MatchString(first) && (compared && n >= 100 || n >= 1000 && strings.Contains(first, ",") || how == "between" && sureHigh)
}

// amount makes the item of an amount together with the words that compare it. A
// number without a unit is an amount only if it is compared, or has a comma.
func (r *reading) amount(how string, m []string) *item {
	n, scale, sure := dollars(m[1])
	high, above, sureHigh := int64(0), int64(0), false
	ranged := len(m) > 2
	if ranged {
		high, above, sureHigh = dollars(m[2])
	}
	if n < 0 || high < 0 || !sure && !meant(m[1], how, n, sureHigh) {
		return nil
	}
	if ranged {
		// A unit behind the upper end counts for both: "between 50 and 100k".
		if scale == 1 && above > 1 && n < high/above {
			n *= above
		}
		return &item{min: &n, max: &high}
	}
	if how == "" {
		return &item{cost: 2 * costWord, refuse: unclear("amount_of_what", "amount", strings.TrimSpace(m[1]))}
	}
	it, more, less := &item{}, n+1, n-1
	it.min = map[string]*int64{">=": &n, ">": &more, "=": &n}[how]
	it.max = map[string]*int64{"<=": &n, "<": &less, "=": &n}[how]
	return it
}

// year makes the item of a year or a range of years.
func (r *reading) year(how string, m []string) *item {
	it := &item{cost: costWord / 2}
	y := 0
	if how != "last" {
		y = calendarYear(m[1])
	}
	switch how {
	case "..":
		last := calendarYear(m[2])
		if len(m[2]) == 3 {
			last = y/100*100 + last%100
		}
		it.span, it.pair = Span{y, last}, last > y
		if last < y {
			it.refuse = unclear("years_backwards", "from", strconv.Itoa(y), "to", strconv.Itoa(last))
		}
	case "decade":
		it.span = Span{y, y + 9}
	case "last":
		return r.lastYears(it, m)
	default:
		it.span = map[string]Span{"": {y, y}, ">=": {From: y}, ">": {From: y + 1}, "<": {To: y - 1}, "<=": {To: y}}[how]
	}
	if strings.Contains(m[0], "calendar ") {
		it.notes = []string{sentence("fiscal_years")}
	}
	return it
}

// lastYears makes the item of "the last three years". They end with the latest
// year whose filings are nearly complete.
func (r *reading) lastYears(it *item, m []string) *item {
	n, ok := 1, true
	switch {
	case m[2] == "decade ":
		n = 10
	case m[1] != "":
		n, ok = smallNumber(strings.TrimSpace(m[1]))
	default:
		ok = m[2] == "year "
	}
	last := r.latestYear()
	if !ok || last == 0 {
		return nil
	}
	key := "last_years"
	if n == 1 {
		key = "last_year"
	}
	it.span = Span{last - n + 1, last}
	it.notes = []string{sentence(key, "words", strings.TrimSpace(m[0]), "from", strconv.Itoa(last-n+1), "to", strconv.Itoa(last))}
	return it
}

// zip makes the item of a ZIP code, with or without a distance.
func (r *reading) zip(how string, m []string) *item {
	code := strings.TrimSpace(m[len(m)-1])
	it := &item{place: &Place{Kind: how, Value: code, Name: "ZIP code " + code}}
	if how == "zip" {
		return it
	}
	it.place.Miles = 25
	if m[1] == "" {
		it.notes = []string{sentence("near")}
	} else if n, err := strconv.Atoi(strings.TrimSpace(m[1])); err != nil || n < 1 || n > 500 {
		it.refuse = unclear("miles")
	} else {
		it.place.Miles = n
	}
	if _, ok := place.Shipped().Point(code); !ok && it.refuse == nil {
		it.refuse = unclear("no_zip", "zip", code)
	}
	return it
}

// addTop adds how many rows the question asks for: top 5, five largest, 10
// funders.
func (r *reading) addTop(i int) {
	n, ok := smallNumber(r.toks[i].text)
	if !ok || r.toks[i].text == "one" || r.toks[i].quote != 0 {
		return
	}
	e := said(r.textAt(i + 1))
	noun := slices.Contains([]string{"FUNDER", "RECIPIENT", "ORG", "GRANT", "THING", "KIND"}, e.tag)
	super := slices.Contains([]string{"big", "most", "least", "dollarsmost"}, e.value)
	near := i == 0 || is("before_top", r.textAt(i-1))
	if !(near && noun) && !super && !r.has(i-1, "top|largest|biggest|first|smallest") {
		return
	}
	from := i
	if r.has(i-1, "first") {
		from--
	}
	r.add(from, i+1, item{sym: "TOP", cost: costWord / 2, count: n})
}

// addMentions adds the words to search for in purposes: "grants mentioning
// robotics".
func (r *reading) addMentions() {
	for i := range r.toks {
		from := r.mentions(i)
		if from == 0 {
			continue
		}
		for r.has(from, "the|word|words|phrase|keyword|of") {
			from++
		}
		to := r.mentioned(from)
		if to == from {
			continue
		}
		it := item{sym: "WORDS", words: strings.ToLower(r.text(from, to))}
		if to-from > 8 || len(it.words) > 100 {
			it.refuse = unclear("long_mention")
		} else if to-from > 1 {
			it.words = `"` + it.words + `"`
		}
		r.add(i, to, it)
	}
}

// mentions is where the words behind "mentioning" and the like begin, or 0.
func (r *reading) mentions(i int) int {
	for n := 4; n > 0; n-- {
		if i+n < len(r.toks) && said(r.joined(i, i+n)).value == "words" {
			return i + n
		}
	}
	return 0
}

// mentioned is where the words to search for end.
func (r *reading) mentioned(from int) int {
	to := from
	for ; to < len(r.toks) && r.toks[to].quote == r.toks[from].quote; to++ {
		t := &r.toks[to]
		if t.quote == 0 && (is("stop", t.text) || strings.ContainsAny(t.text[:1], "$0123456789")) || to > from && r.toks[to-1].comma {
			break
		}
	}
	return to
}
