package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
)

type Access string

const (
	Open   Access = "none"   // no key, not metered
	Grants Access = "grants" // any key
	Paid   Access = "paid"   // a key of a paid plan
	Pro    Access = "pro"    // a key of the Pro plan
	Agent  Access = "agent"  // the key of an agent, in any state
	Admin  Access = "admin"  // the admin token, no key
)

// accesses are the scope of a key that each kind of access needs, and the words for it.
var accesses = map[Access]struct {
	scope account.Scope
	words string
}{
	Open: {0, "no key"}, Grants: {account.Grants, "any key"}, Paid: {account.Paid, "a key of a paid plan"},
	Pro: {account.ProScope, "a key of the Pro plan"}, Agent: {0, "the key of an agent"}, Admin: {0, "the admin token"},
}

// Group is the set of operations that one package adds to the table.
type Group struct {
	Tag        string // of its operations in the published description
	About      string // the tag in a sentence
	Note       string // a paragraph for the description that language models read; may be empty
	Operations []Operation
	Withheld   []Withheld

	// Schemas are the names in the published description of types whose own name says too little outside of their package.
	Schemas map[reflect.Type]string
}

// Withheld is an operation that serves only a page of the site. It is described, and every call is refused.
type Withheld struct {
	ID, Method, Path     string
	Summary, Description string
	Body                 any    // a value of the type of the request body
	Answers              string // media type of the answer
}

type Operation struct {
	ID          string
	Method      string
	Path        string   // under /api/v1, and under /api as the legacy form
	Legacy      []string // further paths under /api only
	Tag         string   // of its group
	Summary     string
	Description string
	Access      Access
	Cost        int // calls
	Params      []Param
	Body        any               // a value of the type of the request body, nil for none
	BodyWords   map[string]string // other words for the fields of the body, and the field that each stands for
	BodyTypes   []string          // media types of files that may be the body in the place of JSON
	MaxBody     int64             // bytes of it
	Response    any               // a value of the type of the answer
	Variant     *Variant          // its rendering for clients of other services; nil for none
	Formats     []string
	Refusals    []Refusal // failures it can answer in addition to those of every operation
	Details     []any     // values of the types that its failures carry, see Detailed
	Examples    []Example
	Lists       bool          // the answer changes with the compliance lists as well
	Anew        bool          // no answer follows from the dataset alone: none may be cached, and none has an ETag
	Writes      bool          // it changes what is kept for the caller
	Timeout     time.Duration // of a request, when the usual one is too short
	Works       bool          // reading a request takes machine time: a key without calls left is refused before that

	AtOnce *budget.AtOnce // how many requests may run at once, for a body that is sent without a key; nil means no limit

	ForAgents bool // automated agents call it, with their key or to get one

	Optional bool // not every service has it
	Off      bool // this service does not have it

	// Needs refuses a dataset that lacks something the answer needs. It may be nil.
	Needs func(Dataset) error

	// Plan reads the request before the charge, and returns the function that makes the answer.
	Plan func(c *Call) (Run, error)
}

// Variant describes an answer in another rendering, whose members may have other types.
type Variant struct {
	Name  string // appended to the names of schemas
	Means string // when the answer is rendered so, in a few words
	// Member describes a member in the rendering, or returns nil if it does not differ. within are the names around it, each after a slash.
	Member func(within, name string, described map[string]any) map[string]any
}

// Damaged is the refusal of a dataset with a damaged file.
func Damaged() error {
	return fault.New(client.SlugDatasetDamaged, "A data file that this answer needs is damaged. This part of the service is unavailable.").
		Try("ask again when another build of the dataset is served")
}

// Has is what an operation needs that works with a part of the dataset, which is nil when out of service.
func Has[T comparable](part func(Dataset) T) func(Dataset) error {
	return func(d Dataset) error {
		if part(d) == *new(T) {
			return Damaged()
		}
		return nil
	}
}

// Run makes the answer. It is called after the caller is charged.
type Run func(ctx context.Context) (client.Answer, error)

// Example is a request that is answered from invented data.
type Example struct {
	Case        string // value of the example parameter
	Description string
	Query       string            // the query string that is run against the fixture
	Path        map[string]string // values of the path's parameters
	Body        string            // the request body
	Unpaid      bool              // its caller has no paid plan
	Foreign     bool              // it is rendered for clients of another service, so its schema is that of the variant
}

func (op *Operation) Price() string {
	switch op.Cost {
	case 0:
		return "not counted"
	case 1:
		return "costs 1 call"
	}
	return fmt.Sprintf("costs %d calls", op.Cost)
}

// cacheable reports whether a client may keep an answer.
func (op *Operation) cacheable() bool {
	return op.Method == http.MethodGet && op.Access != Admin && !op.Anew
}

// Target is where an example of an operation is sent to.
func (op *Operation) Target(e *Example) string {
	path := Versioned + op.Path
	for name, value := range e.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}

func (op *Operation) request(e *Example) string {
	line := op.Method + " " + op.Target(e)
	if e.Query != "" {
		line += "?" + e.Query
	}
	return line
}

func (op *Operation) refusals() []Refusal {
	all := slices.Concat(everywhere, op.Refusals)
	if op.Body != nil {
		all = append(all, refusedStalled)
	}
	switch op.Access {
	case Grants, Paid, Pro:
		all = append(append(all, keyed...), refusedSpent, refusedLocked)
	case Agent:
		all = append(append(all, keyed...), refusedNotAgent)
	case Admin:
		all = append(all, refusedAdmin, storeUnavailable)
	}
	if op.Access == Paid || op.Access == Pro {
		all = append(all, planRequired)
	}
	if op.Optional {
		all = append(all, refusedNotFound)
	}
	return all
}

type operationTable struct {
	groups   []Group
	ops      []Operation
	withheld []Withheld
	routes   routes
	refusals []Refusal // by status
}

func newTable(groups []Group) (*operationTable, error) {
	t := &operationTable{groups: groups, refusals: []Refusal{refusedNotFound}}
	for _, g := range groups {
		for _, w := range g.Withheld {
			t.withheld = append(t.withheld, w)
			if !slices.Contains(t.refusals, refusedNotPublic) {
				t.refusals = append(t.refusals, refusedNotPublic)
			}
		}
		for _, op := range g.Operations {
			op.Tag = g.Tag
			op.Params = append(slices.Clone(op.Params), sharedParams["strict"], sharedParams["example"])
			op.complete()
			if t.op(op.ID) != nil {
				return nil, fmt.Errorf("api: there are two operations %s", op.ID)
			}
			t.ops = append(t.ops, op)
			for _, r := range op.refusals() {
				if i := slices.IndexFunc(t.refusals, func(x Refusal) bool { return x.Slug == r.Slug }); i < 0 {
					t.refusals = append(t.refusals, r)
				} else if t.refusals[i] != r {
					return nil, fmt.Errorf("api: two operations give %s a different status or meaning", r.Slug)
				}
			}
		}
	}
	slices.SortStableFunc(t.refusals, func(a, b Refusal) int { return a.Status - b.Status })
	t.routes = newRoutes(t.ops)
	return t, nil
}

func (t *operationTable) op(id string) *Operation {
	if i := slices.IndexFunc(t.ops, func(op Operation) bool { return op.ID == id }); i >= 0 {
		return &t.ops[i]
	}
	return nil
}

// refusal finds a failure by its slug. A slug that no operation lists is our mistake: a 500.
func (t *operationTable) refusal(slug string) Refusal {
	if i := slices.IndexFunc(t.refusals, func(r Refusal) bool { return r.Slug == slug }); i >= 0 {
		return t.refusals[i]
	}
	return refusedInternal
}

// withholds finds the operation at a path that is not part of the public API.
func (t *operationTable) withholds(path string) (w Withheld, ok bool) {
	path = strings.TrimSuffix(path, "/")
	i := slices.IndexFunc(t.withheld, func(w Withheld) bool { return path == Versioned+w.Path || path == legacy+w.Path })
	if i < 0 {
		return w, false
	}
	return t.withheld[i], true
}

func (t *operationTable) takes(name string) bool {
	return slices.ContainsFunc(t.ops, func(op Operation) bool {
		return slices.ContainsFunc(op.Params, func(p Param) bool { return p.Name == name })
	})
}

// complete adds the examples that every operation has, unless it has its own.
func (op *Operation) complete() {
	plain := op.Examples[0]
	for _, e := range []Example{
		{Case: "unsupported", Description: "A parameter that does not exist", Query: "verbose=1"},
		{Case: "strict", Description: "What strict=1 refuses", Query: "verbose=1&strict=1"},
	} {
		if !slices.ContainsFunc(op.Examples, func(x Example) bool { return x.Case == e.Case }) {
			e.Path, e.Body = plain.Path, plain.Body
			op.Examples = append(op.Examples, e)
		}
	}
}

// Formats are those of an answer that has rows.
var Formats = []string{"json", "xml", "csv", "ndjson"}

type route struct {
	segments []string
	ops      []*Operation
}

// Versioned is where the paths of operations begin.
const (
	Versioned = "/api/v1"
	legacy    = "/api"
)

type routes []route

func newRoutes(ops []Operation) (r routes) {
	for i := range ops {
		op := &ops[i]
		r = r.with(Versioned+op.Path, op).with(legacy+op.Path, op)
		for _, alias := range op.Legacy {
			r = r.with(legacy+alias, op)
		}
	}
	return r
}

func (r routes) with(path string, op *Operation) routes {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if i := slices.IndexFunc(r, func(x route) bool { return slices.Equal(x.segments, segments) }); i >= 0 {
		r[i].ops = append(r[i].ops, op)
		return r
	}
	return append(r, route{segments, []*Operation{op}})
}

// find returns the operations at an escaped path, one per method, and the values of the path's parameters, in which %2F stands
// for a slash. A trailing slash does not matter. Of several routes that fit, it takes the one with the fewest parameters.
func (r routes) find(path string) (ops []*Operation, values map[string]string) {
	segments := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain
		}
	}
	for _, x := range r {
		if v, ok := match(x.segments, segments); ok && (ops == nil || len(v) < len(values)) {
			ops, values = x.ops, v
		}
	}
	return ops, values
}

func match(pattern, segments []string) (map[string]string, bool) {
	if len(pattern) != len(segments) {
		return nil, false
	}
	var values map[string]string
	for i, p := range pattern {
		switch {
		case strings.HasPrefix(p, "{") && segments[i] != "":
			if values == nil {
				values = map[string]string{}
			}
			values[strings.Trim(p, "{}")] = segments[i]
		case p != segments[i]:
			return nil, false
		}
	}
	return values, true
}

// choose picks the operation for a method. An operation that issues something anew has no HEAD, which would be charged.
func choose(ops []*Operation, method string) *Operation {
	i := slices.IndexFunc(ops, func(op *Operation) bool { return op.Method == method || method == http.MethodHead && op.headed() })
	if i < 0 {
		return nil
	}
	return ops[i]
}

// headed reports whether an operation also answers HEAD.
func (op *Operation) headed() bool { return op.Method == http.MethodGet && !op.Anew }

func allowed(ops []*Operation) string {
	var methods []string
	for _, op := range ops {
		methods = append(methods, op.Method)
		if op.headed() {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(methods, ", ")
}
