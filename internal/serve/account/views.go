package account

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/table"
)

//go:embed views.tsv
var viewsTable string

var views = table.Read("views.tsv", viewsTable, "view", "takes", "fields", "statement")

// MostRows is how many rows of a view are read at a time.
const MostRows = 1000

// Row is a row of a view as a JSON object, whose members are in the order of the fields.
type Row struct {
	First int64 // value of the first field, by which a page goes on
	JSON  json.RawMessage
}

// View returns the rows of a view in views.tsv. It takes texts and numbers by name: q is a part of a text, before is the first
// field of the last row of the page before, and limit is how many rows are wanted.
func (s *Store) View(ctx context.Context, view string, given map[string]any) ([]Row, error) {
	i := slices.IndexFunc(views, func(r table.Row) bool { return r.Text("view") == view })
	var args []any
	for _, name := range strings.Fields(views[i].Text("takes")) {
		value := given[name]
		if text, _ := value.(string); name == "limit" && value == nil {
			value = int64(MostRows)
		} else if name == "before" && value == nil {
			value = int64(math.MaxInt64)
		} else if !fault.Legible(text) {
			return nil, nil
		} else if name == "q" {
			value = "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(strings.TrimSpace(text))) + "%"
		} else if value == nil {
			value = ""
		}
		args = append(args, value)
	}
	fields := strings.Fields(views[i].Text("fields"))
	v := s.view(ctx)
	return resultOf(v, collect(v, views[i].Text("statement"), args, func(scan scanner) (r Row, err error) {
		var b bytes.Buffer
		values, err := exportedRow(fields, scan)
		for _, field := range fields {
			name := strings.TrimSuffix(field, "?")
			if at, is := values[name].(time.Time); is {
				values[name] = at.Truncate(time.Second)
			}
			text, _ := json.Marshal(values[name]) // texts, numbers and times
			fmt.Fprintf(&b, ",%q:%s", name, text)
		}
		r.First, _ = values[fields[0]].(int64)
		r.JSON = append(append([]byte("{"), b.Bytes()[1:]...), '}')
		return r, err
	}))
}

// Queue is how much waits to be done, and since when the oldest entry waits; null if nothing waits.
type Queue struct {
	Entries int        `json:"entries"`
	Oldest  *time.Time `json:"oldest_at"`
}

// Queue is the alerts of watched lists that wait to be sent, of which a channel that was stopped has none, or the corrections that
// wait for the operator.
func (s *Store) Queue(ctx context.Context, name string) (q Queue, err error) {
	rows, err := s.View(ctx, name+"_waiting", nil)
	if err == nil {
		err = json.Unmarshal(rows[0].JSON, &q)
	}
	return q, err
}
