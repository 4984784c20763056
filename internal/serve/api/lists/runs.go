package lists

import (
	"bytes"
	"context"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/listrun"
)

// run is a screening on the wire.
func run(r account.ListRun) client.ListRun {
	to := client.ListRun{ID: r.ID, StartedAt: api.Instant(r.Started), ExpiresAt: api.Instant(r.Expires), Members: r.Members, Screened: r.Screened,
		Dataset: r.Dataset, Counts: listrun.SummaryOf(r).Counts}
	if !r.Ended.IsZero() {
		to.EndedAt = new(api.Instant(r.Ended))
	}
	return to
}

// planScreen screens the next part of a list. The part is claimed before the call is charged, so two programs, or a program and
// a page, that continue the same screening never pay for the same organizations.
func (o *operations) planScreen(c *call) (api.Run, error) {
	id, _ := c.Params.Text("run")
	c.Weight = listrun.Weight
	var next *listrun.Next
	c.Claim = func(ctx context.Context) (func(context.Context) error, error) {
		var err error
		if next, err = o.Desk.Prepare(ctx, c.owner, c.list, id); err != nil {
			return nil, err
		}
		if len(next.Members) == 0 { // the screening has ended, or the rest of the list was removed meanwhile
			c.Pay = func(context.Context) error { return nil }
		}
		return next.Abandon, nil
	}
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		r, results, err := next.Screen(ctx, o.Data(c.Data))
		if err != nil {
			return nil, err
		}
		for i := range results {
			results[i].Report = nil // getListResults has the reports
		}
		a := page(c, l, results, len(results), "", 0)
		a.Run = new(run(r))
		return a, nil
	}, nil
}

// planRuns answers the screenings of a list, after one of them is deleted if the address names it.
func (o *operations) planRuns(drop bool) func(*call) (api.Run, error) {
	return func(c *call) (api.Run, error) {
		id := ""
		if drop {
			id, _ = c.Params.Text("run")
		}
		return func(ctx context.Context) (client.Answer, error) {
			if drop {
				if err := o.Store.DeleteListRun(ctx, c.owner, c.list, id); err != nil {
					return nil, err
				}
			}
			runs, err := o.Store.ListRuns(ctx, c.owner, c.list)
			return &client.ListRunsAnswer{Head: api.Success, ResultsCount: len(runs), Runs: each.Of(runs, run), Tail: c.Tail()}, err
		}, nil
	}
}

// planResults answers the results of a screening with their signed reports: as JSON, or the same page of reports as a ZIP, or
// all results as CSV.
func (o *operations) planResults(c *call) (api.Run, error) {
	c.ReadFormat()
	id, _ := c.Params.Text("run")
	limit := int(c.ReadLimit(listrun.PartMembers, "results are served in a page"))
	from, _, err := c.ReadCursor([]byte(id))
	c.Weight = listrun.Weight
	if c.Format() == "csv" {
		c.Weight += account.MostMembers * rowWeight
		for _, name := range []string{"limit", "cursor"} {
			if _, given := c.Params.Text(name); given {
				c.Params.Warn.Ignored(name, "CSV has all results of the screening.")
			}
		}
	}
	return func(ctx context.Context) (client.Answer, error) {
		l, err := o.Store.ListByID(ctx, c.owner, c.list)
		if err != nil {
			return nil, err
		}
		r, err := o.Store.ListRun(ctx, c.owner, c.list, id)
		if err != nil {
			return nil, err
		}
		rows := []client.ListResult{}
		if int(from) < r.Screened && c.Format() != "csv" {
			if rows, err = o.Desk.Part(ctx, c.owner, c.list, id, int(from)/listrun.PartMembers); err != nil {
				return nil, err
			}
			at := min(int(from)%listrun.PartMembers, len(rows))
			rows = rows[at:min(at+limit, len(rows))]
		}
		next := from + int64(len(rows))
		if int(next) >= r.Screened || len(rows) == 0 {
			next = 0
		}
		a := page(c, l, rows, r.Screened, id, next)
		a.Run = new(run(r))
		if c.Format() == "json" {
			return a, nil
		}
		return inFile(a, c.Format(), o.Desk.All(ctx, c.owner, c.list, r), r.Started)
	}, err
}

// inFile is a page of results as a ZIP, or all results as CSV.
func inFile(a *client.ListPage[client.ListResult], kind string, all listrun.Each, made time.Time) (client.Answer, error) {
	f := &File{ListPage: *a, kind: kind, made: made}
	if kind == "csv" {
		return f, listrun.WriteCSV(&f.body, all)
	}
	return f, listrun.WriteZIP(&f.body, listrun.Some(a.Results), made)
}

// File is results as a file.
type File struct {
	client.ListPage[client.ListResult]
	kind string
	made time.Time
	body bytes.Buffer
}

// File is the file and its name.
func (f *File) File() (string, []byte) {
	return "screening-" + f.made.Format(time.DateOnly) + "." + f.kind, f.body.Bytes()
}

// Table makes the header Link name the next page.
func (f *File) Table() (any, *int64, *string) { return f.Results, &f.Hits, f.NextCursor }
