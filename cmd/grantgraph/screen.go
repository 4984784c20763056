package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type screenCmd struct {
	File    string `arg:"" help:"Spreadsheet with a column of EINs, as CSV." placeholder:"FILE.csv"`
	Out     string `required:"" help:"File for the spreadsheet with the results." placeholder:"FILE.csv"`
	Column  string `help:"Name or number of the column of EINs, if it cannot be guessed." placeholder:"COLUMN"`
	Data    string `help:"Data directory with the lists, and with the snapshot that knows names from filings." default:"data" placeholder:"DIR"`
	URL     string `name:"url" help:"Screen with the service at this address instead; needs a paid key." placeholder:"URL"`
	KeyFile string `name:"key-file" help:"File with the API key for --url. Default: the key in the environment variable GRANTGRAPH_KEY." placeholder:"FILE"`
	Reports string `help:"With --url: folder for the signed report of each organization." placeholder:"DIR"`
	JSON    bool   `name:"json" help:"Print the summary as JSON."`
	Quiet   bool   `short:"q" help:"No progress."`
}

func (c *screenCmd) Run(a *terminal.App) error { return c.run(a, parallel.Pause) }

func (c *screenCmd) run(a *terminal.App, pause pauseFunc) error {
	if err := c.check(); err != nil {
		return err
	}
	in, err := os.Open(c.File)
	if err != nil {
		return fault.Disk(c.File, err)
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return fault.New("bad_file", "%s is not a file", c.File).Try("a spreadsheet exported as CSV; it is read twice, so it cannot be a pipe")
	}
	book, err := sheet.Survey(disk.Until(a.Ctx, in), c.Column)
	if err != nil {
		return c.about(err)
	}
	if book.Guessed && !c.Quiet {
		fmt.Fprintf(a.Err, "EINs are taken from column %d, by what is in it; --column names another.\n", book.Column+1)
	}
	by, err := c.source(a.Err, pause)
	if err != nil {
		return err
	}
	defer by.close()
	out, err := book.Create(c.Out, sheet.Work{Source: by.identity(), Settings: c.Reports})
	if err != nil {
		return err
	}
	defer out.Abandon()
	if !c.Quiet {
		switch {
		case out.Anew != "":
			fmt.Fprintf(a.Err, "An earlier run was not finished, but %s: starting from the beginning.\n", out.Anew)
		case out.Resumed > 0:
			fmt.Fprintf(a.Err, "Continuing after %s, which an earlier run has screened.\n", plural.Count(int(out.Tally.All), "row", "rows"))
		}
	}
	resumed := out.Tally.All
	if err := c.screenRows(a, in, book, by, out); err != nil {
		if keepErr := out.Checkpoint(); keepErr == nil && out.Tally.All > 0 {
			fmt.Fprintf(a.Err, "%s of %s rows are screened and kept; run the same command again to continue.\n",
				terminal.Count(out.Tally.All), terminal.Count(book.Count))
		}
		return c.about(err)
	}
	if err := out.Publish(); err != nil {
		return err
	}
	return c.summarize(a, book, out, resumed)
}

func (c *screenCmd) check() error {
	switch {
	case sheet.Beside(c.File, c.Out):
		return fault.New("bad_flag", "--out is the spreadsheet itself").Try("choose another file for --out")
	case c.URL == "" && c.KeyFile != "":
		return fault.New("bad_flag", "--key-file is for a service, and none is named").Try("add --url, or omit --key-file: the lists of --data need no key")
	case c.URL == "" && c.Reports != "":
		return fault.New("bad_flag", "--reports needs --url: reports are signed by the service that publishes the key").Try("add --url and a key, or omit --reports")
	}
	if info, err := os.Stat(c.Out); err == nil && info.IsDir() {
		return fault.New("bad_flag", "--out %s is a folder", c.Out).Try("name a file in it")
	}
	return nil
}

func (c *screenCmd) about(err error) error {
	if f, ok := fault.Of(err); ok && strings.HasPrefix(f.Slug, "sheet_") {
		f.Message = c.File + ": " + f.Message
	}
	return err
}

type screeningSource interface {
	identity() string // what is screened against; results of another are not mixed with these
	most() int        // EINs of one batch
	screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error)
	close()
}

func (c *screenCmd) source(errs io.Writer, pause pauseFunc) (screeningSource, error) {
	if c.URL == "" {
		return openLocalScreening(c.Data)
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	if c.Reports != "" {
		if err := disk.MkdirAll(c.Reports, 0o755); err != nil {
			return nil, fault.Disk(c.Reports, err)
		}
	}
	return newRemoteScreening(errs, c.URL, key, c.Reports, pause)
}

// key returns the key for the service. Screening by a service needs one.
func (c *screenCmd) key() (string, error) {
	key, err := readKey(c.KeyFile)
	if err == nil && key == "" {
		err = fault.New("no_key", "screening with a service needs an API key").Try(getKey)
	}
	return key, err
}

const getKey = "--key-file FILE, or the key in the environment variable GRANTGRAPH_KEY"

// readKey reads a key from a file, or from the environment if no file is given. Keys
// are not flags, because other users of the machine can see command lines.
func readKey(file string) (string, error) {
	if file == "" {
		return strings.TrimSpace(os.Getenv("GRANTGRAPH_KEY")), nil
	}
	return readKeyFile(file, getKey)
}

// readKeyFile reads a file that holds one key and nothing else. The hint is for a file that does not.
func readKeyFile(file, hint string) (string, error) {
	const most = 4096
	text, err := readBounded(file, most-1)
	if err != nil {
		return "", fault.Disk(file, err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || strings.ContainsAny(key, " \t\r\n") || len(text) == most {
		return "", fault.New("no_key", "%s does not hold one API key and nothing else", file).Try("%s", hint)
	}
	return key, nil
}

func (c *screenCmd) screenRows(a *terminal.App, in io.ReadSeeker, book *sheet.Sheet, by screeningSource, out *sheet.Output) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fault.Disk(c.File, err)
	}
	rows, err := book.Rows(disk.Until(a.Ctx, in))
	if err != nil {
		return err
	}
	for range out.Resumed {
		if _, err := rows.Next(); err != nil {
			return err
		}
	}
	bar := a.Phase("screen", book.Count, c.Quiet || c.JSON)
	saved := out.Tally.All
	for done := false; !done; {
		var part batch
		if done, err = part.read(rows, by.most()); err != nil {
			return err
		}
		if err := part.write(a.Ctx, by, out); err != nil {
			return err
		}
		// With a service every batch is kept, because it was paid for.
		if out.Tally.All-saved >= keptRows || c.URL != "" {
			if err := out.Checkpoint(); err != nil {
				return err
			}
			saved = out.Tally.All
		}
		bar.Set(out.Tally.All)
	}
	bar.End("%s", plural.Count(int(out.Tally.All), "row", "rows"))
	return nil
}

// keptRows is how many rows are screened by local lists before the output is made durable.
const keptRows = 5000

type batch struct {
	rows []sheet.Row
	of   []ein.EIN // of each row, None where there is none to be read
	why  []error   // and why
	ask  []ein.EIN // each once
}

// read takes rows until the batch has enough EINs or the sheet ends.
func (b *batch) read(rows *sheet.Reader, most int) (done bool, err error) {
	asked := map[ein.EIN]bool{}
	for len(b.ask) < most && len(b.rows) < 4*most {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		e, why := ein.None, error(nil)
		if !row.Blank {
			e, why = sheet.Parse(row.EIN)
		}
		b.rows, b.of, b.why = append(b.rows, row), append(b.of, e), append(b.why, why)
		if e != ein.None && !asked[e] {
			asked[e] = true
			b.ask = append(b.ask, e)
		}
	}
	return false, nil
}

func (b *batch) write(ctx context.Context, by screeningSource, out *sheet.Output) error {
	results, err := by.screen(ctx, b.ask)
	if err != nil {
		return err
	}
	for i, row := range b.rows {
		result := results[b.of[i]]
		switch {
		case b.why[i] != nil:
			result = &sheet.Result{Problem: b.why[i].Error()}
		case result == nil:
			result = &sheet.Result{Problem: "there was no result for this EIN"}
		}
		if err := out.Write(row, result); err != nil {
			return err
		}
	}
	return nil
}

type screenSummary struct {
	Input   string `json:"input"`
	Output  string `json:"output"`
	Column  string `json:"column"`
	Resumed int64  `json:"resumed_rows"`
	sheet.Tally
}

func (c *screenCmd) summarize(a *terminal.App, book *sheet.Sheet, out *sheet.Output, resumed int64) error {
	t := &out.Tally
	if c.JSON {
		return a.PrintJSON(screenSummary{c.File, c.Out, book.Columns[book.Column], resumed, *t})
	}
	fmt.Fprintf(a.Out, "%s: %s\n", plural.Count(int(t.All), "row", "rows"), tallyInWords(t))
	for _, l := range lists.All() {
		if n := t.Unused[l.Name]; n > 0 {
			fmt.Fprintf(a.Out, "Not screened: %s, in %s\n", l.Title, plural.Count(int(n), "row", "rows"))
		}
	}
	fmt.Fprintf(a.Out, "Results are in %s\n", c.Out)
	return nil
}

func tallyInWords(t *sheet.Tally) string {
	var said []string
	for _, part := range []struct {
		n            int64
		one, several string
	}{
		{t.CloserLook, "needs a closer look", "need a closer look"},
		{t.NotScreened, "not screened against every list", "not screened against every list"},
		{t.NotFound, "not found", "not found"},
		{t.Unreadable, "without a readable EIN", "without a readable EIN"},
		{t.NoFindings, "with no findings", "with no findings"},
	} {
		if part.n > 0 {
			said = append(said, plural.Count(int(part.n), part.one, part.several))
		}
	}
	if len(said) == 0 {
		return "nothing to screen"
	}
	return strings.Join(said, ", ")
}

// localScreening screens against the lists of a data directory. If the directory has
// a snapshot too, the names that filings give an organization are screened as well.
type localScreening struct {
	screener *screen.Screener
	names    *search.Index // nil without a snapshot
	from     string
	closing  []func()
}

func openLocalScreening(data string) (_ *localScreening, err error) {
	s := &localScreening{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	now, err := lists.Read(data)
	if err != nil {
		return nil, err
	}
	if now.Edition == nil {
		return nil, fault.New("no_lists", "%s has no compliance lists", data).
			Try("grantgraph build --sources DIR --data %s, or --url for a service that has them", data)
	}
	unhold, err := now.Edition.Hold()
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, unhold)
	if s.screener, err = screen.Open(now); err != nil {
		return nil, err
	}
	s.closing = append(s.closing, func() { _ = s.screener.Close() })
	s.from = "lists " + now.Version()
	if _, err := os.Stat(filepath.Join(data, "current")); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	build, unhold, err := snapshot.OpenHeld(data)
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, unhold)
	if s.names, err = search.OpenNames(build); err != nil {
		return nil, err
	}
	s.closing = append(s.closing, func() { _ = s.names.Close() })
	s.from += ", snapshot " + build.Manifest.Version
	return s, nil
}

func (s *localScreening) identity() string { return s.from }

func (*localScreening) most() int { return 500 }

func (s *localScreening) screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error) {
	at := time.Now()
	list := make([]*sheet.Result, len(eins))
	err := parallel.Each(ctx, 0, len(eins), func(_ context.Context, i int) error {
		q := screen.Query{EIN: eins[i], Unfiled: s.names == nil}
		if s.names != nil {
			if org, ok := s.names.Lookup(eins[i]); ok && org.Name != "" {
				q.Filed = []string{org.Name}
			}
		}
		list[i] = &sheet.Result{Record: s.screener.Screen(q, at), At: at}
		return nil
	})
	if err != nil {
		return nil, err
	}
	results := make(map[ein.EIN]*sheet.Result, len(eins))
	for i, e := range eins {
		results[e] = list[i]
	}
	return results, nil
}

func (s *localScreening) close() {
	for i := len(s.closing) - 1; i >= 0; i-- {
		s.closing[i]()
	}
}

// Bounds of a screening by a service.
const (
	bulkEINs     = 100
	bulkTimeout  = 2 * time.Minute
	maxBulkReply = 64 << 20
	bulkAttempts = 8
	longestPause = 10 * time.Minute // a longer one is for the user to decide about
)

// remoteScreening screens with a service, a hundred EINs a call, at the pace that the service asks for.
type remoteScreening struct {
	client  *client.Client
	reports string // folder for them, empty for none
}

func newRemoteScreening(errs io.Writer, address, key, reports string, pause pauseFunc) (*remoteScreening, error) {
	c, err := newClient(errs, address, client.Options{
		Key: key, Timeout: bulkTimeout, MaxAnswer: maxBulkReply, Attempts: bulkAttempts, LongestWait: longestPause, Pause: pause,
	})
	return &remoteScreening{c, reports}, err
}

func (r *remoteScreening) identity() string { return "service " + r.client.Address() }

func (*remoteScreening) most() int { return bulkEINs }

func (*remoteScreening) close() {}

type bulkReply struct {
	Results []struct {
		client.BulkResult
		Report json.RawMessage `json:"report"` // as it came, because it is signed
	} `json:"results"`
}

func (r *remoteScreening) screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error) {
	results := make(map[ein.EIN]*sheet.Result, len(eins))
	if len(eins) == 0 {
		return results, nil
	}
	ask := client.BulkRequest{Reports: r.reports != ""}
	for _, e := range eins {
		ask.EINs = append(ask.EINs, e.String())
	}
	resp, err := r.client.Do(ctx, client.Request{Path: "/screening/bulk", Body: ask})
	if err != nil {
		return nil, r.explained(err)
	}
	at, err := http.ParseTime(resp.Header.Get("Date")) // when it answered, by its clock
	if err != nil {
		at = time.Now()
	}
	var got bulkReply
	if err := json.Unmarshal(resp.Body, &got); err != nil || len(got.Results) != len(eins) {
		return nil, unexpected(r.client, "is not a screening of the EINs that were sent")
	}
	for i, e := range eins {
		g := &got.Results[i]
		switch {
		case g.EIN != e.String():
			return nil, unexpected(r.client, "is not a screening of the EINs that were sent")
		case g.Error != nil:
			results[e] = &sheet.Result{Problem: printable(*g.Error)}
			continue
		case g.Organization == nil || g.Compliance == nil:
			return nil, unexpected(r.client, "has no record of an EIN, and no reason")
		}
		result := &sheet.Result{Record: &client.ScreeningRecord{EIN: g.EIN, Found: g.Found, Organization: *g.Organization, Compliance: *g.Compliance}, At: at}
		if r.reports != "" {
			if result.ReportID, err = r.keep(e, g.Report); err != nil {
				return nil, err
			}
		}
		results[e] = result
	}
	return results, nil
}

// explained turns an error of the service into a message that says what to do.
func (*remoteScreening) explained(err error) error {
	var e *client.Error
	f, ok := fault.Of(explained(err))
	if !ok || !errors.As(err, &e) {
		return err
	}
	const continues = "run the same command again %s; it continues where it stopped"
	switch {
	case e.Status == http.StatusUnauthorized:
		f.Message = "the service does not accept the key: " + f.Message
		f.Try("check --key-file or GRANTGRAPH_KEY")
	case e.Status == http.StatusPaymentRequired, e.Status == http.StatusForbidden:
		f.Message = "the plan of the key does not cover this, or its calls are used up: " + f.Message
	case e.Status == http.StatusNotFound:
		f.Try("check --url; the service may be older than this program and not screen")
	case e.RetryAfter > longestPause:
		f.Slug, f.Message = "busy", fmt.Sprintf("%s; it asks to wait %s", f.Message, e.RetryAfter.Round(time.Second))
		f.Try(continues, "then")
	case e.Attempts == bulkAttempts:
		f.Slug, f.Message = "busy", fmt.Sprintf("%s; %d attempts were made", f.Message, e.Attempts)
		f.Try(continues, "later")
	}
	return f
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// keep writes a report into the folder, in the form that is signed. Reports of
// earlier days stay: the identifier is part of the name.
func (r *remoteScreening) keep(e ein.EIN, report json.RawMessage) (id string, err error) {
	var said struct {
		ID string `json:"report_id"`
	}
	if err := json.Unmarshal(report, &said); err != nil || !hexDigest.MatchString(said.ID) {
		return "", unexpected(r.client, "has no report")
	}
	text, err := jcs.Transform(report)
	if err != nil {
		return "", unexpected(r.client, "has a report that cannot be read")
	}
	path := filepath.Join(r.reports, fmt.Sprintf("%s-%s.json", e, said.ID[:16]))
	err = disk.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return said.ID, fault.Disk(path, err)
}
