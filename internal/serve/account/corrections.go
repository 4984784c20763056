package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/csv"
	"net/url"
	"strings"
	"time"

	"grantgraph/internal/serve/network"
)

// What a correction proposes for the lines that it selects.
const (
	AnOrganization = "organization" // they name this organization
	AnotherOne     = "other"        // they name another organization than the match, and the visitor does not know which
	Nobody         = "nobody"       // they name no organization
)

// Correction is what a visitor proposes about a wrong match, with the evidence.
type Correction struct {
	Dataset, GrantKey        string   // what the visitor saw
	Line                     []string // the first five columns of human.csv, which select the lines
	Filed                    string   // the recipient as filed
	WasEIN, WasRule, WasProb string   // the match; empty if there is none
	Proposal, EIN, Name      string   // the name is that of the dataset, and empty if it does not know the EIN
	Reason, Source           string   // the source is an address on the web, or empty
	Account, Address         string   // of the sender, if signed in; of the address only a hash is kept, to count
}

// Bounds of corrections. Without an account a network counts as one visitor, and visitors may fill half of the queue, so that a
// stranger with many networks does not keep members from sending theirs.
const (
	CorrectionsADay = 10
	MostCorrections = 2_000 // that wait
	MostReason      = 2_000 // bytes
)

const correctionPrefix = "cor_" // of the ID of a correction

func (c *Correction) check() (err error) {
	if c.Reason, err = listText("reason", c.Reason, MostReason); err == nil && c.Reason == "" {
		err = refuse(nil, "no_reason")
	}
	if u, bad := url.Parse(c.Source); c.Source != "" && (bad != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(c.Source) > 500) {
		err = refuse(nil, "bad_source")
	}
	c.Filed = legible(c.Filed, maxDetails)
	return err
}

// Correct puts a correction into the operator's queue. One that waits already, or was accepted since the dataset was built, is
// counted once more instead.
func (s *Store) Correct(ctx context.Context, c Correction) error {
	id, err := newID(correctionPrefix, rand.Reader)
	if err = cmp.Or(c.check(), err); err != nil {
		return err
	}
	line, most := strings.Join(c.Line, ","), MostCorrections // no column has a comma
	if c.Account == "" {
		most /= 2
	}
	day := s.dailyCounter("correction", cmp.Or(c.Account, network.Near(c.Address)), CorrectionsADay)
	return s.update(ctx, func(t *tx) {
		if t.lockCount(day) >= day.most {
			t.fail(refuse(spent(Day.Reset(t.now).Sub(t.now)), "corrections_spent", day.most))
		}
		t.addCount(day, 1)
		if t.exec("UPDATE corrections SET times = times + 1 WHERE line = $1 AND proposal = $2 AND ein = $3"+
			" AND (state = 'waiting' OR state = 'accepted' AND dataset = $4)", line, c.Proposal, c.EIN, c.Dataset) > 0 {
			return
		}
		var waiting int
		if t.get("SELECT COUNT(*) FROM corrections WHERE state = 'waiting'", nil, &waiting); waiting >= most {
			t.fail(refuse(nil, "corrections_full", waiting))
		}
		// Another visitor may send the same at the same moment.
		t.exec("INSERT INTO corrections (id, state, sent, times, dataset, grant_key, line, filed, was_ein, was_rule, was_prob, proposal, ein, name,"+
			" reason, source, account) VALUES ($1, 'waiting', $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,"+
			" (SELECT seq FROM accounts WHERE id = $15))"+
			" ON CONFLICT (line, proposal, ein) WHERE state = 'waiting' DO UPDATE SET times = corrections.times + 1",
			id, t.now.UnixNano(), c.Dataset, c.GrantKey, line, c.Filed, c.WasEIN, c.WasRule, c.WasProb, c.Proposal, c.EIN, c.Name, c.Reason, c.Source, c.Account)
	})
}

// AcceptCorrection accepts a correction and returns its row for human.csv. write adds the row to that file, unless it is there;
// nil leaves that for later: an accepted correction may be accepted again.
func (s *Store) AcceptCorrection(ctx context.Context, id string, write func(row string) error) (row string, err error) {
	err = s.decide(ctx, id, "waiting accepted", func(t *tx, c Correction) string {
		action, written := "none", int64(0)
		if c.Proposal == AnOrganization {
			action = "set_unknown" // a list that loses the organization must not stop a build
		}
		if strings.ContainsAny(c.Reason[:1], "=+-@") {
			c.Reason = "'" + c.Reason // no formula for the spreadsheet in which an operator opens the file
		}
		fields := append(c.Line, c.EIN, action, c.Reason, c.Source, actor(ctx).Name, t.now.UTC().Format(time.DateOnly))
		var text strings.Builder
		w := csv.NewWriter(&text)
		_ = w.Write(fields) // a Builder never fails
		w.Flush()
		if row = strings.TrimSuffix(text.String(), "\n"); write != nil {
			// The transaction may run again, and finds the row in the file then. No other server writes the file at the same moment.
			if t.lockCount(s.dailyCounter("ruling", "", 0)); t.err == nil {
				t.fail(write(row))
			}
			written = t.now.UnixNano()
		}
		t.exec("UPDATE corrections SET state = 'accepted', decided = $2 WHERE id = $1 AND decided = 0", id, t.now.UnixNano())
		t.exec("UPDATE corrections SET written = $2 WHERE id = $1 AND written = 0", id, written)
		return "accepted " + id + ": " + strings.Join(fields[:7], ",")
	})
	return row, err
}

// RejectCorrection rejects a correction that waits, and keeps the reason.
func (s *Store) RejectCorrection(ctx context.Context, id, why string) error {
	return s.decide(ctx, id, "waiting", func(t *tx, _ Correction) string {
		why, err := listText("reason", why, MostReason)
		t.exec("UPDATE corrections SET state = 'rejected', decided = $2, note = $3 WHERE id = $1", id, t.now.UnixNano(), why)
		t.fail(err)
		return "rejected " + id + ": " + why
	})
}

// decide changes a correction that is in one of the states, and notes it in the audit trail.
func (s *Store) decide(ctx context.Context, id, states string, change func(*tx, Correction) (details string)) error {
	return s.update(ctx, func(t *tx) {
		var c Correction
		var state, line string
		found := t.get("SELECT state, line, proposal, ein, reason, source FROM corrections WHERE id = $1"+t.lock, []any{legible(id, maxActor)},
			&state, &line, &c.Proposal, &c.EIN, &c.Reason, &c.Source)
		if !found {
			t.fail(refuse(nil, "unknown_correction"))
		} else if !strings.Contains(states, state) {
			t.fail(refuse(nil, "correction_decided"))
		}
		if c.Line = strings.Split(line, ","); t.err == nil {
			s.note(t, EventCorrection, "", change(t, c))
		}
	})
}
