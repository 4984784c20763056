package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/snapshot"
)

// Truth records whom the lines of an invented world really pay.
type Truth struct {
	lines map[uint64]trueLine // by a hash of return, part and line
}

type trueLine struct {
	ein   ein.EIN
	class class
}

type class uint8

var classes = [...]string{"org", "gov", "individual", "foreign", "outside", "business", "placeholder"}

func ReadTruth(r io.Reader) (*Truth, error) {
	t := &Truth{map[uint64]trueLine{}}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), 1<<20)
	for n := 1; s.Scan(); n++ {
		var l struct {
			ObjectID string `json:"object_id"`
			Part     string `json:"part"`
			Line     int32  `json:"line"`
			EIN      string `json:"true_ein"`
			Class    string `json:"class"`
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d of the truth: %w", n, err)
		}
		var is trueLine
		is.ein, _ = ein.Filed(l.EIN)
		is.class = class(max(slices.Index(classes[:], l.Class), 0))
		t.lines[lineKey(l.ObjectID, l.Part, l.Line)] = is
	}
	return t, s.Err()
}

func lineKey(object, part string, line int32) uint64 {
	return hash.Of(fmt.Sprint(object, "/", part, "/", line))
}

// World compares the rows of a snapshot with the truth.
type World struct {
	Tally    *Tally // rows that pay an organization in or outside of the universe
	Rows     int
	Linked   int
	Dollars  int64
	LinkedUS int64
	Controls []Control
	Self     int // rows that a rule other than filed resolved to the funder itself
	Unknown  int // rows missing from the truth
}

// Control counts rows that must not be resolved.
type Control struct {
	Class  string `json:"class"`
	Rows   int    `json:"rows"`
	Linked int    `json:"linked"` // by a rule; filed EINs are not counted
}

func CompareWorld(t *Truth, rows iter.Seq2[snapshot.Grant, error], known func(ein.EIN) bool) (*World, error) {
	w := &World{Tally: NewTally()}
	var linked, seen [len(classes)]int
	for g, err := range rows {
		if err != nil {
			return nil, err
		}
		is, ok := t.lines[lineKey(g.ObjectID, g.Part, g.Line)]
		if !ok {
			w.Unknown++
			continue
		}
		rule, _ := grant.ParseRule(g.EINSource)
		found, _ := ein.Filed(g.RecipientEIN)
		w.Rows++
		w.Dollars += g.Amount
		if found != ein.None {
			w.Linked++
			w.LinkedUS += g.Amount
		}
		w.Self += oneIf(found != ein.None && g.RecipientEIN == g.FunderEIN && rule != grant.Filed)
		seen[is.class]++
		linked[is.class] += oneIf(found != ein.None && rule != grant.Filed && rule != grant.OverrideHuman && rule != grant.OverrideKeyError)
		o := Outcome{Rule: rule, Prob: g.MatchProb, Class: classes[is.class], Amount: g.Amount, Present: is.ein != ein.None && (known(is.ein) || found == is.ein)}
		switch {
		case found == ein.None:
		case found == is.ein:
			o.Verdict = Right
		default:
			o.Verdict = Wrong
		}
		o.Slices = []Slice{{"form", g.ReturnType}, {"state", g.RecipientState}, {"year", strconv.Itoa(int(g.TaxYear))}, {"amount", band(g.Amount)}}
		w.Tally.Add(&o)
	}
	for c, name := range classes {
		if c > 1 {
			w.Controls = append(w.Controls, Control{name, seen[c], linked[c]})
		}
	}
	return w, nil
}

func band(amount int64) string {
	switch {
	case amount < 1_000:
		return "1 under $1,000"
	case amount < 10_000:
		return "2 under $10,000"
	case amount < 100_000:
		return "3 under $100,000"
	}
	return "4 $100,000 and more"
}

// worldAnswers is how often a rule must have answered before it is judged.
const worldAnswers = 100

var worldBounds = []struct {
	rule  grant.Rule
	bound float64
}{
	{grant.Name, .985}, {grant.RegistryDominant, .965}, {grant.Fuzzy, .96}, {grant.Registry, .94},
	{grant.Address, .94}, {grant.ZIP, .93}, {grant.Street, .80},
}

func (w *World) Gates() []Gate {
	var gates []Gate
	t := w.Tally
	for _, b := range worldBounds {
		c := &t.Rules[b.rule]
		g := atLeast(fmt.Sprintf("`%s`: precision of all its answers", b.rule), scorecard.Share(c.Agree, c.N+c.Absent), b.bound)
		if n := c.N + c.Absent; n < worldAnswers {
			g.Skip, g.Pass = fmt.Sprintf("%d answers, fewer than %d", n, worldAnswers), true
		}
		gates = append(gates, g)
	}
	for _, c := range w.Controls {
		if c.Class == "individual" || c.Class == "placeholder" {
			gates = append(gates, atMost("lines of class "+c.Class+" that a rule gives an EIN", float64(c.Linked), 0))
		}
	}
	over := 0.0
	for _, b := range slices.Concat(t.Bins.Tenths[:], t.Own.Tenths[:]) {
		if b.Weight >= 300 {
			over = max(over, b.Claimed/b.Weight-b.Right/b.Weight)
		}
	}
	return append(gates,
		atMost("lines resolved to their own funder by a rule", float64(w.Self), 0),
		atMost("expected calibration error", t.Bins.ExpectedError(), 0.04),
		atMost("largest overclaim in a bin of at least 300 answers", over, 0.08),
		atMost("highest probability of the model", t.top, model.Cap),
		atLeast("rows linked", scorecard.Share(w.Linked, w.Rows), 0.74),
		atLeast("dollars linked", scorecard.Share(w.LinkedUS, w.Dollars), 0.80),
	)
}

func PrintWorld(out io.Writer, w *World, blind *Result, onlyJSON bool) error {
	s := w.Tally.Summary()
	s.Model = blind.Model
	s.Blocking = round(scorecard.Share(blind.Tally.Blocked, blind.Tally.Present))
	s.BlockingRest = round(scorecard.Share(blind.Tally.UnnamedBlocked, blind.Tally.Unnamed))
	s.MaskedFires = round(scorecard.Share(blind.Masked.Linked, blind.Masked.Lines))
	s.Gates = append(w.Gates(), atLeast("organization is among the candidates", scorecard.Share(blind.Tally.Blocked, blind.Tally.Present), 0.95))
	page := struct {
		World *World
		Blind *Result
		Gates []Gate
	}{w, blind, s.Gates}
	return scorecard.Print(out, tables.Lookup("world"), page, s, onlyJSON)
}

// Examine resolves blindly the lines in labels, whose EIN was filed, up to the given number.
func Examine(r *resolve.Resolver, labels []resolve.Label, most int) *Result {
	res := newResult("")
	most = max(most, 1)
	step := max(1, (len(labels)+most-1)/most)
	var cases []*Case
	for i := 0; i < len(labels); i += step {
		l := &labels[i]
		c := &Case{Recipient: l.Recipient, Funder: l.Funder, Truth: l.Truth, name: *l.Name, Amount: l.Amount}
		if l.Year > 0 {
			c.Year = strconv.Itoa(int(l.Year))
		}
		cases = append(cases, c)
	}
	res.askAll(r, cases, nil)
	res.calibrate(cases)
	return res
}
