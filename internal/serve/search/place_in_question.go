package search

import (
	"strings"

	"grantgraph/internal/place"
)

// SplitPlace takes a place out of a question: a state at its end or after "in", or a city after "in" at its
// end. Examples: "food banks in Ohio", "food bank ohio", "a charity in Ohio that helps veterans", "shelter in
// Akron, OH". Washington is a state and a city. A place that begins a question stays, because it may be part
// of a name. A city without a state stays too, because it may not be a city.
func SplitPlace(q string) (rest string, states []string, city string) {
	fields := strings.Fields(q)
	rest = q
	if at, n, code := findState(fields, q); n > 0 {
		if states = []string{code}; code == "WA" && len(fields[at]) > 2 {
			states = append(states, "DC")
		}
		tail := fields[at+n:]
		fields = fields[:at:at]
		if len(tail) == 0 {
			city, fields = cityAtEnd(fields)
		}
		if k := len(fields); k > 1 && inWord(fields[k-1]) {
			fields = fields[:k-1]
		}
		return strings.TrimRight(strings.Join(append(fields, tail...), " "), " ,"), states, city
	}
	city, _ = cityAtEnd(fields)
	return rest, nil, city
}

// findState finds the n words of a question that name a state, preferring the longest name: the last words, or words after
// "in". A two-letter code counts only in capitals, and only if the question is not all capitals.
func findState(fields []string, q string) (at, n int, code string) {
	for at := len(fields) - 1; at > 0; at-- {
		for n := min(4, len(fields)-at); n > 0; n-- {
			if at+n < len(fields) && !inWord(fields[at-1]) {
				continue
			}
			name := strings.Trim(strings.Join(fields[at:at+n], " "), " .,?!")
			code, ok := place.State(name)
			if !ok || len(name) == 2 && (name != code || strings.ToUpper(q) == q) {
				continue
			}
			// "West Virginia" is not Virginia.
			if longer, ok := place.State(strings.Trim(strings.Join(fields[at-1:at+n], " "), " .,?!")); ok && at > 1 && len(name) > 2 {
				return at - 1, n + 1, longer
			}
			return at, n, code
		}
	}
	return 0, 0, ""
}

func inWord(w string) bool { return strings.EqualFold(w, "in") || strings.EqualFold(w, "near") }

// cityAtEnd takes a possible city after "in" off the end.
func cityAtEnd(fields []string) (city string, rest []string) {
	for n := 1; n <= min(3, len(fields)-2); n++ {
		if from := len(fields) - n; inWord(fields[from-1]) {
			return strings.Trim(strings.Join(fields[from:], " "), " .,?!"), fields[:from]
		}
	}
	return "", fields
}

// elsewhere reports whether an organization is outside all states asked for by place and name.
func (x *Index) elsewhere(org uint32, states []string) bool {
	if len(states) == 0 {
		return false
	}
	name := strings.ToUpper(string(x.nameOf(org)))
	for _, s := range states {
		if r, _ := place.RegionOf(s); trimmed(x.orgs[org].State[:]) == s || strings.Contains(name, strings.ToUpper(r.Name)) {
			return false
		}
	}
	return true
}

// inState is the part of a set in some of the states, or nil if one of them is unknown.
func (x *Index) inState(set []uint64, states ...string) []uint64 {
	out := make([]uint64, (len(x.orgs)+63)/64)
	for _, s := range states {
		code, ok := place.State(s)
		if !ok || len(s) != 2 {
			return nil
		}
		for i, w := range x.byState()[[2]byte([]byte(code))] {
			out[i] |= w
		}
	}
	if set != nil {
		for i := range out {
			if i < len(set) {
				out[i] &= set[i]
			} else {
				out[i] = 0
			}
		}
	}
	return out
}

func (x *Index) stateSets() map[[2]byte][]uint64 {
	sets := map[[2]byte][]uint64{}
	for i := range x.orgs {
		code := x.orgs[i].State
		if code[0] == 0 {
			continue
		}
		if sets[code] == nil {
			sets[code] = make([]uint64, (len(x.orgs)+63)/64)
		}
		put(sets[code], uint32(i))
	}
	return sets
}
