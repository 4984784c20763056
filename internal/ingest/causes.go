package ingest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/derive/cause"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// CauseReport says what was inferred for organizations without a code.
type CauseReport struct {
	Registered int          `json:"registered"` // organizations whose registered code names a cause
	Missing    int64        `json:"missing"`    // organizations without a code
	Inferred   int64        `json:"inferred"`   // of them, those with an inferred cause
	Letters    []CauseCount `json:"letters"`
	Note       string       `json:"note,omitempty"`
}

type CauseCount struct {
	Letter   string `json:"letter"`
	Inferred int64  `json:"inferred"`
	// Held and Right come from a test with hidden codes. Held counts the organizations that this cause was
	// inferred for; Right counts those where it is correct.
	Held  int `json:"held_out"`
	Right int `json:"right"`
}

// evidenceRow holds the columns of table organizations that causes are inferred from.
type evidenceRow struct {
	EIN         string   `parquet:"ein"`
	Name        string   `parquet:"name"`
	Aliases     []string `parquet:"aliases,list"`
	AlsoKnown   []string `parquet:"also_known_as,list"`
	NTEE        string   `parquet:"ntee_cd,optional"`
	Subsection  string   `parquet:"subsection,optional"`
	Foundation  string   `parquet:"foundation,optional"`
	Affiliation string   `parquet:"affiliation,optional"`
	Group       string   `parquet:"group_number,optional"`
}

// registerRow has the same for the list of the master file, wordsRow for table orgs, and receivedRow for table purposes.
type registerRow struct {
	EIN       string `parquet:"ein"`
	SortName  string `parquet:"sort_name,optional"` // may name a person, so we read it but never store it
	FilingReq string `parquet:"filing_req_cd,optional,dict"`
	Activity  string `parquet:"activity,optional,dict"`
}

type wordsRow struct {
	EIN      string   `parquet:"ein"`
	Mission  string   `parquet:"mission,optional"`
	Activity string   `parquet:"activity,optional"`
	Programs []string `parquet:"programs,list"`
}

type receivedRow struct {
	EIN      string   `parquet:"ein"`
	Received []string `parquet:"received,list"`
}

type candidate struct {
	cause.Case
	coded bool // it has a registered code, even one that means unknown
}

// none is used for a table that does not exist.
func none[T any](func(T, error) bool) {}

// candidates are the organizations of a snapshot, sorted by EIN.
func candidates(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		register, received := iter.Seq2[registerRow, error](none[registerRow]), iter.Seq2[receivedRow, error](none[receivedRow])
		if e != nil && e.Status(lists.BMF).Loaded {
			register = snapshot.Rows[registerRow](e.Snapshot, lists.Masters)
		}
		if s.HasTable(snapshot.Purposes) {
			received = snapshot.Rows[receivedRow](s, snapshot.Purposes)
		}
		listed := snapshot.Follow(snapshot.Until(ctx, register), func(r *registerRow) string { return r.EIN })
		defer listed.Stop()
		filers := snapshot.Follow(snapshot.Until(ctx, snapshot.Rows[wordsRow](s, snapshot.Orgs)), func(r *wordsRow) string { return r.EIN })
		defer filers.Stop()
		gifts := snapshot.Follow(snapshot.Until(ctx, received), func(r *receivedRow) string { return r.EIN })
		defer gifts.Stop()
		for r, err := range snapshot.Until(ctx, snapshot.Rows[evidenceRow](s, snapshot.Organizations)) {
			entry, errListed := listed.At(r.EIN)
			filer, errFilers := filers.At(r.EIN)
			given, errGifts := gifts.At(r.EIN)
			if err = cmp.Or(err, errListed, errFilers, errGifts); err != nil {
				yield(candidate{}, err)
				return
			}
			c := candidate{Case: cause.Case{Letter: cause.Letter(r.NTEE), Org: cause.Org{
				EIN: ein.Stored(r.EIN), Name: r.Name, Subsection: r.Subsection, Foundation: r.Foundation, Affiliation: r.Affiliation, Group: r.Group,
			}}}
			_, c.coded = ntee.Parse(r.NTEE)
			if entry != nil {
				c.FilingReq, c.Activity = entry.FilingReq, entry.Activity
				if entry.SortName != "" {
					c.Others = append(c.Others, entry.SortName)
				}
			}
			c.Others = append(append(c.Others, r.AlsoKnown...), r.Aliases...)
			if filer != nil {
				c.Texts = append(append(c.Texts, filer.Mission, filer.Activity), filer.Programs...)
			}
			if given != nil {
				c.Texts = append(c.Texts, given.Received...)
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// CauseCases are the organizations of a snapshot, joined with an edition of the
// lists, for measuring how well causes are inferred.
func CauseCases(ctx context.Context, s *snapshot.Snapshot, e *lists.Edition) ([]cause.Case, error) {
	var list []cause.Case
	for c, err := range candidates(ctx, s, e) {
		if err != nil {
			return nil, err
		}
		if c.coded == (c.Letter != 0) {
			list = append(list, c.Case)
		}
	}
	return list, nil
}

// writeCauses infers the causes of organizations without a code, by learning from those with a code.
func (d *deriver) writeCauses(ctx context.Context) error {
	trainer := cause.NewTrainer()
	report := CauseReport{Letters: []CauseCount{}}
	// Keep the evidence on organizations without a code, so that the tables are read once.
	var collector cause.Collector
	var codeless []cause.Evidence
	for c, err := range candidates(ctx, d.w.Unpublished(), d.edition) {
		if err != nil {
			return err
		}
		if c.Letter != 0 {
			trainer.Add(&c.Org, c.Letter)
		}
		if !c.coded {
			codeless = append(codeless, collector.Read(&c.Org))
		}
	}
	report.Missing = int64(len(codeless))
	model, err := trainer.Train(ctx, d.b.workers)
	if err != nil {
		return err
	}
	report.Registered = model.Labels
	inferred, err := d.inferCauses(ctx, model, codeless)
	if err != nil {
		return err
	}
	if err := writeDerived(ctx, d, snapshot.InferredCauses, slices.Values(inferred)); err != nil {
		return err
	}
	var letters ['Z' + 1]int64
	for i := range inferred {
		letters[inferred[i].Letter[0]]++
	}
	report.Inferred = int64(len(inferred))
	for letter, n := range letters {
		if n > 0 {
			t := &model.Causes[letter-'A']
			report.Letters = append(report.Letters, CauseCount{string(rune(letter)), n, t.Inferred, t.Right})
		}
	}
	if model.Learned == 0 {
		report.Note = fmt.Sprintf("Only %d organizations have a registered cause: fewer than %d are too few to learn from, so none is inferred.",
			model.Labels, cause.MinLabels)
	}
	d.mu.Lock()
	d.report.Causes = report
	d.mu.Unlock()
	return d.writeOrgCauses(ctx, inferred)
}

func (d *deriver) inferCauses(ctx context.Context, model *cause.Model, codeless []cause.Evidence) ([]snapshot.InferredCause, error) {
	rows := make([]snapshot.InferredCause, len(codeless))
	err := d.b.chunks(ctx, len(codeless), func(from, to int) {
		r := model.Reader()
		for i := from; i < to; i++ {
			if letter, sure, ok := r.InferFrom(&codeless[i]); ok {
				rows[i] = snapshot.InferredCause{EIN: codeless[i].EIN.String(), Letter: string(rune(letter)), Confidence: sure}
			}
		}
	})
	return slices.DeleteFunc(rows, func(row snapshot.InferredCause) bool { return row.Letter == "" }), err
}

type codeRow struct {
	EIN  string `parquet:"ein"`
	NTEE string `parquet:"ntee_cd,optional"`
}

// writeOrgCauses writes registered and inferred causes side by side. The
// organizations and the inferred causes are both sorted by EIN.
func (d *deriver) writeOrgCauses(ctx context.Context, inferred []snapshot.InferredCause) error {
	err := snapshot.WriteRows(ctx, d.w, snapshot.OrgCauses, func(yield func(snapshot.OrgCause, error) bool) {
		for r, err := range snapshot.Rows[codeRow](d.w.Unpublished(), snapshot.Organizations) {
			if err != nil {
				yield(snapshot.OrgCause{}, err)
				return
			}
			row := snapshot.OrgCause{EIN: r.EIN}
			var guess byte
			if len(inferred) > 0 && inferred[0].EIN == r.EIN {
				guess, row.Confidence = inferred[0].Letter[0], inferred[0].Confidence
				inferred = inferred[1:]
			}
			code, _ := ntee.Parse(r.NTEE)
			letter, source := ntee.Any.Cause(code, guess)
			if letter == 0 {
				continue
			}
			row.Letter, row.Label, row.Source = string(rune(letter)), ntee.Label(letter), source
			if !yield(row, nil) {
				return
			}
		}
	})
	if err == nil {
		d.count(snapshot.OrgCauses)
	}
	return err
}
