// Package ask answers questions in plain English about one dataset. It turns a
// question into a plan with a closed vocabulary, and the plan into API
// requests. Every figure of the answer comes from the API.
//
// The reader depends only on the question and the dataset: it uses no language
// model and no randomness. It accounts for every word. If it cannot interpret a
// word, it names the word and answers nothing, because a half-understood
// question gets a wrong answer.
//
// The package does not depend on HTTP.
package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
)

// Plan is what a question asks for. A reader, a person or a language model may
// fill a plan; Validate says whether it can be run.
type Plan struct {
	Measure string `json:"measure"`
	Of      string `json:"of"`
	Figure  string `json:"figure,omitempty"`
	By      string `json:"by,omitempty"`
	Order   string `json:"order,omitempty"`
	Least   bool   `json:"least,omitempty"`
	Top     int    `json:"top,omitempty" min:"1" max:"100"`
	Fact    string `json:"fact,omitempty"`

	Level string `json:"level,omitempty"`

	Funders       []Party `json:"funders,omitempty" max:"5"`
	Recipients    []Party `json:"recipients,omitempty" max:"5"`
	Organizations []Party `json:"organizations,omitempty" max:"5"`
	Both          bool    `json:"both,omitempty"`

	Places      []Place  `json:"places,omitempty" max:"8"`
	Abroad      bool     `json:"abroad,omitempty"`
	Causes      []Cause  `json:"causes,omitempty" max:"8"`
	Words       string   `json:"words,omitempty" max:"120"`
	Years       []Span   `json:"years,omitempty" max:"8"`
	MinAmount   *int64   `json:"min_amount,omitempty" min:"0"`
	MaxAmount   *int64   `json:"max_amount,omitempty" min:"0"`
	FunderTypes []string `json:"funder_types,omitempty" max:"3"`
	Exclude     []string `json:"exclude,omitempty" max:"3"`
	Only        string   `json:"only,omitempty"`
	Support     []string `json:"support,omitempty" max:"3"`
	Part        []string `json:"part,omitempty" max:"4"`

	Notes []string `json:"notes,omitempty" max:"8"`
}

// Party is an organization that a question names.
type Party struct {
	EIN   string `json:"ein"`
	Name  string `json:"name"`
	Asked string `json:"asked,omitempty"`
}

// Place is a place that a question names.
type Place struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	Name  string `json:"name,omitempty"`
	Of    string `json:"of"`
	Miles int    `json:"miles,omitempty" min:"1" max:"500"`
}

// Cause is a cause that a question names.
type Cause struct {
	Subject string `json:"subject"`
	Name    string `json:"name,omitempty"`
	Asked   string `json:"asked,omitempty"`
}

// Span is a range of fiscal years, both ends included. 0 is an open end.
type Span struct {
	From int `json:"from,omitempty" min:"1900" max:"2100"`
	To   int `json:"to,omitempty" min:"1900" max:"2100"`
}

// ErrPlan is wrapped by every error of Validate.
var ErrPlan = errors.New("not a plan that can be run")

// Parse reads a plan that String wrote. It refuses unknown fields and plans
// that Validate refuses.
func Parse(text string) (*Plan, error) {
	if len(text) > maxPlan {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrPlan, maxPlan)
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	p := &Plan{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrPlan, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows it", ErrPlan)
	}
	return p, p.Validate()
}

// maxPlan bounds a plan as text, in bytes.
const maxPlan = 6000

// String writes the plan as one line of JSON, for use in a query string.
func (p *Plan) String() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// clone is a deep copy.
func (p *Plan) clone() *Plan {
	c := &Plan{}
	if json.Unmarshal([]byte(p.String()), c) != nil {
		*c = *p
	}
	return c
}

// Validate says whether the plan can be run: its words are in the vocabulary,
// its lists are not too long, and its parts fit together.
func (p *Plan) Validate() error {
	if err := checkStruct(reflect.ValueOf(p).Elem(), ""); err != nil {
		return err
	}
	for _, list := range [][]Party{p.Funders, p.Recipients, p.Organizations} {
		for _, o := range list {
			if e, err := ein.Parse(o.EIN); err != nil || e.String() != o.EIN {
				return invalid("%q is not an EIN of nine digits", o.EIN)
			}
			if len(o.Name) > 300 || len(o.Asked) > maxLetters*4 {
				return invalid("a name is too long")
			}
		}
	}
	for _, s := range p.Years {
		if s == (Span{}) || s.From != 0 && s.To != 0 && s.From > s.To {
			return invalid("the years %d to %d are none", s.From, s.To)
		}
	}
	if p.MinAmount != nil && p.MaxAmount != nil && *p.MinAmount > *p.MaxAmount {
		return invalid("the least amount is more than the most")
	}
	for _, c := range p.Causes {
		s, err := ntee.ParseSubject(c.Subject)
		if err != nil || len(s.Items) != 1 || len(s.Unknown) > 0 {
			return invalid("%q is not a cause", c.Subject)
		}
	}
	for i := range p.Places {
		if err := p.Places[i].validate(); err != nil {
			return err
		}
	}
	for _, n := range p.Notes {
		if len(n) > 400 {
			return invalid("a note is too long")
		}
	}
	return p.fits()
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPlan, fmt.Sprintf(format, args...))
}

func (l *Place) validate() error {
	bad := false
	switch l.Kind {
	case "state":
		r, ok := place.RegionOf(l.Value)
		bad = !ok || r.Code != l.Value
	case "county":
		_, ok := place.Shipped().County(l.Value)
		bad = !ok
	case "country":
		_, ok := place.Country(l.Value)
		bad = !ok || l.Of == "funder"
	case "zip", "near":
		bad = len(l.Value) != 5 || strings.Trim(l.Value, "0123456789") != ""
		if _, ok := place.Shipped().Point(l.Value); l.Kind == "near" && !ok {
			bad = true
		}
	case "city":
		bad = l.Value == "" || len(l.Value) > 80 || strings.Count(l.Value, ",") > 1
		if _, state, ok := strings.Cut(l.Value, ", "); ok {
			_, known := place.RegionOf(state)
			bad = bad || !known
		}
	}
	if bad || len(l.Name) > 120 {
		return invalid("%q is not a %s", l.Value, l.Kind)
	}
	return nil
}

// fits says whether the parts of the plan go together.
func (p *Plan) fits() error {
	grants := p.Of != "organizations" && p.Of != "awards"
	about := len(p.Organizations) > 0
	switch p.Measure {
	case "fact":
		if len(p.Organizations) == 0 || p.Fact == "" || p.Of != "organizations" {
			return invalid("fact needs of organizations, organizations and fact")
		}
	case "similar", "screen", "cofunders":
		if len(p.Organizations) != 1 || p.Of != "organizations" {
			return invalid("%s is about one organization", p.Measure)
		}
	case "compare":
		n := map[string]int{"funders": len(p.Funders), "recipients": len(p.Recipients), "places": len(p.Places), "causes": len(p.Causes),
			"years": len(p.Years), "funder_types": len(p.FunderTypes)}[p.By]
		if !grants || n < 2 {
			return invalid("compare needs by, and at least two in the list that it names")
		}
	case "change":
		if !grants || len(p.Years) != 2 || p.Years[0].From != p.Years[0].To || p.Years[1].From != p.Years[1].To || p.Years[0].From >= p.Years[1].From {
			return invalid("change needs two single years, the earlier first")
		}
	case "share":
		if !grants || len(p.Part) == 0 {
			return invalid("share needs part")
		}
		for _, f := range p.Part {
			if !p.has(f) {
				return invalid("%s is a part that the plan does not have", f)
			}
		}
	case "how_many", "which":
		if p.Of == "organizations" && (len(p.Funders)+len(p.Recipients) > 0 || len(p.Years) > 0 || p.Words != "" || len(p.Support) > 0 || p.Abroad ||
			p.Only != "" || len(p.Exclude) > 0) {
			return invalid("organizations are chosen by place, cause and size alone")
		}
	case "trend", "exists", "average", "median", "largest", "smallest", "how_much":
		if p.Of == "organizations" {
			return invalid("%s is of grants or awards", p.Measure)
		}
	}
	if p.Words != "" && p.Only == "individuals" {
		return invalid("words are not looked for in grants to individuals")
	}
	if p.Of == "awards" {
		if len(p.Organizations) != 1 || len(p.Funders)+len(p.Recipients)+len(p.Places)+len(p.Causes)+len(p.Support)+len(p.Exclude)+len(p.FunderTypes) > 0 ||
			p.MinAmount != nil || p.MaxAmount != nil || p.Words != "" || p.Abroad || p.Only != "" ||
			!slices.Contains([]string{"how_much", "how_many", "which", "trend", "exists"}, p.Measure) {
			return invalid("awards are those to one organization, by year")
		}
	} else if about && grants {
		return invalid("organizations are for facts and awards; grants have funders and recipients")
	}
	if p.Measure != "share" && len(p.Part) > 0 || p.Measure != "compare" && p.By != "" || p.Measure != "fact" && p.Fact != "" {
		return invalid("a field does not belong to %s", p.Measure)
	}
	if p.Both && (p.Measure != "which" && p.Measure != "how_many" || p.Of == "funders" && len(p.Recipients) < 2 || p.Of == "recipients" &&
		len(p.Funders) < 2 || p.Of != "funders" && p.Of != "recipients") {
		return invalid("both needs two funders, or two recipients")
	}
	if len(p.FunderTypes) > 1 && p.By != "funder_types" {
		return invalid("several kinds of funders can only be compared")
	}
	return p.placesFit()
}

// placesFit says whether the API accepts the places. They must be of one kind
// and one side, except that funders of one place may give to one state.
func (p *Plan) placesFit() error {
	if len(p.Places) == 0 || p.By == "places" {
		return nil
	}
	var kinds, sides []string
	for _, l := range p.Places {
		if !slices.Contains(kinds, l.Kind+l.Of) {
			kinds = append(kinds, l.Kind+l.Of)
		}
		if !slices.Contains(sides, l.Of) {
			sides = append(sides, l.Of)
		}
	}
	if len(sides) == 1 && len(kinds) == 1 && (p.Places[0].Kind != "near" || len(p.Places) == 1) {
		return nil
	}
	if _, to, ok := p.fromTo(); ok && to.Kind == "state" && (p.Measure == "how_much" || p.Measure == "average" || p.Measure == "exists" ||
		p.Measure == "how_many" && p.Of == "grants") {
		return nil
	}
	return invalid("these places cannot be asked for together")
}

// fromTo returns the place of the funders and that of the recipients, if the
// plan has one of each.
func (p *Plan) fromTo() (from, to *Place, ok bool) {
	if len(p.Places) != 2 || p.Places[0].Of == p.Places[1].Of {
		return nil, nil, false
	}
	from, to = &p.Places[0], &p.Places[1]
	if from.Of != "funder" {
		from, to = to, from
	}
	return from, to, true
}

// has reports whether the plan has a part.
func (p *Plan) has(field string) bool {
	switch field {
	case "funders":
		return len(p.Funders) > 0
	case "recipients":
		return len(p.Recipients) > 0
	case "organizations":
		return len(p.Organizations) > 0
	case "places":
		return len(p.Places) > 0
	case "abroad":
		return p.Abroad
	case "causes":
		return len(p.Causes) > 0
	case "words":
		return p.Words != ""
	case "years":
		return len(p.Years) > 0
	case "amounts":
		return p.MinAmount != nil || p.MaxAmount != nil
	case "funder_types":
		return len(p.FunderTypes) > 0
	case "exclude":
		return len(p.Exclude) > 0
	case "only":
		return p.Only != ""
	case "support":
		return len(p.Support) > 0
	}
	return false
}

// without returns the plan without a part.
func (p *Plan) without(field string) *Plan {
	c := p.clone()
	switch field {
	case "funders":
		c.Funders = nil
	case "recipients":
		c.Recipients = nil
	case "places":
		c.Places = nil
	case "abroad":
		c.Abroad = false
	case "causes":
		c.Causes = nil
	case "words":
		c.Words = ""
	case "years":
		c.Years = nil
	case "amounts":
		c.MinAmount, c.MaxAmount = nil, nil
	case "funder_types":
		c.FunderTypes = nil
	case "exclude":
		c.Exclude = nil
	case "only":
		c.Only = ""
	case "support":
		c.Support = nil
	}
	return c
}
