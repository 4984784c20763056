package ask

import (
	_ "embed"
	"strings"
	"unicode"

	"grantgraph/internal/table"
)

// refusals lists phrases of questions that filings cannot answer, with the
// reply to each. Words that are part of a name do not count.
var refusals = table.Read("refusals.tsv", refusalsText, "phrase", "sentence")

//go:embed refusals.tsv
var refusalsText string

// policy refuses questions about cause and effect, forecasts, opinions and
// instructions.
func (r *reading) policy() {
	lower := strings.ToLower(r.q)
	for _, x := range refusals {
		p := x.Text("phrase")
		if strings.ContainsAny(p, "*<") {
			if strings.Contains(lower, p) {
				r.refuse(x.Text("sentence"))
				return
			}
			continue
		}
		words := strings.Fields(p)
		for i := range r.toks {
			if !r.has(i, words...) {
				continue
			}
			// A capitalized word inside the question may begin a name.
			if t := &r.toks[i]; t.cap && i > 0 && lower != r.q && len(words) == 1 && t.typed != strings.ToUpper(t.typed) {
				continue
			}
			// "The causes of grants" asks for subjects, not reasons.
			if p == "causes of" && (r.has(i-1, "which|what|the|top|largest|main") || i > 0 && strings.Trim(r.toks[i-1].text, "0123456789") == "") {
				continue
			}
			r.refuse(x.Text("sentence"))
			return
		}
	}
	if i := indexOf(r.toks, "select"); i == 0 && indexOf(r.toks, "from") > 0 {
		r.refuse("That looks like SQL, which is not run here; the SQL page is for that.")
	}
}

func indexOf(list []token, word string) int {
	for i := range list {
		if list[i].text == word {
			return i
		}
	}
	return -1
}

// foreignWords are short words of other languages that do not exist in English.
var foreignWords = strings.Fields("el los las cuanto cuánto cuánta quién quien qué por para una del dinero fundación combien qui quoi les des une est " +
	"pour avec sont argent wieviel wer wie viel hat der das und für ist welche geld quanto quem chi che sono della il gli fondi")

// foreign refuses questions in other languages.
func (r *reading) foreign() {
	letters, other := 0, 0
	for _, c := range r.q {
		if unicode.IsLetter(c) {
			letters++
			if !unicode.Is(unicode.Latin, c) {
				other++
			}
		}
	}
	words := 0
	for i := range r.toks {
		if r.toks[i].item == 0 {
			for _, f := range foreignWords {
				if r.toks[i].text == f {
					words++
				}
			}
		}
	}
	if other*3 > letters && letters > 0 || words >= 2 {
		r.unclear = &Unclear{Why: "Only questions in English are understood."}
	}
}
