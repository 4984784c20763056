package quality

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/scorecard"
	"grantgraph/internal/serve/search"
)

const (
	wrong     = "wrong"
	right     = "right"
	prominent = "prominent" // right, and so well known that the first page must have it
)

// Judged is a question with the organizations of a snapshot that a person judged.
type Judged struct {
	Text  string
	Grade map[ein.EIN]string
}

// ReadJudged reads lines of a question, an EIN and a grade, separated by tabs. Empty
// lines and lines that begin with # are comments.
func ReadJudged(r io.Reader) (list []Judged, err error) {
	at := map[string]int{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		if line := strings.TrimSpace(in.Text()); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(in.Text(), "\t")
		if len(fields) < 3 || strings.TrimSpace(fields[0]) == "" || !slices.Contains([]string{wrong, right, prominent}, fields[2]) {
			return nil, fmt.Errorf("line %d is not a question, an EIN and one of wrong, right and prominent", n)
		}
		e, err := ein.Parse(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		i, known := at[fields[0]]
		if !known {
			i = len(list)
			at[fields[0]] = i
			list = append(list, Judged{Text: fields[0], Grade: map[ein.EIN]string{}})
		}
		list[i].Grade[e] = fields[2]
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the file has no judged question")
	}
	return list, nil
}

// first is how many results of a question are judged, and page how many a person sees.
const first, page = 5, 10

// Asked is one judged question in every mode.
type Asked struct {
	Text     string   `json:"question"`
	Right    Rights   `json:"right"`    // of the first five
	Unjudged int      `json:"unjudged"` // of the first five of any mode
	Missed   []string `json:"missed"`   // prominent organizations that the first page of hybrid mode lacks
}

// Rights is how many results of each mode are right.
type Rights struct {
	Text     int `json:"text"`
	Semantic int `json:"semantic"`
	Hybrid   int `json:"hybrid"`
}

// Behind is how many right answers hybrid mode lacks compared with the better of its parts.
func (a *Asked) Behind() int { return max(a.Right.Text, a.Right.Semantic) - a.Right.Hybrid }

// Compared is how the modes answer the questions of a judged file.
type Compared struct {
	Questions []Asked `json:"questions"`
	Right     Rights  `json:"right"`
	Unjudged  int     `json:"unjudged"`
	Prominent int     `json:"prominent"` // organizations that must be on the first pages,
	Missed    int     `json:"missed"`    // and those that are not
}

// Present is how many prominent organizations the first pages have.
func (c *Compared) Present() int { return c.Prominent - c.Missed }

// Compare asks every question in every mode. It calls show, unless nil, for each result on a first page that nobody judged.
func Compare(ctx context.Context, x *search.Index, questions []Judged, show func(question string, r *search.Result)) (*Compared, error) {
	c := &Compared{}
	for i := range questions {
		q := &questions[i]
		a := Asked{Text: q.Text, Missed: []string{}}
		unjudged := map[ein.EIN]int{} // the best place of each
		for _, in := range []struct {
			mode     search.Mode
			one, all *int
		}{
			{search.Text, &a.Right.Text, &c.Right.Text}, {search.Semantic, &a.Right.Semantic, &c.Right.Semantic},
			{search.Hybrid, &a.Right.Hybrid, &c.Right.Hybrid},
		} {
			ans, err := x.Search(ctx, search.Ask{Text: q.Text, Mode: in.mode, Limit: page})
			if err != nil {
				return nil, err
			}
			if ans.Mode != in.mode {
				return nil, fault.New("no_vectors", "mode %s is not served", in.mode).Try("build the snapshot with --meaning-documents")
			}
			shown := map[ein.EIN]bool{}
			for at := range ans.Results {
				r := &ans.Results[at]
				shown[r.EIN] = true
				grade := q.Grade[r.EIN]
				if at < first && (grade == right || grade == prominent) {
					*in.one++
					*in.all++
				}
				if best, met := unjudged[r.EIN]; grade == "" && (!met || at < best) {
					unjudged[r.EIN] = at
					if !met && show != nil {
						show(q.Text, r)
					}
				}
			}
			for e, grade := range q.Grade {
				if in.mode != search.Hybrid || grade != prominent {
					continue
				}
				if c.Prominent++; !shown[e] {
					a.Missed = append(a.Missed, e.String())
					c.Missed++
				}
			}
		}
		for _, at := range unjudged {
			if at < first {
				a.Unjudged++
			}
		}
		slices.Sort(a.Missed)
		c.Unjudged += a.Unjudged
		c.Questions = append(c.Questions, a)
	}
	slices.SortStableFunc(c.Questions, func(a, b Asked) int { return cmp.Compare(b.Behind(), a.Behind()) })
	return c, nil
}

// The bounds of the result. Hybrid mode may be worse than the better of its parts by so many of the first five results of a
// question, and that share of the prominent organizations must be on the first pages.
const (
	MostBehind     = 1
	LeastProminent = 0.9
)

func (c *Compared) Failed() (list []string) {
	for i := range c.Questions {
		if q := &c.Questions[i]; q.Behind() > MostBehind {
			list = append(list, fmt.Sprintf("%q: hybrid has %d right of %d, text %d and semantic %d", q.Text, q.Right.Hybrid, first,
				q.Right.Text, q.Right.Semantic))
		}
	}
	if float64(c.Missed) > (1-LeastProminent)*float64(c.Prominent) {
		list = append(list, fmt.Sprintf("first pages lack %d of %d prominent organizations", c.Missed, c.Prominent))
	}
	return list
}

//go:embed judged.md
var comparedText string

var compared = scorecard.Template("judged questions", comparedText)

func (c *Compared) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, compared, c, c, onlyJSON)
}
