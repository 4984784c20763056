package reconcile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

const (
	maxBody       = 256 << 10 // bytes of a request body
	maxDepth      = 12        // of objects and lists in one another
	maxText       = 500       // bytes of a name or a value
	maxNames      = 3         // of one query
	maxConditions = 10        // of one query
	maxValues     = 10        // of one condition
	maxProperties = 30        // of a data extension
	maxIDText     = 100       // bytes of a query's name in a batch, of a property or of an identifier

	defaultCandidates = 5
	maxCandidates     = 20
)

const (
	slugMalformed = "malformed_batch"
	slugTooLarge  = "batch_too_large"
	slugType      = "unknown_type"
	slugProperty  = "unknown_property"
)

func malformed(format string, args ...any) error {
	return fault.New(slugMalformed, format, args...).Try("see /docs/reconcile for what a batch looks like")
}

type named struct {
	name  string
	query Query
}

type one[T any] []T

func (l *one[T]) UnmarshalJSON(data []byte) error {
	switch data = bytes.TrimSpace(data); {
	case string(data) == "null":
		return nil
	case len(data) > 0 && data[0] == '[':
		return json.Unmarshal(data, (*[]T)(l))
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*l = []T{v}
	return nil
}

// given is the value of a condition: a text, a number, a boolean, or a reconciled entity.
type given struct {
	text string
	id   string // of an entity
}

func (g *given) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return errors.New("nothing")
	}
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &g.text)
	case '{':
		var entity struct {
			ID   *string `json:"id"`
			Name string  `json:"name"`
		}
		if err := json.Unmarshal(data, &entity); err != nil {
			return err
		}
		if entity.ID == nil {
			return errors.New("an entity without an id")
		}
		g.id, g.text = *entity.ID, cmp.Or(entity.Name, *entity.ID)
		return nil
	case '[', 'n':
		return errors.New("neither a text, a number, a truth nor an entity")
	}
	g.text = string(data) // a number or a boolean, as written
	return nil
}

// decode reads JSON from a stranger: all of it, nested no deeper than a batch can be.
func decode(data []byte, into any) error {
	if err := shallow(data); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return malformed("The batch cannot be read: %s.", reason(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return malformed("Something follows the batch.")
	}
	return nil
}

// reason says what is wrong with JSON without naming our Go types.
func reason(err error) string {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON at byte %d", syntax.Offset)
	case errors.As(err, &typed):
		where := "it"
		if typed.Field != "" {
			where = fault.Clip(typed.Field, maxIDText)
		}
		return fmt.Sprintf("%s is a %s where something else is needed", where, typed.Value)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return "it ends too early"
	}
	return "a value is of a kind that does not belong there"
}

// shallow refuses JSON nested deeper than any batch, by brackets outside strings.
func shallow(data []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return malformed("The batch is nested more than %d deep.", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// onlyThese refuses unknown fields of a query, such as misspelled ones.
func onlyThese(at string, fields map[string]json.RawMessage, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return malformed("In %s there is a field %q, which is none of %s.", at, fault.Clip(name, maxIDText), strings.Join(known, ", "))
		}
	}
	return nil
}

// readBatch02 reads a batch of version 0.2: an object of queries, in the order of names.
func readBatch02(data []byte) ([]named, error) {
	var batch map[string]*struct {
		Query      *string      `json:"query"`
		Type       one[string]  `json:"type"`
		TypeStrict string       `json:"type_strict"` // accepted and ignored: its meaning is not defined
		Limit      *json.Number `json:"limit"`
		Properties []struct {
			ID     *string    `json:"pid"`
			Values one[given] `json:"v"`
		} `json:"properties"`
	}
	if err := decode(data, &batch); err != nil {
		return nil, err
	}
	if batch == nil {
		return nil, malformed("The batch is null; it must be an object of queries by name.")
	}
	var fields map[string]map[string]json.RawMessage
	if err := decode(data, &fields); err != nil {
		return nil, err
	}
	list := make([]named, 0, len(batch))
	for name, b := range batch {
		at := "query " + fault.Clip(name, maxIDText)
		if len(name) > maxIDText {
			return nil, malformed("The name of a query is longer than %d bytes: %s.", maxIDText, at)
		}
		if b == nil || b.Query == nil && len(b.Properties) == 0 {
			return nil, malformed("In %s there is neither a query nor a property.", at)
		}
		if err := onlyThese(at, fields[name], "query", "type", "type_strict", "limit", "properties"); err != nil {
			return nil, err
		}
		q := Query{Types: b.Type}
		if b.Query != nil {
			q.Names = []string{*b.Query}
		}
		for _, p := range b.Properties {
			if p.ID == nil || p.Values == nil {
				return nil, malformed("In %s a property has no pid or no v.", at)
			}
			q.Where = append(q.Where, newCondition(*p.ID, p.Values))
		}
		if err := q.bounded(at, b.Limit); err != nil {
			return nil, err
		}
		list = append(list, named{name, q})
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func readBatch10(data []byte) ([]named, error) {
	var batch struct {
		Queries []*struct {
			Type       *string      `json:"type"`
			Limit      *json.Number `json:"limit"`
			Conditions []struct {
				MatchType  string     `json:"matchType"`
				ID         string     `json:"propertyId"`
				Values     one[given] `json:"propertyValue"`
				Required   bool       `json:"required"`
				Quantifier Quantifier `json:"matchQuantifier"`
				Qualifier  string     `json:"matchQualifier"`
			} `json:"conditions"`
		} `json:"queries"`
	}
	if err := decode(data, &batch); err != nil {
		return nil, err
	}
	if batch.Queries == nil {
		return nil, malformed("The batch has no queries.")
	}
	var fields struct {
		Queries []map[string]json.RawMessage `json:"queries"`
	}
	if err := decode(data, &fields); err != nil {
		return nil, err
	}
	list := make([]named, 0, len(batch.Queries))
	for i, b := range batch.Queries {
		at := fmt.Sprintf("query %d", i+1)
		if b == nil || len(b.Conditions) == 0 {
			return nil, malformed("In %s there is no condition.", at)
		}
		if err := onlyThese(at, fields.Queries[i], "type", "limit", "lang", "dir", "conditions"); err != nil {
			return nil, err
		}
		var q Query
		if b.Type != nil {
			q.Types = []string{*b.Type}
		}
		for _, c := range b.Conditions {
			if c.Values == nil {
				return nil, malformed("In %s a condition has no propertyValue.", at)
			}
			if c.Quantifier != "" && c.Quantifier != Any && c.Quantifier != All && c.Quantifier != None {
				return nil, malformed("In %s a matchQuantifier is none of any, all and none.", at)
			}
			property := c.ID
			if c.MatchType == "id" {
				property = propEIN
			}
			where := newCondition(property, c.Values)
			where.Required, where.Quantifier, where.Qualifier = c.Required, c.Quantifier, c.Qualifier
			switch c.MatchType {
			case "name":
				if c.Quantifier == None || c.Quantifier == All && len(c.Values) > 1 {
					return nil, malformed("In %s names have a matchQuantifier other than any.", at)
				}
				q.Names = append(q.Names, where.Values...)
				continue
			case "id":
			case "property":
				if c.ID == "" {
					return nil, malformed("In %s a condition on a property has no propertyId.", at)
				}
			default:
				return nil, malformed("In %s a matchType is none of name, id and property.", at)
			}
			q.Where = append(q.Where, where)
		}
		if err := q.bounded(at, b.Limit); err != nil {
			return nil, err
		}
		list = append(list, named{query: q})
	}
	return list, nil
}

// exactMatch is the only qualifier: whole values are compared.
const exactMatch = "ExactMatch"

// newCondition compares the name of an entity, except where identifiers are compared.
func newCondition(property string, values []given) Condition {
	c := Condition{Property: property, Values: make([]string, len(values))}
	for i, v := range values {
		if c.Values[i] = v.text; property == propEIN && v.id != "" {
			c.Values[i] = v.id
		}
	}
	return c
}

func (q *Query) bounded(at string, limit *json.Number) error {
	q.Limit = defaultCandidates
	if limit != nil {
		n, err := limit.Float64()
		if err != nil || n < 1 || n != float64(int64(n)) {
			return malformed("In %s the limit is not a positive whole number.", at)
		}
		q.Limit = int(min(n, maxCandidates))
	}
	q.Names = slices.DeleteFunc(q.Names, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(q.Names) > maxNames {
		return malformed("In %s there are more than %d names.", at, maxNames)
	}
	if len(q.Where) > maxConditions {
		return malformed("In %s there are more than %d properties.", at, maxConditions)
	}
	if len(q.Types) > len(types) {
		return malformed("In %s there are more types than exist.", at)
	}
	for _, s := range append(slices.Clone(q.Types), q.Names...) {
		if len(s) > maxText {
			return malformed("In %s a text is longer than %d bytes.", at, maxText)
		}
	}
	for _, c := range q.Where {
		if len(c.Property) > maxIDText {
			return malformed("In %s the name of a property is longer than %d bytes.", at, maxIDText)
		}
		if len(c.Values) > maxValues {
			return malformed("In %s a property has more than %d values.", at, maxValues)
		}
		for _, v := range c.Values {
			if len(v) > maxText {
				return malformed("In %s a value is longer than %d bytes.", at, maxText)
			}
		}
	}
	return nil
}

// known drops the types and conditions that there are none of, and says so in the notice of the query. To ignore a type, or a condition
// that is required, could turn up organizations that are not meant: the first calls nothing a match, the second finds nothing.
func (q *Query) known() {
	var notes []string
	q.Types = slices.DeleteFunc(q.Types, func(t string) bool {
		if typeOf(t) != nil {
			return false
		}
		q.doubtful = true
		notes = append(notes, fmt.Sprintf("There is no type %q, so it was ignored and nothing is called a match. The types are %s.",
			fault.Clip(t, maxIDText), typeIDs()))
		return true
	})
	q.Where = slices.DeleteFunc(q.Where, func(c Condition) bool {
		what, name := "", fault.Clip(c.Property, maxIDText)
		switch {
		case c.Qualifier != "" && c.Qualifier != exactMatch:
			what = fmt.Sprintf("There is no matchQualifier %q, only %s", fault.Clip(c.Qualifier, maxIDText), exactMatch)
		case compared(c.Property):
			return false
		case propertyOf(c.Property) != nil:
			what = fmt.Sprintf("Names are not compared by %q, only by %s", name, propertyIDs(compared))
		default:
			what = fmt.Sprintf("There is no property %q to compare names by, only %s", name, propertyIDs(compared))
		}
		if q.impossible = q.impossible || c.Required; c.Required {
			notes = append(notes, what+". The condition is required, so nothing was found.")
		} else {
			notes = append(notes, what+". The condition was ignored.")
		}
		return true
	})
	q.Notice = strings.Join(notes, " ")
}

func typeIDs() string { return strings.Join(each.Of(types, func(t Type) string { return t.ID }), ", ") }

type extension struct {
	ids        []string
	properties []*property
}

// readExtension reads a data extension query, which both versions write alike.
func readExtension(data []byte) (*extension, error) {
	var q struct {
		IDs        []string `json:"ids"`
		Properties []struct {
			ID *string `json:"id"`
		} `json:"properties"`
	}
	if err := decode(data, &q); err != nil {
		return nil, err
	}
	if q.IDs == nil || q.Properties == nil {
		return nil, malformed("A data extension query has ids and properties.")
	}
	if len(q.Properties) > maxProperties {
		return nil, malformed("There are more than %d properties.", maxProperties)
	}
	e := &extension{ids: q.IDs}
	for _, id := range q.IDs {
		if len(id) > maxIDText {
			return nil, malformed("An identifier is longer than %d bytes.", maxIDText)
		}
	}
	for _, p := range q.Properties {
		if p.ID == nil {
			return nil, malformed("A property has no id.")
		}
		known := propertyOf(*p.ID)
		if known == nil {
			return nil, fault.New(slugProperty, "There is no property %q.", fault.Clip(*p.ID, maxIDText)).
				Try("use some of: %s", propertyIDs(func(string) bool { return true }))
		}
		e.properties = append(e.properties, known)
	}
	return e, nil
}
