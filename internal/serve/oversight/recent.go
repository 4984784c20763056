package oversight

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
)

// Logged is an error in the log, without addresses of people.
type Logged struct {
	At      time.Time `json:"at"`
	Message string    `json:"message"`
}

// Recent remembers the last errors of a log. Its zero value is ready to use.
type Recent struct {
	mu   sync.Mutex
	last []Logged // oldest first
}

const (
	mostErrors  = 20
	longestLine = 400
)

// personal finds what may name a person: an email address, the path of an address, a home folder.
var personal = regexp.MustCompile(`\S+@\S+|(https?://[^/\s"']+)/[^\s"']*|/(?:home|Users)/[^/\s"']+`)

// shownAttributes are those of a log line that say what failed and that name nobody.
var shownAttributes = []string{"error", "list", "operation", "path", "part", "request_id", "panic"}

func (r *Recent) add(line slog.Record) {
	text := line.Message
	line.Attrs(func(a slog.Attr) bool {
		if slices.Contains(shownAttributes, a.Key) {
			text += "; " + a.Key + ": " + a.Value.Resolve().String()
		}
		return true
	})
	text = personal.ReplaceAllString(text, "${1}…")
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) == mostErrors {
		r.last = slices.Delete(r.last, 0, 1)
	}
	r.last = append(r.last, Logged{line.Time.UTC().Truncate(time.Second), fault.Clip(strings.Join(strings.Fields(text), " "), longestLine)})
}

// Last returns the errors, newest first.
func (r *Recent) Last() []Logged {
	list := []Logged{}
	if r == nil {
		return list
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list = append(list, r.last...)
	slices.Reverse(list)
	return list
}

// Handler passes log lines on, and remembers the errors.
func (r *Recent) Handler(next slog.Handler) slog.Handler { return remembering{next, r} }

type remembering struct {
	slog.Handler
	recent *Recent
}

func (h remembering) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError || h.Handler.Enabled(ctx, level)
}

func (h remembering) Handle(ctx context.Context, line slog.Record) error {
	if line.Level >= slog.LevelError {
		h.recent.add(line)
	}
	if !h.Handler.Enabled(ctx, line.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, line)
}

func (h remembering) WithAttrs(attrs []slog.Attr) slog.Handler {
	return remembering{h.Handler.WithAttrs(attrs), h.recent}
}

func (h remembering) WithGroup(name string) slog.Handler {
	return remembering{h.Handler.WithGroup(name), h.recent}
}
