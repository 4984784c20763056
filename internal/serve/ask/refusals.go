package ask

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/serve/identify"
)

// sentence is a sentence of sentences.tsv, with names and their values filled in.
func sentence(key string, pairs ...string) string {
	text := sentences.text(key, "text")
	if text == "" {
		panic("no sentence " + key) // a mistake in the program; every key is in a test
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "{"+pairs[i]+"}", pairs[i+1])
	}
	return text
}

// unclear says why a question is not understood.
func unclear(key string, pairs ...string) *Unclear {
	return &Unclear{Why: sentence(key, pairs...), tryOther: is("misread", key), Beyond: is("beyond", key), Policy: is("beyond", key)}
}

// refused says why no reader may answer a question.
func refused(key string, pairs ...string) *Unclear {
	return &Unclear{Why: sentence(key, pairs...), Policy: true, Beyond: is("beyond", key)}
}

// refusals lists phrases of questions that filings cannot answer, with the sentence for each.
var refusals = sync.OnceValue(func() (list []entry) {
	for phrase, r := range phrases("refusals.tsv", "sentence", "phrases") {
		list = append(list, entry{r.Text("sentence"), phrase})
	}
	return list
})

// policy refuses questions about cause and effect, forecasts, opinions, private facts and instructions.
func (r *reading) policy() *Unclear {
	lower := strings.ToLower(r.q)
	for _, x := range refusals() {
		if strings.ContainsAny(x.value, "*<") && strings.Contains(lower, x.value) {
			return refused(x.tag)
		}
		words := strings.Fields(x.value)
		for i := range r.toks {
			if r.has(i, words...) && !r.inName(i) && !r.excused(i, x.value) {
				return refused(x.tag)
			}
		}
	}
	if r.has(0, "select") && slices.ContainsFunc(r.toks, func(t token) bool { return t.text == "from" }) {
		return refused("sql")
	}
	return nil
}

// inName reports whether a word is part of a sure name of several words.
func (r *reading) inName(i int) bool {
	return slices.ContainsFunc(slices.Concat(r.parts[:i+1]...), func(it *item) bool {
		return it.sym == "PARTY" && it.cost < costWord*2 && it.to-it.from > 1 && it.to > i
	})
}

// excused reports whether a word of a refusal means something else here: it may
// begin a name, or "the causes of grants" asks for subjects and not for reasons.
func (r *reading) excused(i int, phrase string) bool {
	if t := &r.toks[i]; t.cap && i > 0 && r.mixed && !strings.Contains(phrase, " ") && t.typed != strings.ToUpper(t.typed) {
		return true
	}
	return phrase == "causes of" && (r.has(i-1, "which|what|the|top|largest|main") || digits(r.textAt(i-1)))
}

// foreign refuses questions in other languages.
func (r *reading) foreign() *Unclear {
	words := slices.DeleteFunc(slices.Clone(r.toks), func(t token) bool { return t.cap || !is("foreign", t.text) })
	if 2*len(otherLetters.FindAllString(r.q, -1)) > len(latinLetters.FindAllString(r.q, -1)) || len(words) >= 2 {
		return unclear("english")
	}
	return nil
}

var latinLetters, otherLetters = regexp.MustCompile(`\p{Latin}`), regexp.MustCompile(`[^\P{L}\p{Latin}]`)

// leftOver reports the words that have no meaning, and what may be meant.
func (r *reading) leftOver(seq []*item) *Unclear {
	u, names := &Unclear{}, true
	end := 0
	for _, it := range seq {
		if it.sym != "?" || it.from < end {
			continue
		}
		from, to := r.nameAround(it.from)
		names = names && from < to
		if from == to {
			to++
		}
		if n := len(u.Words); n > 0 && end == from {
			u.Words[n-1] += " " + r.text(from, to)
		} else {
			u.Words = append(u.Words, r.text(from, to))
		}
		end = to
	}
	if len(u.Words) > 6 {
		u.Why = sentence("unknown_many")
		return u
	}
	u = r.unknown(u.Words, names, r.perhaps)
	if !r.again {
		r.suggest(u, seq)
	}
	return u
}

// unknown says that words have no meaning here, or name nobody, and who may be meant.
func (r *reading) unknown(words []string, names bool, perhaps []identify.Candidate) *Unclear {
	key := "unknown"
	if names {
		key = "unknown_name"
	}
	u := &Unclear{Why: sentence(key, "words", "“"+strings.Join(words, "”, “")+"”"), Words: words}
	for _, c := range perhaps {
		u.Parties = append(u.Parties, Party{EIN: c.EIN.String(), Name: c.DisplayName})
	}
	if len(u.Parties) > 0 {
		u.Why += " " + sentence("perhaps", "names", joinWords(each(u.Parties, Party.numbered), "or"))
	}
	return u
}

// nameAround is the run of capitalized words around a word, with the words inside of names between them: "Moon Landing
// Institute of Nowhere". The run is empty if capital letters tell nothing.
func (r *reading) nameAround(at int) (from, to int) {
	if from, to = at, at; !r.mixed || !r.toks[at].cap || at == 0 {
		return from, to
	}
	named := func(i int) bool { return i > 0 && i < len(r.toks) && r.toks[i].cap }
	for named(from-1) && !r.toks[from-1].comma {
		from--
	}
	for to = at + 1; !r.toks[to-1].comma && !r.toks[to-1].poss; to++ {
		if !named(to) && !(to < len(r.toks) && is("inside", r.toks[to].text) && named(to+1)) {
			break
		}
	}
	return from, to
}
