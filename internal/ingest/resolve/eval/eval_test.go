package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

func TestTally(t *testing.T) {
	t.Parallel()
	ta := NewTally()
	add := func(n int, o Outcome) {
		for range n {
			ta.Add(&o)
		}
	}
	add(90, Outcome{Rule: grant.Name, Prob: 0.97, Verdict: Right, Present: true, Blocked: true, Amount: 10})
	add(3, Outcome{Rule: grant.Name, Prob: 0.97, Verdict: Wrong, Present: true, Amount: 10})
	add(7, Outcome{Rule: grant.Name, Prob: 0.97, Verdict: Suspect, Present: true, Amount: 10})
	add(10, Outcome{Rule: grant.Model, Prob: 0.6, Verdict: Right, Present: true, Blocked: true})
	add(5, Outcome{Rule: grant.Model, Prob: 0.6, Verdict: Wrong})
	add(20, Outcome{Verdict: Silent, Present: true})
	add(15, Outcome{Verdict: Silent})
	s := ta.Summary()
	want := Summary{Lines: 150, Present: 130, Linked: 115, Coverage: 0.86667, Precision: 0.97087, RawPrecision: 0.90909,
		Recall: 0.81301, RawRecall: 0.76923, AllPrecision: 0.92593, Suspects: 7, Blocking: 0.76923, BlockingRest: 0.33333, Dollars: 1,
		ECE: s.ECE, AllECE: s.AllECE, Brier: s.Brier, LogLoss: s.LogLoss, ModelECE: 0.06667, Rules: s.Rules}
	got, _ := json.Marshal(s)
	wanted, _ := json.Marshal(want)
	if string(got) != string(wanted) {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
	// Known: 93 judged in the top bin claim .97 and are .968 right, 10 claim .6
	// and are right.
	if e := (math.Abs(93*0.97-90) + 10*0.4) / 103; math.Abs(s.ECE-e) > 1e-4 {
		t.Errorf("calibration error %g, want %g", s.ECE, e)
	}
	if !strings.Contains(string(got), `"rules":{"name":{"n":100,"agree":90,`) {
		t.Errorf("rules: %s", got)
	}
	var b strings.Builder
	if err := tables.ExecuteTemplate(&b, "tally", ta); err != nil {
		t.Fatal(err)
	}
	if err := tables.ExecuteTemplate(&b, "slices", ta.SliceCounts(1)); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|") {
			t.Errorf("broken table row %q", line)
		}
	}
}

const labelHeader = "funder_ein,tax_year,recipient_name,recipient_name2,street,city,state,zip,irc_section,filed_ein,bmf_name\n"

func TestReadLabelled(t *testing.T) {
	t.Parallel()
	var got []Case
	tally, err := ReadLabelled(strings.NewReader("\ufeff"+labelHeader+
		"130000001,2019,LANTERN HOUSE,,1 A ST,AKRON,OH,44301,501(C)(3),13-0000002,X\n"+
		"130000001,2019,\"HARBOR, INC\",FOUNDATION,,,,,,130000003,\n"+
		"130000001,2019,ITSELF,,,,,,,130000001,\n"+
		"130000001,2019,NO LABEL,,,,,,,,\n"+
		"130000001,2019,NEVER ISSUED,,,,,,,000000000,\n"+
		"130000001,2019,,,,,,,,130000004,\n"+
		"short\n"), func(c *Case) error {
		got = append(got, *c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Truth != 130000002 || got[0].ZIP != "44301" || got[1].name.KX != "HARBORINCFOUNDATION" && got[1].name.KX != "HARBORFOUNDATION" {
		t.Errorf("cases %+v", got)
	}
	if tally.Rows != 2 || tally.Lost() != 5 {
		t.Errorf("tally %+v", tally)
	}
	for name, text := range map[string]string{
		"empty": "", "a web page": "<html>", "other columns": "a,b,c\n1,2,3\n",
	} {
		if _, err := ReadLabelled(strings.NewReader(text), func(*Case) error { return nil }); !errors.Is(err, ErrLabelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop := errors.New("stop")
	if _, err := ReadLabelled(strings.NewReader(labelHeader+"1,2019,A,,,,,,,130000002,\n"), func(*Case) error { return stop }); err != stop {
		t.Errorf("the caller's error comes back as %v", err)
	}
}

// FuzzReadLabelled reads anything without a panic and counts every row once.
func FuzzReadLabelled(f *testing.F) {
	f.Add([]byte(labelHeader + "130000001,2019,LANTERN HOUSE,,1 A ST,AKRON,OH,44301,,130000002,X\n"))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, body []byte) {
		n := int64(0)
		tally, err := ReadLabelled(bytes.NewReader(body), func(c *Case) error {
			n++
			if c.Truth == ein.None || c.Truth == c.Funder || c.name.KX == "" {
				t.Errorf("case %+v", c)
			}
			return nil
		})
		if err == nil && n != tally.Rows {
			t.Errorf("%d cases, %d rows counted", n, tally.Rows)
		}
	})
}

const masterHeader = "EIN,NAME,ICO,STREET,CITY,STATE,ZIP,GROUP,SUBSECTION,AFFILIATION,CLASSIFICATION,RULING,DEDUCTIBILITY,FOUNDATION,ACTIVITY,ORGANIZATION,STATUS,TAX_PERIOD,ASSET_CD,INCOME_CD,FILING_REQ_CD,PF_FILING_REQ_CD,ACCT_PD,ASSET_AMT,INCOME_AMT,REVENUE_AMT,NTEE_CD,SORT_NAME\n"

func masterRow(e, name, street, city, state, zip string) string {
	return e + "," + name + ",," + street + "," + city + "," + state + "," + zip + ",0000,03,3,1000,200001,1,15,000000000,1,01,202312,3,3,01,0,12,1,1,1,B43,\n"
}

// TestLabelled follows five lines from the files to the summary.
func TestLabelled(t *testing.T) {
	t.Parallel()
	var cases []Case
	read, err := ReadLabelled(strings.NewReader(labelHeader+
		"130000001,2019,NEVER ISSUED,,,,,,,190000001,\n"+
		"130000001,2019,Lantern House Inc,,1 A ST,AKRON,OH,44301,,070000002,\n"+ // found
		"130000001,2019,HARBOR LIGHTS,,9 B ST,AKRON,OH,44301,,070000002,\n"+ // the label is another's
		"130000001,2020,HARBOR LIGHTS,,9 B ST,AKRON,OH,44301,,130000009,\n"+ // the label is on no list
		"130000001,2020,NO LABEL,,,,TX,,,,\n"+
		"130000001,2020,QQQQ ZZZZ,,,,TX,,,070000002,\n"), func(c *Case) error { // nothing to find it by
		cases = append(cases, *c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b := resolve.NewUniverse()
	if _, err := AddMaster(b, strings.NewReader(masterHeader+
		masterRow("070000002", "LANTERN HOUSE", "1 A ST", "AKRON", "OH", "44301-0001")+
		masterRow("070000003", "HARBOR LIGHTS", "9 B ST", "AKRON", "OH", "44301-0001"))); err != nil {
		t.Fatal(err)
	}
	Teach(b, cases)
	var list strings.Builder
	res, err := Labelled(t.Context(), b.Build(), cases, Options{Read: read, List: &list})
	if err != nil {
		t.Fatal(err)
	}
	cases = cases[1:] // the first has no label after all
	if got := res.Left.Rejected; len(got) != 2 || got[0].Reason != ReasonPrefix || got[1].Reason != ReasonLabel || res.Left.Lost() != 2 {
		t.Errorf("left out %+v", got)
	}
	c := &res.Tally.Rules[grant.Name]
	if res.Tally.Lines != len(cases) || c.N != 2 || c.Agree != 1 || c.Suspect != 1 || c.Absent != 1 {
		t.Errorf("%d lines, name %+v", res.Tally.Lines, c)
	}
	var out strings.Builder
	if err := res.Print(&out, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var s map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatalf("the last line is no JSON: %v", err)
	}
	for _, key := range []string{"coverage", "precision", "recall", "ece", "rules", "left_out"} {
		if _, ok := s[key]; !ok {
			t.Errorf("the summary lacks %s", key)
		}
	}
	if n := strings.Count(list.String(), "\n"); n != 1+len(cases)-1 {
		t.Errorf("%d lines listed:\n%s", n, list.String())
	}
}

// TestTeach hears nothing from a line whose funder is not known: what it said
// could not be hidden from it.
func TestTeach(t *testing.T) {
	t.Parallel()
	cases := make([]Case, 6)
	for i := range cases {
		cases[i] = Case{Recipient: resolve.Recipient{Name1: "HOUSE OF LANTERNS", State: "OH"}, Truth: 340000002, name: orgname.Parse("HOUSE OF LANTERNS")}
	}
	b := resolve.NewUniverse()
	b.Add(resolve.Org{EIN: 340000002, Name: "KINDLING GUILD", State: "OH", Sources: resolve.BMF, Active: true})
	Teach(b, cases)
	r := resolve.New(b.Build(), resolve.Options{})
	if o, m := Ask(r, &cases[0]); !o.Present || m.EIN != ein.None {
		t.Errorf("found %s by %s", m.EIN, m.Rule)
	}
}

// TestExamine asks for no more lines than it may.
func TestExamine(t *testing.T) {
	t.Parallel()
	labels := make([]resolve.Label, 99)
	for i := range labels {
		labels[i] = resolve.Label{Name: &orgname.Name{}, Funder: 130000001, Truth: 130000002}
	}
	r := resolve.New(resolve.NewUniverse().Build(), resolve.Options{})
	for most, want := range map[int]int{1: 1, 50: 50, 98: 50, 99: 99, 1000: 99} {
		if got := Examine(r, labels, most).Tally.Lines; got != want {
			t.Errorf("%d of 99 lines where %d may be asked for", got, most)
		}
	}
}

// TestCompareWorld judges rows of every kind.
func TestCompareWorld(t *testing.T) {
	t.Parallel()
	truth, err := ReadTruth(strings.NewReader(`{"object_id":"1","part":"SI2","line":1,"true_ein":"070000001","class":"org"}
{"object_id":"1","part":"SI2","line":2,"true_ein":"070000002","class":"org"}
{"object_id":"1","part":"SI2","line":3,"true_ein":null,"class":"individual"}
{"object_id":"1","part":"SI2","line":4,"true_ein":null,"class":"outside","noise":["x"]}
`))
	if err != nil {
		t.Fatal(err)
	}
	list := []snapshot.Grant{
		{ObjectID: "1", Part: "SI2", Line: 1, RecipientEIN: "070000001", EINSource: "name", MatchProb: .97, Amount: 100, FunderEIN: "080000001"},
		{ObjectID: "1", Part: "SI2", Line: 2, RecipientEIN: "070000001", EINSource: "model", MatchProb: .6, Amount: 100, FunderEIN: "070000001"},
		{ObjectID: "1", Part: "SI2", Line: 3, RecipientEIN: "070000001", EINSource: "name", MatchProb: .97, Amount: 100},
		{ObjectID: "1", Part: "SI2", Line: 4, Amount: 100},
		{ObjectID: "2", Part: "SI2", Line: 1, Amount: 100},
	}
	w, err := CompareWorld(truth, func(yield func(snapshot.Grant, error) bool) {
		for _, g := range list {
			if !yield(g, nil) {
				return
			}
		}
	}, func(ein.EIN) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if w.Rows != 4 || w.Linked != 3 || w.Self != 1 || w.Unknown != 1 || w.Tally.All.Agree != 1 || w.Controls[0].Linked != 1 {
		t.Errorf("%+v, all %+v", w, w.Tally.All)
	}
	failed := map[string]bool{}
	for _, g := range Failed(w.Gates()) {
		failed[g.Name] = true
	}
	if !failed["lines of class individual that a rule gives an EIN"] || !failed["lines resolved to their own funder by a rule"] || failed["lines of class placeholder that a rule gives an EIN"] {
		t.Errorf("failed gates: %v", failed)
	}
	if _, err := ReadTruth(strings.NewReader("{")); err == nil {
		t.Error("a broken truth is read")
	}
}
