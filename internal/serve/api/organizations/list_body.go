package organizations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/typo"
)

// Bounds of the lists in a body.
const (
	maxTerms = 200 // bytes
	maxItems = 500 // of a list
	maxItem  = 200 // bytes of one
)

type listReader struct {
	*api.Form
	question listQuestion
	sources  *client.ComplianceSources
	standing *screen.Standing
	blocks   []*api.Form // to be finished
}

// read reads everything but the cursor, which is checked against the whole question.
func (r *listReader) read() error {
	filters := r.block(r.Form, "filters", "")
	r.readTerms(filters)
	if err := r.readFilters(filters); err != nil {
		return err
	}
	r.readSort()
	q := &r.question
	q.size = defaultSize
	if n, ok := r.integer(r.Form, "size", 1, math.MaxInt32); ok {
		if q.size = int(n); q.size > maxSize {
			q.size = maxSize
			r.Caveat("size", "At most %d rows are served in a page, so size was lowered to that.", maxSize)
		}
	}
	q.from, _ = r.integer(r.Form, "from", 0, maxFrom)
	return nil
}

func (r *listReader) finish() {
	r.Finish()
	for _, b := range r.blocks {
		b.Finish()
	}
}

func (r *listReader) block(in *api.Form, name, called string) *api.Form {
	b := in.Block(name, called)
	r.blocks = append(r.blocks, b)
	return b
}

// nested is a block that warnings call by its path.
func (r *listReader) nested(in *api.Form, name string) *api.Form {
	return r.block(in, name, in.Called(name)+".")
}

// readTerms reads search_terms and mode, from the top or from the filters.
func (r *listReader) readTerms(filters *api.Form) {
	q := &r.question
	for _, f := range []*api.Form{filters, r.Form} {
		if text, ok := r.text(f, "search_terms", maxTerms); ok {
			if q.terms != "" && q.terms != text {
				filters.Ignored("filters.search_terms", "search_terms is also given at the top level, so the one in the filters was not applied.")
			}
			q.terms = text
		}
		r.word(f, "mode", &q.mode, modes, nil)
	}
	switch {
	case q.terms == "" && q.mode != "":
		r.Caveat("mode", "It has no effect without search_terms.")
		q.mode = ""
	case q.terms != "" && q.mode == "":
		q.mode = "text"
	}
}

var orders = map[string]directory.Order{
	"revenue": directory.ByRevenue, "assets": directory.ByAssets, "expenses": directory.ByExpenses, "grants_paid": directory.ByGrantsPaid,
	"name": directory.ByName,
}

var orderWords = []string{"name", "revenue", "assets", "expenses", "grants_paid", "score"}

var orderMeant = map[string]string{
	"organization_name": "name", "org_name": "name", "total_revenue": "revenue", "income": "revenue", "size": "revenue",
	"total_assets": "assets", "total_expenses": "expenses", "grants": "grants_paid", "giving": "grants_paid",
	"relevance": "score", "_score": "score", "best": "score",
}

// readSort reads the order, which may stand in sort or at the top.
func (r *listReader) readSort() {
	q := &r.question
	nested := r.nested(r.Form, "sort")
	by, direction, understood := "", "", true
	for _, f := range []*api.Form{nested, r.Form} {
		if !r.word(f, "sort_by", &by, orderWords, orderMeant) {
			understood = false
		}
		r.word(f, "sort_order", &direction, []string{"asc", "desc"}, map[string]string{"ascending": "asc", "descending": "desc"})
	}
	if by == "score" && q.terms == "" {
		r.Ignored("sort_by", "Without search_terms there is no score, so this order was not applied.")
		by, understood = "", false
	}
	if q.score = by == "score" || by == "" && q.terms != ""; q.score {
		if direction == "asc" {
			r.Ignored("sort_order", "By score the best come first, so it was not applied.")
		}
		return
	}
	if q.sort.By = orders[by]; by == "name" {
		q.sort.Asc = true
	}
	switch {
	case direction != "" && !understood:
		r.Ignored("sort_order", "sort_by was not applied, so neither was its direction.")
	case direction != "":
		q.sort.Asc = direction == "asc"
	}
}

// word reads a word of a vocabulary where it is given, and reports whether it is understood.
func (r *listReader) word(f *api.Form, name string, to *string, vocabulary []string, also map[string]string) bool {
	word, given := r.text(f, name, maxItem)
	if word = strings.ToLower(word); given && !slices.Contains(vocabulary, word) {
		r.outside(f, name, word, vocabulary, also)
		return false
	}
	*to = cmp.Or(word, *to)
	return true
}

// outside reports a word that is not in a vocabulary.
func (r *listReader) outside(f *api.Form, name, word string, vocabulary []string, also map[string]string) {
	meant := cmp.Or(also[word], typo.Meant(word, vocabulary))
	if meant != "" {
		meant = " Did you mean " + meant + "?"
	}
	f.Ignored(name, "%q is not one of %s, so it was not applied.%s", api.Clip(word), strings.Join(vocabulary, ", "), meant)
}

// emptyValue is the warning for a field that is present but empty.
const emptyValue = "The value was empty, so it was not applied."

func (r *listReader) text(f *api.Form, name string, most int) (string, bool) {
	raw, ok := f.Value(name)
	if !ok {
		return "", false
	}
	var value string
	if json.Unmarshal(raw, &value) != nil {
		f.Problem(name, -1, "string_type", string(raw), nil, "the value is not a text")
		return "", false
	}
	value = strings.Join(strings.Fields(value), " ")
	switch {
	case value == "":
		f.Ignored(name, emptyValue)
	case len(value) > most:
		f.Problem(name, -1, "string_too_long", value, api.Limit{"max_length": most}, "the value is %d bytes long; at most %d are read", len(value), most)
	case !api.Legible(value):
		f.Problem(name, -1, "string_unicode", "", nil, "the value has characters that cannot be shown")
	default:
		return value, true
	}
	return "", false
}

var errNotScalar = errors.New("not a text or a number")

func scalar(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", errNotScalar
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case c == '-' || c >= '0' && c <= '9':
		return string(raw), nil
	}
	return "", errNotScalar
}

// values reads a list: an array of texts and numbers, or one of them.
func (r *listReader) values(f *api.Form, name string) (list []string) {
	raw, ok := f.Value(name)
	if !ok {
		return nil
	}
	items := []json.RawMessage{raw}
	if array := bytes.HasPrefix(raw, []byte("[")); array {
		if items = items[:0]; json.Unmarshal(raw, &items) != nil || len(items) > maxItems {
			f.Problem(name, -1, "too_long", "", api.Limit{"max_length": maxItems}, "the list has %d items; at most %d are read", len(items), maxItems)
			return nil
		}
	}
	for i, item := range items {
		value, err := scalar(item)
		switch {
		case err != nil:
			f.Problem(name, i, "string_type", string(item), nil, "the value is not a text or a number")
		case len(value) > maxItem && len(items) > 1 || len(value) > maxItems*8:
			f.Problem(name, i, "string_too_long", value, nil, "the value is %d bytes long", len(value))
		case value != "" && !api.Legible(value):
			f.Problem(name, i, "string_unicode", "", nil, "the value has characters that cannot be shown")
		case strings.Trim(value, ", \t\r\n") != "":
			list = append(list, strings.TrimSpace(value))
		}
	}
	if len(list) == 0 && !r.Failed() {
		f.Ignored(name, "The list was empty, so it was not applied.")
	}
	return list
}

// parts returns the values of a list, which may be a text with commas.
func (r *listReader) parts(f *api.Form, name string) (list []string) {
	for _, value := range r.values(f, name) {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	}
	if len(list) > maxItems {
		f.Problem(name, -1, "too_long", "", api.Limit{"max_length": maxItems}, "the list has %d items; at most %d are read", len(list), maxItems)
		return nil
	}
	return list
}

func (r *listReader) integer(f *api.Form, name string, least, most int64) (int64, bool) {
	raw, ok := f.Value(name)
	if !ok {
		return 0, false
	}
	text, err := scalar(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		f.Ignored(name, emptyValue)
		return 0, false
	}
	n, whole := int64(0), false
	if err == nil {
		n, whole = wholeNumber(text)
	}
	switch {
	case !whole:
		f.Problem(name, -1, "int_parsing", string(raw), nil, "the value is not a whole number; write digits only")
	case n < least:
		f.Problem(name, -1, "greater_than_equal", string(raw), api.Limit{"ge": least}, "the value must be at least %d", least)
	case n > most:
		f.Problem(name, -1, "less_than_equal", string(raw), api.Limit{"le": most}, "the value must be at most %d", most)
	default:
		return n, true
	}
	return 0, false
}

// wholeNumber reads a number without a fraction: 1000000, 1e6, $1,000,000.
func wholeNumber(text string) (int64, bool) {
	if x, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXpP_nN") {
		// Figures are smaller than 2^53, so a larger bound means the same as 2^53.
		return int64(max(-1<<53, min(x, 1<<53))), x == math.Trunc(x)
	}
	cents, ok := money.Parse(text)
	return int64(cents / 100), ok && cents%100 == 0
}

// maxDollars bounds a figure of a filter.
const maxDollars = 1<<53 - 1

func (r *listReader) span(f *api.Form, least, most string, low, high int64) (x directory.Range) {
	if n, ok := r.integer(f, least, low, high); ok {
		x.Min = &n
	}
	if n, ok := r.integer(f, most, low, high); ok {
		x.Max = &n
	}
	if x.Min != nil && x.Max != nil && *x.Min > *x.Max {
		f.Caveat(least, "It is more than %s, so nothing matches.", most)
	}
	return x
}

func (r *listReader) flag(f *api.Form, name string) *bool {
	raw, ok := f.Value(name)
	if !ok {
		return nil
	}
	var is bool
	if json.Unmarshal(raw, &is) == nil {
		return &is
	}
	text, err := scalar(raw)
	if is, known := api.Switches[strings.ToLower(strings.TrimSpace(text))]; err == nil && known {
		return &is
	}
	if err == nil && strings.TrimSpace(text) == "" {
		f.Ignored(name, emptyValue)
		return nil
	}
	f.Problem(name, -1, "bool_parsing", string(raw), nil, "the value is not true or false")
	return nil
}
