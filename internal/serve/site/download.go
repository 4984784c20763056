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
)

// How many files are written at a time for those who pay, in all and for one account,
// and as many for those who do not, in all and from one network. Each keeps a dataset
// open until it is written.
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
	mux.HandleFunc("GET /download", s.signedInOnly(s.showDownload))
	mux.HandleFunc("POST /download", s.signedInSending(downloadForm, s.download))
	s.routeProspects(mux)
}

// downloadPage says what a file will contain, before the visitor pays for it.
type downloadPage struct {
	form
	*explore.Export
	Left account.Balance
	Per  string
}

func (s *Site) export(v *visit, raw string) (*explore.Export, bool) {
	if set := frame.DatasetOf(v.r); !set.Browsable() {
		s.frame.Damaged(v.w, v.r)
		return nil, false
	}
	query, ok := explore.Canonical(raw)
	if !ok {
		s.showMessage(v, http.StatusBadRequest, "The address cannot be read", "Start again from the page of the grants that you want.")
		return nil, false
	}
	caller := frame.Member{ID: v.account.ID, Plan: v.account.Plan}.Caller()
	x, err := explore.NewExport(s.frame, v.r, caller, query, s.files.most)
	if err != nil {
		s.frame.Broken(v.w, v.r, err)
		return nil, false
	}
	return x, true
}

func (s *Site) showDownload(v *visit) {
	if x, ok := s.export(v, v.r.URL.RawQuery); ok {
		s.drawDownload(v, x)
	}
}

func (s *Site) drawDownload(v *visit, x *explore.Export) {
	left, per, err := s.left(v)
	if err != nil {
		s.fail(v, err)
		return
	}
	page := downloadPage{form: *s.form(v, "Download"), Export: x, Left: left, Per: per}
	page.Section = "explore"
	page.Styles = []string{"explore.css"}
	status := http.StatusOK
	if len(x.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	s.pages.Render(v.w, status, "download", page)
}

// left is the visitor's remaining allowance, with its window.
func (s *Site) left(v *visit) (left account.Balance, per string, err error) {
	left, err = s.Accounts.Balance(v.r.Context(), v.account.ID)
	return left, period(s.window(v.account.Plan)), err
}

// beginDownload takes a slot for a download, or says that all slots are taken.
func (s *Site) beginDownload(v *visit) (end func(), ok bool) {
	end, err := s.files.places.Begin(v.sender())
	if err != nil {
		v.w.Header().Set("Retry-After", "10")
		s.showMessage(v, http.StatusServiceUnavailable, "Too many downloads at once",
			"As many downloads are under way as this server takes, in all, for your account or from your network. Please try again in a moment. Nothing was counted.")
		return nil, false
	}
	return end, true
}

// download writes the file. The visitor is charged once, when the first rows are
// ready and before any of them is sent.
func (s *Site) download(v *visit) {
	kind := v.field("kind")
	if kind != "csv" && kind != "xlsx" {
		s.showMessage(v, http.StatusUnprocessableEntity, "Nothing was downloaded", "A file is CSV or Excel. Nothing was counted.")
		return
	}
	end, ok := s.beginDownload(v)
	if !ok {
		return
	}
	defer end()
	x, ok := s.export(v, v.field("query"))
	if !ok {
		return
	}
	if len(x.Problems) > 0 || x.Rows == 0 {
		s.drawDownload(v, x)
		return
	}
	hold, ok := s.frame.Reserve(v.w, v.r, explore.ExportWeight)
	if !ok {
		return
	}
	defer hold.Release()
	if err := x.Open(); err != nil {
		s.frame.Broken(v.w, v.r, err)
		return
	}
	if !s.chargeFor(v, "Nothing was downloaded and nothing was counted.") {
		return
	}
	s.sendFile(v, x, kind)
}

// sendFile writes a file that was charged. If that fails, the connection is cut: a
// file that ends early must not look whole.
func (s *Site) sendFile(v *visit, x *explore.Export, kind string) {
	now := s.Clock()
	v.attach(x.Name()+"-"+frame.Date(now), kind)
	v.w.Header().Set("Cache-Control", "no-store")
	out := &patient{w: v.w, control: http.NewResponseController(v.w), until: time.Now().Add(downloadTimeout)}
	var err error
	if kind == "csv" {
		err = x.CSV(out)
	} else {
		err = x.Workbook(out, s.BaseURL, now)
	}
	if err == nil {
		return
	}
	if v.r.Context().Err() == nil {
		s.Log.Error("writing a download", "query", api.Clip(x.View), "error", err)
	}
	panic(http.ErrAbortHandler)
}

var fileTypes = map[string]string{
	"csv": "text/csv; charset=utf-8", "pdf": "application/pdf",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// attach begins a file of a kind of fileTypes, which the browser saves.
func (v *visit) attach(name, kind string) {
	v.w.Header().Set("Content-Type", fileTypes[kind])
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+"."+kind+`"`)
}

// patient gives a client time for each part of a file. That may be longer than the
// server's time for a page, but has a limit.
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
