package model

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/ask"
)

// instructions are sent to the model before the question.
var instructions = sync.OnceValue(func() string {
	return instructionsText + string(schema())
})

//go:embed instructions.txt
var instructionsText string

// schema is the schema of a plan without the fields that a model cannot know.
// The model names organizations only by the words of the question.
var schema = sync.OnceValue(func() []byte {
	var s struct {
		Type       string                    `json:"type"`
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
		More       bool                      `json:"additionalProperties"`
	}
	if err := json.Unmarshal(ask.Schema(), &s); err != nil {
		panic(err) // the schema is our own, so it parses
	}
	delete(s.Properties, "notes")
	delete(s.Properties, "doubt")
	party := json.RawMessage(`{"additionalProperties": false, "properties": {"asked": {"description": ` +
		`"The words of the question that name it.", "type": "string"}}, "required": ["asked"], "type": "object"}`)
	for _, list := range []string{"funders", "recipients", "organizations"} {
		s.Properties[list]["items"] = party
	}
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return body
})

// parse reads the model's output: one object with one plan, whose fields are
// all in the vocabulary.
func parse(content string) (*ask.Plan, error) {
	var said struct {
		Plan json.RawMessage `json:"plan"`
	}
	if err := ask.Decode(content, &said); err != nil || len(said.Plan) == 0 {
		return nil, refused("the model did not answer with a plan")
	}
	if string(said.Plan) == "null" {
		return nil, refused("the model has no plan for the question")
	}
	p := &ask.Plan{}
	if err := ask.Decode(string(said.Plan), p); err != nil {
		return nil, refused("the plan has fields that there are not")
	}
	return p, nil
}

// ground checks a plan against the words of its question. A plan may contain
// only what the question says. All names are filled in from our own data.
func ground(p *ask.Plan, question string, resolve func(words string) (ask.Party, bool)) error {
	q := newWords(question)
	if len(p.Notes) > 0 {
		return refused("the plan has notes")
	}
	for _, list := range [][]ask.Party{p.Funders, p.Recipients, p.Organizations} {
		for i := range list {
			if err := q.party(&list[i], resolve); err != nil {
				return err
			}
		}
	}
	for i := range p.Places {
		if err := q.place(&p.Places[i]); err != nil {
			return err
		}
	}
	for i := range p.Causes {
		c := &p.Causes[i]
		if !q.has(c.Asked) {
			return refused("the plan has a cause that the question does not name")
		}
		c.Name = ask.CauseName(c.Subject)
	}
	if p.Words != "" && !q.has(p.Words) {
		return refused("the plan has words that the question does not have")
	}
	if err := q.years(p); err != nil {
		return err
	}
	if q.foreignAmount(p.MinAmount) || q.foreignAmount(p.MaxAmount) {
		return refused("the plan has an amount that the question does not have")
	}
	if rest := q.unsaid(p); rest != "" {
		p.Notes = []string{"The model read these words in a way of its own: “" + rest + "”."}
	}
	return nil
}

// party checks an organization of a plan against the question, and fills in its EIN
// and its name.
func (q words) party(o *ask.Party, resolve func(words string) (ask.Party, bool)) error {
	if !q.has(o.Asked) {
		return refused("the plan names an organization that the question does not")
	}
	found, ok := resolve(o.Asked)
	if !ok {
		return refused("the plan names an organization that is not found")
	}
	if o.EIN != "" && o.EIN != found.EIN {
		return refused("the plan has an EIN that the words of the question do not lead to")
	}
	*o = ask.Party{EIN: found.EIN, Name: found.Name, Asked: o.Asked}
	return nil
}

// plainWords are common words of a question that are not about its subject.
var plainWords = strings.Fields("a an and any are as at by did do does for from give gave given giving grant grants has have how in is it many me money " +
	"much of on or show tell that the their them there to was were what when where which who whom with")

// unsaid lists the words of the question that no part of the plan repeats, so
// that the person who asked can see what was left out.
func (q words) unsaid(p *ask.Plan) string {
	said := []string{p.Words}
	for _, list := range [][]ask.Party{p.Funders, p.Recipients, p.Organizations} {
		for _, o := range list {
			said = append(said, o.Asked)
		}
	}
	for _, l := range p.Places {
		said = append(said, l.Name, l.Value)
	}
	for _, c := range p.Causes {
		said = append(said, c.Asked)
	}
	known := strings.Fields(fold(strings.Join(said, " ")))
	const most = 300 // bytes
	var rest []string
	n := 0
	for _, w := range strings.Fields(q.folded) {
		if !slices.Contains(known, w) && !slices.Contains(plainWords, w) && !unicode.IsDigit(rune(w[0])) {
			if n += len(w) + 1; n > most {
				break
			}
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, " ")
}

// words holds the words of a question for lookups.
type words struct {
	typed  string // as it was typed
	folded string // in lower case, with one blank around each word
}

func newWords(question string) words { return words{question, " " + fold(question) + " "} }

// fold keeps letters and digits, with a blank between words.
func fold(text string) string {
	text = strings.ReplaceAll(text, "’", "'")
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }), " ")
}

// has reports whether the question contains some words in a row.
func (q words) has(text string) bool {
	f := fold(text)
	return f != "" && strings.Contains(q.folded, " "+f+" ")
}

var yearIn = regexp.MustCompile(`\b(?:19|20)\d\d\b`)

// years checks the years of a plan against those of the question, in both
// directions: a year that the model dropped would silently change the figures.
func (q words) years(p *ask.Plan) error {
	var has, wants []int
	for _, text := range yearIn.FindAllString(q.typed, -1) {
		year, err := strconv.Atoi(text)
		if err == nil {
			has = append(has, year)
		}
	}
	for _, s := range p.Years {
		for _, year := range []int{s.From, s.To} {
			if year != 0 {
				wants = append(wants, year)
			}
		}
	}
	for _, year := range wants {
		if !slices.Contains(has, year) {
			return refused("the plan has a year that the question does not have")
		}
	}
	for _, year := range has {
		if !slices.Contains(wants, year) {
			return refused("the plan leaves out a year of the question")
		}
	}
	return nil
}

var numberIn = regexp.MustCompile(`(?i)(\d[\d,]*(?:\.\d+)?)\s*(k|thousand|m|mm|million|b|bn|billion)?\b`)

func (q words) foreignAmount(n *int64) bool { return n != nil && !q.amount(*n) }

// amount reports whether the question names a dollar amount.
func (q words) amount(want int64) bool {
	scale := map[string]float64{"": 1, "k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
	for _, m := range numberIn.FindAllStringSubmatch(q.typed, -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err == nil && int64(n*scale[strings.ToLower(m[2])]) == want {
			return true
		}
	}
	return false
}

// state reports whether the question names a state, by its name or by its code in
// capitals.
func (q words) state(r place.Region) bool {
	return q.has(r.Name) || slices.Contains(strings.FieldsFunc(q.typed, func(c rune) bool { return !unicode.IsLetter(c) }), r.Code)
}

// place checks a place of a plan against the question, and fills in its name.
func (q words) place(l *ask.Place) error {
	name, state := l.Value, ""
	l.Name = l.Value
	switch l.Kind {
	case "state":
		state = l.Value
	case "city":
		name, state, _ = strings.Cut(l.Value, ", ")
	case "county":
		c, _ := place.Shipped().County(l.Value)
		name, state, l.Name = c.Name, c.State, c.Name+", "+c.State
	case "country":
		name, _ = place.Country(l.Value)
		l.Name = name
	}
	r, _ := place.RegionOf(state)
	if l.Kind == "state" {
		name, l.Name = "", r.Name
	}
	if state != "" && !q.state(r) || l.Kind != "state" && !q.has(name) {
		return refused("the plan has a place that the question does not name")
	}
	return nil
}
