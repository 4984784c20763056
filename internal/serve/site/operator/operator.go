// Package operator has the pages about the service itself: who runs it, how to reach them, privacy, terms, and how current the
// data is. The operator may replace each text by a file. The texts that come with the program say only what the program does.
package operator

import (
	"embed"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	words "text/template"
	"time"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/manual"
	"grantgraph/internal/snapshot"
)

//go:embed texts/*.md
var shipped embed.FS

//go:embed pages/*.html
var pages embed.FS

// Texts are the operator's own texts, in Markdown, by the name of their page.
type Texts map[string]string

// Paths are the pages that a text can be of. The text of plans stands above the table of plans, and has no default.
var Paths = []string{"about", "contact", "plans", "privacy", "terms"}

// longestText is the most bytes of a text.
const longestText = 64 << 10

// ReadTexts reads the texts in a folder, such as privacy.md. Empty reads none.
func ReadTexts(dir string) (Texts, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.Disk(dir, err)
	}
	all := Texts{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !slices.Contains(Paths, name) {
			return nil, fault.New("bad_texts", "no page has the text %s", path).Try("one of %s.md", strings.Join(Paths, ".md, "))
		}
		if all[name], err = readText(path); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fault.New("bad_texts", "%s contains no text of the site", dir).Try("one of %s.md, or start without --texts", strings.Join(Paths, ".md, "))
	}
	return all, nil
}

func readText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fault.Disk(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestText+1))
	if err != nil {
		return "", fault.Disk(path, err)
	}
	if len(text) > longestText || !utf8.Valid(text) || strings.TrimSpace(string(text)) == "" {
		return "", fault.New("bad_texts", "%s is empty, longer than 64 KiB, or not UTF-8", path).
			Try("write it as plain Markdown, or remove it to show the text of the program")
	}
	return string(text), nil
}

// Facts are what the texts of the program say about this service.
type Facts struct {
	frame.Operator
	BaseURL     string
	UsageDays   int // that counts of calls are kept
	SessionDays int
	Model       bool // questions may go to a language model
	Emails      bool // a mail server is set
}

// Config has the settings of the room.
type Config struct {
	Facts Facts
	Texts Texts // nil shows the texts of the program
	Clock func() time.Time
}

// Room has the pages.
type Room struct {
	*frame.Frame
	Config
	pages frame.Pages
	texts map[string]text
}

type text struct {
	title, lead string
	body        template.HTML
}

// Route adds the pages, except that of plans.
func Route(mux *http.ServeMux, f *frame.Frame, c Config) (*Room, error) {
	s := &Room{Frame: f, Config: c, texts: map[string]text{}}
	s.pages = frame.PagesOf(pages, template.FuncMap{"ago": s.ago})
	var err error
	for _, name := range Paths {
		if s.texts[name], err = s.read(name); err != nil {
			return nil, err
		}
		if name != "plans" {
			mux.HandleFunc("GET /"+name, s.Handle(s.serve(name)))
		}
	}
	mux.HandleFunc("GET /status", s.Handle(s.serveStatus))
	return s, nil
}

// read renders a text: its first line is the title.
func (s *Room) read(name string) (t text, err error) {
	source, own := s.Texts[name]
	if !own {
		file, err := fs.ReadFile(shipped, "texts/"+name+".md")
		if errors.Is(err, fs.ErrNotExist) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		filled, err := words.New(name).Parse(string(file))
		if err != nil {
			return t, err
		}
		var b strings.Builder
		if err := filled.Execute(&b, s.Facts); err != nil {
			return t, err
		}
		source = b.String()
	}
	t.title = strings.ToUpper(name[:1]) + name[1:]
	source = strings.TrimSpace(source)
	if first, rest, _ := strings.Cut(source, "\n"); strings.HasPrefix(first, "# ") {
		t.title, source = strings.TrimSpace(first[2:]), rest
	}
	t.body, t.lead, err = manual.Text([]byte(source))
	return t, err
}

// Plans is the text above the table of plans, empty if the operator wrote none.
func (s *Room) Plans() template.HTML { return s.texts["plans"].body }

type textPage struct {
	frame.Head
	Body template.HTML
}

func (s *Room) serve(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		t := s.texts[name]
		page := textPage{Head: s.Head(r, t.title), Body: t.body}
		page.Canonical, page.Description, page.Styles = "/"+name, t.lead, []string{"manual.css"}
		w.Header().Set("Cache-Control", "private, max-age=60")
		return s.pages.Render(w, http.StatusOK, "text", page)
	}
}

type statusPage struct {
	frame.Head
	Data    *snapshot.Manifest
	Lists   []screen.Freshness
	Cleared int
	Damaged []string
}

// serveStatus shows how old the data is, as grantgraph status does.
func (s *Room) serveStatus(w http.ResponseWriter, r *http.Request) error {
	d := frame.DatasetOf(r)
	page := statusPage{s.Head(r, "Status"), &d.Snapshot.Manifest, screen.FreshnessOf(d.Lists, s.Clock()), 0, d.Damaged()}
	for _, l := range page.Lists {
		if l.Clears {
			page.Cleared++
		}
	}
	page.Canonical, page.Description = "/status", "How current this service's data is, and which compliance lists screenings use."
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, "status", page)
}

// ago says how long ago a moment was.
func (s *Room) ago(t time.Time) string {
	switch d := s.Clock().Sub(t); {
	case d < -time.Hour:
		return "in the future, by the clock of this server"
	case d < time.Hour:
		return "less than an hour ago"
	case d < 48*time.Hour:
		return plural.Count(int(d.Hours()), "hour", "hours") + " ago"
	default:
		return plural.Count(int(d.Hours()/24), "day", "days") + " ago"
	}
}
