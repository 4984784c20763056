package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"grantgraph/internal/fault"
)

// Kind is the kind of an event.
type Kind string

// The kinds of events that the store itself notes, and EventRefusal for those
// who turn a caller away.
const (
	EventMint       Kind = "mint"
	EventRotate     Kind = "rotate"
	EventDeactivate Kind = "deactivate"
	EventReactivate Kind = "reactivate"
	EventDelete     Kind = "delete"
	EventPlan       Kind = "plan"
	EventSignUp     Kind = "sign_up"
	EventSignIn     Kind = "sign_in"
	EventSignInFail Kind = "sign_in_failure"
	EventVerified   Kind = "email_verified"
	EventPassword   Kind = "password"
	EventUnlock     Kind = "unlock"
	EventRefusal    Kind = "refusal"

	// Of the keys that sign reports.
	EventSigningKey         Kind = "signing_key"
	EventSigningRotate      Kind = "signing_rotate"
	EventSigningCompromised Kind = "signing_compromised"
)

// Event is something that happened to keys or accounts. It holds no secret,
// and of an address only a hash that means nothing outside this store.
type Event struct {
	Seq     int64 // its place in the trail
	At      time.Time
	Kind    Kind
	Actor   string // who did it; see As
	Key     string // ID of the key, or of the signing key, if one was concerned
	Address string // a network address when it is written, a hash when it is read
	Details string
}

// Actor is who acts on the store: a person, an agent, an operator.
type Actor struct {
	Name    string // such as an account ID; empty is the operator
	Address string // network address, if there is one
}

type actorKey struct{}

// As says in whose name the store is used; without it, it is the operator, who
// has the machine.
func As(ctx context.Context, who Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, who)
}

func actor(ctx context.Context) Actor {
	who, _ := ctx.Value(actorKey{}).(Actor)
	if who.Name == "" {
		who.Name = "operator"
	}
	return who
}

// Bounds of an event.
const (
	maxDetails = 2000
	maxActor   = 300
	maxTrail   = 1000
)

// note writes an event of the actor into the transaction it is about.
func (s *store) note(t *tx, kind Kind, key, details string) error {
	who := actor(t.ctx)
	return s.append(t, Event{Kind: kind, Actor: who.Name, Key: key, Address: who.Address, Details: details})
}

func (s *store) append(t *tx, e Event) error {
	address := []byte{}
	if e.Address != "" {
		address = s.pepperedHash("event", networkOf(e.Address))
	}
	return t.later("INSERT INTO events (at, kind, actor, key, address, details) VALUES ($1, $2, $3, $4, $5, $6)",
		t.now.UnixNano(), string(e.Kind), legible(e.Actor, maxActor), e.Key, address, legible(e.Details, maxDetails))
}

// legible cuts a text to size and takes out what is not fit to be shown: an
// event is never refused for its words.
func legible(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !readable(s) {
		s = strings.Map(func(r rune) rune {
			if readable(string(r)) {
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

func (s *store) Audit(ctx context.Context, e Event) error {
	if e.Kind == "" || len(e.Kind) > 40 || !readable(string(e.Kind)) {
		return fmt.Errorf("an event of kind %q", fault.Clip(string(e.Kind), maxQuoted))
	}
	if e.Key != "" && !isID(idPrefix, e.Key) {
		return fmt.Errorf("an event about a key %q", fault.Clip(e.Key, maxQuoted))
	}
	who := actor(ctx)
	if e.Actor == "" {
		e.Actor = who.Name
	}
	if e.Address == "" {
		e.Address = who.Address
	}
	return s.update(ctx, func(t *tx) error { return s.append(t, e) })
}

// EventFilter says which events are asked for; the zero value asks for the newest.
type EventFilter struct {
	Kind   Kind
	Actor  string
	Key    string
	From   time.Time
	Until  time.Time // events before it
	Before int64     // events whose Seq is less; for the next page
	Limit  int       // 0 is 100; at most 1,000
}

func (s *store) AuditTrail(ctx context.Context, f EventFilter) ([]Event, error) {
	if f.Limit < 0 || f.Limit > maxTrail {
		return nil, badTrailLimit()
	}
	if f.Limit == 0 {
		f.Limit = 100
	}
	events := []Event{}
	if !readable(string(f.Kind)) || !readable(f.Actor) || !readable(f.Key) {
		return events, nil
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
	args = append(args, f.Limit)
	text := fmt.Sprintf("SELECT seq, at, kind, actor, key, address, details FROM events WHERE %s ORDER BY seq DESC LIMIT $%d", strings.Join(where, " AND "), len(args))
	err := s.view(ctx).each(text, args, func(scan func(...any) error) error {
		var e Event
		var at int64
		var address []byte
		if err := scan(&e.Seq, &at, &e.Kind, &e.Actor, &e.Key, &address, &e.Details); err != nil {
			return err
		}
		e.At, e.Address = time.Unix(0, at).UTC(), fmt.Sprintf("%x", address)
		events = append(events, e)
		return nil
	})
	return events, err
}
