package search

import (
	"bytes"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
)

// nearlyEqual is the largest difference in prominence that a score may hide.
const nearlyEqual = 1e-5

// addExact adds the names that equal the question. They come by prominence and agree
// with the question equally. So after one page of them, only names of nearly equal
// prominence can still rank among the first.
func (fd *finder) addExact(key string, state uint16) {
	x := fd.x
	from, to := x.keys.find(key)
	enough, least := 0, float32(0)
	for i := from; i < min(to, from+maxSame); i++ {
		f := x.keys.names[i]
		if int(f) >= len(x.names) || fd.outside(f, state) || !x.spells(f, key) {
			continue
		}
		n := len(fd.hits)
		if !fd.hit(f, 1, 1, strong) {
			continue
		}
		fd.exact = true
		h := &fd.hits[n]
		if enough >= fd.limit && h.prominence < least-nearlyEqual {
			fd.hits = fd.hits[:n]
			return
		}
		h.letter = bytes.EqualFold(x.nameOf(h.org), fd.typed)
		if x.names[f].Kind != nameServed {
			h.class = exact
		}
		// Other kinds of names count for less. So do names typed differently, if the
		// question is formal.
		if x.names[f].Kind == nameOwn && (h.letter || !fd.formal) {
			if enough++; enough == fd.limit {
				least = h.prominence
			}
		}
	}
}

// addLeading adds names with which the question begins. The question may go on with a
// branch, a fund or an address, or the register may have cut the name.
func (fd *finder) addLeading(words []string, state uint16) {
	const most = 16
	x := fd.x
	key := strings.Join(words, "")
	word, at := 0, len(words[0]) // the end of a word
	for n := 2; n < len(key); n++ {
		for at < n {
			word++
			at += len(words[word])
		}
		if n != at && !canBeCut(n) {
			continue
		}
		from, to := x.keys.find(key[:n])
		for i := from; i < min(to, from+most); i++ {
			f := x.keys.names[i]
			if int(f) < len(x.names) && !fd.outside(f, state) && x.spells(f, key[:n]) {
				fd.best = append(fd.best, ranked{name: f})
				if fd.covered[f] != 0 {
					fd.look(f, fd.scanned)
				}
			}
		}
	}
}

// addInitials adds names whose initials are the question, and names that are the
// initials of the question.
func (fd *finder) addInitials(n orgname.Name, words []string, state uint16) {
	const most = 64
	x := fd.x
	// Initials in capitals are meant as initials. In small letters they may also be
	// the beginning of a word.
	agreement, exactly, class := float32(0.78), float32(0), weak
	if fd.capitals() {
		agreement, exactly, class = 0.94, exactWords, strong
	} else if _, known := x.find(words[0]); !known {
		class = strong
	}
	add := func(table *hashTable, text string) {
		from, to := table.find(text)
		added := 0
		for i := from; i < to && i < from+maxSame && added < most; i++ {
			f := table.names[i]
			if int(f) < len(x.names) && !fd.outside(f, state) {
				fd.hit(f, agreement, exactly, class)
				added++
			}
		}
	}
	switch {
	case len(words) == 1 && len(words[0]) >= 3 && len(words[0]) <= 10:
		add(&x.initials, words[0])
	case len(words) >= 3 && len(words) <= 10:
		add(&x.keys, n.KA())
	}
}

// capitals reports whether the question is one word of capitals.
func (fd *finder) capitals() bool {
	return len(fd.typed) > 0 && len(bytes.Trim(fd.typed, "ABCDEFGHIJKLMNOPQRSTUVWXYZ&.")) == 0
}

// spells reports whether the words of a name, joined, equal the key.
func (x *Index) spells(f uint32, key string) bool {
	words := x.wordsOf(f)
	for _, w := range words {
		if int(w) >= x.vocabulary() {
			return false
		}
		t := x.word(w)
		if len(key) < len(t) || key[:len(t)] != string(t) {
			return false
		}
		key = key[len(t):]
	}
	return key == "" || len(words) == maxWords
}

// Named finds the organizations with a name equal to q, ignoring legal forms and
// small words. It returns the most prominent first, at most limit. It is cheap enough
// to try every run of words in a sentence.
func (x *Index) Named(q string, limit int) (list []Result) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	key := orgname.Key(firstBytes(strings.TrimSpace(q), maxQuestion))
	if x.closed || key == "" {
		return nil
	}
	from, to := x.keys.find(key)
	names := slices.Clone(x.keys.names[from:min(to, from+maxSame)])
	slices.Sort(names)
	seen := map[uint32]bool{}
	for _, f := range names {
		if len(list) == limit || int(f) >= len(x.names) {
			break
		}
		if n := &x.names[f]; n.Kind != nameServed && !seen[n.Org] && x.spells(f, key) {
			seen[n.Org] = true
			r := x.result(n.Org)
			r.Score, r.Match = 1, Exact
			list = append(list, r)
		}
	}
	return list
}
