// Package screening is the operations of screening: one organization, many organizations, names without an EIN, and the
// verification of reports. Package screen reads the lists, and package report makes and verifies reports. This package reads
// the requests and keeps the one screening that comes without a paid plan.
package screening

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// Names finds the name that filings give an organization; *search.Index does.
type Names interface {
	Lookup(ein.EIN) (search.Result, bool)
}

// Trials keeps the one screening of a key without a paid plan; *account.Store does.
type Trials interface {
	TakeScreen(ctx context.Context, id string) (first bool, err error)
	ReturnScreen(ctx context.Context, id string) error
}

type Parts struct {
	Screener func(api.Dataset) *screen.Screener
	Names    func(api.Dataset) Names // nil where they are out of service
	Trials   Trials
	Ring     *keyring.Ring
	Base     string // address of the service
	Clock    func() time.Time
	Samples  Samples
}

// Samples are the reports that the examples of verification are about, as JSON.
type Samples struct {
	Report  string // one that the ring of the examples has signed
	Foreign string // one that another ring has signed
}

type operations struct {
	Parts
	turns chan struct{} // one for each verification that may run at a time
}

const (
	maxEINs     = 100
	maxNames    = 100
	maxExcluded = 50
	maxName     = 300 // bytes
	maxPlace    = 100 // bytes of a country or a city
	maxBulk     = 64 << 10
	maxNameBody = 256 << 10
	maxDocument = 2 << 20

	mostDocuments = 64 // to verify at a time
	mostFromOne   = 16 // of them from one network
)

const excludeParam = "exclude_ent_num"

//go:embed operations.json
var operationsFile []byte

func Group(p Parts) api.Group {
	// Verification is open to everybody, so it may not use all cores.
	o := &operations{p, make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	g := api.ReadGroup(operationsFile, map[string]api.Operation{
		"screenOrganization": {Response: ScreeningAnswer{}, Variant: legacyStrings, Plan: o.planScreen, Needs: o.needsLists},
		"screenOrganizations": {
			Body: client.BulkRequest{}, MaxBody: maxBulk, Response: client.BulkAnswer{}, Variant: legacyStrings, Plan: o.planBulk, Needs: o.needsLists,
		},
		"screenNames": {
			Body: client.NamesRequest{}, MaxBody: maxNameBody, Response: client.NamesAnswer{}, Variant: legacyStrings, Plan: o.planNames, Needs: o.needsLists,
		},
		"verifyReport": {
			Body: client.Report{}, BodyTypes: []string{"application/pdf"}, MaxBody: maxDocument,
			AtOnce: budget.NewAtOnce(mostDocuments, mostFromOne), Response: client.VerifyAnswer{}, Plan: o.planVerify,
		},
	})
	for i, e := range g.Operation("verifyReport").Examples {
		if body, ok := p.Samples.body(e.Case); ok {
			g.Operation("verifyReport").Examples[i].Body = body
		}
	}
	g.Schemas = map[reflect.Type]string{
		reflect.TypeFor[client.Report]():     "Report",
		reflect.TypeFor[client.NameReport](): "NameReport",
	}
	return g
}

func (o *operations) needsLists(d api.Dataset) error {
	if o.Screener(d).Lost() {
		return api.Damaged()
	}
	return nil
}

// body is the report of an example of verification, which is signed when the service starts and therefore not in a file.
func (s Samples) body(example string) (string, bool) {
	bent := strings.Replace(s.Report, `"found":true`, `"found":false`, 1)
	text, ok := map[string]string{"1": s.Report, "bent": bent, "unknown_key": s.Foreign}[example]
	return text, ok
}

type ScreeningAnswer struct {
	client.ScreeningAnswer

	file []byte // the report as a page, when that is asked for
}

func (a *ScreeningAnswer) File() (string, []byte) {
	return fmt.Sprintf("screening-%s-%s.pdf", a.EIN, a.Report.IssuedAt[:len(time.DateOnly)]), a.file
}

// weight is what a record takes while it is made and rendered, in bytes.
const (
	weight     = 4 << 20
	weightPage = 12 << 20
)

func (o *operations) planScreen(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	legacy := readCompat(c)
	q := screen.Query{EIN: c.ReadEIN(), Excluded: readExcluded(c)}
	if c.Params.Failed() {
		return nil, nil // the engine reports them
	}
	c.Weight = weight
	if c.Format() == "pdf" {
		if err := c.RequirePaid(); err != nil {
			return nil, err
		}
		c.Weight = weightPage
		if legacy {
			c.Caveat(compatParam, "The page is the signed report, which has one rendering.")
		}
	}
	if known := o.addFiled(c, &q) || o.Screener(c.Data).Known(q.EIN); known && !c.Caller.Paid {
		c.Claim = o.claim(c.Caller.Key)
	}
	return func(ctx context.Context) (client.Answer, error) {
		at := o.Clock()
		a := &ScreeningAnswer{ScreeningAnswer: client.ScreeningAnswer{Head: api.Success, ScreeningRecord: *o.Screener(c.Data).Screen(q, at), Tail: c.Tail()}}
		if !c.Caller.Paid {
			screen.Withhold(&a.ScreeningRecord)
			a.Service.Withheld = screen.Withheld
		} else {
			var err error
			if a.Report, err = report.Issue(ctx, o.Ring, report.ContentOf(&a.ScreeningRecord), report.VerifyPage(o.Base), at); err != nil {
				return nil, err
			}
		}
		if c.Format() == "pdf" {
			document, err := json.Marshal(a.Report)
			if err != nil {
				return nil, err
			}
			a.file, err = report.PDF(document)
			return a, err
		}
		if legacy {
			return asLegacy(a, a.Tail)
		}
		return a, nil
	}, nil
}

func readExcluded(c *api.Call) (list []int64) {
	p := c.Params.Param(excludeParam)
	for i, item := range c.Params.List(p.Name) {
		n, err := strconv.ParseInt(item, 10, 64)
		if err != nil || !api.ExactInteger(n) {
			c.Params.Problem(p, i, "int_parsing", item, nil, "the value is not the number of an entity; write digits only")
			continue
		}
		list = append(list, n)
	}
	return list
}

func (o *operations) addFiled(c *api.Call, q *screen.Query) bool {
	names := o.Names(c.Data)
	if names == nil {
		q.Unfiled = true
		c.Caveat("ein", "The names in filings are out of service, so only those of the lists were screened.")
		return false
	}
	found, ok := names.Lookup(q.EIN)
	if !ok || found.Name == "" {
		return false
	}
	q.Filed = []string{found.Name}
	return true
}

const claimTimeout = 10 * time.Second

// claim takes the one screening of the owner of a key, and gives it back when there is no answer.
func (o *operations) claim(key string) func(context.Context) (func(context.Context) error, error) {
	return func(ctx context.Context) (func(context.Context) error, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
		defer cancel()
		first, err := o.Trials.TakeScreen(ctx, key)
		if err != nil {
			return nil, err
		}
		if !first {
			return nil, fault.New("trial_screening_used", "The one screening that this key includes was used.").
				Try("screen with a key of a paid plan; its answers have the evidence and a signed report")
		}
		return func(ctx context.Context) error { return o.Trials.ReturnScreen(ctx, key) }, nil
	}
}

// weightOfVerdict is the memory that verification takes, in bytes. A small PDF may unpack to much.
const weightOfVerdict = 16 << 20

func (o *operations) planVerify(c *api.Call) (api.Run, error) {
	document := c.Body()
	c.Weight = weightOfVerdict
	return func(ctx context.Context) (client.Answer, error) {
		select {
		case o.turns <- struct{}{}:
			defer func() { <-o.turns }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		keys, err := o.Ring.Keys(ctx)
		if err != nil {
			return nil, err
		}
		v, err := report.Verify(ctx, document, keys)
		if f, ok := fault.Of(err); ok && f.Slug == report.BadReport {
			return nil, api.InvalidBody("", "report", nil, f.Message+"; "+f.Hint)
		}
		if err != nil {
			return nil, err
		}
		return &client.VerifyAnswer{Head: api.Success, Status: string(v.Status()), ReportVerdict: v.ReportVerdict, Tail: c.Tail()}, nil
	}, nil
}

const compatParam = "compat"

func readCompat(c *api.Call) (legacy bool) {
	mode, _ := c.Params.Choice(compatParam)
	return mode == "legacy_strings"
}

// Legacy is an answer in the rendering for clients of other services.
type Legacy struct {
	body []byte
	client.Tail
}

func (l *Legacy) MarshalJSON() ([]byte, error) { return l.body, nil }

// asLegacy renders an answer that ends with the given tail.
func asLegacy(answer any, tail client.Tail) (*Legacy, error) {
	text, err := api.EncodeJSON(answer)
	if err != nil {
		return nil, err
	}
	document, err := api.ReadJSON(text)
	if err != nil {
		return nil, err
	}
	text, err = api.EncodeJSON(legacyOf("", document, false))
	return &Legacy{text, tail}, err
}

// legacyBooleans are the booleans that are rendered as strings. titled are the
// members whose words are written in title case, if the words are in vocabulary.
var (
	legacyBooleans = []string{"conflict", "in_bmf", "pub78_verified", "revoked", "screened"}
	titled         = []string{"status", "result"}
	vocabulary     = []string{
		screen.NotScreened, screen.Listed, screen.NotListed, screen.Revoked, screen.Reinstated, screen.Clear, screen.PotentialMatch, screen.RuledOut,
		screen.Met, screen.NotMet, screen.NotApplicable,
	}
)

// legacyStrings describes the rendering: the members that legacyOf changes have other types.
var legacyStrings = &api.Variant{Name: "LegacyStrings", Means: "that of compat=legacy_strings", Member: legacyMember}

func legacyMember(within, name string, described map[string]any) map[string]any {
	around := strings.Split(within, "/")
	if !slices.Contains(around, "compliance") || slices.ContainsFunc(untouched, func(u string) bool { return slices.Contains(around, u) }) {
		return nil
	}
	out := maps.Clone(described)
	switch words, _ := described["enum"].([]any); {
	case slices.Contains(legacyBooleans, name):
		out["type"], out["enum"] = "string", []any{"True", "False"}
		if _, nullable := described["type"].([]string); nullable {
			out["type"], out["enum"] = []string{"string", "null"}, []any{"True", "False", nil}
		}
	case slices.Contains(titled, name) && words != nil:
		out["enum"] = each.Of(words, func(w any) any {
			if word, ok := w.(string); ok && slices.Contains(vocabulary, word) {
				return titleCase(word)
			}
			return w
		})
	default:
		return nil
	}
	return out
}

// untouched are members that are copied as they are: the report is signed, and registry records keep the words of the registry.
var untouched = []string{"report", "registry_records"}

func titleCase(word string) string {
	parts := strings.Split(word, "_")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, " ")
}

// legacyOf is the value of a member as other services write it. Members within compliance change.
func legacyOf(name string, value any, within bool) any {
	if slices.Contains(untouched, name) {
		return value
	}
	inside := within || name == "compliance"
	switch v := value.(type) {
	case api.Ordered:
		for i := range v {
			v[i].Value = legacyOf(v[i].Name, v[i].Value, inside)
		}
	case []any:
		for i := range v {
			v[i] = legacyOf("", v[i], inside)
		}
	case bool:
		if within && slices.Contains(legacyBooleans, name) {
			return map[bool]string{true: "True", false: "False"}[v]
		}
	case string:
		if within && slices.Contains(titled, name) && slices.Contains(vocabulary, v) {
			return titleCase(v)
		}
	}
	return value
}
