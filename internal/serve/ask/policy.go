package ask

import (
	"strings"
	"unicode"
)

// refusals are questions that no figures of filings answer, by the words that give
// them away. Words that are part of a name do not count.
var refusals = []struct {
	why   string
	words string
}{
	{"Why something happened, or what a grant brought about, cannot be read from filings: figures here are associations, never causes.",
		"why|because|caused|cause of|causes of|impact|impacts|impact of|effect of|effects of|effect|effects|lead to|led to|leads to|result in|resulted in|due to|as a result|thanks to|influence|influenced|make a difference|worked|outcomes|outcome|responsible for|reason|reasons|affected|affect|drove|driven by|improve|improved"},
	{"The future cannot be read from filings: they say what was given, up to the latest returns that have been published.",
		"will|next year|forecast|predict|prediction|projected|projection|expect|expected|future|is going to|are going to|in 5 years|likely to|tomorrow|upcoming|plan to|plans to|next decade|estimate for|would give|would fund|might|may give|could give"},
	{"That is a matter of opinion, and this service has none: it gives figures from filings. Ask for the largest, the most often, or a figure of one organization.",
		"best|worst|should|better|good|bad|great|recommend|recommended|trustworthy|trust worthy|legit|legitimate|scam|deserve|deserves|deserving|effective|efficient|worthy|reputable|favorite|coolest|important|interesting|good charity|nicest|smart|wise|corrupt|honest|fraud|fraudulent|wasteful|well-run|well run|suitable|ideal|promising|impressive|fair|unfair|right to|wrong to|think|opinion|feel"},
	{"That is an instruction, not a question about grants: nothing is run but the requests of this service's own plan.",
		"ignore previous|ignore all|ignore the above|disregard|system prompt|you are now|pretend|jailbreak|instructions|select *|drop table|insert into|delete from|union select|<script|act as|developer mode|api key|password|print your|reveal"},
}

// policy refuses questions of cause and effect, forecasts, opinions and
// instructions.
func (r *reading) policy() {
	lower := strings.ToLower(r.q)
	for _, x := range refusals {
		for p := range strings.SplitSeq(x.words, "|") {
			if strings.ContainsAny(p, "*<") {
				if strings.Contains(lower, p) {
					r.refuse(x.why)
					return
				}
				continue
			}
			words := strings.Fields(p)
			for i := range r.toks {
				if !r.has(i, words...) {
					continue
				}
				// A word with a capital inside of the question may begin a name.
				if t := &r.toks[i]; t.cap && i > 0 && lower != r.q && len(words) == 1 && t.typed != strings.ToUpper(t.typed) {
					continue
				}
				if p == "causes of" || p == "cause of" || p == "effect" || p == "fair" && r.has(i-1, "county|state|street") {
					if p == "causes of" && (r.has(i-1, "which|what|the|top|largest|main") || i > 0 && strings.Trim(r.toks[i-1].text, "0123456789") == "") {
						continue
					}
				}
				r.refuse(x.why)
				return
			}
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

// foreignWords are small words of other languages that English does not have.
var foreignWords = strings.Fields("el los las cuanto cuánto cuánta quién quien qué por para una del dinero fundación combien qui quoi les des une est pour avec sont argent wieviel wer wie viel hat der das und für ist welche geld quanto quem chi che sono della il gli fondi")

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
