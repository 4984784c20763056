package screening

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
)

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
