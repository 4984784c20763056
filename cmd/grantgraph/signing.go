package main

import (
	"fmt"
	"slices"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/terminal"
)

type signingCmd struct {
	List   signingListCmd   `cmd:"" help:"List the signing keys, oldest first."`
	Rotate signingRotateCmd `cmd:"" help:"Make a new signing key and retire the current one, or mark a key as compromised."`
	Export signingExportCmd `cmd:"" name:"export-public" help:"Print the public keys, for those who verify reports."`
}

type signingStore struct {
	Data     string     `help:"Data directory; the keys are in accounts.db in it." default:"data" placeholder:"DIR"`
	Database secret.URL `help:"PostgreSQL database that holds the accounts instead; the same as the server's." placeholder:"URL"`
}

func (c *signingStore) withRing(work func(*account.Store, *keyring.Ring) error) error {
	store := keyStore{Data: c.Data, Database: c.Database}
	return store.withStore(func(s *account.Store) error { return work(s, keyring.New(s, time.Now)) })
}

type signingRecord struct {
	ID          string     `json:"id"`
	State       string     `json:"state"` // current, retired or compromised
	From        time.Time  `json:"valid_from"`
	Until       *time.Time `json:"valid_until"`
	Compromised *time.Time `json:"compromised_since"`
}

func newSigningRecord(k report.PublicKey) signingRecord {
	r := signingRecord{ID: k.ID, State: "current", From: k.From}
	if !k.Until.IsZero() {
		r.State, r.Until = "retired", &k.Until
	}
	if !k.Compromised.IsZero() {
		r.State, r.Compromised = "compromised", &k.Compromised
	}
	return r
}

func printSigningKeys(a *terminal.App, ring *keyring.Ring, asJSON bool) error {
	keys, err := ring.Keys(a.Ctx)
	if err != nil {
		return err
	}
	records := each.Of(keys, newSigningRecord)
	if len(records) == 0 && !asJSON {
		fmt.Fprintln(a.Out, "No signing keys yet. The server makes the first one when it starts.")
		return nil
	}
	return show(a, asJSON, "signing_keys", records)
}

type signingListCmd struct {
	signingStore `embed:""`
	JSON         bool `name:"json" help:"Print JSON."`
}

func (c *signingListCmd) Run(a *terminal.App) error {
	return c.withRing(func(_ *account.Store, ring *keyring.Ring) error { return printSigningKeys(a, ring, c.JSON) })
}

type signingRotateCmd struct {
	signingStore `embed:""`
	JSON         bool   `name:"json" help:"Print all keys, as they are afterward, as JSON."`
	Compromised  string `env:"-" help:"Also declare that reports the key signed from this date or time on (UTC) cannot be trusted." placeholder:"DATE"`
	// GRANTGRAPH_KEY holds an API key for other commands. It is not read here, and a secret.Text is never printed.
	Key secret.Text `env:"-" placeholder:"ID"`
}

func (c *signingRotateCmd) Run(a *terminal.App) error {
	since, err := parseCompromised(c.Compromised, time.Now())
	if err != nil {
		return err
	}
	if !c.Key.Empty() && since.IsZero() {
		return fault.New("bad_flag", "--key names the key that was compromised, but not since when").Try("add --compromised DATE, or leave --key out to rotate")
	}
	return c.withRing(func(s *account.Store, ring *keyring.Ring) error {
		current, err := ring.Current(a.Ctx)
		if err != nil {
			return err
		}
		if id := c.Key.Reveal(); id != "" && id != current.ID {
			if err := s.MarkCompromised(a.Ctx, id, since); err != nil {
				return err
			}
			fmt.Fprintf(a.Err, "%s is marked as compromised since %s. Nothing was rotated.\n", id, since.Format(time.RFC3339))
			return printSigningKeys(a, ring, c.JSON)
		}
		retired, now, err := ring.Rotate(a.Ctx, since)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "%s signs from now on. %s is retired", now.ID, retired.ID)
		if !since.IsZero() {
			fmt.Fprintf(a.Err, " and marked as compromised since %s", since.Format(time.RFC3339))
		}
		fmt.Fprintln(a.Err, ".")
		return printSigningKeys(a, ring, c.JSON)
	})
}

// parseCompromised reads a time, or a date, which stands for its first moment in UTC. An empty text is the zero time.
func parseCompromised(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		t, err := time.Parse(layout, text)
		if err != nil || t.Unix() <= 0 {
			continue // the zero time would say that nothing is compromised
		}
		if t.After(now) {
			return time.Time{}, fault.New("bad_date", "--compromised %s is in the future", text).Try("give the first moment at which somebody else may have had the key")
		}
		return t.UTC(), nil
	}
	return time.Time{}, fault.New("bad_date", "--compromised %q is neither a date nor a time", fault.Clip(text, 40)).
		Try("--compromised 2026-03-10, or --compromised 2026-03-10T12:00:00Z")
}

type signingExportCmd struct {
	signingStore `embed:""`
	ID           string `arg:"" optional:"" help:"ID of one key; all keys without it, or the current one with --pem."`
	PEM          bool   `name:"pem" help:"Print one key as PEM, which openssl reads, instead of a JSON web key set."`
}

func (c *signingExportCmd) Run(a *terminal.App) error {
	return c.withRing(func(_ *account.Store, ring *keyring.Ring) error {
		keys, err := ring.Keys(a.Ctx)
		if err != nil {
			return err
		}
		// A ring without keys is a mistake, also when all keys are wanted.
		current, err := ring.Current(a.Ctx)
		if err != nil {
			return err
		}
		id := c.ID
		if c.PEM && id == "" {
			id = current.ID
		}
		if id != "" {
			i := slices.IndexFunc(keys, func(k report.PublicKey) bool { return k.ID == id })
			if i < 0 {
				return fault.New("unknown_signing_key", "There is no such signing key.").Try("grantgraph signing list shows the keys and their IDs")
			}
			keys = keys[i : i+1]
		}
		out := keyring.JWKS(keys)
		if c.PEM {
			out = keys[0].PEM()
		}
		_, err = a.Out.Write(out)
		return err
	})
}
