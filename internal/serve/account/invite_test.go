package account

import (
	"testing"
	"time"
)

// TestStoreInvite follows an invitation: nobody enters before the secret is used, the
// secret works once and for two weeks, and another invitation voids it.
func TestStoreInvite(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := As(t.Context(), Actor{Name: "operator"})
		old, a, err := s.Invite(ctx, " Ada@Example.org ")
		if err != nil || a.Email != "ada@example.org" || a.Verified || a.Plan != Free {
			t.Fatal(a, err)
		}
		if _, _, err := s.SignIn(ctx, a.Email, password, ""); slugOf(err) != "bad_credentials" {
			t.Error("signed in before the invitation was used", err)
		}
		secret, again, err := s.Invite(ctx, a.Email)
		if err != nil || again.ID != a.ID {
			t.Fatal(again, err)
		}
		if _, err := s.ResetPassword(ctx, old, password); slugOf(err) != "bad_token" {
			t.Error("an earlier invitation works", err)
		}
		c.add(13 * 24 * time.Hour)
		if done, err := s.ResetPassword(ctx, secret, password); err != nil || !done.Verified {
			t.Error(done, err)
		}
		if _, err := s.ResetPassword(ctx, secret, password); slugOf(err) != "bad_token" {
			t.Error("an invitation works twice", err)
		}
		if _, _, err := s.SignIn(ctx, a.Email, password, ""); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Invite(ctx, a.Email); slugOf(err) != "account_exists" {
			t.Error("an account is invited", err)
		}
		if _, _, err := s.Invite(ctx, "nobody"); slugOf(err) != "bad_email" {
			t.Error(err)
		}
		late, _, err := s.Invite(ctx, "bea@example.org")
		if err != nil {
			t.Fatal(err)
		}
		c.add(15 * 24 * time.Hour)
		if _, err := s.ResetPassword(ctx, late, password); slugOf(err) != "bad_token" {
			t.Error("an old invitation works", err)
		}
		events, err := s.AuditTrail(ctx, EventFilter{Kind: EventInvite})
		if err != nil || len(events) != 3 || events[0].Actor != "operator" {
			t.Error(events, err)
		}
	})
}
