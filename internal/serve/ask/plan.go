// Package ask answers questions in plain English about one dataset. It turns a question into a plan with a closed vocabulary,
// and the plan into API requests. Every figure of the answer comes from the API.
//
// The reader depends only on the question and the dataset: it uses no language model and no randomness. It accounts for every
// word. If it cannot interpret a word, it names the word and answers nothing, because a half-understood question gets a wrong
// answer.
//
// The package does not depend on HTTP.
package ask

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
)

// Plan is what a question asks for. A reader or a person may fill a plan; Validate says whether it can be run.
type Plan struct {
	Measure string `json:"measure"`
	Of      string `json:"of"`
	Figure  string `json:"figure,omitempty"`
	By      string `json:"by,omitempty"`
	Order   string `json:"order,omitempty"`
	Least   bool   `json:"least,omitempty"`
	Top     int    `json:"top,omitempty"`
	Fact    string `json:"fact,omitempty"`

	Level string `json:"level,omitempty"`

	Funders       []Party `json:"funders,omitempty"`
	Recipients    []Party `json:"recipients,omitempty"`
	Organizations []Party `json:"organizations,omitempty"`
	Both          bool    `json:"both,omitempty"`
	InTotal       bool    `json:"in_total,omitempty"`

	Places      []Place  `json:"places,omitempty"`
	Abroad      bool     `json:"abroad,omitempty"`
	Causes      []Cause  `json:"causes,omitempty"`
	Words       string   `json:"words,omitempty"`
	Years       []Span   `json:"years,omitempty"`
	MinAmount   *int64   `json:"min_amount,omitempty"`
	MaxAmount   *int64   `json:"max_amount,omitempty"`
	FunderTypes []string `json:"funder_types,omitempty"`
	Exclude     []string `json:"exclude,omitempty"`
	Only        string   `json:"only,omitempty"`
	Support     []string `json:"support,omitempty"`
	Part        []string `json:"part,omitempty"`

	Notes []string `json:"notes,omitempty"`
	Doubt string   `json:"doubt,omitempty"`
}

// Party is an organization that a question names.
type Party struct {
	EIN   string `json:"ein"`
	Name  string `json:"name"`
	Asked string `json:"asked,omitempty"`
	// RecipID has the identities of a recipient that no grant gives an EIN, with commas between them.
	RecipID string `json:"recip_id,omitempty"`
}

// valid reports whether the party has an EIN, which only a recipient may lack.
func (o Party) valid(recipient bool) bool {
	e, err := ein.Parse(o.EIN)
	return err == nil && e.String() == o.EIN || recipient && o.EIN == "" && o.RecipID != ""
}

// id is what the filter recip_id takes.
func (o Party) id() string { return cmp.Or(o.EIN, o.RecipID) }

// Place is a place that a question names.
type Place struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
	Name  string `json:"name,omitempty"`
	Of    string `json:"of"`
	Miles int    `json:"miles,omitempty"`
}

// Cause is a cause that a question names.
type Cause struct {
	Subject string `json:"subject"`
	Name    string `json:"name,omitempty"`
	Asked   string `json:"asked,omitempty"`
}

// Span is a range of fiscal years, both ends included. 0 is an open end.
type Span struct {
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// ErrPlan is wrapped by every error of Validate.
var ErrPlan = errors.New("not a plan that can be run")

// Parse reads a plan that String wrote. It refuses unknown fields and plans that Validate refuses.
func Parse(text string) (*Plan, error) {
	if len(text) > maxPlan {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrPlan, maxPlan)
	}
	p := &Plan{}
	if err := Decode(text, p); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// Decode decodes one JSON value. Unknown fields and trailing data are errors.
func Decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return invalid("%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return invalid("something follows it")
	}
	return nil
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

func (p *Plan) clone() *Plan {
	c := &Plan{}
	if json.Unmarshal([]byte(p.String()), c) != nil {
		*c = *p
	}
	return c
}

// Names reports whether a text has the name of an organization of the plan.
func (p *Plan) Names(ein, text string) bool {
	return slices.ContainsFunc(slices.Concat(p.Funders, p.Recipients, p.Organizations), func(o Party) bool {
		return o.EIN == ein && strings.Contains(text, o.Name)
	})
}

// Validate says whether the plan can be run: its words are in the vocabulary,
// its lists are not too long, and its parts fit together.
func (p *Plan) Validate() error {
	var v any
	err := json.Unmarshal([]byte(p.String()), &v)
	if err == nil {
		err = planSchema.check("plan", v)
	}
	need := func(ok bool, format string, args ...any) {
		if !ok && err == nil {
			err = invalid(format, args...)
		}
	}
	for i, o := range slices.Concat(p.Recipients, p.Funders, p.Organizations) {
		need(o.valid(i < len(p.Recipients)), "%q is not an EIN of nine digits", o.EIN)
	}
	for _, s := range p.Years {
		need(s != (Span{}) && (s.To == 0 || s.From <= s.To), "the years %d to %d are none", s.From, s.To)
	}
	for _, c := range p.Causes {
		s, bad := ntee.ParseSubject(c.Subject)
		need(bad == nil && len(s.Items) == 1 && len(s.Unknown) == 0, "%q is not a cause", c.Subject)
	}
	need(p.MinAmount == nil || p.MaxAmount == nil || *p.MinAmount <= *p.MaxAmount, "the least amount is more than the most")
	for _, l := range p.Places {
		need(l.valid(), "%q is not a %s", l.Value, l.Kind)
	}
	if err != nil {
		return err
	}
	return p.fits()
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrPlan, fmt.Sprintf(format, args...))
}

func (l *Place) valid() (ok bool) {
	switch v := l.Value; l.Kind {
	case "state":
		region, _ := place.RegionOf(v)
		return region.Code == v && v != ""
	case "county":
		_, ok = place.Shipped().County(v)
	case "country":
		_, ok = place.Country(v)
		return ok && l.Of != "funder"
	case "zip":
		return len(v) == 5 && digits(v)
	case "near":
		_, ok = place.Shipped().Point(v)
		return ok && len(v) == 5
	case "city":
		city, state, cut := strings.Cut(v, ", ")
		_, ok = place.RegionOf(state)
		return city != "" && len(v) <= 80 && !strings.Contains(city+state, ",") && (ok || !cut)
	}
	return ok
}

func (p *Plan) ofGrants() bool { return p.Of != "organizations" && p.Of != "awards" }

// fits says whether the parts of the plan go together: no row of the stage plan describes it.
func (p *Plan) fits() error {
	text := p.written()
	if slices.ContainsFunc(p.Part, func(f string) bool { return !strings.Contains(text, " "+f+"=") }) {
		text += "absent=. "
	}
	for _, row := range grammar()["plan"] {
		if row.fits(text, "", "") {
			return invalid("%s", sentence(strings.TrimPrefix(row.then[0], "refuse="), "measure", p.Measure))
		}
	}
	return p.placesFit()
}

// planFields are the fields of a plan by their JSON names, in their order.
var planFields, planIndex = func() (names []string, index map[string]int) {
	index = map[string]int{}
	for i, t := 0, reflect.TypeFor[Plan](); i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names, index[name] = append(names, name), i
	}
	return names, index
}()

// written is the plan as patterns see it.
func (p *Plan) written() string {
	var b strings.Builder
	for i, name := range planFields {
		field, times, value := reflect.ValueOf(p).Elem().Field(i), 1, "."
		switch name = strings.TrimPrefix(strings.TrimPrefix(name, "min_"), "max_"); {
		case field.Kind() == reflect.Slice:
			times = field.Len()
		case field.IsZero():
			times = 0
		case field.Kind() == reflect.String:
			value = strings.ReplaceAll(field.String(), " ", "_")
		}
		if name == "amount" {
			name = "amounts"
		}
		if b.WriteString(strings.Repeat(name+"="+value+" ", times)); name == p.By {
			b.WriteString(strings.Repeat("listed=. ", times))
		}
	}
	if len(p.Years) == 2 && p.Years[0].From >= p.Years[1].From || slices.ContainsFunc(p.Years, func(s Span) bool { return s.From != s.To }) {
		b.WriteString("ranged=. ")
	}
	return " " + b.String()
}

// sided reports whether the plan is about funders or about recipients.
func (p *Plan) sided() bool { return p.Of == "funders" || p.Of == "recipients" }

// placesFit says whether the API accepts the places. They must be of one kind
// and one side, except that funders of one place may give to one state.
func (p *Plan) placesFit() error {
	if len(p.Places) == 0 || p.By == "places" {
		return nil
	}
	first := p.Places[0]
	alike := !slices.ContainsFunc(p.Places, func(l Place) bool { return l.Kind != first.Kind || l.Of != first.Of })
	if alike && (first.Kind != "near" || len(p.Places) == 1) {
		return nil
	}
	from, to, ok := p.fromTo()
	switch p.kind().Text("kind") {
	case "how_much *", "how_many grants", "average *", "exists *":
		ok = ok && to.Kind == "state"
	case "from funders":
		ok = from.Kind == "state" || from.Kind == "city"
	default:
		ok = false
	}
	if ok {
		return nil
	}
	return invalid("these places cannot be asked for together")
}

// has reports whether a year is in the range.
func (y Span) has(year int) bool { return year >= y.From && (y.To == 0 || year <= y.To) }

// unasked reports whether the plan asks for other years.
func (p *Plan) unasked(year int) bool {
	return len(p.Years) > 0 && !slices.ContainsFunc(p.Years, func(y Span) bool { return y.has(year) })
}

// fromTo returns the place of the funders and that of the recipients, if the plan has one of each.
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

// field is a field of the plan by its JSON name; nil if there is none.
func (p *Plan) field(name string) any {
	if i, ok := planIndex[name]; ok {
		return reflect.ValueOf(p).Elem().Field(i).Interface()
	}
	return nil
}

// filter is a field of the plan by its JSON name, if it chooses grants.
func (p *Plan) filter(name string) (v reflect.Value, ok bool) {
	if ok = is("choosing", name); ok {
		v = reflect.ValueOf(p).Elem().Field(planIndex[name])
	}
	return v, ok
}

// without returns the plan without a part.
func (p *Plan) without(field string) *Plan {
	c := p.clone()
	if field == "amounts" {
		c.MinAmount, c.MaxAmount, c.InTotal = nil, nil, false
	} else if v, ok := c.filter(field); ok && field != "organizations" {
		v.SetZero()
	}
	c.Part = slices.DeleteFunc(c.Part, func(f string) bool { return f == field })
	return c
}

// schema is as much of a JSON schema as plan_schema.json uses.
type schema struct {
	Enum                []string
	Properties          map[string]*schema
	Items               *schema
	Minimum, Maximum    float64
	MaxItems, MaxLength int // 0 for no limit
}

var planSchema = func() (s schema) {
	if err := json.Unmarshal([]byte(fileText("plan_schema.json")), &s); err != nil {
		panic("plan_schema.json: " + err.Error())
	}
	return s
}()

func (s *schema) check(name string, value any) (err error) {
	switch v := value.(type) {
	case map[string]any:
		for _, part := range slices.Sorted(maps.Keys(v)) {
			err = cmp.Or(err, s.Properties[part].check(part, v[part]))
		}
	case []any:
		if s.MaxItems > 0 && len(v) > s.MaxItems {
			return invalid("%s has more than %d items", name, s.MaxItems)
		}
		for _, x := range v {
			err = cmp.Or(err, s.Items.check(name, x))
		}
	case string:
		if s.Enum != nil && !slices.Contains(s.Enum, v) || s.MaxLength > 0 && len(v) > s.MaxLength {
			err = invalid("%s is %q, or longer than %d bytes", name, v, s.MaxLength)
		}
	case float64:
		if v < s.Minimum || v > s.Maximum {
			err = invalid("%s is %v", name, v)
		}
	}
	return err
}
