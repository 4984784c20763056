package client

// Service is the extension block x_service of an answer.
type Service struct {
	Unsupported  []string  `json:"unsupported" doc:"Parameters that we recognized but could not apply: the filter did NOT run."`
	Warnings     []Warning `json:"warnings" doc:"Filters that did not run, and limits of the results."`
	Dataset      Build     `json:"dataset"`
	Excluded     *Excluded `json:"excluded,omitempty" doc:"How many grants and dollars each excluded class removed; present only when exclude is used."`
	Withheld     []string  `json:"withheld,omitempty" doc:"Paths of the fields that are blank because the screening used a trial or free key."`
	NotAvailable []Absent  `json:"not_available,omitempty" doc:"Sections that are missing from a profile, and why."`
	Example      *Shown    `json:"example,omitempty" doc:"Present only in example responses, where all data is made up."`
}

// Absent is a part that an answer does not have.
type Absent struct {
	Part   string `json:"part" doc:"Name of the missing section."`
	Reason string `json:"reason" enum:"…" doc:"Why the section is missing, as a code."`
	Detail string `json:"detail" doc:"Why the section is missing, as a sentence."`
}

// Build names the dataset an answer was made from.
type Build struct {
	Version      string `json:"version" doc:"Version of the dataset build. Later builds sort after earlier ones."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	ReportingLag string `json:"reporting_lag" doc:"How long after the end of a fiscal year its filings are released."`
	Invented     bool   `json:"invented,omitempty" doc:"true if the dataset is made up, as in a demo: its organizations, people and grants do not exist. …"`
	Individuals  string `json:"individuals,omitempty" enum:"masked" doc:"masked if the dataset hides the name, city, ZIP code and purpose of grants to …"`
}

// Excluded has the size of each class of rows that the request left out.
type Excluded struct {
	DAF          *Cost `json:"daf,omitempty"`
	Individuals  *Cost `json:"individuals,omitempty"`
	RelatedParty *Cost `json:"related_party,omitempty"`
	Unidentified *Cost `json:"unidentified,omitempty"`
}

// Cost is the size of an excluded class within the other filters.
type Cost struct {
	GrantCount  int64 `json:"grant_count" doc:"Grants excluded."`
	TotalAmount int64 `json:"total_amount" doc:"Total of the excluded grants, in whole dollars."`
}

// Shown marks an answer as an example.
type Shown struct {
	Case    string `json:"case" doc:"Which example this is."`
	Request string `json:"request,omitempty" doc:"The request that this example answers."`
	Note    string `json:"note" doc:"A reminder that the data is made up."`
}

// Head is the beginning of every success.
type Head struct {
	Code    int    `json:"code" doc:"200 on success."`
	Message string `json:"message" doc:"Status message."`
}

// Tail is the end of every success.
type Tail struct {
	Service Service `json:"x_service"`
}

// Extension is the block x_service, which every answer has.
func (t *Tail) Extension() *Service { return &t.Service }

// Answer is any answer that is a success.
type Answer interface{ Extension() *Service }

// List is the envelope of a page of rows.
type List[T any] struct {
	Head
	Hits         int64   `json:"hits" doc:"Total number of matching rows."`
	Page         int64   `json:"page" doc:"Page number, starting at 1."`
	Limit        int     `json:"limit" doc:"Rows per page. May be lower than the limit you sent."`
	ResultsCount int     `json:"results_count" doc:"Number of rows on this page."`
	TotalPages   int64   `json:"total_pages" doc:"Total number of pages for this filter."`
	NextCursor   *string `json:"next_cursor" doc:"Send this as cursor to get the next page; null on the last page."`
	Results      []T     `json:"results" doc:"The rows of this page."`
	Tail
}

// Next is the cursor of the next page, nil at the end.
func (l *List[T]) Next() *string { return l.NextCursor }

// Warning tells a caller what the answer does not say by itself.
type Warning struct {
	Parameter string `json:"parameter" doc:"The parameter that the warning is about."`
	Severity  string `json:"severity" enum:"unsupported,caveat" doc:"unsupported: the filter did not run. caveat: the filter ran, but its results have a …"`
	Reason    string `json:"reason" doc:"Explanation of the warning."`
}

// Problem is one reason why a request could not be validated.
type Problem struct {
	Loc   []any  `json:"loc" doc:"Location of the value: query, path or body, then the name, then the position in a list." items:"string|integer"`
	Msg   string `json:"msg" doc:"What is wrong."`
	Type  string `json:"type" doc:"Stable identifier of the type of problem."`
	Input any    `json:"input,omitempty" doc:"The value you sent, shortened."`
	Ctx   any    `json:"ctx,omitempty" doc:"The limits that apply."`
}

// Failure is the body of every error but a 422. The failures of some operations have more members, such as AgentAttempt.
type Failure struct {
	Code      int    `json:"code" doc:"The HTTP status."`
	Message   string `json:"message" doc:"What went wrong. Safe to show to a user."`
	Error     string `json:"error" doc:"Stable identifier of the error."`
	Hint      string `json:"hint,omitempty" doc:"How to fix the problem."`
	Docs      string `json:"docs,omitempty" doc:"Link to the documentation of this error." format:"uri"`
	RequestID string `json:"request_id" doc:"Include this ID when you ask for help. Also in the X-Request-Id header."`

	Service *Service `json:"x_service,omitempty"`
}

// Invalid is the body of a 422.
type Invalid struct {
	Detail    []Problem `json:"detail" doc:"The problems found, up to 50."`
	Code      int       `json:"code" doc:"The HTTP status."`
	Message   string    `json:"message" doc:"The first problem, as a sentence."`
	Error     string    `json:"error" doc:"Stable identifier of the error."`
	Docs      string    `json:"docs,omitempty" doc:"Link to the documentation of this error." format:"uri"`
	RequestID string    `json:"request_id" doc:"Include this ID when you ask for help. Also in the X-Request-Id header."`

	Service *Service `json:"x_service,omitempty"`
}

// Listing is the answer of /api/v1 itself.
type Listing struct {
	Head
	Name       string  `json:"name"`
	Version    string  `json:"version"`
	OpenAPI    string  `json:"openapi"`
	Operations []Entry `json:"operations"`
}

// Entry is one operation of the listing.
type Entry struct {
	ID      string `json:"id"`
	Method  string `json:"method"`
	URL     string `json:"url"`
	Summary string `json:"summary"`
	Access  string `json:"access"`
	Cost    int    `json:"cost"`
	Example string `json:"example"`
}

// ExampleList is the answer to example=list.
type ExampleList struct {
	Head
	Results []ExampleCase `json:"results" doc:"The available examples."`
	Tail
}

// ExampleCase is one example of an operation.
type ExampleCase struct {
	Case        string `json:"case" doc:"Value to send as the example parameter."`
	Description string `json:"description" doc:"What the example shows."`
	Request     string `json:"request" doc:"The request that the example answers."`
	URL         string `json:"url" doc:"URL that returns the example." format:"uri"`
}
