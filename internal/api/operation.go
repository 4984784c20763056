package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
)

// Access says who may call an operation.
type Access string

// The kinds of access.
const (
	Open   Access = "none"   // no key, not metered
	Grants Access = "grants" // any key
	Paid   Access = "paid"   // a key of a paid plan
	Pro    Access = "pro"    // a key of the Pro plan
	Agent  Access = "agent"  // the key of an agent, in whatever state
	Admin  Access = "admin"  // the admin token, no key
)

// scope is what a key must have.
func (a Access) scope() account.Scope {
	switch a {
	case Grants:
		return account.Grants
	case Paid:
		return account.Paid
	case Pro:
		return account.ProScope
	}
	return 0
}

// words says the access in a sentence.
func (a Access) words() string {
	switch a {
	case Grants:
		return "any key"
	case Paid:
		return "a key of a paid plan"
	case Pro:
		return "a key of the Pro plan"
	case Agent:
		return "the key of an agent"
	case Admin:
		return "the admin token"
	}
	return "no key"
}

// Operation is one entry of the table.
type Operation struct {
	ID          string
	Method      string
	Path        string   // under /api/v1, and under /api as the legacy form
	Legacy      []string // further paths under /api only
	Tag         string
	Summary     string
	Description string
	Access      Access
	Cost        int // calls
	Params      []Param
	Body        any   // a value of the type of the request body, nil for none
	MaxBody     int64 // bytes of it
	Response    any   // a value of the type of the answer
	Formats     []string
	Slugs       []string // the failures it can answer beside those of every operation
	Examples    []Example
	Lists       bool          // the answer changes with the compliance lists as well
	Timeout     time.Duration // of a request, when the usual one is too short
	Works       bool          // reading a request takes time of the machine: who has no calls left is refused before

	// needs are the parts of the dataset without which there is no answer.
	needs part

	// offered says whether a service has the operation; nil means that all do.
	offered func(s *server) bool

	// plan reads the request, with no look at the data, and returns the
	// function that makes the answer. It is called before the caller is charged.
	plan func(c *call) (run, error)
}

// part is a part of the dataset, or several.
type part int

// The parts that can be out of service.
const (
	theGraph part = 1 << iota
	theNames
	theWarehouse
)

// lacks is the failure of a dataset that does not have the parts needed.
func (d *Dataset) lacks(needed part) error {
	switch {
	case needed&theGraph != 0 && d.Graph == nil, needed&theNames != 0 && d.Search == nil:
		return fault.New(slugDamaged, "A file that this answer needs is damaged, so it is out of service.").
			Try("ask again when another build of the dataset is served")
	case needed&theWarehouse != 0 && d.SQL == nil:
		return fault.New(slugSQLUnavailable, "The dataset being served has no warehouse to ask.").
			Try("use the other endpoints meanwhile, and retry after the next build of the dataset")
	}
	return nil
}

// run makes the answer. It is called after the caller is charged.
type run func(ctx context.Context) (answer, error)

// Example is a request that is answered from invented data.
type Example struct {
	Case        string // value of the example parameter
	Description string
	Query       string            // the query string that is run against the fixture
	Path        map[string]string // values of the path's parameters
	Body        string            // the request body
}

// price says the cost in words.
func (op *Operation) price() string {
	switch op.Cost {
	case 0:
		return "not counted"
	case 1:
		return "costs 1 call"
	}
	return fmt.Sprintf("costs %d calls", op.Cost)
}

// cacheable says whether an answer may be kept: not where something was done,
// nor what only an operator sees.
func (op *Operation) cacheable() bool { return op.Method == http.MethodGet && op.Access != Admin }

// at is the path that an example is sent to.
func (op *Operation) at(e *Example) string {
	path := versioned + op.Path
	for name, value := range e.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}

// request is an example as a line that can be sent.
func (op *Operation) request(e *Example) string {
	line := op.Method + " " + op.at(e)
	if e.Query != "" {
		line += "?" + e.Query
	}
	return line
}

// everywhere are the failures that every operation can answer.
var everywhere = []string{slugQuery, slugTooMany, slugStrict, slugMethod, slugBodyTooLarge, slugURITooLong, slugInvalid, slugHeaderTooLong, slugInternal, slugNoDataset, slugDamaged, slugTimeout, slugBusy}

// keyed are the failures of every operation that needs a key.
var keyed = []string{slugNoKey, slugUnknownKey, slugExpired, slugInactive, slugStore}

// failures lists the slugs an operation can answer.
func (op *Operation) failures() []string {
	all := slices.Concat(everywhere, op.Slugs)
	if op.Body != nil {
		all = append(all, slugStalled)
	}
	switch op.Access {
	case Grants, Paid, Pro:
		all = append(append(all, keyed...), slugSpent, slugLocked)
	case Agent:
		all = append(append(all, keyed...), slugNotAgent)
	case Admin:
		all = append(all, slugAdmin, slugStore)
	}
	if op.Access == Paid || op.Access == Pro {
		all = append(all, slugPlan)
	}
	if op.offered != nil {
		all = append(all, slugNotFound)
	}
	return all
}

// operations is the table. It is filled by init because the handlers it names
// look at the table themselves.
var operations []Operation

func init() {
	operations = []Operation{
		searchOperation(),
		metaOperation(),
		transactionsOperation(),
		fundersOperation(),
		recipientsOperation(),
		summaryOperation(),
		mintOperation(),
		rulesOperation(),
		answerOperation(),
		challengeOperation(),
		sqlOperation(),
		sqlSchemaOperation(),
	}
	operations = append(operations, adminOperations()...)
	for i := range operations {
		operations[i].Params = append(operations[i].Params, common()...)
		operations[i].complete()
	}
}

// complete adds the cases that every operation shows, where it has none of its
// own.
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

// common are the parameters that every operation takes.
func common() []Param {
	return []Param{
		{Name: "strict", Also: words("strict_mode fail_on_unknown"), Type: Boolean, Default: false, Description: "1 turns unsupported or unrecognized parameters into a 400 instead of a warning. It does not fire on caveats."},
		{Name: "example", Also: words("examples sample demo mock dry_run sandbox"), Type: String, MaxLength: 40, Description: "Answers from invented data, without a key and without counting: 1 for a plain success, list for all cases. Other parameters but format are not read."},
	}
}

// Route is the operation's own path for the path of a request, such as
// /admin/keys/{id}: one of a few that hold nothing of the client's. It is
// empty when no operation is there.
func Route(path string) string {
	if ops, _ := allRoutes().find(path); ops != nil {
		return ops[0].Path
	}
	return ""
}

// allRoutes are those of the whole table.
var allRoutes = sync.OnceValue(func() *routes { return newRoutes(operations) })

// routes finds the operation of a path.
type routes struct{ list []route }

type route struct {
	segments []string
	ops      []*Operation
}

const (
	versioned = "/api/v1"
	legacy    = "/api"
)

func newRoutes(ops []Operation) *routes {
	r := &routes{}
	for i := range ops {
		op := &ops[i]
		r.add(versioned+op.Path, op)
		r.add(legacy+op.Path, op)
		for _, alias := range op.Legacy {
			r.add(legacy+alias, op)
		}
	}
	return r
}

func (r *routes) add(path string, op *Operation) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i := range r.list {
		if slices.Equal(r.list[i].segments, segments) {
			r.list[i].ops = append(r.list[i].ops, op)
			return
		}
	}
	r.list = append(r.list, route{segments, []*Operation{op}})
}

// find returns the operations at an escaped path, one per method, and the
// values of the path's parameters, in which a slash may be written %2F. A
// trailing slash does not matter.
func (r *routes) find(path string) (ops []*Operation, values map[string]string) {
	segments := strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain
		}
	}
	for i := range r.list {
		if v, ok := match(r.list[i].segments, segments); ok {
			return r.list[i].ops, v
		}
	}
	return nil, nil
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

// choose picks the operation for a method. HEAD is GET without the body.
func choose(ops []*Operation, method string) *Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, op := range ops {
		if op.Method == method {
			return op
		}
	}
	return nil
}

// allowed is the value of the Allow header.
func allowed(ops []*Operation) string {
	var methods []string
	for _, op := range ops {
		methods = append(methods, op.Method)
		if op.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(methods, ", ")
}
