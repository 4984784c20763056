package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

type questionsFlags struct {
	Questions string `help:"Ask every question of this file of JSON lines, and compare the answers with SQL." placeholder:"FILE" group:"Questions"`
}

// judgedQuestion is a line of the file: a question, the SQL that gives its answer,
// and how the answer is found: figure, percent, ein, word, understood or refused.
type judgedQuestion struct{ Q, Kind, SQL string }

type questionsResult struct {
	Verdicts   map[string]int `json:"verdicts"`
	Answerable int            `json:"answerable"`
	Refusable  int            `json:"refusable"`
	Right      float64        `json:"right"`
	Wrong      float64        `json:"wrong"`
	Refused    float64        `json:"refused"`
	MedianMS   float64        `json:"median_ms"`
	WorstMS    float64        `json:"worst_ms"`
	Worst      string         `json:"worst"`
	notRight   []string
}

// evalQuestions asks questions as `grantgraph ask` does.
func (c *evalCmd) evalQuestions(a *terminal.App) error {
	if c.Data == "" {
		return fault.New("bad_flag", "--questions needs --data").Try("measure eval --questions questions.jsonl --data data")
	}
	var list []judgedQuestion
	check(terminal.ReadFile(c.Questions, "a file of questions", func(r io.Reader) error {
		s := bufio.NewScanner(r)
		for s.Scan() {
			var q judgedQuestion
			if err := json.Unmarshal(s.Bytes(), &q); err != nil {
				return err
			}
			list = append(list, q)
		}
		return s.Err()
	}))
	s := must(serve.Open(serve.Options{Data: c.Data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)}))
	defer s.Close()
	asker, release := s.Asker()
	defer release()
	tables := openTables(a.Ctx, c.Data)
	defer tables.Close()
	res := askAll(a.Ctx, asker, tables, list)
	check(c.print(a, "questions", res.print))
	if c.Gates {
		return res.judge()
	}
	return nil
}

func openTables(ctx context.Context, data string) *sql.DB {
	snap := must(snapshot.Open(data))
	db := must(sql.Open("duckdb", ""))
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"ATTACH '" + filepath.Join(snap.Dir, warehouse.OpenFile) + "' AS w (READ_ONLY)",
		"ATTACH '" + filepath.Join(snap.Dir, warehouse.ProFile) + "' AS x (READ_ONLY)",
		"SET search_path = 'w.main,x.main'",
	} {
		must(db.ExecContext(ctx, statement))
	}
	return db
}

// askAll asks the questions one after the other. The first is asked twice, because tables are read into memory with it.
func askAll(ctx context.Context, asker *ask.Asker, tables *sql.DB, list []judgedQuestion) *questionsResult {
	res := &questionsResult{Verdicts: map[string]int{}}
	var times []float64
	for i, q := range list {
		if i == 0 {
			must(asker.Answer(ctx, q.Q))
		}
		before := terminal.ProcessorTime()
		got, err := asker.Answer(ctx, q.Q)
		ms := float64(terminal.ProcessorTime()-before) / float64(time.Millisecond)
		if err != nil {
			check(fmt.Errorf("%s: %w", q.Q, err))
		}
		if times = append(times, ms); ms > res.WorstMS {
			res.WorstMS, res.Worst = ms, q.Q
		}
		verdict, want := verdictOf(ctx, tables, q, got)
		res.Verdicts[verdict]++
		if q.Kind == "refused" {
			res.Refusable++
		} else {
			res.Answerable++
		}
		if verdict != "right" && verdict != "refused rightly" {
			res.notRight = append(res.notRight, fmt.Sprintf("%s: %s Want %v. %s%s", verdict, q.Q, want, got.Answer, got.Why))
		}
	}
	slices.Sort(times)
	if len(times) > 0 {
		res.MedianMS = times[len(times)/2]
	}
	res.Right = scorecard.Share(int64(res.Verdicts["right"]), int64(res.Answerable))
	res.Wrong = scorecard.Share(int64(res.Verdicts["wrong"]), int64(res.Answerable))
	res.Refused = scorecard.Share(int64(res.Verdicts["refused rightly"]), int64(res.Refusable))
	return res
}

// verdictOf compares an answer with what SQL says.
func verdictOf(ctx context.Context, tables *sql.DB, q judgedQuestion, got *ask.Answer) (verdict string, want any) {
	switch {
	case q.Kind == "refused" && got.Understood:
		return "not refused", nil
	case q.Kind == "refused":
		return "refused rightly", nil
	case q.SQL != "":
		if err := tables.QueryRowContext(ctx, q.SQL).Scan(&want); err != nil && err != sql.ErrNoRows {
			check(fmt.Errorf("%s: %w", q.Q, err))
		}
	}
	switch {
	case got.Understood:
		if verdict = "wrong"; q.Kind == "understood" || says(q.Kind, fmt.Sprint(want), got) {
			verdict = "right"
		}
	case len(got.Parties) > 0:
		verdict = "asked which"
	case got.Beyond:
		verdict = "refused wrongly"
	default:
		verdict = "not understood"
	}
	return verdict, want
}

var numberIn = regexp.MustCompile(`-?\d+(?:\.\d+)?(?: (?:thousand|million|billion)\b)?`)

// says reports whether an answer says what is wanted. A small number is looked for
// outside of the rows, because a list has many.
func says(kind, want string, got *ask.Answer) bool {
	number, _ := strconv.ParseFloat(want, 64)
	rows := got.Rows
	if kind != "figure" || math.Abs(number) < 1000 {
		rows = nil
	}
	if kind == "ein" {
		rows = got.Rows[:min(len(got.Rows), 1)]
	}
	body, err := json.Marshal([]any{rows, got.Figures, got.Answer})
	if err != nil {
		return false
	}
	text := strings.NewReplacer(",", "", "$", "").Replace(string(body))
	switch kind {
	case "figure":
		return hasNumber(text, number, .5)
	case "percent":
		return hasNumber(text, number, 1)
	case "ein":
		return strings.Contains(text, want) || got.Plan.Names(want, got.Answer)
	}
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(want) + `\b`).MatchString(strings.ReplaceAll(got.Answer, "-", ""))
}

func hasNumber(text string, want, within float64) bool {
	return slices.ContainsFunc(numberIn.FindAllString(text, -1), func(s string) bool {
		digits, unit, _ := strings.Cut(s, " ")
		n, err := strconv.ParseFloat(digits, 64)
		scale := map[string]float64{"": 1, "thousand": 1e3, "million": 1e6, "billion": 1e9}[unit]
		return err == nil && (math.Abs(n*scale-want) <= within || math.Abs(n-want) <= within)
	})
}

func (r *questionsResult) judge() error {
	if r.Right < .85 || r.Wrong > .02 || r.Refusable > 0 && r.Refused < .95 {
		return fault.New("gate", "questions: %.3f right (at least .85), %.3f wrong (at most .02), %.3f refused (at least .95)", r.Right, r.Wrong, r.Refused)
	}
	return nil
}

func (r *questionsResult) print(w io.Writer, onlyJSON bool) error {
	var b strings.Builder
	for _, line := range r.notRight {
		fmt.Fprintln(&b, line)
	}
	fmt.Fprintf(&b, "\n| Of %d questions with an answer, and %d without | |\n|---|---:|\n", r.Answerable, r.Refusable)
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		fmt.Fprintf(&b, "| %s | %d |\n", v, r.Verdicts[v])
	}
	fmt.Fprintf(&b, "| processor time, median | %.1f ms |\n| processor time, worst | %.1f ms |\n", r.MedianMS, r.WorstMS)
	return scorecard.Print(w, scorecard.Template("questions", "{{.}}"), b.String(), r, onlyJSON)
}
