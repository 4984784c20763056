package client

// Service is the extension block x_service of an answer.
type Service struct {
	Unsupported  []string  `json:"unsupported" doc:"Parameters that were recognized but not honored: the filter did NOT run."`
	Warnings     []Warning `json:"warnings" doc:"What the answer does not say by itself."`
	Dataset      Build     `json:"dataset"`
	Excluded     *Excluded `json:"excluded,omitempty" doc:"What each excluded class cost against the filter; present when exclude is used."`
	Withheld     []string  `json:"withheld,omitempty" doc:"Paths of the fields that are left out of a screening on a trial or free key."`
	NotAvailable []Absent  `json:"not_available,omitempty" doc:"What is absent from a profile, part by part, and why."`
	Example      *Shown    `json:"example,omitempty" doc:"Present on example answers: everything in them is invented."`
}

// Absent is a part that an answer does not have.
type Absent struct {
	Part   string `json:"part" doc:"Name of the part."`
	Reason string `json:"reason" enum:"…" doc:"Why it is absent, in one word."`
	Detail string `json:"detail" doc:"The same in a sentence."`
}

// Build names the dataset an answer was made from.
type Build struct {
	Version      string `json:"version" doc:"Build stamp; sorts in the order of publication."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	ReportingLag string `json:"reporting_lag" doc:"How far filings lag behind their fiscal year."`
	Invented     bool   `json:"invented,omitempty" doc:"True when the dataset is made up, as that of a demo is: its organizations, …"`
	Individuals  string `json:"individuals,omitempty" enum:"masked" doc:"masked when the dataset leaves out who the private persons are that grants were paid …"`
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
	GrantCount  int64 `json:"grant_count" doc:"Rows."`
	TotalAmount int64 `json:"total_amount" doc:"Whole dollars."`
}

// Shown marks an answer as an example.
type Shown struct {
	Case    string `json:"case" doc:"Which example this is."`
	Request string `json:"request,omitempty" doc:"The request that it answers."`
	Note    string `json:"note" doc:"That it is invented."`
}

// Head is the beginning of every success.
type Head struct {
	Code    int    `json:"code" doc:"200 on success."`
	Message string `json:"message" doc:"Status text."`
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
	Hits         int64   `json:"hits" doc:"Matching rows in all."`
	Page         int64   `json:"page" doc:"Page number, from 1."`
	Limit        int     `json:"limit" doc:"Page size served."`
	ResultsCount int     `json:"results_count" doc:"Rows in this page."`
	TotalPages   int64   `json:"total_pages" doc:"Pages for this filter."`
	NextCursor   *string `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Results      []T     `json:"results" doc:"The rows."`
	Tail
}

// Next is the cursor of the next page, nil at the end.
func (l *List[T]) Next() *string { return l.NextCursor }

// Warning tells a caller what the answer does not say by itself.
type Warning struct {
	Parameter string `json:"parameter" doc:"The parameter concerned."`
	Severity  string `json:"severity" enum:"unsupported,caveat" doc:"unsupported: the filter did not run. caveat: it ran and has a limit worth knowing."`
	Reason    string `json:"reason" doc:"Why."`
}

// Problem is one reason why a request could not be validated.
type Problem struct {
	Loc   []any  `json:"loc" doc:"Where: query, path or body, then the name, then the position in a list." items:"string|integer"`
	Msg   string `json:"msg" doc:"What is wrong."`
	Type  string `json:"type" doc:"Stable identifier of the kind of problem."`
	Input any    `json:"input,omitempty" doc:"The value as sent, shortened."`
	Ctx   any    `json:"ctx,omitempty" doc:"The limits that apply."`
}

// Failure is the body of every error but a 422. The failures of some operations have more members, such as AgentAttempt.
type Failure struct {
	Code      int    `json:"code" doc:"The HTTP status."`
	Message   string `json:"message" doc:"What went wrong, safe to show a user."`
	Error     string `json:"error" doc:"Stable identifier of the cause."`
	Hint      string `json:"hint,omitempty" doc:"What to do about it."`
	Docs      string `json:"docs,omitempty" doc:"Where the cause and what to do about it are described." format:"uri"`
	RequestID string `json:"request_id" doc:"Quote this when asking for help; also in X-Request-Id."`

	Service *Service `json:"x_service,omitempty"`
}

// Invalid is the body of a 422.
type Invalid struct {
	Detail    []Problem `json:"detail" doc:"The problems found, at most 50."`
	Code      int       `json:"code" doc:"The HTTP status."`
	Message   string    `json:"message" doc:"The first problem in words."`
	Error     string    `json:"error" doc:"Stable identifier of the cause."`
	Docs      string    `json:"docs,omitempty" doc:"Where the cause and what to do about it are described." format:"uri"`
	RequestID string    `json:"request_id" doc:"Quote this when asking for help; also in X-Request-Id."`

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
	Results []ExampleCase `json:"results" doc:"The cases."`
	Tail
}

// ExampleCase is one example of an operation.
type ExampleCase struct {
	Case        string `json:"case" doc:"Value of the example parameter."`
	Description string `json:"description" doc:"What it shows."`
	Request     string `json:"request" doc:"The request that it answers."`
	URL         string `json:"url" doc:"Where to get it." format:"uri"`
}
