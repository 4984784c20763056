package ask

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/table"
)

//go:embed patterns.tsv
var patternsText string

// pattern is a row of patterns.tsv.
type pattern struct {
	need, without []condition
	where         *regexp.Regexp  // nil if any order will do
	names         map[string]bool // the parts that the row accounts for
	then          []string
}

// condition is a part that a question must have, or must not have.
type condition struct {
	any         []*regexp.Regexp // any of these, so often
	said        []string         // any of these very words
	least, most int
}

// grammar is patterns.tsv by stage.
var grammar = sync.OnceValue(func() map[string][]*pattern {
	m := map[string][]*pattern{}
	for _, r := range table.Read("patterns.tsv", patternsText, "stage", "need", "without", "where", "also", "then") {
		stage := r.Text("stage")
		p := &pattern{need: conditions(r.Fields("need")), without: conditions(r.Fields("without")), then: r.Fields("then"), names: map[string]bool{}}
		for _, cell := range []string{"need", "where", "also"} {
			for _, name := range strings.FieldsFunc(r.Text(cell), func(c rune) bool { return strings.ContainsRune(" |?.@", c) }) {
				if !strings.HasPrefix(name, "THING=") && !strings.HasPrefix(name, "FACT=") {
					name = strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("*=':", c) })[0]
				}
				p.names[name] = true
			}
		}
		if r.Text("where") != "" {
			p.where = inOrder(r.Fields("where"), stage)
		}
		m[stage] = append(m[stage], p)
	}
	return m
})

// conditions reads the cells need and without.
func conditions(list []string) (out []condition) {
	for _, text := range list {
		c := condition{least: 1, most: 99}
		if words, ok := strings.CutPrefix(text, `"`); ok {
			for s := range strings.SplitSeq(strings.Trim(words, `"`), "|") {
				c.said = append(c.said, " "+strings.ReplaceAll(s, "_", " ")+" ")
			}
			out = append(out, c)
			continue
		}
		if name, n, ok := strings.Cut(text, "*"); ok && strings.Trim(n, "0123456789+") == "" && n != "" {
			c.least, _ = strconv.Atoi(strings.Trim(n, "+"))
			if n[len(n)-1] != '+' {
				c.most = c.least
			}
			text = name
		}
		for s := range strings.SplitSeq(text, "|") {
			c.any = append(c.any, regexp.MustCompile(`(?:^| )`+one(s)))
		}
		out = append(out, c)
	}
	return out
}

// nouns matches every noun.
const nouns = `(?:PARTY|ORG|FUNDER|RECIPIENT|KIND|PERSON|THING|CAUSE)`

// one matches one part, as assembly.write writes it.
func one(s string) string {
	if s == "," {
		return ", "
	}
	name, word, given := strings.Cut(s, "=")
	if !given {
		word = "*"
	}
	name = strings.NewReplacer("ANY", "[A-Za-z]+", "NOUN", nouns).Replace(name)
	name, poss := strings.CutSuffix(name, "'")
	apostrophe := "'?="
	if poss {
		apostrophe = "'="
	}
	return name + `(?::\w+)?` + apostrophe + strings.ReplaceAll(regexp.QuoteMeta(word), `\*`, `\S*`) + " "
}

// filtersBetween matches a filter, with or without its preposition.
const filtersBetween = `(?:(?:in|to|from|of|by|and|or|vs)'?=\S* )?(?:PLACE|CAUSE|YEAR|AMOUNT|SUPPORT|ABROAD)(?::\w+)?'?=\S* `

// between matches what may stand between two parts of a pattern. Commas and
// words that compare break a verb off from its noun: "who gave more, A or B".
func between(broken bool) string {
	var free []string
	for _, e := range lexicon().phrases {
		if e.tag == "measure" && !slices.Contains(free, e.value) && !slices.Contains([]string{"much", "many", "share", "compare"}, e.value) &&
			(broken || !slices.Contains([]string{"more", "most", "least", "dollarsmost"}, e.value)) {
			free = append(free, e.value)
		}
	}
	slices.Sort(free)
	comma := ""
	if broken {
		comma = ", |"
	}
	return `(?:` + comma + filtersBetween + `|` +
		`(?:TOP|WORDS|with|based|domestic|pronoun|` + strings.Join(free, "|") + `)(?::\w+)?'?=\S* )*?`
}

var anyBetween, narrowBetween = sync.OnceValue(func() string { return between(true) }), sync.OnceValue(func() string { return between(false) })

// inOrder compiles the cell where.
func inOrder(list []string, stage string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?:^| )`)
	gap := ""
	for _, text := range list {
		switch text {
		case "^":
			b.Reset()
			b.WriteString("^")
			gap = ""
			if stage != "place" {
				gap = `(?:, |` + filtersBetween + `)*?`
			}
			continue
		case "$":
			b.WriteString(gap + "$")
			continue
		case "...":
			gap = `(?:\S+ )*?`
			continue
		}
		text, maybe := strings.CutSuffix(text, "?")
		text, narrow := strings.CutSuffix(text, ".")
		marked := strings.HasPrefix(text, "@")
		match := anyOf(text)
		switch {
		case marked && (stage == "target" || stage == "noun"):
			match = "(" + match + ")"
		case marked:
			match = "@" + match
		case maybe:
			match += "?"
		}
		b.WriteString(gap + match)
		switch {
		case maybe:
		case stage == "place":
			gap = ""
		case narrow:
			gap = narrowBetween()
		default:
			gap = anyBetween()
		}
	}
	return regexp.MustCompile(b.String())
}

// anyOf matches any of the parts of a cell that | joins.
func anyOf(text string) string {
	var any []string
	for s := range strings.SplitSeq(text, "|") {
		if s = strings.TrimPrefix(s, "@"); s != "^" {
			s = one(s)
		}
		any = append(any, s)
	}
	return "(?:" + strings.Join(any, "|") + ")"
}

// fits reports whether a pattern describes a question: its parts as
// assembly.write writes them, what else is known of it, and its words.
func (p *pattern) fits(text, flags, words string) bool {
	for _, c := range p.need {
		if n := c.count(text+flags, words); n < c.least || n > c.most {
			return false
		}
	}
	for _, c := range p.without {
		if n := c.count(text+flags, words); n >= c.least {
			return false
		}
	}
	return p.where == nil || p.where.MatchString(text)
}

func (c *condition) count(text, words string) (n int) {
	for _, s := range c.said {
		n += strings.Count(words, s)
	}
	for _, x := range c.any {
		n += len(x.FindAllStringIndex(text, -1))
	}
	return n
}
