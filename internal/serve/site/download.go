package site

import (
	"errors"
	"io"
	"net/http"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/site/explore"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/organization"
)

// How many files are written at a time for those who pay, in all and for one account, and as many for those who do not, in all
// and from one network. Each keeps a dataset open until it is written.
const (
	downloadsAtOnce = 8
	downloadsEach   = 2
)

// How long a client may take for a part of a file, and for the whole file.
const (
	downloadPatience = time.Minute
	downloadTimeout  = 15 * time.Minute
)

// downloadForm bounds the form of a download, which contains the query of a view.
var downloadForm = bound{most: 32 << 10}

type downloads struct {
	places budget.Places
	most   int64 // rows
}

func (s *Site) routeDownload(mux *http.ServeMux) {
	s.files = downloads{places: budget.NewPlaces(downloadsAtOnce, downloadsEach), most: explore.MostRows}
	for path, of := range map[string]export{"/download": s.view, "/download/prospects": s.prospects} {
		mux.HandleFunc("GET "+path, s.members(plainForm, func(v *visit) error { return s.showDownload(v, of) }))
		mux.HandleFunc("POST "+path, s.members(downloadForm, func(v *visit) error { return s.download(v, of) }))
	}
}

// export reads the query of a download.
type export func(v *visit, query string) (*explore.Export, error)

// downloadPage says what a file will contain, before the visitor pays for it.
type downloadPage struct {
	form
	*explore.Export
	Left account.Balance
	Per  string
}

func (s *Site) view(v *visit, raw string) (*explore.Export, error) {
	if set := frame.DatasetOf(v.r); !set.Browsable() {
		return nil, frame.Damaged
	}
	query, ok := explore.Canonical(raw)
	if !ok {
		return nil, frame.Refuse(http.StatusBadRequest, "The address cannot be read", "Start again from the page that shows the grants you want.")
	}
	caller := frame.Member{ID: v.account.ID, Plan: v.account.Plan}.Caller()
	return explore.NewExport(s.frame, v.r, caller, query, s.files.most)
}

func (s *Site) showDownload(v *visit, of export) error {
	x, err := of(v, v.r.URL.RawQuery)
	if err != nil {
		return err
	}
	return s.drawDownload(v, x)
}

func (s *Site) drawDownload(v *visit, x *explore.Export) error {
	left, per, err := s.left(v)
	if err != nil {
		return s.fail(v, err)
	}
	page := downloadPage{form: *s.form(v, "Download"), Export: x, Left: left, Per: per}
	page.Section = "explore"
	page.Styles = []string{"explore.css"}
	status := http.StatusOK
	if len(x.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.pages.Render(v.w, status, "download", page)
}

// left is the visitor's remaining allowance, with its window.
func (s *Site) left(v *visit) (left account.Balance, per string, err error) {
	left, err = s.Accounts.Balance(v.r.Context(), v.account.ID)
	return left, period(s.window(v.account.Plan)), err
}

// beginDownload takes a slot for a download, or says that all slots are taken.
func (s *Site) beginDownload(v *visit) (end func(), err error) {
	end, err = s.files.places.Begin(v.sender())
	if err != nil {
		return nil, &frame.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: 10, Title: "Too many downloads at once", Text: "As many downloads are " +
			"under way as this server takes, in all, for your account or from your network. Please try again in a moment. Nothing was counted."}
	}
	return end, nil
}

// download writes the file. The visitor is charged once, when the first rows are ready and before any of them is sent.
func (s *Site) download(v *visit, of export) error {
	kind := v.field("kind")
	if kind != "csv" && kind != "xlsx" {
		return frame.Refuse(http.StatusUnprocessableEntity, "Nothing was downloaded", "A file is CSV or Excel. Nothing was counted.")
	}
	end, err := s.beginDownload(v)
	if err != nil {
		return err
	}
	defer end()
	x, err := of(v, v.field("query"))
	if err != nil {
		return err
	}
	if len(x.Problems) > 0 || x.Rows == 0 {
		return s.drawDownload(v, x)
	}
	hold, err := s.Budget.Take(v.r.Context(), explore.ExportWeight)
	if err != nil {
		return err
	}
	defer hold.Release()
	if err := x.Open(); err != nil {
		return err
	}
	if err := s.chargeFor(v, "Nothing was downloaded and nothing was counted."); err != nil {
		return err
	}
	return s.sendFile(v, x, kind)
}

func (s *Site) sendFile(v *visit, x *explore.Export, kind string) error {
	now := s.Clock()
	v.attach(x.Name+"-"+frame.Date(now), kind)
	v.w.Header().Set("Cache-Control", "no-store")
	out := &patient{w: v.w, control: http.NewResponseController(v.w), until: time.Now().Add(downloadTimeout)}
	var err error
	if kind == "csv" {
		err = x.CSV(out)
	} else {
		err = x.Workbook(out, s.BaseURL, now)
	}
	return s.written(v, err)
}

// written ends the writing of a file. If that failed, the connection is cut: a file that ends early must not look whole.
func (s *Site) written(v *visit, err error) error {
	if err == nil {
		return nil
	}
	if v.r.Context().Err() == nil {
		s.Log.Error("writing a file", "path", v.r.URL.Path, "error", err)
	}
	panic(http.ErrAbortHandler)
}

var fileTypes = map[string]string{
	"csv": "text/csv; charset=utf-8", "pdf": "application/pdf", "zip": "application/zip",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// attach begins a file of a kind of fileTypes, which the browser saves.
func (v *visit) attach(name, kind string) {
	v.w.Header().Set("Content-Type", fileTypes[kind])
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+"."+kind+`"`)
}

// patient gives a client time for each part of a file. That may be longer than the server's time for a page, but has a limit.
type patient struct {
	w       io.Writer
	control *http.ResponseController
	until   time.Time
}

var errSlow = errors.New("the client took too long")

func (p *patient) Write(b []byte) (int, error) {
	now := time.Now()
	if now.After(p.until) {
		return 0, errSlow
	}
	// If the deadline cannot be moved, that of the server applies.
	_ = p.control.SetWriteDeadline(now.Add(downloadPatience))
	return p.w.Write(b)
}

// prospects reads the query of a list of prospects, which is part of the paid plans.
func (s *Site) prospects(v *visit, query string) (*explore.Export, error) {
	caller := frame.Member{ID: v.account.ID, Plan: v.account.Plan}.Caller()
	if set := frame.DatasetOf(v.r); !set.Browsable() || set.Profiles == nil {
		return nil, frame.Damaged
	}
	if !caller.Paid {
		return nil, &beyondPlan{"Prospects is part of the Plus plan", "Nothing was downloaded and nothing was counted."}
	}
	file, err := organization.NewProspectsFile(s.frame, v.r, caller, query)
	switch {
	case len(api.Problems(err)) > 0:
		return nil, frame.Refuse(http.StatusUnprocessableEntity, "A filter cannot be applied",
			"Start again from the Prospects page, which shows what went wrong. Nothing was counted.")
	case err == nil && file == nil:
		return nil, frame.Refuse(http.StatusBadRequest, "The address cannot be read", "Start again from the Prospects page of the organization you want.")
	}
	return file, err
}
