// Package screening is the operations of screening: an organization, many of
// them, names without an EIN, and whether a report that somebody brings back is
// one that was issued. What the lists say is in package screen, and reports are
// made and verified in package report; here are their wire forms, their
// parameters, and the one screening that comes without a paid plan. Routing,
// metering and rendering are left to package api, and no other operations are
// imported.
package screening

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// Names finds the name that filings give an organization; *search.Index does.
type Names interface {
	Lookup(ein.EIN) (search.Result, bool)
}

// Trials keeps the one screening of those without a paid plan; every
// account.Store does.
type Trials interface {
	TakeScreen(ctx context.Context, id string) (first bool, err error)
	ReturnScreen(ctx context.Context, id string) error
}

// Parts are what the operations work with.
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
	Foreign string // one that somebody else has
}

// operations are those of one service.
type operations struct {
	Parts
	turns chan struct{} // one for each verification that may run at a time
}

const path = "/screening"

// Bounds of requests.
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
	mostFromOne   = 16 // of them from one address
)

// used is the failure of a second screening without a paid plan.
var used = api.Refusal{Slug: "trial_screening_used", Status: 402, Means: "the one screening that a free or trial key includes was used; nothing was counted", Do: "Move to a paid plan to screen more."}

// Group is the operations.
func Group(p Parts) api.Group {
	// Verification is open to everybody, so it never has all cores.
	o := &operations{p, make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	return api.Group{
		Tag: "Screening", About: "What the compliance lists know of an organization, and signed reports of it.",
		Note:       "A screening is a signal to look closer, not a determination. A list that could not be used is `not_screened`, never `clear`; the sanctions screen compares NAMES.",
		Operations: []api.Operation{o.screen(), o.bulk(), o.names(), o.verify()},
		Schemas: map[reflect.Type]string{
			reflect.TypeFor[client.Report]():     "Report",
			reflect.TypeFor[client.NameReport](): "NameReport",
		},
	}
}

// ScreeningAnswer is the screening of one organization.
type ScreeningAnswer struct {
	client.ScreeningAnswer

	file []byte // the report as a page, when that is asked for
}

// File is the report as a page.
func (a *ScreeningAnswer) File() (string, []byte) {
	return fmt.Sprintf("screening-%s-%s.pdf", a.EIN, a.Report.IssuedAt[:len(time.DateOnly)]), a.file
}

var excludeParam = api.Param{
	Name: "exclude_ent_num", Also: api.Words("ent_num exclude_ent exclude_entity exclude_entities ruled_out ignore_ent_num"), Type: api.Integer, List: true, MaxItems: maxExcluded, MaxLength: maxExcluded * 21, Example: 900001,
	Description: "Numbers of sanctioned entities that you have looked at and ruled out, comma-separated. Their matches stay in the answer, as ruled_out.",
}

func (o *operations) screen() api.Operation {
	formats := []string{"json", "pdf"}
	at := func(e string) map[string]string { return map[string]string{"ein": e} }
	return api.Operation{
		ID: "screenOrganization", Method: "GET", Path: path + "/{ein}", Legacy: []string{"/compliance/{ein}"}, Access: api.Grants, Cost: 1, Anew: true,
		Summary: "Screen an organization against the compliance lists",
		Description: "Returns what the IRS lists, the sanctions list, the bulletins and California's lists say about an EIN, with the dates of the lists that were used, and a signed report to keep; format=pdf is that report as one page. " +
			"Screens are triage signals, not determinations: a list that could not be used is not_screened, never clear, and the sanctions screen compares names. Each answer is issued fresh. " +
			"A free or trial key has one screening, of any organization: its evidence is left out, as x_service.withheld lists, and so is the report; everything else, and the pdf, is for paid plans. An EIN that nothing knows is found false and does not use it up.",
		Params: []api.Param{
			{Name: "ein", In: "path", Type: api.String, MaxLength: 20, Example: "00-0000001", Description: "EIN of the organization, with or without the hyphen."},
			api.FormatParam(formats...), compatParam, excludeParam,
		},
		Response: ScreeningAnswer{}, Formats: formats,
		Refusals: []api.Refusal{used, api.PlanRequired},
		Examples: []api.Example{
			{Case: "1", Description: "A public charity in good standing", Path: at("00-0000001")},
			{Case: "candid", Description: "The same with compat=legacy_strings: booleans and status words as strings", Query: "compat=legacy_strings", Path: at("00-0000001"), Foreign: true},
			{Case: "revoked", Description: "An organization whose exemption was revoked", Path: at("00-0000006")},
			{Case: "potential_match", Description: "A name that resembles one of the sanctions list", Path: at("00-0000007")},
			{Case: "not_screened", Description: "California's list of revoked exemptions is not loaded: ftb is not_screened, and good_standing null", Path: at("00-0000008")},
			{Case: "ruled_out", Description: "The same name with the match ruled out", Query: "exclude_ent_num=900001", Path: at("00-0000007")},
			{Case: "unknown", Description: "An EIN that no list and no filing knows", Path: at("00-0000009")},
			{Case: "trial", Description: "On a free or trial key: the evidence is withheld, and there is no report", Path: at("00-0000001"), Unpaid: true},
			{Case: "plan_required", Description: "The pdf on a free or trial key", Query: "format=pdf", Path: at("00-0000001"), Unpaid: true},
			{Case: "pdf", Description: "The report as a page", Query: "format=pdf", Path: at("00-0000001")},
			{Case: "invalid", Description: "What is no EIN", Path: at("12-34")},
		},
		Plan: o.planScreen,
	}
}

// weight is what a record takes while it is made and rendered, in bytes: the
// record, its JSON, the report with its canonical form, and the page.
const (
	weight     = 4 << 20
	weightPage = 12 << 20
)

func (o *operations) planScreen(c *api.Call) (api.Run, error) {
	c.ReadFormat()
	legacy := readCompat(c)
	q := screen.Query{EIN: readEIN(c), Excluded: readExcluded(c)}
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
			c.Caveat(compatParam.Name, "The page is the signed report, which has one rendering.")
		}
	}
	known := o.Screener(c.Data).Known(q.EIN)
	if o.addFiled(c, &q) {
		known = true
	}
	if known && !c.Caller.Paid {
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

// readEIN reads the EIN of the path.
func readEIN(c *api.Call) ein.EIN {
	text, _ := c.Params.Text("ein")
	e, err := ein.Parse(text)
	if err != nil && !c.Params.Failed() {
		c.Params.Problem(c.Params.Param("ein"), -1, "ein", text, nil, "the value is not an EIN; write nine digits, such as 12-3456789")
	}
	return e
}

// readExcluded reads the matches that the caller has ruled out.
func readExcluded(c *api.Call) (list []int64) {
	p := c.Params.Param(excludeParam.Name)
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

// addFiled adds the name that filings give an organization, and reports whether
// there is one.
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

// claimTimeout bounds how long a claim waits for the store.
const claimTimeout = 10 * time.Second

// claim takes the one screening of the owner of a key, to be given back when
// nothing comes of it. It is not left half done when the caller leaves.
func (o *operations) claim(key string) func(context.Context) (func(context.Context) error, error) {
	return func(ctx context.Context) (func(context.Context) error, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
		defer cancel()
		first, err := o.Trials.TakeScreen(ctx, key)
		if err != nil {
			return nil, err
		}
		if !first {
			return nil, fault.New(used.Slug, "The one screening that this key includes was used.").
				Try("screen with a key of a paid plan; its answers have the evidence and a signed report")
		}
		return func(ctx context.Context) error { return o.Trials.ReturnScreen(ctx, key) }, nil
	}
}
