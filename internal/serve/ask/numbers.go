package ask

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
)

var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50}

// smallNumber reads a number of rows or years.
func smallNumber(text string) (int, bool) {
	if n, ok := numberWords[text]; ok {
		return n, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= 100 && len(text) <= 3
}

// calendarYear reads a year: 2022, FY2022, FY22.
func calendarYear(text string) (int, bool) {
	s := strings.TrimPrefix(text, "fy")
	n, err := strconv.Atoi(s)
	switch {
	case err != nil:
		return 0, false
	case len(s) == 4 && n >= 1990 && n <= 2039:
		return n, true
	case len(s) == 2 && s != text && n < 40:
		return 2000 + n, true
	}
	return 0, false
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// addNumbers adds the EIN, the amount, the years and the number of rows that
// begin at a word.
func (r *reading) addNumbers(i int) {
	if r.toks[i].quote != 0 {
		return
	}
	r.addEIN(i)
	r.addAmount(i)
	r.addYears(i)
	r.addLateYears(i)
	r.addTop(i)
}

// addEIN adds an EIN: nine digits, or two digits, a hyphen and seven digits.
func (r *reading) addEIN(i int) {
	text, to := r.toks[i].text, i+1
	if r.toks[i].dash && len(text) == 2 && len(r.textAt(i+1)) == 7 {
		text, to = text+r.toks[i+1].text, i+2
	}
	if !digits(text) || len(text) != 9 {
		return
	}
	e, err := ein.Parse(text)
	if err != nil {
		return
	}
	if r.has(i-1, "ein") {
		i--
	}
	it := item{sym: "PARTY"}
	if found, ok := r.a.Data.Search.Lookup(e); ok {
		it.party = &Party{EIN: e.String(), Name: found.DisplayName, Asked: text}
	} else {
		it.refuse = unclear("no_ein", "ein", e.Hyphenated())
	}
	r.add(i, to, it)
}

// units are the multipliers that an amount may have.
var units = map[string]int64{"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mm": 1e6, "mil": 1e6, "mln": 1e6, "million": 1e6, "b": 1e9,
	"bn": 1e9, "billion": 1e9}

// amount reads the amount that begins at a word: its value, how many words it
// has, its multiplier, and whether it is surely an amount of dollars.
func (r *reading) amount(i int) (value int64, n int, scale int64, sure bool) {
	s := strings.TrimPrefix(r.textAt(i), "$")
	sure, scale = s != r.textAt(i), 1
	if unit := strings.TrimLeft(s, "0123456789.,"); unit != s && units[unit] > 0 {
		s, scale, sure = strings.TrimSuffix(s, unit), units[unit], true
	}
	s = strings.ReplaceAll(s, ",", "")
	x, err := strconv.ParseFloat(s, 64)
	if w, ok := numberWords[s]; ok {
		x, err = float64(w), nil
	} else if s == "a" && r.has(i+1, "million|thousand|billion") {
		x, err = 1, nil
	}
	if err != nil || x < 0 || len(s) > 15 {
		return 0, 0, 0, false
	}
	n = 1
	// "The 5 B corps" does not mean 5 billion.
	if next := r.textAt(i + 1); scale == 1 && units[next] > 0 && next != "b" {
		scale, sure, n = units[next], true, 2
	}
	if r.has(i+n, "dollars|dollar|usd|bucks") {
		n, sure = n+1, true
	}
	return int64(x*float64(scale) + 0.5), n, scale, sure
}

// limit is the limit that the words before a position set, or the words behind
// it, and how many words they are.
func (r *reading) limit(at int, kind string, behind bool) (sign string, n int) {
	for n := 3; n > 0; n-- {
		from := at - n
		if behind {
			from = at
		}
		if from < 0 || from+n > len(r.toks) {
			continue
		}
		if e := said(r.joined(from, from+n)); e.tag == "limit" && strings.HasPrefix(e.value, kind) && strings.HasSuffix(e.value, "post") == behind {
			return strings.TrimSuffix(e.value[len(kind):], "post"), n
		}
	}
	return "", 0
}

// addAmount adds an amount together with the words that compare it.
func (r *reading) addAmount(i int) {
	low, n, scale, sure := r.amount(i)
	if n == 0 || low > 1<<50 {
		return
	}
	from, to := i, i+n
	sign, words := r.limit(i, "amount", false)
	_, isYear := calendarYear(r.toks[i].text)
	between := r.has(i-1, "between")
	if isYear && !sure || !sure && !((sign != "" || between) && low >= 100) && !(low >= 1000 && strings.Contains(r.toks[i].text, ",")) &&
		!(between && r.highOf(to) > 0) {
		return // a number without a unit is an amount only if it is compared, or has a comma
	}
	if high, end := r.rangeTo(i, to, &low, scale); end > 0 {
		if r.has(from-1, "between|from") {
			from--
		}
		r.add(from, end, item{sym: "AMOUNT", min: &low, max: &high})
		return
	}
	if post, m := r.limit(to, "amount", true); post != "" {
		sign, to, words = post, to+m, 0
	}
	if sign == "" && r.has(i-1, "of|exactly|for") {
		sign, words = "=", 1
	}
	r.add(from-words, to, r.limited(sign, low, r.text(i, to)))
}

// limited is the item of an amount that a sign compares.
func (r *reading) limited(sign string, n int64, words string) item {
	it := item{sym: "AMOUNT"}
	more, less := n+1, n-1
	switch sign {
	case ">=":
		it.min = &n
	case ">":
		it.min = &more
	case "<":
		it.max = &less
	case "<=":
		it.max = &n
	case "=":
		it.min, it.max = &n, &n
	default:
		it.refuse = unclear("amount_of_what", "amount", words)
	}
	return it
}

// highOf is the sure amount behind "and": "between 50 and 100k".
func (r *reading) highOf(at int) int64 {
	if !r.has(at, "and") {
		return 0
	}
	if high, _, _, sure := r.amount(at + 1); sure {
		return high
	}
	return 0
}

// rangeTo reads the upper end of a range of amounts, and where the range ends.
// A unit behind the upper end counts for both: "between 50 and 100k".
func (r *reading) rangeTo(i, to int, low *int64, scale int64) (high int64, end int) {
	at := to
	if !r.toks[to-1].dash {
		if !r.has(to, "and") || !r.has(i-1, "between") {
			if !r.has(to, "to") {
				return 0, 0
			}
		}
		at++
	}
	high, n, above, _ := r.amount(at)
	if n == 0 {
		return 0, 0
	}
	if scale == 1 && above > 1 && *low < high/above {
		*low *= above
	}
	return high, at + n
}

// addYears adds a year, a range of years or a decade.
func (r *reading) addYears(i int) {
	text := r.toks[i].text
	if y, err := strconv.Atoi(strings.TrimSuffix(text, "s")); err == nil && len(text) == 5 && strings.HasSuffix(text, "0s") && y >= 1990 && y < 2040 {
		r.addYear(i, i+1, Span{y, y + 9}, false)
		return
	}
	y, ok := calendarYear(text)
	if !ok || is("numbered", r.textAt(i-1)) {
		return
	}
	from, to := i, i+1
	if last, end := r.lastYear(i, y); end > 0 {
		if r.has(i-1, "between|from") {
			from--
		}
		r.addYear(from, end, Span{y, last}, last > y)
		return
	}
	sign, n := r.limit(i, "year", false)
	if post, m := r.limit(to, "year", true); post != "" {
		sign, n, to = post, 0, to+m
		if r.has(i-1, "from") {
			n = 1
		}
	} else if r.has(i-1, "from") && r.has(to, "on") {
		sign, n, to = ">=", 1, to+1
	} else if sign == "" && (r.has(i-1, "through|thru") || r.has(i-2, "up", "to")) {
		sign, n = "<=", 1
		if r.has(i-2, "up", "to") {
			n = 2
		}
	}
	s := map[string]Span{"": {y, y}, ">=": {From: y}, ">": {From: y + 1}, "<": {To: y - 1}, "<=": {To: y}}[sign]
	r.addYear(from-n, to, s, false)
}

// lastYear reads the last year of a range, and where the range ends.
func (r *reading) lastYear(i, first int) (last, end int) {
	at := i + 1
	if !r.toks[i].dash {
		if !(r.has(at, "and") && r.has(i-1, "between")) && !r.has(at, "to|through|thru|until|till") {
			return 0, 0
		}
		at++
	}
	last, ok := calendarYear(r.textAt(at))
	if n, err := strconv.Atoi(r.textAt(at)); !ok && r.toks[i].dash && err == nil && len(r.textAt(at)) == 2 {
		last, ok = first/100*100+n, true
	}
	if !ok {
		return 0, 0
	}
	return last, at + 1
}

func (r *reading) addYear(from, to int, s Span, pair bool, notes ...string) {
	it := item{sym: "YEAR", cost: costWord / 2, span: s, pair: pair, notes: notes}
	for r.has(from-1, "fiscal|tax|year|years|fy|calendar") || r.has(from-1, "the") && r.has(from-2, "in|during|for|of|since|fiscal") {
		if from--; r.toks[from].text == "calendar" {
			it.notes = append(it.notes, sentence("fiscal_years"))
		}
	}
	if s.From > 0 && s.To > 0 && s.To < s.From {
		it.refuse = unclear("years_backwards", "from", strconv.Itoa(s.From), "to", strconv.Itoa(s.To))
	}
	r.add(from, to, it)
}

// lateYears matches "last three years" and the like.
var lateYears = regexp.MustCompile(`^(?:last|past|latest|recent|previous|most recent)(?: (\w+))??(?: (?:fiscal|complete|full|tax))* (years?|yrs|decade)\b`)

// addLateYears adds the last years. They end with the latest year whose filings
// are nearly complete.
func (r *reading) addLateYears(i int) {
	m := lateYears.FindStringSubmatch(r.joined(i, min(i+7, len(r.toks))))
	if m == nil {
		return
	}
	n, ok := 1, true
	switch {
	case m[2] == "decade":
		n = 10
	case m[1] != "":
		n, ok = smallNumber(m[1])
	case m[2] != "year":
		ok = false
	}
	last := r.latestYear()
	if !ok || last == 0 {
		return
	}
	to := i + len(strings.Fields(m[0]))
	key := "last_years"
	if n == 1 {
		key = "last_year"
	}
	r.addYear(i, to, Span{last - n + 1, last}, false,
		sentence(key, "words", r.text(i, to), "from", strconv.Itoa(last-n+1), "to", strconv.Itoa(last)))
}

// addTop adds how many rows the question asks for: top 5, five largest, 10
// funders.
func (r *reading) addTop(i int) {
	n, ok := smallNumber(r.toks[i].text)
	if !ok || r.toks[i].text == "one" {
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
		n := 0
		for k := 4; k > 0 && n == 0; k-- {
			if i+k < len(r.toks) && said(r.joined(i, i+k)).value == "words" {
				n = k
			}
		}
		if n == 0 {
			continue
		}
		from := i + n
		for r.has(from, "the|word|words|phrase|keyword|of") {
			from++
		}
		to := from
		for to < len(r.toks) && r.toks[to].quote == r.toks[from].quote && (r.toks[from].quote != 0 || !r.endsMention(to)) {
			if to++; r.toks[to-1].comma {
				break
			}
		}
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

func (r *reading) endsMention(i int) bool {
	return is("stop", r.toks[i].text) || strings.ContainsAny(r.toks[i].text[:1], "$0123456789")
}
