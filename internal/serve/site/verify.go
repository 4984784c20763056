package site

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/site/frame"
)

// mostReport bounds a report to verify, in bytes.
const mostReport = 2 << 20

// verifyForm bounds the form with a report in it. A pasted report grows when the form is encoded.
var verifyForm = bound{most: mostReport + 64<<10, files: true}

// Memory held while a report is verified, in bytes: for any document, and for each byte of it. It covers the parsed report and,
// for a PDF, the page that is drawn again to compare.
const (
	weightVerify   = 8 << 20
	weightDocument = 24
)

func (s *Site) routeVerify(mux *http.ServeMux) {
	mux.HandleFunc("GET /verify", s.anyone(plainForm, s.showVerify))
	mux.HandleFunc("POST /verify", s.anyone(verifyForm, s.atOnce(budget.NewAtOnce(mostReports, mostFromOne), s.verify)))
}

// How many reports are verified at a time, in all and from one network.
const (
	mostReports = 64
	mostFromOne = 16
)

// atOnce refuses requests beyond a number at a time.
func (s *Site) atOnce(most *budget.AtOnce, serve func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		end, err := most.Begin(v.from)
		if err != nil {
			return frame.Busy
		}
		defer end()
		return serve(v)
	}
}

type verifyPage struct {
	form
	Size    string
	Outcome *outcome
	Pasted  string
}

type outcome struct {
	*report.Verdict        // nil if the document is not a report
	Kind            string // holds, broken or unknown
	Title           string
	Text            string
	Lists           []listDate
}

type listDate struct {
	Title    string
	Revised  string
	Screened bool
}

func (s *Site) showVerify(v *visit) error {
	// Old emails link here to confirm an address.
	if token := v.r.URL.Query().Get("token"); token != "" {
		return v.redirect("/confirm?token=" + url.QueryEscape(token))
	}
	return s.pages.Render(v.w, http.StatusOK, "verify", s.verifyPage(v))
}

func (s *Site) verifyPage(v *visit) *verifyPage {
	return &verifyPage{form: *s.form(v, "Verify a report"), Size: frame.Size(mostReport)}
}

func (s *Site) verify(v *visit) error {
	page, status := s.verifyPage(v), http.StatusOK
	document, err := sentReport(v.r)
	var verdict *report.Verdict
	if err == nil {
		hold, busy := s.Budget.Take(v.r.Context(), weightVerify+weightDocument*int64(len(document)))
		if busy != nil {
			return busy
		}
		defer hold.Release()
		verdict, err = s.verifyReport(v.r.Context(), document)
	}
	f, isFault := fault.Of(err)
	switch {
	case err == nil:
		page.Outcome = outcomeOf(verdict)
	case isFault && (f.Slug == noReport || f.Slug == longReport):
		status, page.Problem = http.StatusUnprocessableEntity, sentence(f.Message)
	case isFault && f.Slug == report.BadReport:
		status = http.StatusUnprocessableEntity
		page.Outcome = &outcome{Kind: "unknown", Title: "Cannot be verified", Text: sentence(f.Message)}
	default:
		return s.failReport(v, err)
	}
	return s.pages.Render(v.w, status, "verify", page)
}

// Slugs of the errors for a form without a report, and for one that is too long.
const (
	noReport   = "no_report"
	longReport = "report_too_long"
)

// sentReport is the report that was sent: the file, or else the pasted text.
func sentReport(r *http.Request) ([]byte, error) {
	if r.MultipartForm != nil {
		for _, head := range r.MultipartForm.File["file"] {
			if head.Size > mostReport {
				return nil, fault.New(longReport, "The file is longer than a report can be, which is %s", frame.Size(mostReport))
			}
			if head.Size > 0 {
				return contentOf(head)
			}
		}
	}
	if text := strings.TrimSpace(r.PostForm.Get("text")); text != "" {
		return []byte(text), nil
	}
	return nil, fault.New(noReport, "Choose a file, or paste a report")
}

func contentOf(head *multipart.FileHeader) ([]byte, error) {
	f, err := head.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// outcomeOf puts a verdict in words. Only a valid report is called ours.
func outcomeOf(v *report.Verdict) *outcome {
	o := &outcome{Verdict: v}
	if v.Reason != nil {
		o.Text = *v.Reason
	}
	switch v.Status() {
	case report.Valid:
		o.Kind, o.Title = "holds", "This report is valid"
		o.Text = strings.TrimSpace("It was issued by this service and has not been changed since. " + o.Text)
	case report.NotValid:
		o.Kind, o.Title = "broken", "This report is NOT valid"
	default:
		o.Kind, o.Title = "unknown", "Cannot be verified"
	}
	for _, l := range v.Lists {
		o.Lists = append(o.Lists, listDate{listTitle(l.Source), dayText(l.Revised), l.Screened})
	}
	return o
}

// Issued is the issue date in the report, for people.
func (o *outcome) Issued() string { return momentText(frame.Text(o.IssuedAt)) }
