package ask

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
)

// numberRow is a row of numbers.tsv.
type numberRow struct {
	tag, how string
	text     *regexp.Regexp
}

// numberRows is numbers.tsv, with its abbreviations written out.
var numberRows = sync.OnceValue(func() (list []numberRow) {
	limits := map[string][]string{}
	for phrase, e := range lexicon().phrases {
		if e.tag == "limit" {
			limits[e.value] = append(limits[e.value], regexp.QuoteMeta(phrase))
		}
	}
	var short []string
	for value, phrases := range limits {
		slices.Sort(phrases)
		short = append(short, "{"+value+"}", `(?:`+strings.Join(phrases, "|")+`) `)
	}
	for _, r := range rows("numbers.tsv", "tag", "how", "text") {
		if text := r.Text("text"); r.Text("tag") == "short" {
			short = append(short, "{"+r.Text("how")+"}", text)
		} else {
			list = append(list, numberRow{r.Text("tag"), r.Text("how"), regexp.MustCompile(`^` + strings.NewReplacer(short...).Replace(text))})
		}
	}
	return list
})

var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50}

// isYear matches a number that may be a year.
var isYear = regexp.MustCompile(`^(?:199|20[0-3])\d `)

// units are what may follow the number of an amount, and how much it is multiplied by.
var units = map[string]float64{"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mm": 1e6, "mil": 1e6, "mln": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9,
	"billion": 1e9, "dollar": 1, "dollars": 1, "usd": 1, "bucks": 1}

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

// compared are the ends of what a comparison with a number allows; 0 is an open end.
func compared(how string, n int) (low, high int) {
	without := 1 - strings.Count(how, "=") // whether the number itself is left out
	switch {
	case strings.HasPrefix(how, ">"):
		return n + without, 0
	case strings.HasPrefix(how, "<"):
		return 0, n - without
	}
	return n, n
}

// addNumbers adds the EIN, the amount, the years, the ZIP code and the number of rows that begin at a word.
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
	longest := map[string]*item{}
	for _, row := range numberRows() {
		m := row.text.FindStringSubmatch(b.String())
		if m == nil || row.tag == "YEAR" && is("numbered", r.textAt(i-1)) || row.tag == "PARTY" && r.has(i-1, "ein") {
			continue
		}
		to := i + strings.Count(strings.ReplaceAll(m[0], "~ ", ""), " ")
		if was := longest[row.tag]; was != nil && was.to >= to {
			continue
		}
		if it := makers[row.tag](row.how, m); it != nil {
			it.sym, it.to, longest[row.tag] = row.tag, to, it
		}
	}
	for _, tag := range []string{"PARTY", "AMOUNT", "YEAR", "PLACE"} {
		if it := longest[tag]; it != nil {
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
		return &item{asked: "ein " + e.String(), party: &Party{EIN: e.String(), Name: found.DisplayName, Asked: e.String()}}
	}
	return &item{refuse: unclear("no_ein", "ein", e.Hyphenated())}
}

// dollars reads an amount: its value before and after its units are counted, and
// whether it is surely an amount of dollars. No amount is negative.
func dollars(text string) (bare, value float64, sure bool) {
	words := strings.Fields(text)
	number := strings.TrimPrefix(words[0], "$")
	sure = number != words[0]
	if unit := strings.TrimLeft(number, "0123456789.,"); unit != number && unit != "" {
		words, number = append(words, unit), strings.TrimSuffix(number, unit)
	}
	scale := 1.0
	for _, w := range words[1:] {
		sure, scale = true, scale*units[w]
	}
	bare, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if n, ok := numberWords[number]; ok || number == "a" && scale > 1 {
		bare, err = float64(max(n, 1)), nil
	}
	if err != nil || scale == 0 || bare*scale > 1<<50 {
		return -1, -1, false
	}
	return bare, bare*scale + .5, sure
}

// amount makes the item of an amount together with the words that compare it. A number without a unit is an amount only if it
// is compared, or has a comma, or the other end of its range is an amount.
func (r *reading) amount(how string, m []string) *item {
	bare, value, sure := dollars(m[1])
	above, most, sureMost := 0.0, 0.0, false
	if len(m) > 2 {
		above, most, sureMost = dollars(m[2])
	}
	if value < 0 || most < 0 || !sure && !(how == "between" && sureMost) && !meantDollars(how, m, bare) {
		return nil
	}
	low, high := compared(how, int(value))
	switch {
	case len(m) > 2:
		// A unit behind the upper end counts for both: "between 50 and 100k".
		if high = int(most); bare == value-.5 && bare < above && most > above+1 {
			low = int(bare * (most - .5) / above)
		}
	case how == "":
		return &item{cost: 2 * costWord, refuse: unclear("amount_of_what", "amount", strings.TrimSpace(m[1]))}
	}
	it := &item{}
	if least := int64(low); least > 0 {
		it.adds.MinAmount = &least
	}
	if most := int64(high); most > 0 {
		it.adds.MaxAmount = &most
	}
	return it
}

// meantDollars reports whether a number without a unit is an amount.
func meantDollars(how string, m []string, n float64) bool {
	compared := how != "" && how != "=" && len(m) == 2 && n >= 100
	return !isYear.MatchString(m[1]) && (compared || n >= 1000 && strings.Contains(m[1], ","))
}

// year makes the item of a year or a range of years.
func (r *reading) year(how string, m []string) *item {
	it := &item{cost: costWord / 2}
	if how == "last" {
		return r.lastYears(it, m)
	}
	y := calendarYear(m[1])
	from, to := compared(how, y)
	switch how {
	case "..":
		if to = calendarYear(m[2]); len(m[2]) == 3 {
			to = y/100*100 + to%100
		}
		if it.pair = to > y; to < y {
			it.refuse = unclear("years_backwards", "from", strconv.Itoa(y), "to", strconv.Itoa(to))
		}
	case "decade":
		to = y + 9
	}
	it.adds.Years = []Span{{from, to}}
	return it
}

// lastYears makes the item of "the last three years". They end with the latest year whose filings are nearly complete.
func (r *reading) lastYears(it *item, m []string) *item {
	n, ok := 1, m[2] == "year "
	if m[2] == "decade " {
		n, ok = 10, true
	} else if m[1] != "" {
		n, ok = smallNumber(strings.TrimSpace(m[1]))
	}
	last := r.a.latestYear(r.ctx)
	if !ok || last == 0 {
		return nil
	}
	key := map[bool]string{true: "last_year", false: "last_years"}[n == 1]
	it.adds.Years = []Span{{last - n + 1, last}}
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
	if it.place.Miles = 25; m[1] == "" {
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

// addTop adds how many rows the question asks for: top 5, five largest, 10 funders.
func (r *reading) addTop(i int) {
	n, ok := smallNumber(r.toks[i].text)
	if !ok || r.toks[i].text == "one" || r.toks[i].quote != 0 {
		return
	}
	next := said(r.textAt(i + 1))
	noun := is("single", next.tag) && (i == 0 || is("before_top", r.textAt(i-1)))
	if noun || is("superlative", next.value) || r.has(i-1, "top|largest|biggest|first|smallest") {
		from := i
		if r.has(i-1, "first") {
			from--
		}
		r.add(from, i+1, item{sym: "TOP", cost: costWord / 2, adds: Plan{Top: n}})
	}
}

// addMention adds the words behind "mentioning": a quotation, or all up to a word that ends them.
func (r *reading) addMention(i, from int) {
	for r.has(from, "the|word|words|phrase|keyword|of") {
		from++
	}
	to := from
	for to < len(r.toks) && r.toks[to].quote == r.toks[from].quote && (to == from || !r.toks[to-1].comma) {
		if t := &r.toks[to]; t.quote == 0 && (is("stop", t.text) || strings.ContainsAny(t.text[:1], "$0123456789")) {
			break
		}
		to++
	}
	for _, end := range r.phrases(from, lexicon().longest) {
		if said(r.joined(from, end)).tag == "WORDS" { // "type 1 diabetes"
			to = max(to, end)
		}
	}
	if to == from {
		return
	}
	words := strings.ToLower(r.text(from, to))
	it := item{sym: "WORDS", adds: Plan{Words: quotedWords(words)}}
	if to-from > 8 || len(words) > 100 {
		it.refuse = unclear("long_mention")
	}
	r.add(i, to, it)
}

// quotedWords is how several words are searched for as a phrase.
func quotedWords(words string) string {
	if strings.Contains(words, " ") {
		return `"` + words + `"`
	}
	return words
}
