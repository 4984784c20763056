package ask

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// pattern is a row of patterns.tsv.
type pattern struct {
	need, without []condition
	where         *regexp.Regexp  // nil if any order will do
	names         map[string]bool // the parts that the row accounts for
	then          []string
}

// condition is a part that a question must have, or must not have.
type condition struct {
	any         *regexp.Regexp // any of these, so often
	traits      []string       // any of these, instead
	said        bool           // in the words of the question, not in its parts
	least, most int
}

// grammar is patterns.tsv by stage.
var grammar = sync.OnceValue(func() map[string][]*pattern {
	m := map[string][]*pattern{}
	for _, r := range rows("patterns.tsv", "stage", "need", "without", "where", "also", "then") {
		stage := r.Text("stage")
		p := &pattern{need: conditions(r.Fields("need"), stage), without: conditions(r.Fields("without"), stage), then: r.Fields("then"), names: map[string]bool{}}
		for name := range strings.FieldsFuncSeq(r.Text("need")+" "+r.Text("where")+" "+r.Text("also"), among(" |?.@")) {
			switch {
			case strings.Contains(name, "!"):
				continue
			case !strings.HasPrefix(name, "THING=") && !strings.HasPrefix(name, "FACT="):
				name = strings.FieldsFunc(name, among("*=':~-"))[0]
			}
			p.names[name] = true
		}
		if r.Text("where") != "" {
			p.where = inOrder(r.Fields("where"), stage)
		}
		m[stage] = append(m[stage], p)
	}
	return m
})

func among(set string) func(rune) bool {
	return func(c rune) bool { return strings.ContainsRune(set, c) }
}

// counted matches a part with the number of times that it must be there.
var counted = regexp.MustCompile(`^(.*)\*(\d+)(\+?)$`)

// conditions reads the cells need and without.
func conditions(list []string, stage string) (out []condition) {
	for _, text := range list {
		c := condition{least: 1, most: 99}
		if is("traits", stage) { // there are many runs of words, and expressions are slow
			for trait := range strings.SplitSeq(text, "|") {
				c.traits = append(c.traits, " "+trait+" ")
			}
			out = append(out, c)
			continue
		}
		if words, ok := strings.CutPrefix(text, `"`); ok {
			any := strings.NewReplacer(`"`, "", "_", " ", "$", `\$`).Replace(words)
			c.said, c.any = true, regexp.MustCompile(` (?:`+any+`) `)
			out = append(out, c)
			continue
		}
		if m := counted.FindStringSubmatch(text); m != nil {
			text = m[1]
			if c.least, _ = strconv.Atoi(m[2]); m[3] == "" {
				c.most = c.least
			}
		}
		c.any = regexp.MustCompile(`\b` + anyOf(text))
		out = append(out, c)
	}
	return out
}

// nouns matches every noun.
const nouns = `(?:PARTY|ORG|FUNDER|RECIPIENT|KIND|PERSON|THING|CAUSE)`

// one matches one part, as assembly.write writes it.
func one(s string) string {
	switch s {
	case ",":
		return ", "
	case "^", "$":
		return s
	}
	name, word, given := strings.Cut(s, "=")
	if !given {
		word = "*"
	}
	bare := strings.TrimRight(name, "!-~'")
	marks := name[len(bare):]
	match := strings.NewReplacer("ANY", "[A-Za-z]+", "NOUN", nouns).Replace(bare) + `(?::\w+)?`
	for mark := range strings.SplitSeq("!~'", "") {
		switch {
		case strings.Contains(marks, mark):
			match += mark
		case mark != "!" || !strings.Contains(marks, "-"):
			match += mark + "?"
		}
	}
	return match + "=" + strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, `\S*`) + " "
}

// filtersBetween matches a filter, with or without its preposition.
const filtersBetween = `(?:(?:in|to|from|of|by|and|or|vs)'?=\S* )?(?:PLACE|CAUSE|YEAR|AMOUNT|SUPPORT|ABROAD)[^ =]*=\S* `

// between matches what may stand between two parts of a pattern. Commas and
// words that compare break a verb off from its noun: "who gave more, A or B".
var between = sync.OnceValue(func() (gaps struct{ wide, narrow string }) {
	words := strings.Join(slices.Sorted(maps.Keys(wordLists()["between"])), "|")
	gaps.wide = `(?:, |` + filtersBetween + `|(?:more|most|least|dollarsmost|` + words + `)[^ =]*=\S* )*?`
	gaps.narrow = `(?:` + filtersBetween + `|(?:` + words + `)[^ =]*=\S* )*?`
	return gaps
})

// inOrder compiles the cell where.
func inOrder(list []string, stage string) *regexp.Regexp {
	tight := slices.Contains([]string{"names", "place", "check"}, stage)
	match, gap := `(?:^| )`, ""
	for _, text := range list {
		switch text {
		case "^":
			match = "^"
			if !tight {
				gap = `(?:, |` + filtersBetween + `)*?`
			}
			continue
		case "...":
			gap = `(?:\S+ )*?`
			continue
		}
		text, maybe := strings.CutSuffix(text, "?")
		text, narrow := strings.CutSuffix(text, ".")
		part := anyOf(text)
		switch {
		case text[0] == '@' && (stage == "target" || stage == "noun"):
			part = "(" + part + ")"
		case text[0] == '@':
			part = "@" + part
		case maybe:
			part += "?"
		}
		match += gap + part
		switch {
		case maybe:
		case tight:
			gap = ""
		case narrow:
			gap = between().narrow
		default:
			gap = between().wide
		}
	}
	return regexp.MustCompile(match)
}

// anyOf matches any of the parts of a cell that | joins.
func anyOf(text string) string {
	var any []string
	for s := range strings.SplitSeq(text, "|") {
		any = append(any, one(strings.TrimPrefix(s, "@")))
	}
	return "(?:" + strings.Join(any, "|") + ")"
}

// fits reports whether a pattern describes a question: its parts as
// assembly.write writes them, what the plan has so far, and its words.
func (p *pattern) fits(text, plan, words string) bool {
	for _, c := range p.need {
		if n := c.count(text+plan, words); n < c.least || n > c.most {
			return false
		}
	}
	for _, c := range p.without {
		if n := c.count(text+plan, words); n >= c.least {
			return false
		}
	}
	return p.where == nil || p.where.MatchString(text)
}

func (c *condition) count(text, words string) int {
	if c.said {
		text = words
	}
	for _, trait := range c.traits {
		if strings.Contains(text, trait) {
			return 1
		}
	}
	if c.any == nil {
		return 0
	}
	return len(c.any.FindAllStringIndex(text, -1))
}
