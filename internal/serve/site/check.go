package site

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

var reportForm = bound{most: 1 << 20} // a report that the form sends back, in base64

// Memory of the screening pages while they are made, in bytes: a record with its
// report and page, and the PDF of a report, which is parsed first.
const (
	weightCheck = 4 << 20
	weightPDF   = 16 << 20
)

// routeCheck adds the screening pages. Screening costs a call, so only a form can start it, never a link.
func (s *Site) routeCheck(mux *http.ServeMux) {
	mux.HandleFunc("GET /check", s.signedInOrNot(s.showCheck))
	mux.HandleFunc("GET /check/{ein}", s.signedInOrNot(s.showSubject))
	mux.HandleFunc("POST /check/{ein}", s.members(plainForm, s.screenOne))
	mux.Handle("GET /check/many", http.RedirectHandler("/lists", http.StatusSeeOther))
	mux.HandleFunc("POST /check/pdf", s.members(reportForm, s.sendPDF))
}

func paid(p account.Plan) bool { return p.Terms().Scopes&account.Paid != 0 }

type checkPage struct {
	form
	standing
	Query  string
	Found  []search.Result
	Sample *recordView // for visitors who are not signed in
}

type standing struct {
	Known bool // signed in
	Paid  bool
	Used  bool // the trial screening of the free plan is
	Left  account.Balance
	Per   account.Window
}

// trialWords say what the free plan has of screening, on the page of the account and where the screening is offered.
const trialWords = "One screening, without the evidence"

// Cost says what a screening costs, in a sentence.
func (t standing) Cost() string {
	switch {
	case !t.Paid && t.Used:
		return "You have used your free account's one screening."
	case !t.Paid:
		return "Your free account includes " + strings.ToLower(trialWords[:1]) + trialWords[1:] + "."
	}
	return "A screening costs one call; you have " + calls(t.Left.Remaining) + " left " + period(t.Per) + "."
}

func (s *Site) standing(v *visit) (t standing, err error) {
	if v.session == "" {
		return t, nil
	}
	t = standing{Known: true, Paid: paid(v.account.Plan), Per: s.window(v.account.Plan)}
	if t.Left, err = s.Accounts.Balance(v.r.Context(), v.account.ID); err == nil && !t.Paid {
		t.Used, err = s.Accounts.Screened(v.r.Context(), v.account.ID)
	}
	if err != nil {
		return t, s.fail(v, err)
	}
	return t, nil
}

func (s *Site) showCheck(v *visit) error {
	q := strings.TrimSpace(v.r.FormValue("q"))
	if e, err := ein.Parse(q); err == nil {
		return v.redirect("/check/" + e.String())
	}
	t, err := s.standing(v)
	if err != nil {
		return err
	}
	page := &checkPage{form: *s.form(v, "Check an organization"), standing: t}
	if page.SignedIn = t.Known; !t.Known {
		page.Sample = sample()
	}
	if set := frame.DatasetOf(v.r); len(q) <= mostTyped && set.Search != nil {
		page.Query, page.Found = q, set.Search.Find(q, "", mostFound)
	}
	return s.pages.Render(v.w, http.StatusOK, "check", page)
}

// sample is the record of an invented organization that shows most of what a record can hold.
var sample = sync.OnceValue(func() *recordView {
	const namesake = 7
	at := example.Now()
	return newRecordView(example.Screener().Screen(screen.Query{EIN: namesake}, at), at, false)
})

type subject struct {
	EIN   ein.EIN
	Name  string
	Place string
	Kind  string
	Filed bool // has a page of its own
	Known bool // found on a list or in a filing
}

// subjectOf finds the organization with an EIN. A name from filings goes into the query,
// so that the screening compares it with the lists too.
func subjectOf(set *dataset.Dataset, e ein.EIN) (who subject, q screen.Query) {
	who, q = subject{EIN: e}, screen.Query{EIN: e}
	var found search.Result
	if set.Search != nil {
		if found, who.Known = set.Search.Lookup(e); found.Name != "" {
			q.Filed = []string{found.Name}
		}
	} else {
		q.Unfiled = true
	}
	who.Filed, who.Kind = who.Known && set.Browsable(), found.Type
	o, listed := set.Screen.Organization(q)
	who.Known = who.Known || listed
	who.Name = orgname.Display(frame.Text(o.OrganizationName))
	who.Place = frame.Place(cmp.Or(frame.Text(o.City), found.City), cmp.Or(frame.Text(o.State), found.State), "")
	return who, q
}

type subjectPage struct {
	form
	standing
	Subject subject
}

func (s *Site) showSubject(v *visit) error {
	e, err := ein.Parse(v.r.PathValue("ein"))
	if err != nil {
		return frame.Missing
	}
	if v.r.PathValue("ein") != e.String() {
		return v.redirect("/check/" + e.String())
	}
	t, err := s.standing(v)
	if err != nil {
		return err
	}
	who, _ := subjectOf(frame.DatasetOf(v.r), e)
	name := cmp.Or(who.Name, "EIN "+e.Hyphenated())
	page := subjectPage{form: *s.form(v, "Check "+name), standing: t, Subject: who}
	page.SignedIn = t.Known
	return s.pages.Render(v.w, http.StatusOK, "subject", page)
}

// resultPage shows the record of a screening, with the report that was issued.
type resultPage struct {
	form
	standing
	Record *recordView
	Report *client.Report // nil on the free plan
	JSON   template.URL   // data URL of the report, to download
	File   string         // file name of the download
	Posted string         // the report in base64, to send back for the PDF
}

// screenOne screens an organization and shows the record. The server does not keep the report; the page carries it. So its PDF
// is of the same report and costs no second call.
func (s *Site) screenOne(v *visit) error {
	e, err := ein.Parse(v.r.PathValue("ein"))
	if err != nil {
		return frame.Missing
	}
	hold, err := s.Budget.Take(v.r.Context(), weightCheck)
	if err != nil {
		return err
	}
	defer hold.Release()
	set := frame.DatasetOf(v.r)
	if set.Screen.Lost() {
		return frame.Damaged
	}
	who, q := subjectOf(set, e)
	isPaid, shown := paid(v.account.Plan), false
	if !isPaid && who.Known { // a screening that finds nobody does not use up the trial
		back, err := s.takeTrial(v)
		if err != nil {
			return err
		}
		defer func() {
			if !shown {
				back()
			}
		}()
	}
	at := s.Clock()
	page := &resultPage{Record: newRecordView(set.Screen.Screen(q, at), at, !isPaid)}
	if !isPaid {
		screen.Withhold(page.Record.ScreeningRecord)
	} else if err := s.issue(v.r.Context(), page); err != nil {
		return s.failReport(v, err) // no report, no charge
	}
	if err := s.chargeFor(v, notScreened); err != nil {
		return err
	}
	shown = true
	if page.standing, err = s.standing(v); err != nil {
		return err
	}
	page.form = *s.form(v, page.Record.Name()+", screened")
	return s.pages.Render(v.w, http.StatusOK, "result", page)
}

// takeTrial uses up the one screening of a free account. back returns it if the screening fails, even if the visitor has left.
func (s *Site) takeTrial(v *visit) (back func(), err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), storeTimeout)
	defer cancel()
	first, err := s.Accounts.TakeScreen(ctx, v.account.ID)
	if err != nil {
		return nil, s.fail(v, err)
	}
	if !first {
		return nil, &beyondPlan{"Your free screening is used", "A free account includes one screening, and you have used yours. Nothing was counted."}
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(v.r.Context()), storeTimeout)
		defer cancel()
		if err := s.Accounts.ReturnScreen(ctx, v.account.ID); err != nil {
			s.Log.Error("a screening was not given back", "account", v.account.ID, "error", err)
		}
	}, nil
}

const storeTimeout = 10 * time.Second

const notScreened = "Nothing was screened and nothing was counted."

var limits = map[account.Window]string{account.Day: "daily", account.Month: "monthly"}

// chargeFor charges one call to the visitor. If the allowance is used up, it refuses
// with the page about plans, which says why, and what was not done.
func (s *Site) chargeFor(v *visit, notDone string) error {
	_, err := s.Accounts.Charge(v.r.Context(), v.account.ID, 1)
	if err == nil {
		return nil
	}
	if !errors.Is(err, account.ErrSpent) {
		return s.fail(v, err)
	}
	text := "You have reached the " + limits[s.window(v.account.Plan)] + " limit of your plan."
	if wait, ok := errors.AsType[*account.WaitError](err); ok {
		v.w.Header().Set("Retry-After", strconv.Itoa(account.Seconds(wait.Wait)))
		text += " It resets on " + frame.Moment(s.Clock().Add(wait.Wait)) + "."
	}
	return &beyondPlan{"No calls left", text + " " + notDone}
}

// beyondPlan is the refusal of what the visitor's plan does not cover.
type beyondPlan struct{ title, text string }

func (e *beyondPlan) Error() string { return e.title + ": " + e.text }

type plansPage struct {
	form
	Text   string
	Plan   planCard
	Higher []planCard
}

func (s *Site) showPlans(v *visit, why *beyondPlan) error {
	d, plan := frame.DatasetOf(v.r), v.account.Plan
	page := plansPage{form: *s.form(v, why.title), Text: why.text, Plan: s.planCard(d, plan), Higher: s.higherPlans(d, plan)}
	page.Email = v.account.Email
	return s.pages.Render(v.w, http.StatusPaymentRequired, "beyondplan", page)
}

func (s *Site) issue(ctx context.Context, page *resultPage) (err error) {
	if page.Report, err = report.Issue(ctx, s.Ring, report.ContentOf(page.Record.ScreeningRecord), report.VerifyPage(s.BaseURL), page.Record.At); err != nil {
		return err
	}
	document, err := json.Marshal(page.Report)
	if err != nil {
		return err
	}
	// The report is in canonical form, as in the PDF: those are the bytes that were signed, so openssl alone can verify it.
	if document, err = jcs.Transform(document); err != nil {
		return err
	}
	page.File = fileName(page.Record.EIN, page.Report.IssuedAt)
	page.JSON = template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(document)) //nolint:gosec // base64 has no quotes
	page.Posted = base64.RawURLEncoding.EncodeToString(document)
	return nil
}

// failReport says that reports cannot be signed or verified, for the operator to repair.
func (s *Site) failReport(v *visit, err error) error {
	if slug(err) == "store_unavailable" || v.r.Context().Err() != nil {
		return s.fail(v, err)
	}
	s.Log.Error("signing or verifying a report", "error", err)
	v.w.Header().Set("Retry-After", "60")
	return frame.Refuse(http.StatusServiceUnavailable, "Out of service",
		"Reports cannot be signed or verified at the moment. Nothing was counted. Please try again later.")
}

// fileName is the file name of a report without its extension, as in the API.
func fileName(ein, issued string) string {
	day, _, _ := strings.Cut(issued, "T")
	return "screening-" + ein + "-" + day
}

// sendPDF makes the PDF of a report that a page has carried. It refuses a report that we did not issue, or that was changed.
func (s *Site) sendPDF(v *visit) error {
	hold, err := s.Budget.Take(v.r.Context(), weightPDF)
	if err != nil {
		return err
	}
	defer hold.Release()
	document, err := base64.RawURLEncoding.DecodeString(v.field("report"))
	var verdict *report.Verdict
	if err == nil {
		if verdict, err = s.verifyReport(v.r.Context(), document); err != nil && slug(err) != report.BadReport {
			return s.failReport(v, err)
		}
	}
	if err != nil || verdict.Status() != report.Valid || verdict.PageMatches != nil || verdict.Subject == nil || verdict.Subject.EIN == nil {
		return frame.Refuse(http.StatusUnprocessableEntity, "This is not a report of ours",
			"That is not a report as we issued it, so we cannot create a PDF.")
	}
	page, err := report.PDF(verdict.Report)
	if err != nil {
		s.Log.Error("making a report's PDF", "report", verdict.ReportID, "error", err)
		return frame.Refuse(http.StatusInternalServerError, "Something went wrong", "The PDF could not be made. The report as JSON is complete; keep that instead.")
	}
	v.attach(fileName(*verdict.Subject.EIN, *verdict.IssuedAt), "pdf")
	v.w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	_, _ = v.w.Write(page)
	return nil
}

func (s *Site) verifyReport(ctx context.Context, document []byte) (*report.Verdict, error) {
	keys, err := s.Ring.Keys(ctx)
	if err != nil {
		return nil, err
	}
	return report.Verify(ctx, document, keys)
}
