package ask

import (
	"context"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
)

// maxLetters is how many letters a question may have.
const maxLetters = 500

// Source is what an Asker needs to answer questions.
type Source struct {
	// The caller keeps Data open until the answers have been used.
	Data *dataset.Dataset
	// Ask runs an API operation on Data, as api.Handler.Ask does.
	Ask func(ctx context.Context, d *dataset.Dataset, q api.Inquiry) (a client.Answer, release func(), err error)
	// Caller is the account that asks. The account's plan limits what the answers show.
	Caller api.Caller
	// BaseURL is the address of the service, without a trailing slash.
	BaseURL string
}

// Asker answers questions about one dataset. It is created for each request and keeps no state.
type Asker struct{ Source }

// New is an asker over a source.
func New(s Source) *Asker { return &Asker{s} }

// Answer reads a question and answers it. If the question is not understood,
// the Answer says why. An error means that the service failed.
func (a *Asker) Answer(ctx context.Context, question string) (*Answer, error) {
	p, u := a.Read(ctx, question)
	if u != nil {
		return u.Answer(question), nil
	}
	answer, err := a.Run(ctx, p)
	if err == nil {
		answer.Question = question
	}
	return answer, err
}

// Examples are three questions of examples.tsv that can be answered from this dataset: about a recipient, a cause and a state.
func (a *Asker) Examples(ctx context.Context) []string {
	out := []string{}
	if a.Data == nil || !a.Data.Whole() {
		return out
	}
	for _, row := range examples {
		r := a.run(ctx, &Plan{Measure: "which", Of: row.Text("of"), Order: row.Text("order"), Top: 1})
		if r.answer(); r.err == nil && len(r.out.Rows) > 0 {
			out = append(out, r.known.fill(row.Text("question")))
		}
	}
	return out
}

// Answer is the answer to a question.
type Answer struct {
	Understood bool     `json:"understood"`
	Question   string   `json:"question,omitempty"`
	Plan       *Plan    `json:"plan"`
	Request    *Request `json:"request"`
	Figures    []Figure `json:"figures"`
	Columns    []Column `json:"columns,omitempty"`
	Rows       [][]any  `json:"rows"` // one value per column: string, int64, float64, Party or nil
	Chart      *Chart   `json:"chart,omitempty"`
	Answer     string   `json:"answer"`
	Caveats    []string `json:"caveats"`
	Link       string   `json:"link,omitempty"` // path of the website page that shows the answer, such as /explore?…
	Why        string   `json:"why,omitempty"`  // why the question was not understood
	Try        []string `json:"try,omitempty"`  // other questions that can be answered
	Heading    string   `json:"-"`              // Unclear.Heading
	Policy     bool     `json:"-"`              // Unclear.Policy
	Beyond     bool     `json:"-"`              // Unclear.Beyond
	Parties    []Party  `json:"-"`              // Unclear.Parties
}

// Request is the API request that returns the figures.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`           // below the API's address: /grants/summary
	Query  string `json:"query"`          // encoded
	Body   string `json:"body,omitempty"` // JSON, for a POST
	URL    string `json:"url"`            // the complete address
}

// Figure is one figure from the API.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // a whole number, except for averages, medians and percents
	Unit  string  `json:"unit"`  // UnitDollars, UnitCount, UnitPercent or UnitYear
}

// The units of figures and of columns.
const (
	UnitDollars = "dollars"
	UnitCount   = "count"
	UnitPercent = "percent"
	UnitYear    = "year"
	UnitText    = "text"
	UnitParty   = "organization" // a Party, or a name without an EIN
)

// Column is a column of the rows.
type Column struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit"`
}

// Chart holds rows that are worth drawing.
type Chart struct {
	Kind    string   `json:"kind"` // "years" or "bars"
	Title   string   `json:"title"`
	Unit    string   `json:"unit"`
	Labels  []string `json:"labels"`
	Values  []int64  `json:"values"`
	Partial []bool   `json:"partial,omitempty"` // years whose filings are still being published
}

// Unclear says why a question was not understood.
type Unclear struct {
	Why     string
	Try     []string // three questions that can be answered from this dataset
	Words   []string // words of the question that have no meaning here
	Parties []Party  // organizations that the question may mean
	// Policy says that no reader may answer the question: it asks for cause and effect, a forecast or an opinion, or it is too
	// long or empty. The language model is not asked either.
	Policy bool
	// Beyond says that the question is understood, and filings cannot answer it.
	Beyond bool
	// Read says that the question is understood, and one answer cannot have all of it.
	Read bool

	choice   bool // the person who asks must say which meaning is meant
	tryOther bool // another reading of the words may make sense
}

// Heading says in a few words why there is no answer.
func (u *Unclear) Heading() string {
	switch {
	case u.Beyond:
		return "Filings cannot answer this question"
	case u.choice || len(u.Parties) > 1:
		return "Which one do you mean?"
	case u.Read:
		return "This question cannot be answered"
	}
	return "This question was not understood"
}

// Answer turns the refusal into an Answer.
func (u *Unclear) Answer(question string) *Answer {
	return &Answer{Question: question, Figures: []Figure{}, Rows: [][]any{}, Caveats: []string{},
		Why: u.Why, Try: u.Try, Heading: u.Heading(), Policy: u.Policy, Beyond: u.Beyond, Parties: u.Parties}
}

// Chip is one part of the plan, as shown to the person who asked.
type Chip struct {
	Field   string   // field of the plan
	Label   string   // "Recipients in"
	Value   string   // "Ohio"
	Off     string   // the plan without this part, as Parse reads it; empty if the part is required
	Options []Option // other values to choose from
}

// Option is another value of a chip.
type Option struct {
	Label  string
	Plan   string // the plan with that value, as Parse reads it
	Chosen bool
}
