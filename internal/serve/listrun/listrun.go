// Package listrun screens the lists of organizations that accounts keep. A screening advances part by part, each of as many
// organizations as one call screens, and every part is stored with its signed reports before the next begins. So a screening of
// a long list takes little memory, can stop and go on, and what it found can be read again.
package listrun

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/serve/search"
)

// PartMembers is how many organizations a part has: as many as one call of bulk screening.
const PartMembers = 100

// Weight is what a part takes while it is screened, in bytes.
const Weight = PartMembers * (512 << 10)

const maxPart = 32 << 20

// Store keeps lists and their runs; *account.Store is one.
type Store interface {
	Members(ctx context.Context, owner, list string, after int64, most int) ([]account.Member, error)
	ListRun(ctx context.Context, owner, list, run string) (account.ListRun, error)
	BeginListRun(ctx context.Context, owner, list string) (account.ListRun, error)
	ClaimListRun(ctx context.Context, owner, list, run string) (account.ListRun, error)
	ReleaseListRun(ctx context.Context, r account.ListRun) error
	AdvanceListRun(ctx context.Context, owner, list string, r account.ListRun, reports []byte) error
	DeleteListRun(ctx context.Context, owner, list, run string) error
	ListReports(ctx context.Context, owner, list, run string, part int) ([]byte, error)
}

type Desk struct {
	Store
	Signer report.Signer
	Base   string // address of the service, for reports
	Clock  func() time.Time
}

type Data struct {
	Screener *screen.Screener
	Version  string
	Lookup   func(ein.EIN) (search.Result, bool) // finds who filed; nil where filings are out of service
}

// Summary is what the store keeps about a run.
type Summary struct {
	Counts  client.ListCounts         `json:"counts"`
	Sources *client.ComplianceSources `json:"sources"`
}

func SummaryOf(r account.ListRun) (s Summary) {
	_ = json.Unmarshal(r.Summary, &s) // an unreadable summary is an empty one
	return s
}

// Next is the next part of a run, before it is screened.
type Next struct {
	Run     account.ListRun
	Members []account.Member // none if the rest of the list was removed meanwhile

	desk          *Desk
	account, list string
	begun, last   bool
}

// Prepare claims the next part of a run; an empty run begins another one. Nothing is screened and nothing needs to be paid
// yet, and nobody else can claim the part until it is screened or abandoned.
func (d *Desk) Prepare(ctx context.Context, owner, list, run string) (*Next, error) {
	n := &Next{desk: d, account: owner, list: list, begun: run == ""}
	var err error
	if n.begun {
		n.Run, err = d.BeginListRun(ctx, owner, list)
	} else {
		n.Run, err = d.ClaimListRun(ctx, owner, list, run)
	}
	if err != nil {
		return nil, err
	}
	if !n.Run.Ended.IsZero() {
		n.last = true
		return n, nil
	}
	n.Members, err = d.Members(ctx, owner, list, n.Run.Reached, PartMembers+1)
	if n.last = len(n.Members) <= PartMembers; !n.last {
		n.Members = n.Members[:PartMembers]
	}
	if err != nil {
		return nil, cmp.Or(n.Abandon(ctx), err)
	}
	return n, nil
}

// abandonTimeout bounds how long somebody who has left is waited for.
const abandonTimeout = 10 * time.Second

// Abandon gives the part back, because it was not screened, and removes the run if Prepare began it.
func (n *Next) Abandon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	if n.begun {
		return n.desk.DeleteListRun(ctx, n.account, n.list, n.Run.ID)
	}
	return n.desk.ReleaseListRun(ctx, n.Run)
}

// Screen screens the part and stores it. It returns the run as it is now.
func (n *Next) Screen(ctx context.Context, data Data) (account.ListRun, []client.ListResult, error) {
	if !n.Run.Ended.IsZero() {
		return n.Run, nil, nil
	}
	at := n.desk.Clock()
	results, err := n.desk.Results(ctx, n.Members, data, at)
	if err != nil {
		return n.Run, nil, err
	}
	summary := SummaryOf(n.Run)
	summary.Sources = data.Screener.Sources(at)
	for i := range results {
		count(&summary.Counts, results[i].Outcome)
	}
	if len(n.Members) > 0 {
		n.Run.Reached = n.Members[len(n.Members)-1].Position
	}
	n.Run.Screened += len(n.Members)
	n.Run.Dataset = data.Version
	if n.last {
		n.Run.Ended = n.desk.Clock().UTC()
	}
	if n.Run.Summary, err = json.Marshal(summary); err != nil {
		return n.Run, nil, err
	}
	var packed []byte
	if len(results) > 0 {
		if packed, err = Pack(results); err != nil {
			return n.Run, nil, err
		}
		n.Run.Parts++
	}
	return n.Run, results, n.desk.AdvanceListRun(ctx, n.account, n.list, n.Run, packed)
}

// Results screens members, without a store.
func (d *Desk) Results(ctx context.Context, members []account.Member, data Data, at time.Time) ([]client.ListResult, error) {
	results := make([]client.ListResult, len(members))
	return results, parallel.Each(ctx, 0, len(members), func(ctx context.Context, i int) (err error) {
		results[i], err = d.screen(ctx, members[i], data, at)
		return err
	})
}

// screen screens one member, by its EIN or else by its name.
func (d *Desk) screen(ctx context.Context, m account.Member, data Data, at time.Time) (r client.ListResult, err error) {
	r.Position, r.Name, r.Note = m.Position, m.Name, m.Note
	var signed any
	if m.EIN != ein.None {
		number := m.EIN.String()
		r.EIN = &number
		q := screen.Query{EIN: m.EIN, Unfiled: data.Lookup == nil}
		if !q.Unfiled {
			if found, _ := data.Lookup(m.EIN); found.Name != "" {
				q.Filed = []string{found.Name}
			}
		}
		record := data.Screener.Screen(q, at)
		r.Outcome = outcome(record)
		signed, err = report.Issue(ctx, d.Signer, report.ContentOf(record), report.VerifyPage(d.Base), at)
	} else if report.HoldsPage([]byte(m.Name)) {
		problem := "This holds code of a PDF or of a web page (a <, startxref or %PDF-), so we don't screen it as a name."
		r.Outcome, r.Error = "unreadable", &problem
		return r, nil
	} else {
		record := data.Screener.ScreenName(client.ScreenedName{Name: m.Name}, nil, at)
		r.Outcome = "name_only"
		switch record.Compliance.OFACSanctionsScreen.Status {
		case screen.PotentialMatch:
			r.Outcome = "closer_look"
		case screen.NotScreened:
			r.Outcome = screen.NotScreened
		}
		signed, err = report.Issue(ctx, d.Signer, report.NameContentOf(record), report.VerifyPage(d.Base), at)
	}
	if err == nil {
		r.Report, err = json.Marshal(signed)
	}
	return r, err
}

// outcome is the result of an organization in a word, counted as in a spreadsheet.
func outcome(r *client.ScreeningRecord) string {
	var t sheet.Tally
	t.Add(&sheet.Result{Record: r})
	for word, n := range map[string]int64{"not_found": t.NotFound, "closer_look": t.CloserLook, screen.NotScreened: t.NotScreened} {
		if n > 0 { // one row counts once
			return word
		}
	}
	return "no_findings"
}

func count(c *client.ListCounts, outcome string) {
	*map[string]*int{"closer_look": &c.CloserLook, screen.NotScreened: &c.NotScreened, "no_findings": &c.NoFindings, "not_found": &c.NotFound,
		"name_only": &c.NameOnly, "unreadable": &c.Unreadable}[outcome]++
}

// Part reads the results of one part of a run.
func (d *Desk) Part(ctx context.Context, owner, list, run string, part int) (results []client.ListResult, err error) {
	packed, err := d.ListReports(ctx, owner, list, run, part)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(z, maxPart)).Decode(&results)
	}
	if err != nil {
		return nil, fmt.Errorf("part %d of %s: %w", part, run, err)
	}
	return results, nil
}

// Pack is results as the store keeps them.
func Pack(results []client.ListResult) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(results); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// RecordOf reads the record of a result again from its report, with the ID of the report and when it was issued. The record of
// a name has the sanctions screen alone. There is none without a report.
func RecordOf(r *client.ListResult) (record *client.ScreeningRecord, id, issued string, err error) {
	if r.Report == nil {
		return nil, "", "", nil
	}
	if r.EIN == nil {
		var named client.NameReport
		err = json.Unmarshal(r.Report, &named)
		sanctions := client.Compliance{OFACSanctionsScreen: named.Content.Compliance.OFACSanctionsScreen}
		return &client.ScreeningRecord{Compliance: sanctions}, named.ReportID, named.IssuedAt, err
	}
	var signed client.Report
	err = json.Unmarshal(r.Report, &signed)
	c := &signed.Content
	record = &client.ScreeningRecord{EIN: c.EIN, Found: c.Found, Organization: c.Organization, Compliance: c.Compliance, Sources: c.Sources}
	return record, signed.ReportID, signed.IssuedAt, err
}
