package screening

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
)

type named struct {
	subject client.ScreenedName
	err     string // why it cannot be read
}

func (o *operations) planNames(c *api.Call) (api.Run, error) {
	legacy := readCompat(c)
	f := c.ReadFormOrList("names")
	items := f.Items("names", maxNames)
	reports := true
	f.Optional("reports", &reports, "bool_type", "the value is not true or false")
	excluded := f.Integers(excludeParam, maxExcluded)
	f.Finish()
	list := make([]named, len(items))
	for i, item := range items {
		list[i] = readNamed(c, item)
		if report.HoldsPage(list[i].text()) {
			list[i].fail("This holds code of a PDF or of a web page (a <, startxref or %%PDF-), so we don't screen it as a name.")
		}
	}
	if c.Params.Failed() {
		return nil, nil // the engine reports them
	}
	c.Weight = int64(len(list)) * weightOfMany
	if legacy {
		c.Weight *= 2
	}
	return func(ctx context.Context) (client.Answer, error) {
		at, s := o.Clock(), o.Screener(c.Data)
		a := &client.NamesAnswer{
			Head: api.Success, ResultsCount: len(list), Results: make([]client.NameResult, len(list)), Sources: &client.NameSources{OFAC: s.Sources(at).OFAC},
			Tail: c.Tail(),
		}
		return many(ctx, a, len(list), legacy, func(ctx context.Context, i int) error {
			n, to := &list[i], &a.Results[i]
			*to = client.NameResult{Name: n.subject.Name, Country: n.subject.Country, City: n.subject.City}
			if n.err != "" {
				to.Error = &n.err
				return nil
			}
			r := s.ScreenName(n.subject, excluded, at)
			to.Compliance = &r.Compliance
			if !reports {
				return nil
			}
			var err error
			to.Report, err = report.Issue(ctx, o.Ring, report.NameContentOf(r), report.VerifyPage(o.Base), at)
			return err
		})
	}, nil
}

func readNamed(c *api.Call, item json.RawMessage) (n named) {
	item = bytes.TrimSpace(item)
	if len(item) > 0 && item[0] == '"' {
		var text string
		if err := json.Unmarshal(item, &text); err != nil {
			n.err = "The name cannot be read."
		}
		n.name(text)
		return n
	}
	var members map[string]json.RawMessage
	if len(item) == 0 || item[0] != '{' || json.Unmarshal(item, &members) != nil {
		n.subject.Name = api.Clip(strings.ToValidUTF8(string(item), "\uFFFD"))
		n.err = "This is neither a name nor an object with one."
		return n
	}
	text := func(field string) string {
		var s *string
		if raw, ok := members[field]; ok && json.Unmarshal(raw, &s) != nil {
			n.fail("The field %s is not a text.", field)
		}
		delete(members, field)
		if s == nil {
			return ""
		}
		return *s
	}
	n.name(text("name"))
	n.subject.Country, n.subject.City = n.place("country", text("country")), n.place("city", text("city"))
	for _, field := range slices.Sorted(maps.Keys(members)) {
		c.Params.Warn.Ignored("names."+api.Clip(strings.ToValidUTF8(field, "\uFFFD")), "A name has no such field, so it was not applied.")
	}
	return n
}

func (n *named) text() []byte {
	text := []byte(n.subject.Name)
	for _, place := range []*string{n.subject.Country, n.subject.City} {
		if place != nil {
			text = append(append(text, ' '), *place...)
		}
	}
	return text
}

func (n *named) fail(format string, args ...any) {
	if n.err == "" {
		n.err = fmt.Sprintf(format, args...)
	}
}

// line is a text on one line. One that cannot be used is clipped, and the name fails.
func (n *named) line(field, text string, most int) string {
	line := strings.Join(strings.Fields(text), " ")
	switch {
	case len(line) > most:
		n.fail("The %s has %d bytes; at most %d are compared.", field, len(line), most)
	case !api.Legible(line):
		n.fail("The %s has characters that cannot be shown.", field)
	default:
		return line
	}
	return api.Clip(strings.ToValidUTF8(line, "\uFFFD"))
}

func (n *named) name(text string) {
	if n.subject.Name = n.line("name", text, maxName); n.subject.Name == "" {
		n.fail("The name is missing.")
	}
}

func (n *named) place(field, text string) *string {
	return api.OrNull(n.line(field, text, maxPlace))
}

// Bytes that one of many records takes, and that its report takes on top.
const (
	weightOfMany   = 256 << 10
	weightOfReport = 256 << 10
)

type wanted struct {
	text  string // as it was sent, clipped
	query screen.Query
	err   string // why it cannot be read
}

func (o *operations) planBulk(c *api.Call) (api.Run, error) {
	legacy := readCompat(c)
	f := c.ReadFormOrList("eins")
	items := f.Items("eins", maxEINs)
	reports := false
	f.Optional("reports", &reports, "bool_type", "the value is not true or false")
	excluded := f.Integers(excludeParam, maxExcluded)
	f.Finish()
	if c.Params.Failed() {
		return nil, nil // the engine reports them
	}
	list := make([]wanted, len(items))
	for i, item := range items {
		list[i] = readWanted(item)
		list[i].query.Excluded = excluded
		if list[i].err == "" {
			o.addFiled(c, &list[i].query)
		}
	}
	c.Weight = int64(len(list)) * weightOfMany
	if reports {
		c.Weight += int64(len(list)) * weightOfReport
	}
	if legacy {
		c.Weight *= 2
	}
	return func(ctx context.Context) (client.Answer, error) {
		at, s := o.Clock(), o.Screener(c.Data)
		a := &client.BulkAnswer{Head: api.Success, ResultsCount: len(list), Results: make([]client.BulkResult, len(list)), Sources: s.Sources(at), Tail: c.Tail()}
		return many(ctx, a, len(list), legacy, func(ctx context.Context, i int) error {
			w := &list[i]
			if w.err != "" {
				a.Results[i] = client.BulkResult{EIN: w.text, Error: &w.err}
				return nil
			}
			r := s.Screen(w.query, at)
			a.Results[i] = client.BulkResult{EIN: r.EIN, Found: r.Found, Organization: &r.Organization, Compliance: &r.Compliance}
			if !reports {
				return nil
			}
			var err error
			a.Results[i].Report, err = report.Issue(ctx, o.Ring, report.ContentOf(r), report.VerifyPage(o.Base), at)
			return err
		})
	}, nil
}

// many screens n subjects into an answer.
func many(ctx context.Context, a client.Answer, n int, legacy bool, screen func(context.Context, int) error) (client.Answer, error) {
	if err := parallel.Each(ctx, 0, n, screen); err != nil {
		return nil, err
	}
	if legacy {
		return asLegacy(a, client.Tail{Service: *a.Extension()})
	}
	return a, nil
}

// readWanted reads one EIN: a text, or a whole number that may have lost its leading zeros in a spreadsheet.
func readWanted(item json.RawMessage) (w wanted) {
	const not = "This is not an EIN; write nine digits, such as 12-3456789."
	text := ""
	if json.Unmarshal(item, &text) != nil || string(item) == "null" {
		w.text = api.Clip(strings.ToValidUTF8(string(bytes.TrimSpace(item)), "\uFFFD"))
		if strings.Trim(string(item), "0123456789") != "" {
			w.err = not
			return w
		}
		text = string(item)
	}
	w.text = api.Clip(text)
	var err error
	if w.query.EIN, err = ein.Parse(text); err != nil {
		w.err = not
	}
	return w
}
