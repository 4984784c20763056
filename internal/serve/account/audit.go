package account

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/network"
)

type Kind string

const (
	EventMint       Kind = "mint"
	EventRotate     Kind = "rotate"
	EventDeactivate Kind = "deactivate"
	EventReactivate Kind = "reactivate"
	EventDelete     Kind = "delete"
	EventPlan       Kind = "plan"
	EventSignUp     Kind = "sign_up"
	EventInvite     Kind = "invite"
	EventSignIn     Kind = "sign_in"
	EventSignInFail Kind = "sign_in_failure"
	EventVerified   Kind = "email_verified"
	EventPassword   Kind = "password"
	EventUnlock     Kind = "unlock"
	EventRefusal    Kind = "refusal"
	EventExport     Kind = "export"
	EventErase      Kind = "erase"
	EventPublish    Kind = "publish"    // another dataset is served; details have its version and the one before
	EventCorrection Kind = "correction" // of a wrong match, which an operator accepted or rejected
	EventScrub      Kind = "scrub"      // the files of the store were written anew, without what was erased

	// Events of the keys that sign reports.
	EventSigningKey         Kind = "signing_key"
	EventSigningRotate      Kind = "signing_rotate"
	EventSigningCompromised Kind = "signing_compromised"
)

// Event is something that happened to keys or accounts. It holds no secret, and of an address a hash that is useless elsewhere.
type Event struct {
	Seq     int64     `json:"seq"` // its number in the audit log
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	Actor   string    `json:"actor"`             // who did it; see As
	Key     string    `json:"key,omitempty"`     // ID of the key or signing key, if the event concerns one
	Address string    `json:"address,omitempty"` // a network address when it is written, a hash when it is read
	Details string    `json:"details,omitempty"`
}

// Actor is who acts on the store: a person, an agent, or an operator.
type Actor struct {
	Name    string // such as an account ID; empty for the operator
	Address string // network address, if there is one
}

type actorKey struct{}

// As returns a context in which the store acts for who, and not for the operator.
func As(ctx context.Context, who Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, who)
}

func actor(ctx context.Context) Actor {
	who, _ := ctx.Value(actorKey{}).(Actor)
	who.Name = cmp.Or(who.Name, "operator")
	return who
}

// How long events stay in the audit trail. The databases refuse to remove younger events than the least.
const (
	AuditKept      = 365 * 24 * time.Hour
	LeastAuditKept = 31 * 24 * time.Hour
)

const (
	maxDetails = 2000
	maxActor   = 300
	maxTrail   = 1000
)

func (s *Store) note(t *tx, kind Kind, key, details string) {
	who := actor(t.ctx)
	s.append(t, Event{Kind: kind, Actor: who.Name, Key: key, Address: who.Address, Details: details})
}

func (s *Store) append(t *tx, e Event) {
	address := []byte{}
	if e.Address != "" {
		address = s.pepperedHash("event", network.Near(e.Address))
	}
	t.later("INSERT INTO events (at, kind, actor, key, address, details) VALUES ($1, $2, $3, $4, $5, $6)",
		t.now.UnixNano(), string(e.Kind), legible(e.Actor, maxActor), e.Key, address, legible(e.Details, maxDetails))
}

// legible makes any text fit for an event, so that the store never refuses one for its words.
func legible(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !fault.Legible(s) {
		s = strings.Map(func(r rune) rune {
			if fault.Legible(string(r)) {
				return r
			}
			return ' '
		}, s)
	}
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// Audit adds an event. If actor and address are empty, they are those of As.
func (s *Store) Audit(ctx context.Context, e Event) error {
	if e.Kind == "" || len(e.Kind) > 40 || !fault.Legible(string(e.Kind)) {
		return fmt.Errorf("an event of kind %q", fault.Clip(string(e.Kind), maxQuoted))
	}
	if e.Key != "" && !isID(idPrefix, e.Key) {
		return fmt.Errorf("an event about a key %q", fault.Clip(e.Key, maxQuoted))
	}
	who := actor(ctx)
	e.Actor = cmp.Or(e.Actor, who.Name)
	e.Address = cmp.Or(e.Address, who.Address)
	return s.update(ctx, func(t *tx) { s.append(t, e) })
}

// EventFilter selects events; the zero value selects the newest.
type EventFilter struct {
	Kind   Kind
	Actor  string
	Key    string
	From   time.Time
	Until  time.Time // exclusive
	Before int64     // only events with a smaller Seq; for the next page
	Limit  int       // 0 for 100; at most 1,000
}

// AuditTrail returns the events that the filter selects, newest first.
func (s *Store) AuditTrail(ctx context.Context, f EventFilter) ([]Event, error) {
	if f.Limit < 0 || f.Limit > maxTrail {
		return nil, refuse(nil, "bad_trail_limit", maxTrail)
	}
	if !fault.Legible(string(f.Kind)) || !fault.Legible(f.Actor) || !fault.Legible(f.Key) {
		return []Event{}, nil
	}
	where, args := []string{"seq > 0"}, []any{}
	add := func(wanted bool, condition string, arg any) {
		if wanted {
			args = append(args, arg)
			where = append(where, fmt.Sprintf(condition+" $%d", len(args)))
		}
	}
	add(f.Kind != "", "kind =", string(f.Kind))
	add(f.Actor != "", "actor =", f.Actor)
	add(f.Key != "", "key =", f.Key)
	add(!f.From.IsZero(), "at >=", f.From.UnixNano())
	add(!f.Until.IsZero(), "at <", f.Until.UnixNano())
	add(f.Before > 0, "seq <", f.Before)
	args = append(args, cmp.Or(f.Limit, 100))
	text := fmt.Sprintf("SELECT seq, at, kind, actor, key, address, details FROM events WHERE %s ORDER BY seq DESC LIMIT $%d",
		strings.Join(where, " AND "), len(args))
	v := s.view(ctx)
	return resultOf(v, collect(v, text, args, func(scan scanner) (e Event, err error) {
		var at int64
		var address []byte
		err = scan(&e.Seq, &at, &e.Kind, &e.Actor, &e.Key, &address, &e.Details)
		e.At, e.Address = time.Unix(0, at).UTC(), fmt.Sprintf("%x", address)
		return e, err
	}))
}
