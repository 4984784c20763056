package model

import (
	_ "embed"
	"encoding/json"
	"errors"
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
var instructions = sync.OnceValue(func() string { return instructionsText + schema() })

//go:embed instructions.txt
var instructionsText string

// schema is the schema of a plan without the fields that a model cannot know.
// The model names organizations only by the words of the question.
func schema() string {
	var s map[string]any
	if err := json.Unmarshal(ask.Schema(), &s); err != nil {
		panic(err) // the schema is our own, so it parses
	}
	properties := s["properties"].(map[string]any)
	delete(properties, "notes")
	delete(properties, "doubt")
	party := json.RawMessage(`{"additionalProperties": false, "properties": {"asked": {"description": ` +
		`"The words of the question that name it.", "type": "string"}}, "required": ["asked"], "type": "object"}`)
	for _, list := range []string{"funders", "recipients", "organizations"} {
		properties[list].(map[string]any)["items"] = party
	}
	body, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(body)
}

// parse reads the model's output: one object with one plan, whose fields are
// all in the vocabulary.
func parse(content string) (*ask.Plan, error) {
	var said struct {
		Plan json.RawMessage `json:"plan"`
	}
	if err := ask.Decode(content, &said); err != nil || len(said.Plan) == 0 {
		return nil, errors.New("the model did not answer with a plan")
	}
	if string(said.Plan) == "null" {
		return nil, errors.New("the model has no plan for the question")
	}
	p := &ask.Plan{}
	if err := ask.Decode(string(said.Plan), p); err != nil {
		return nil, errors.New("the plan has fields that there are not")
	}
	return p, nil
}

// ground checks a plan against the words of its question. A plan may contain
// only what the question says. All names are filled in from our own data.
func ground(p *ask.Plan, question string, resolve func(words string) (ask.Party, bool)) error {
	q := newWords(question)
	said := []string{p.Words}
	for i := range p.Places {
		l := &p.Places[i]
		if !q.names(l) {
			return errors.New("the plan has a place that the question does not name")
		}
		said = append(said, l.Name, l.Value)
	}
	for _, list := range [][]ask.Party{p.Funders, p.Recipients, p.Organizations} {
		for i := range list {
			if !q.means(&list[i], resolve) {
				return errors.New("the plan names an organization that the words of the question do not lead to")
			}
			said = append(said, list[i].Asked)
		}
	}
	for i, c := range p.Causes {
		if !q.has(c.Asked) {
			return errors.New("the plan has a cause that the question does not name")
		}
		p.Causes[i].Name = ask.CauseName(c.Subject)
		said = append(said, c.Asked)
	}
	switch {
	case len(p.Notes) > 0:
		return errors.New("the plan has notes")
	case p.Words != "" && !q.has(p.Words):
		return errors.New("the plan has words that the question does not have")
	case !q.sameYears(p):
		return errors.New("the plan has other years than the question")
	case !q.amount(p.MinAmount) || !q.amount(p.MaxAmount):
		return errors.New("the plan has an amount that the question does not have")
	}
	if rest := q.unsaid(said); rest != "" {
		p.Notes = []string{"The model read these words in a way of its own: “" + rest + "”."}
	}
	return nil
}

// means reports whether the words of the question lead to an organization of a plan,
// and fills in its EIN and its name.
func (q words) means(o *ask.Party, resolve func(words string) (ask.Party, bool)) bool {
	if !q.has(o.Asked) {
		return false
	}
	found, ok := resolve(o.Asked)
	if !ok || o.EIN != "" && o.EIN != found.EIN {
		return false
	}
	o.EIN, o.Name = found.EIN, found.Name
	return true
}

// plainWords are common words of a question that are not about its subject.
var plainWords = strings.Fields("a an and any are as at by did do does for from give gave given giving grant grants has have how in is it many me money " +
	"much of on or show tell that the their them there to was were what when where which who whom with")

// unsaid lists the words of the question that no part of the plan repeats, so
// that the person who asked can see what was left out.
func (q words) unsaid(said []string) (rest string) {
	known := append(strings.Fields(fold(strings.Join(said, " "))), plainWords...)
	const most = 300 // bytes
	for _, w := range strings.Fields(q.folded) {
		if !slices.Contains(known, w) && !unicode.IsDigit(rune(w[0])) && len(rest)+len(w) < most {
			rest += " " + w
		}
	}
	return strings.TrimSpace(rest)
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

// sameYears compares the years of a plan with those of the question: a year that
// the model dropped would silently change the figures.
func (q words) sameYears(p *ask.Plan) bool {
	var wants []string
	for _, s := range p.Years {
		wants = append(wants, strconv.Itoa(s.From), strconv.Itoa(s.To))
	}
	wants = slices.DeleteFunc(wants, func(year string) bool { return year == "0" })
	has := yearIn.FindAllString(q.typed, -1)
	slices.Sort(has)
	slices.Sort(wants)
	return slices.Equal(slices.Compact(has), slices.Compact(wants))
}

var numberIn = regexp.MustCompile(`(?i)(\d[\d,]*(?:\.\d+)?)\s*(k|thousand|m|mm|million|b|bn|billion)?\b`)

// amount reports whether the question names a dollar amount, if the plan has one.
func (q words) amount(want *int64) bool {
	if want == nil {
		return true
	}
	scale := map[string]float64{"": 1, "k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
	for _, m := range numberIn.FindAllStringSubmatch(q.typed, -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err == nil && int64(n*scale[strings.ToLower(m[2])]) == *want {
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

// names reports whether the question names a place of a plan, and fills in the name
// of the place.
func (q words) names(l *ask.Place) bool {
	name, state := l.Value, ""
	l.Name = l.Value
	switch l.Kind {
	case "state":
		r, _ := place.RegionOf(l.Value)
		l.Name = r.Name
		return q.state(r)
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
	return q.has(name) && (state == "" || q.state(r))
}
