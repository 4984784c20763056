package ask_test

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/ask"
)

// short is a plan in one line, for tables: without names and words of the question.
func short(p *ask.Plan) string {
	parts := []string{p.Measure, p.Of}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	eins := func(list []ask.Party) string {
		var out []string
		for _, o := range list {
			out = append(out, o.EIN)
		}
		return strings.Join(out, ",")
	}
	add("figure", strings.TrimPrefix(p.Figure, "dollars"))
	add("by", p.By)
	add("order", p.Order)
	if p.Least {
		parts = append(parts, "least")
	}
	if p.Top != 0 {
		add("top", fmt.Sprint(p.Top))
	}
	add("fact", p.Fact)
	add("level", p.Level)
	add("funders", eins(p.Funders))
	add("recipients", eins(p.Recipients))
	add("organizations", eins(p.Organizations))
	if p.Both {
		parts = append(parts, "both")
	}
	if p.InTotal {
		parts = append(parts, "in_total")
	}
	for _, l := range p.Places {
		value := l.Kind + ":" + strings.ReplaceAll(l.Value, " ", "_")
		if l.Miles != 0 {
			value += fmt.Sprintf("+%d", l.Miles)
		}
		add(l.Of, value)
	}
	if p.Abroad {
		parts = append(parts, "abroad")
	}
	for _, c := range p.Causes {
		add("cause", c.Subject)
	}
	add("words", strings.ReplaceAll(p.Words, " ", "_"))
	for _, s := range p.Years {
		if s.From == s.To {
			add("year", fmt.Sprint(s.From))
		} else {
			add("year", fmt.Sprintf("%d-%d", s.From, s.To))
		}
	}
	if p.MinAmount != nil {
		add("min", fmt.Sprint(*p.MinAmount))
	}
	if p.MaxAmount != nil {
		add("max", fmt.Sprint(*p.MaxAmount))
	}
	add("type", strings.Join(p.FunderTypes, ","))
	add("exclude", strings.Join(p.Exclude, ","))
	add("only", p.Only)
	add("support", strings.Join(p.Support, ","))
	add("part", strings.Join(p.Part, ","))
	return strings.Join(parts, " ")
}

// question is a line of the table of questions.
type question struct {
	text  string
	rough bool   // badly phrased
	plan  string // what it must be read as, empty for one that must not be understood
	why   string // a part of the reason why not
}

// questions reads testdata/questions.txt: the question, a tab, and "=>" with the
// plan or "??" with a part of the reason. "~" marks questions that are badly phrased.
func questions(t testing.TB) (list []question) {
	t.Helper()
	f, err := os.Open("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if s.Text() == "" || s.Text()[0] == '#' {
			continue
		}
		text, rest, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			t.Fatalf("%q has no tab", s.Text())
		}
		q := question{text: text}
		q.text, q.rough = strings.CutPrefix(q.text, "~")
		if plan, found := strings.CutPrefix(rest, "=> "); found {
			q.plan = plan
		} else {
			q.why = strings.TrimPrefix(rest, "?? ")
		}
		list = append(list, q)
	}
	return list
}

// TestQuestions reads every question of the table, compares the plan with what it
// must be, and the figures of the answer with SQL.
func TestQuestions(t *testing.T) {
	t.Parallel()
	a, conn := open(t, world.Small), warehouse(t, world.Small)
	understood, rough, unclear, compared := 0, 0, 0, 0
	for _, q := range questions(t) {
		p, u := a.Read(t.Context(), q.text)
		if (q.plan == "") != (u != nil) {
			t.Errorf("%s: plan %v, unclear %v, want %q", q.text, p, u, q.plan+q.why)
			continue
		}
		if u != nil {
			unclear++
			if !strings.Contains(u.Why, q.why) || len(u.Try) == 0 || len(u.Try) > 3 {
				t.Errorf("%s: %q, want %q; try %q", q.text, u.Why, q.why, u.Try)
			}
			for _, try := range u.Try {
				if _, again := a.Read(t.Context(), try); again != nil {
					t.Errorf("%s: the question %q is not understood either: %s", q.text, try, again.Why)
				}
			}
			continue
		}
		understood++
		if q.rough {
			rough++
		}
		if got := short(p); got != q.plan {
			t.Errorf("%s\n got %s\nwant %s", q.text, got, q.plan)
			continue
		}
		checkPlan(t, p)
		answer, err := a.Answer(t.Context(), q.text)
		if err != nil || !answer.Understood {
			t.Errorf("%s: %v %+v", q.text, err, answer)
			continue
		}
		if answer.Answer == "" || answer.Request == nil {
			t.Errorf("%s: nothing is said, or from nowhere", q.text)
		}
		if checkSQL(t, conn, answer) {
			compared++
		}
	}
	t.Logf("%d understood, %d of them badly phrased, %d unclear, %d compared with SQL", understood, rough, unclear, compared)
	if understood < 150 || rough < 40 || unclear < 30 || compared < understood*3/4 {
		t.Errorf("too few: %d understood, %d badly phrased, %d unclear, %d compared with SQL", understood, rough, unclear, compared)
	}
}

// checkPlan holds what is true of every plan: it is valid, it is read back as it
// was, and each change that its chips offer is a plan again that shows the change.
func checkPlan(t *testing.T, p *ask.Plan) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Errorf("%s: %v", p, err)
	}
	again, err := ask.Parse(p.String())
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%s is read back as %s, %v", p, again, err)
	}
	for _, c := range p.Chips() {
		if c.Label == "" || c.Value == "" {
			t.Errorf("%s: a chip of %s says nothing", p, c.Field)
		}
		if c.Off != "" {
			less, err := ask.Parse(c.Off)
			if err != nil {
				t.Errorf("%s without %s: %v", p, c.Field, err)
				continue
			}
			for _, left := range less.Chips() {
				if left.Field == c.Field && left.Value == c.Value {
					t.Errorf("%s: %s stays", p, c.Field)
				}
			}
		}
		chosen := 0
		for _, o := range c.Options {
			if _, err := ask.Parse(o.Plan); err != nil {
				t.Errorf("%s with %s: %v", p, o.Label, err)
			}
			if o.Chosen {
				chosen++
			}
		}
		if chosen > 1 {
			t.Errorf("%s: %d options of %s are chosen", p, chosen, c.Field)
		}
	}
}
