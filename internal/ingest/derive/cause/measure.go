package cause

import (
	"context"
	_ "embed"
	"io"
	"slices"

	"grantgraph/internal/ntee"
	"grantgraph/internal/scorecard"
)

// Gate is the precision that inferred causes must have.
const Gate = 0.95

type Case struct {
	Org
	Letter byte // 0 for none
	// Unseen marks organizations that nobody looked at while this package was developed. Their figures are also
	// reported separately.
	Unseen bool
}

type Result struct {
	Labels   int       `json:"labels"`
	Letters  []Letters `json:"letters,omitempty"`
	All      Share     `json:"all"`
	Unseen   *Share    `json:"unseen,omitempty"` // the cases marked Unseen only
	Kin      Share     `json:"kin"`              // by relatives, each predicted from the others
	Codeless Codeless  `json:"codeless"`
	Gate     float64   `json:"gate"`
	Passed   bool      `json:"passed"`
}

// Share is how many causes were inferred, and how many of them are right.
type Share struct {
	Organizations int     `json:"organizations"`
	Inferred      int     `json:"inferred"`
	Right         int     `json:"right"`
	Precision     float64 `json:"precision"`
	Coverage      float64 `json:"coverage"`
}

type Letters struct {
	Letter string  `json:"letter"`
	Label  string  `json:"label"`
	Share          // Organizations and Coverage count organizations with the cause, the other fields those it was inferred for
	Found  int     `json:"found"` // of the organizations with the cause
	Sure   float64 `json:"mean_confidence"`
}

type Codeless struct {
	Organizations int `json:"organizations"`
	Inferred      int `json:"inferred"`
	ByKin         int `json:"by_kin"`
	// Precision is estimated from hidden codes of similar organizations. Organizations without a code are of
	// different kinds than those with one: mostly churches and chapters.
	Precision float64 `json:"expected_precision"`
	Coverage  float64 `json:"coverage"`
}

// parts is the number of parts for cross-validation: the codes of each part are hidden while learning from the others.
const parts = 4

// Measure hides the codes of organizations, part by part, and infers them from the rest. Organizations with the same
// name or group are always in the same part.
func Measure(ctx context.Context, workers int, cases []Case) (*Result, error) {
	res := &Result{Gate: Gate}
	groups := groupsOf(len(cases), func(i int) (name, group uint64) { return kindred(&cases[i].Org) })
	part := make([]uint8, len(cases))
	for i := range cases {
		name, group := kindred(&cases[i].Org)
		part[i] = uint8(familyOf(name, group, groups) >> 8 % parts)
	}
	var (
		letters [causes]Letters
		unseen  Share
		kinds   = make(map[string]Measured)
	)
	for k := range parts + 1 {
		t := NewTrainer()
		for i := range cases {
			if c := &cases[i]; c.Letter != 0 && int(part[i]) != k {
				t.Add(&c.Org, c.Letter)
			}
		}
		m, err := t.Train(ctx, workers)
		if err != nil {
			return nil, err
		}
		r := m.Reader()
		if k == parts { // nothing is hidden
			res.Labels = m.Labels
			res.Kin = share(m.Labels, m.Kin)
			res.codeless(r, cases, kinds)
			break
		}
		for i := range cases {
			c := &cases[i]
			if c.Letter == 0 || int(part[i]) != k {
				continue
			}
			own := &letters[c.Letter-'A']
			own.Organizations++
			sums := []*Share{&res.All}
			if c.Unseen {
				sums = append(sums, &unseen)
			}
			for _, s := range sums {
				s.Organizations++
			}
			letter, sure, ok := r.Infer(&c.Org)
			if !ok {
				continue
			}
			right := 0
			if letter == c.Letter {
				right = 1
			}
			said := &letters[letter-'A']
			said.Sure += sure
			own.Found += right
			kind := kinds[kindOf(&c.Org)]
			kinds[kindOf(&c.Org)] = Measured{kind.Inferred + 1, kind.Right + right}
			for _, s := range append(sums, &said.Share) {
				s.Inferred++
				s.Right += right
			}
		}
	}
	for c := range letters {
		l := &letters[c]
		l.Letter, l.Label = string(rune('A'+c)), ntee.Label(byte('A'+c))
		l.finish()
		l.Coverage = scorecard.Share(l.Found, l.Organizations)
		if l.Inferred > 0 {
			l.Sure /= float64(l.Inferred)
		}
	}
	res.Letters = slices.Clone(letters[:])
	res.All.finish()
	if unseen.Organizations > 0 {
		unseen.finish()
		res.Unseen = &unseen
	}
	// If nothing is inferred, nothing is wrong.
	res.Passed = passes(res.All) && passes(res.Kin) && (res.Unseen == nil || passes(*res.Unseen))
	return res, nil
}

func passes(s Share) bool { return s.Inferred == 0 || s.Precision >= Gate }

func (res *Result) codeless(r *Reader, cases []Case, kinds map[string]Measured) {
	out := &res.Codeless
	overall := scorecard.Share(res.All.Right, res.All.Inferred)
	expected := 0.0
	for i := range cases {
		c := &cases[i]
		if c.Letter != 0 {
			continue
		}
		out.Organizations++
		if _, _, ok := r.Infer(&c.Org); !ok {
			continue
		}
		out.Inferred++
		if _, kin := r.m.relatives(families(&c.Org)); kin {
			out.ByKin++
			expected += scorecard.Share(res.Kin.Right, res.Kin.Inferred)
			continue
		}
		// A kind seen only a few times is mixed with the average of all kinds.
		const few = 20
		m := kinds[kindOf(&c.Org)]
		expected += (float64(m.Right) + few*overall) / float64(m.Inferred+few)
	}
	if out.Inferred > 0 {
		out.Precision = expected / float64(out.Inferred)
	}
	out.Coverage = scorecard.Share(out.Inferred, out.Organizations)
}

// kindOf is the kind by which organizations with a code represent those without.
func kindOf(o *Org) string {
	s := o.Subsection + " " + o.Foundation + " " + o.FilingReq
	if o.inGroup() {
		s += " group"
	}
	return s
}

func share(of int, m Measured) Share {
	s := Share{Organizations: of, Inferred: m.Inferred, Right: m.Right}
	s.finish()
	return s
}

func (s *Share) finish() {
	s.Precision, s.Coverage = scorecard.Share(s.Right, s.Inferred), scorecard.Share(s.Inferred, s.Organizations)
}

//go:embed tables.md
var tablesText string

var tables = scorecard.Template("causes", tablesText)

func (res *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables, res, res, onlyJSON)
}

func (res *Result) TooFew() bool { return res.Labels < MinLabels }

// Least is how many organizations with a code the inference needs.
func (res *Result) Least() int { return MinLabels }
