package search

import (
	"bytes"
	"strings"

	"grantgraph/internal/orgname"
)

// same adds the forms whose whole name is the one asked for.
func (sc *scratch) same(key string, state uint16) {
	x := sc.x
	from, to := x.keys.find(key)
	for i := from; i < min(to, from+maxSame); i++ {
		f := x.keys.forms[i]
		if int(f) >= len(x.forms) || state != 0 && x.forms[f].State != state || !x.spells(f, key) {
			continue
		}
		if n := len(sc.hits); sc.hit(f, 1, 1) {
			sc.whole = true
			sc.hits[n].letter = bytes.EqualFold(x.name(sc.hits[n].org), sc.typed)
		}
	}
}

// lead adds to the forms to be scored those whose whole name begins the
// question, which may go on with a branch, a fund or an address, or which the
// register may have cut.
func (sc *scratch) lead(words []string, state uint16) {
	const most = 16
	x := sc.x
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
			f := x.keys.forms[i]
			if int(f) < len(x.forms) && (state == 0 || x.forms[f].State == state) && x.spells(f, key[:n]) {
				sc.best = append(sc.best, ranked{form: f})
			}
		}
	}
}

// initials adds the forms whose initials are asked for, and the forms that are
// the initials of the name asked for.
func (sc *scratch) initials(n orgname.Name, words []string, state uint16) {
	const most, agreement = 64, 0.78
	x := sc.x
	add := func(table *hashTable, text string) {
		from, to := table.find(text)
		added := 0
		for i := from; i < to && i < from+maxSame && added < most; i++ {
			f := table.forms[i]
			if int(f) < len(x.forms) && (state == 0 || x.forms[f].State == state) {
				sc.hit(f, agreement, 0)
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

// spells reports whether the words of a form, joined, are the key.
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
