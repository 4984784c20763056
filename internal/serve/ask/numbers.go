package ask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
)

var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50}

// smallNumber reads a number of rows or years.
func smallNumber(t *token) (int, bool) {
	if n, ok := numberWords[t.text]; ok {
		return n, true
	}
	if n, err := strconv.Atoi(t.text); err == nil && n >= 1 && n <= 100 && len(t.text) <= 3 {
		return n, true
	}
	return 0, false
}

// calendarYear reads a year: 2022, FY2022, FY22.
func calendarYear(t *token) (int, bool) {
	s := strings.TrimPrefix(t.text, "fy")
	n, err := strconv.Atoi(s)
	switch {
	case err != nil:
		return 0, false
	case len(s) == 4 && n >= 1990 && n <= 2039:
		return n, true
	case len(s) == 2 && s != t.text && n < 40:
		return 2000 + n, true
	}
	return 0, false
}

// has reports whether given words are at a position of the question.
func (r *reading) has(at int, words ...string) bool {
	if at < 0 || at+len(words) > len(r.toks) {
		return false
	}
	for i, w := range words {
		if t := &r.toks[at+i]; t.item != 0 || !slices.Contains(strings.Split(w, "|"), t.text) {
			return false
		}
	}
	return true
}

func (r *reading) textAt(i int) string {
	if i < 0 || i >= len(r.toks) {
		return ""
	}
	return r.toks[i].text
}

// readEINs reads EINs: nine digits, or two digits, a hyphen and seven digits.
func (r *reading) readEINs() {
	for i := range r.toks {
		t := &r.toks[i]
		digits := strings.Trim(t.text, "0123456789") == ""
		n := 0
		switch {
		case digits && len(t.text) == 9:
			n = 1
		case digits && len(t.text) == 2 && t.dash && i+1 < len(r.toks) && len(r.toks[i+1].text) == 7 && strings.Trim(r.toks[i+1].text, "0123456789") == "":
			n = 2
		default:
			continue
		}
		text := t.text
		if n == 2 {
			text += r.toks[i+1].text
		}
		e, err := ein.Parse(text)
		if err != nil {
			continue
		}
		found, ok := r.a.Data.Search.Lookup(e)
		if !ok {
			r.fail("No organization with the EIN %s is known here.", e.Hyphenated())
			return
		}
		from := i
		if r.has(i-1, "ein") {
			from--
		}
		r.put(from, i+n, &item{tag: tagParty, party: &Party{EIN: e.String(), Name: found.DisplayName, Asked: text}})
	}
}

// readAmounts reads dollar amounts together with the words that compare them.
func (r *reading) readAmounts() {
	for i := 0; i < len(r.toks); i++ {
		low, n, ok := r.amount(i)
		if !ok {
			continue
		}
		from, to := i, i+n
		set := func(least, most *int64) {
			if r.plan.MinAmount != nil && least != nil || r.plan.MaxAmount != nil && most != nil {
				r.fail("Two amounts were given for the same limit.")
			}
			if least != nil {
				r.plan.MinAmount = least
			}
			if most != nil {
				r.plan.MaxAmount = most
			}
		}
		// A range.
		joined := r.toks[to-1].dash
		at := to
		if !joined && (r.has(to, "and") && r.has(from-1, "between") || r.has(to, "to")) {
			at, joined = to+1, true
		}
		if joined {
			if high, m, ok := r.amount(at); ok {
				// "between 50 and 100k"
				if n == 1 && strings.Trim(r.toks[i].text, "$0123456789.,") == "" {
					unit, _, _ := strings.Cut(strings.TrimLeft(r.joined(at, at+m), "$0123456789., "), " ")
					if scale := units[unit]; scale > 0 && low < high/scale {
						low *= scale
					}
				}
				set(&low, &high)
				if r.has(from-1, "between|from") {
					from--
				}
				r.put(from, at+m, &item{tag: tagAmount})
				i = at + m - 1
				continue
			}
		}
		more, less := low+1, low-1
		switch {
		case r.has(to, "or|and", "more|larger|greater|higher|up|above|over|bigger"):
			set(&low, nil)
			to += 2
		case r.has(to, "or|and", "less|smaller|fewer|under|below|lower"):
			set(nil, &low)
			to += 2
		case r.has(to, "+"):
			set(&low, nil)
			to++
		case r.has(from-2, "more|greater|larger|bigger|higher", "than"):
			set(&more, nil)
			from -= 2
		case r.has(from-2, "less|smaller|fewer|lower", "than"):
			if r.has(from-3, "no|not") {
				set(&low, nil)
				from--
			} else {
				set(nil, &less)
			}
			from -= 2
		case r.has(from-2, "at", "least"), r.has(from-2, "minimum", "of"):
			set(&low, nil)
			from -= 2
		case r.has(from-2, "at", "most"), r.has(from-2, "up", "to"), r.has(from-2, "maximum", "of"):
			set(nil, &low)
			from -= 2
		case r.has(from-1, "over|above|exceeding|exceed|exceeded|topping|beyond|past"):
			set(&more, nil)
			from--
		case r.has(from-1, "under|below"):
			set(nil, &less)
			from--
		case r.has(from-1, "of|exactly|for"):
			set(&low, &low)
			from--
		default:
			r.fail("It is not clear what “%s” is to be compared with: write for example “over $10,000” or “between $10,000 and $50,000”.",
				strings.TrimSpace(r.q[r.toks[i].from:r.toks[to-1].to]))
			return
		}
		if r.has(from-3, "no|not", "more|less", "than") {
			r.fail("Please say “at most” or “at least” for amounts.")
			return
		}
		r.put(from, to, &item{tag: tagAmount})
		i = to - 1
	}
}

// units are the multipliers that an amount may have.
var units = map[string]int64{"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mm": 1e6, "mil": 1e6, "mln": 1e6, "million": 1e6, "b": 1e9,
	"bn": 1e9, "billion": 1e9}

// amount reads the amount that begins at a word, and returns how many words it
// has.
func (r *reading) amount(i int) (value int64, n int, ok bool) {
	if i >= len(r.toks) || r.toks[i].item != 0 {
		return 0, 0, false
	}
	t := &r.toks[i]
	s, sure := strings.TrimPrefix(t.text, "$"), strings.HasPrefix(t.text, "$")
	scale := int64(1)
	if unit := strings.TrimLeft(s, "0123456789.,"); unit != s && units[unit] > 0 {
		s, scale, sure = strings.TrimSuffix(s, unit), units[unit], true
	}
	s = strings.ReplaceAll(s, ",", "")
	if len(s) == 0 || len(s) > 15 {
		return 0, 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	if n, isWord := numberWords[s]; isWord {
		x, err = float64(n), nil
	} else if s == "a" && r.has(i+1, "million|thousand|billion") {
		x, err = 1, nil
	}
	if err != nil || x < 0 {
		return 0, 0, false
	}
	n = 1
	if scale == 1 && i+1 < len(r.toks) {
		// "The 5 B corps" does not mean 5 billion.
		if next := r.toks[i+1].text; units[next] > 0 && next != "b" {
			scale, sure, n = units[next], true, 2
		}
	}
	if r.has(i+n, "dollars|dollar|usd|bucks") {
		n, sure = n+1, true
	}
	if _, year := calendarYear(t); year && !sure {
		return 0, 0, false
	}
	value = int64(x*float64(scale) + 0.5)
	compared := r.has(i-2, "more|less|greater|larger|smaller|at|bigger", "than|least|most") || r.has(i-1, "over|above|under|below|exceeding|between")
	if !sure && !(compared && value >= 100) && !(value >= 1000 && strings.Contains(t.text, ",")) {
		// A number without a unit is an amount only after a comparison, or if
		// it has a comma.
		return 0, 0, false
	}
	return value, n, value <= 1<<50
}

// readYears reads years, ranges of years, and phrases such as "the last three
// years".
func (r *reading) readYears() {
	add := func(from, to int, s Span, pair bool) {
		if len(r.plan.Years) >= 8 {
			r.fail("At most eight years or ranges of years can be asked for at once.")
			return
		}
		for r.has(from-1, "fiscal|tax|year|years|fy|calendar") || r.has(from-1, "the") && from >= 2 && (r.has(from-2, "in|during|for|of|since|fiscal")) {
			from--
		}
		if r.toks[from].text == "calendar" {
			r.note("Years are fiscal years: the year in which a filer's fiscal year ends.")
		}
		r.plan.Years = append(r.plan.Years, s)
		r.put(from, to, &item{tag: tagYear, span: s, pair: pair})
	}
	for i := 0; i < len(r.toks); i++ {
		if r.toks[i].item != 0 {
			continue
		}
		if r.lateYears(i, add) {
			continue
		}
		if s := r.toks[i].text; len(s) == 5 && strings.HasSuffix(s, "0s") {
			if y, err := strconv.Atoi(s[:4]); err == nil && y >= 1990 && y < 2040 {
				add(i, i+1, Span{y, y + 9}, false)
				continue
			}
		}
		y, ok := calendarYear(&r.toks[i])
		if !ok || r.has(i-1, "post|local|lodge|chapter|troop|no|number|unit|room") {
			continue
		}
		if r.toks[i].poss {
			r.toks[i].poss = false
		}
		// A range.
		at, joined := i+1, r.toks[i].dash
		between, from := r.has(i-1, "between"), r.has(i-1, "from")
		if !joined && (r.has(at, "and") && between || r.has(at, "to|through|thru|until|till")) {
			at, joined = at+1, true
		}
		if joined && at < len(r.toks) {
			last, ok := calendarYear(&r.toks[at])
			if n, err := strconv.Atoi(r.toks[at].text); !ok && r.toks[i].dash && err == nil && len(r.toks[at].text) == 2 {
				last, ok = y/100*100+n, true
			}
			if ok {
				if last < y {
					r.fail("The years %d to %d run backwards.", y, last)
					return
				}
				begin := i
				if between || from {
					begin--
				}
				add(begin, at+1, Span{y, last}, last > y)
				i = at
				continue
			}
		}
		switch {
		case r.has(i-2, "starting|beginning", "in|with|from"):
			add(i-2, i+1, Span{From: y}, false)
		case r.has(i-1, "since"):
			add(i-1, i+1, Span{From: y}, false)
		case from && (r.has(i+1, "on|onward|onwards|forward") || r.has(i+1, "and", "later|after")):
			add(i-1, i+2, Span{From: y}, false)
			if r.has(i+2, "later|after") {
				r.put(i+2, i+3, &item{tag: tagFill})
			}
		case r.has(i+1, "or|and", "later|after"):
			add(i, i+3, Span{From: y}, false)
		case r.has(i-1, "after"):
			add(i-1, i+1, Span{From: y + 1}, false)
		case r.has(i-1, "before"):
			add(i-1, i+1, Span{To: y - 1}, false)
		case r.has(i-2, "prior", "to"):
			add(i-2, i+1, Span{To: y - 1}, false)
		case r.has(i-1, "until|till|through|thru"), r.has(i-2, "up", "to"):
			from := i - 1
			if r.has(i-2, "up", "to") {
				from--
			}
			add(from, i+1, Span{To: y}, false)
		default:
			add(i, i+1, Span{y, y}, false)
		}
	}
}

// lateYears reads "the last three years" and similar phrases. It counts from
// the latest year whose filings are nearly complete.
func (r *reading) lateYears(i int, add func(from, to int, s Span, pair bool)) bool {
	if !r.has(i, "last|past|latest|recent|previous|most") {
		return false
	}
	at := i + 1
	if r.has(i, "most") {
		if !r.has(at, "recent") {
			return false
		}
		at++
	}
	n, plural := 1, false
	if at < len(r.toks) {
		if k, ok := smallNumber(&r.toks[at]); ok && r.has(at+1, "years|fiscal|yrs|year") {
			n, at, plural = k, at+1, true
		}
	}
	for r.has(at, "fiscal|complete|full|tax") {
		at++
	}
	switch {
	case r.has(at, "decade"):
		n, plural = 10, true
	case r.has(at, "year"), plural && r.has(at, "years|yrs"):
	default:
		return false
	}
	last := r.latestYear()
	if last == 0 {
		return false
	}
	s := Span{last - n + 1, last}
	add(i, at+1, s, false)
	if n == 1 {
		r.note("“%s” was read as %d, the latest year whose filings are nearly complete.", r.text(i, at+1), last)
	} else {
		r.note("“%s” was read as %d to %d: %d is the latest year whose filings are nearly complete.", r.text(i, at+1), s.From, s.To, last)
	}
	return true
}

// readTops reads how many rows the question asks for: top 5, five largest, 10
// funders.
func (r *reading) readTops() {
	for i := range r.toks {
		t := &r.toks[i]
		n, ok := smallNumber(t)
		if !ok || t.item != 0 {
			continue
		}
		next := r.textAt(i + 1)
		near := r.has(i-1, "top|first|largest|biggest|the|which|what|list|name|show|smallest|bottom") || i == 0
		m, _ := phrases()
		e := m[next]
		noun := slices.Contains([]string{tagFunder, tagRecipient, tagOrg, tagGrant, tagThing, tagKind}, e.tag)
		super := e.tag == tagMeasure && slices.Contains([]string{"big", "most", "least", "dollarsmost"}, e.value)
		cause := near && r.has(i-1, "top|largest|biggest|first|smallest")
		if !(near && (noun || super)) && !cause && !super {
			continue
		}
		if r.plan.Top != 0 {
			r.fail("Two numbers of rows were given.")
			return
		}
		if n == 1 && t.text == "one" {
			continue
		}
		r.plan.Top, r.topGiven = n, true
		from := i
		if r.has(i-1, "first") {
			from--
		}
		r.put(from, i+1, &item{tag: tagTop, used: true})
	}
}

func (r *reading) text(from, to int) string {
	if from >= to {
		return ""
	}
	return r.q[r.toks[from].from:r.toks[to-1].to]
}

func (r *reading) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); len(r.plan.Notes) < 8 && !slices.Contains(r.plan.Notes, s) {
		r.plan.Notes = append(r.plan.Notes, s)
	}
}
