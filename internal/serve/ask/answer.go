package ask

// Answer is the answer to a question.
type Answer struct {
	Understood bool       `json:"understood"`
	Question   string     `json:"question,omitempty"`
	Plan       *Plan      `json:"plan"`
	Request    *Request   `json:"request"`
	Figures    []Figure   `json:"figures"`
	Columns    []Column   `json:"columns,omitempty"`
	Rows       [][]any    `json:"rows"` // a value for each of Columns: string, int64, float64, Party or nil
	Chart      *Chart     `json:"chart,omitempty"`
	Answer     string     `json:"answer"`
	Caveats    []string   `json:"caveats"`
	Link       string     `json:"link,omitempty"` // path of the page of the site that shows it, such as /explore?…
	Why        string     `json:"why,omitempty"`  // it was not understood
	Try        []string   `json:"try,omitempty"`  // questions that can be answered
	Policy     bool       `json:"-"`              // Unclear.Policy
	Parties    []Party    `json:"-"`              // Unclear.Parties
	requests   []*Request // all that were made, in their order; Request is the first
}

// Request is the request of the API that gives the figures.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`           // below the API's address: /grants/summary
	Query  string `json:"query"`          // encoded
	Body   string `json:"body,omitempty"` // JSON, of a POST
	URL    string `json:"url"`            // all of it
}

// Figure is one figure that the engine gave.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // a whole number but for averages, medians and percents
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

// Chart is rows worth drawing.
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
	Words   []string // of the question, those without a meaning
	Parties []Party  // organizations that may be meant
	// Policy says that no reader may answer it: it is of cause and effect, a
	// forecast or an opinion, or it is too long or empty. A model is not asked.
	Policy bool
}

// Answer is the same as an answer.
func (u *Unclear) Answer(question string) *Answer {
	return &Answer{Question: question, Figures: []Figure{}, Rows: [][]any{}, Caveats: []string{}, Why: u.Why, Try: u.Try, Policy: u.Policy, Parties: u.Parties}
}

// Chip is one part of how a question was understood.
type Chip struct {
	Field   string   // of the plan
	Label   string   // "Recipients in"
	Value   string   // "Ohio"
	Off     string   // the plan without it, as Parse reads it; empty when it cannot do without
	Options []Option // what it can be changed to
}

// Option is another value of a chip.
type Option struct {
	Label  string
	Plan   string // with that value, as Parse reads it
	Chosen bool
}
