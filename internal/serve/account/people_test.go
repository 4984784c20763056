package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"grantgraph/internal/fault"
)

const password = "correct horse battery"

// waitOf is how long the refusal says to wait.
func waitOf(err error) time.Duration {
	var w *WaitError
	if errors.As(err, &w) {
		return w.Wait
	}
	return 0
}

func signUp(t *testing.T, s *Store, email string) Account {
	t.Helper()
	a, err := s.SignUp(t.Context(), email, password, "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseEmail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{" Ann@Example.ORG ", "ann@example.org"}, {"a+b@c.d", "a+b@c.d"}, {"o'neil_x@mail.example.org", "o'neil_x@mail.example.org"},
		{"", ""}, {"ann", ""}, {"ann@", ""}, {"@example.org", ""}, {"ann@localhost", ""}, {"a@b@c.org", ""}, {"a b@c.org", ""}, {".a@c.org", ""},
		{"a..b@c.org", ""}, {"a@.c.org", ""}, {"a@c..org", ""}, {"a@c.org.", ""}, {"änn@example.org", ""}, {"a\x00@c.org", ""}, {"\xff@c.org", ""}, {"a@c\n.org", ""},
		{strings.Repeat("a", 65) + "@c.org", ""}, {"a@" + strings.Repeat("a.", 150) + "org", ""}, {"<a@c.org>", ""}, {"a@c_d.org", ""},
	} {
		got, err := ParseEmail(c.in)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v", c.in, got, err)
		}
		if err != nil && slugOf(err) != "bad_email" {
			t.Errorf("%q: %v", c.in, err)
		}
	}
}

func FuzzParseEmail(f *testing.F) {
	f.Add("Ann@Example.org")
	f.Add("a@b")
	f.Fuzz(func(t *testing.T, s string) {
		email, err := ParseEmail(s)
		if err != nil {
			return
		}
		if again, err := ParseEmail(email); err != nil || again != email || len(email) > maxEmail || !fault.Legible(email) || strings.Count(email, "@") != 1 {
			t.Fatalf("%q gives %q, which gives %q, %v", s, email, again, err)
		}
	})
}

func FuzzParseSealed(f *testing.F) {
	f.Add("$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Add("$argon2id$v=19$m=+64,t=01,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePasswordHash(s)
		if err == nil && (p.String() != s || p.memory > maxMemory || p.passes > maxPasses || p.lanes == 0) {
			t.Fatalf("%q gives %+v, which is %q", s, p, p)
		}
	})
}

func TestSealed(t *testing.T) {
	t.Parallel()
	// The reference implementation's answer to the same question.
	p, err := parsePasswordHash("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.key("password", len(p.hash)); string(got) != string(p.hash) {
		t.Errorf("%x, want %x", got, p.hash)
	}
	for _, s := range []string{"", "$", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=1,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFh", "$argon2id$v=19$m=64,t=1,p=1$!$!"} {
		if _, err := parsePasswordHash(s); err == nil {
			t.Errorf("%q passes", s)
		}
	}
}

func TestStorePeople(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		a, err := s.SignUp(ctx, " Ann@Example.org", password, "192.0.2.1")
		if err != nil || a.Email != "ann@example.org" || a.Verified || a.Plan != Free || !a.Created.Equal(c.now()) {
			t.Fatalf("%+v, %v", a, err)
		}
		for _, bad := range []struct{ email, password, slug string }{
			{"ANN@example.org", password, "email_taken"}, {"bob", password, "bad_email"},
			{"bob@example.org", "short", "bad_password"}, {"bob@example.org", strings.Repeat("x", 201), "bad_password"}, {"bob@example.org", "пароль", "bad_password"},
			{"bob@example.org", "Password123", "common_password"},
		} {
			if _, err := s.SignUp(ctx, bad.email, bad.password, ""); slugOf(err) != bad.slug {
				t.Errorf("%+v: %v", bad, err)
			}
		}
		long := strings.Repeat("до", 100)
		if _, err := s.SignUp(ctx, "bob@example.org", long, ""); err != nil {
			t.Error(err)
		}
		if _, _, err := s.SignIn(ctx, "bob@example.org", long, ""); err != nil {
			t.Error(err)
		}
		for _, bad := range [][2]string{{"ann@example.org", "wrong password"}, {"nobody@example.org", password}, {"ann", password}, {"ann@example.org", ""}, {"ann@example.org", "\x00\xff12345678"}} {
			if _, _, err := s.SignIn(ctx, bad[0], bad[1], "192.0.2.1"); slugOf(err) != "bad_credentials" {
				t.Errorf("%q: %v", bad, err)
			}
		}
		session, got, err := s.SignIn(ctx, "ann@EXAMPLE.org", password, "192.0.2.1")
		if err != nil || got != a || len(session) != 43 {
			t.Fatalf("%q, %+v, %v", session, got, err)
		}
		if got, err := other.Session(ctx, session); err != nil || got != a {
			t.Errorf("%+v, %v", got, err)
		}
		for _, bad := range []string{"", "nonsense", session[:42], "\x00\xff"} {
			if _, err := s.Session(ctx, bad); slugOf(err) != "no_session" {
				t.Errorf("%q: %v", bad, err)
			}
		}
		// Keys of an account: one plan and one allowance for all of them.
		secret, k, err := s.CreateFor(ctx, a.ID, "laptop")
		if err != nil || k.Account != a.ID || k.Email != a.Email || k.Plan != Free {
			t.Fatalf("%+v, %v", k, err)
		}
		_, k2, err := other.CreateFor(ctx, a.Email, "server")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Authenticate(ctx, secret); err != nil || got != k {
			t.Errorf("%+v, %v", got, err)
		}
		if keys, err := s.KeysOf(ctx, a.ID); err != nil || len(keys) != 2 || keys[0] != k || keys[1] != k2 {
			t.Errorf("%+v, %v", keys, err)
		}
		if b, err := s.Charge(ctx, k.ID, 30); err != nil || b.Remaining != 20 {
			t.Errorf("%+v, %v", b, err)
		}
		if b, err := s.Charge(ctx, k2.ID, 30); !errors.Is(err, ErrSpent) || b.Remaining != 20 {
			t.Errorf("a second key is a second allowance: %+v, %v", b, err)
		}
		if b, err := s.Balance(ctx, k2.ID); err != nil || b.Remaining != 20 {
			t.Errorf("%+v, %v", b, err)
		}
		if first, err := s.TakeScreen(ctx, k.ID); !first || err != nil {
			t.Error(first, err)
		}
		if first, err := s.TakeScreen(ctx, k2.ID); first || err != nil {
			t.Error("a second key screens for free a second time", err)
		}
		if got, err := s.SetPlan(ctx, k.ID, Plus); err != nil || got.Plan != Plus {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.Find(ctx, k2.ID); err != nil || got.Plan != Plus {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.SetAccountPlan(ctx, "Ann@example.org", Pro); err != nil || got.Plan != Pro {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.AccountOf(ctx, a.ID); err != nil || got.Plan != Pro {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.Find(ctx, k2.ID); err != nil || got.Plan != Pro {
			t.Errorf("%+v, %v", got, err)
		}
		for _, err := range []error{
			second(s.AccountOf(ctx, "acc_nobodyNobody")), second(s.AccountOf(ctx, "nobody@example.org")), second(s.AccountOf(ctx, "\x00@\xff")),
			second(s.SetAccountPlan(ctx, "", Pro)), second(s.KeysOf(ctx, "acc_")), second(s.ChangePassword(ctx, "acc_nobodyNobody", password, password)),
			second(s.VerifyToken(ctx, "nobody@example.org")),
		} {
			if !errors.Is(err, ErrUnknownAccount) {
				t.Error(err)
			}
		}
		// The number of keys is bounded; one that was stopped makes room.
		for {
			if _, _, err = s.CreateFor(ctx, a.ID, ""); err != nil {
				break
			}
		}
		keys, _ := s.KeysOf(ctx, a.ID)
		if slugOf(err) != "too_many_keys" || len(keys) != mostKeys {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		if _, err := s.Deactivate(ctx, k2.ID); err != nil {
			t.Error(err)
		}
		if _, _, err := s.CreateFor(ctx, a.ID, ""); err != nil {
			t.Error(err)
		}
		// An inactive account has no working key and gets none. A key that was
		// stopped itself stays so when the account is active again.
		for _, stopped := range []string{k.ID, k2.ID} {
			if _, err := s.Deactivate(ctx, stopped); err != nil {
				t.Error(err)
			}
		}
		if got, err := s.DeactivateAccount(ctx, "Ann@example.org"); err != nil || got.Active || got.ID != a.ID {
			t.Errorf("%+v, %v", got, err)
		}
		if _, _, err := s.CreateFor(ctx, a.ID, ""); slugOf(err) != "account_inactive" {
			t.Errorf("an inactive account has a new key: %v", err)
		}
		keys, _ = s.KeysOf(ctx, a.ID)
		for _, k := range keys {
			if _, err := s.Charge(ctx, k.ID, 1); k.Active || slugOf(err) != "account_inactive" {
				t.Errorf("a key of an inactive account: %+v, %v", k, err)
			}
		}
		if got, err := s.ReactivateAccount(ctx, a.ID); err != nil || !got.Active {
			t.Errorf("%+v, %v", got, err)
		}
		again, _ := s.KeysOf(ctx, a.ID)
		for _, now := range again {
			if now.Active == (now.ID == k.ID || now.ID == k2.ID) {
				t.Errorf("a key of an account that is active again: %+v", now)
			}
		}
		if _, _, err := s.CreateFor(ctx, a.ID, ""); err != nil {
			t.Error(err)
		}
		// Signing out ends one session.
		second, _, err := s.SignIn(ctx, a.Email, password, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SignOut(ctx, session); err != nil {
			t.Error(err)
		}
		if _, err := s.Session(ctx, session); slugOf(err) != "no_session" {
			t.Errorf("signed out and still in: %v", err)
		}
		if _, err := s.Session(ctx, second); err != nil {
			t.Error(err)
		}
		holdsNo(t, s, p, session, second, secret, password)
	})
}

func TestStorePasswords(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		a := signUp(t, s, "ann@example.org")
		in := func(password string) string {
			t.Helper()
			session, _, err := s.SignIn(ctx, a.Email, password, "")
			if err != nil {
				t.Fatal(err)
			}
			return session
		}
		one, two := in(password), in(password)
		reset, err := s.ResetToken(ctx, a.Email)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ChangePassword(ctx, a.ID, "not the old one", "another secret"); slugOf(err) != "bad_credentials" {
			t.Error(err)
		}
		if _, err := s.ChangePassword(ctx, a.ID, password, "short"); slugOf(err) != "bad_password" {
			t.Error(err)
		}
		three, err := s.ChangePassword(ctx, a.ID, password, "another secret")
		if err != nil {
			t.Fatal(err)
		}
		for _, old := range []string{one, two} {
			if _, err := s.Session(ctx, old); slugOf(err) != "no_session" {
				t.Errorf("a session outlives its password: %v", err)
			}
		}
		if _, err := s.Session(ctx, three); err != nil {
			t.Error(err)
		}
		if _, err := s.ResetPassword(ctx, reset, "a third secret"); slugOf(err) != "bad_token" {
			t.Errorf("a token outlives the password: %v", err)
		}
		if _, _, err := s.SignIn(ctx, a.Email, password, ""); slugOf(err) != "bad_credentials" {
			t.Error(err)
		}

		// A token works once, in time, and only the last one does.
		stale, err := s.ResetToken(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		reset, err = s.ResetToken(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{stale, "", "nonsense", "\x00"} {
			if _, err := s.ResetPassword(ctx, bad, "a third secret"); slugOf(err) != "bad_token" {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, _, err := s.VerifyEmail(ctx, reset, password); slugOf(err) != "bad_token" {
			t.Errorf("a token for one thing does another: %v", err)
		}
		if _, err := s.ResetPassword(ctx, reset, "short"); slugOf(err) != "bad_password" {
			t.Error(err)
		}
		if got, err := s.ResetPassword(ctx, reset, "a third secret"); err != nil || !got.Verified {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := s.ResetPassword(ctx, reset, "a third secret"); slugOf(err) != "bad_token" {
			t.Errorf("a token works twice: %v", err)
		}
		if _, err := s.Session(ctx, three); slugOf(err) != "no_session" {
			t.Errorf("a session outlives its password: %v", err)
		}
		in("a third secret")
		late, err := s.ResetToken(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.add(resetLife)
		if _, err := s.ResetPassword(ctx, late, "a fourth secret"); slugOf(err) != "bad_token" {
			t.Errorf("a token works late: %v", err)
		}

		b := signUp(t, s, "bob@example.org")
		verify, err := s.VerifyToken(ctx, b.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.add(verifyLife - 1)
		if _, _, err := s.VerifyEmail(ctx, verify, "another password"); slugOf(err) != "bad_credentials" {
			t.Errorf("an address is confirmed without the password of the account: %v", err)
		}
		session, got, err := s.VerifyEmail(ctx, verify, password)
		if err != nil || !got.Verified || got.ID != b.ID {
			t.Errorf("%+v, %v", got, err)
		}
		if who, err := s.Session(ctx, session); err != nil || who != got {
			t.Errorf("whoever confirms an address is not signed in: %+v, %v", who, err)
		}
		if got, err := s.AccountOf(ctx, b.ID); err != nil || !got.Verified {
			t.Errorf("%+v, %v", got, err)
		}
		if _, _, err := s.VerifyEmail(ctx, verify, password); slugOf(err) != "bad_token" {
			t.Error(err)
		}
		// Emails are bounded, so that nobody's mailbox is filled.
		c.add(24 * time.Hour)
		ask := func(network int) error {
			_, err := s.VerifyToken(As(ctx, Actor{Name: "visitor", Address: fmt.Sprintf("10.0.%d.1", network)}), b.ID)
			return err
		}
		for range firstOfNetwork.most + furtherTokens.most {
			if err := ask(0); err != nil {
				t.Fatal(err)
			}
		}
		if err := ask(0); slugOf(err) != "too_many_attempts" || waitOf(err) != 24*time.Hour {
			t.Error(err)
		}
		// A network that has not asked today still gets its first ones, until all networks
		// together had as many as anybody's mailbox should receive.
		for i := range firstTokens.most - firstOfNetwork.most {
			if err := ask(1 + i/2); err != nil {
				t.Fatal(err)
			}
		}
		if err := ask(100); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		// One address asks for a few emails to all accounts together.
		c.add(24 * time.Hour)
		for i := range emailsOfAddress.most + 1 {
			d := signUp(t, s, fmt.Sprintf("d%d@example.org", i))
			_, err := s.ResetToken(As(ctx, Actor{Name: "visitor", Address: "10.0.0.1"}), d.ID)
			if refused := slugOf(err) == "too_many_attempts"; refused != (i == emailsOfAddress.most) {
				t.Fatal(i, err)
			}
		}

		// When the parameters grow, signing in makes the hash anew; a weaker
		// setting leaves it.
		seal := func() string {
			p, err := s.person(ctx, a.ID)
			if err != nil {
				t.Fatal(err)
			}
			return p.passwordHash
		}
		before := seal()
		in("a third secret")
		if seal() != before {
			t.Error("hashed anew for nothing")
		}
		s.hashing.passes = 2
		in("a third secret")
		after := seal()
		if after == before || !strings.Contains(after, ",t=2,") {
			t.Errorf("not hashed anew: %s", after)
		}
		in("a third secret")
		holdsNo(t, s, p, stale, reset, late, verify, "a third secret")
	})
}

func TestStoreSessionTime(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s := openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		a := signUp(t, s, "ann@example.org")
		idle, _, err := s.SignIn(ctx, a.Email, password, "")
		if err != nil {
			t.Fatal(err)
		}
		used, _, err := s.SignIn(ctx, a.Email, password, "")
		if err != nil {
			t.Fatal(err)
		}
		began := c.now()
		c.add(sessionIdle - 1)
		if _, err := s.Session(ctx, used); err != nil {
			t.Error(err)
		}
		c.add(1)
		if _, err := s.Session(ctx, idle); slugOf(err) != "no_session" {
			t.Errorf("an idle session goes on: %v", err)
		}
		for c.now().Sub(began) < sessionMost-12*time.Hour {
			if _, err := s.Session(ctx, used); err != nil {
				t.Fatalf("after %v: %v", c.now().Sub(began), err)
			}
			c.add(min(sessionIdle-time.Minute, sessionMost-12*time.Hour-c.now().Sub(began)))
		}
		c.add(sessionMost - c.now().Sub(began) - 1)
		if _, err := s.Session(ctx, used); err != nil {
			t.Error(err)
		}
		c.add(1)
		if _, err := s.Session(ctx, used); slugOf(err) != "no_session" {
			t.Errorf("a session goes on for ever: %v", err)
		}
	})
}

func TestStoreSignInLimits(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		ann := signUp(t, s, "ann@example.org")
		// Guesses at once, through two servers: no more than the limit is looked at.
		var wrong, refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				_, _, err := []*Store{s, other}[i%2].SignIn(ctx, ann.Email, "wrong password", "")
				switch slugOf(err) {
				case "bad_credentials":
					wrong.Add(1)
				case "too_many_attempts":
					refused.Add(1)
				default:
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		if wrong.Load() != int64(signInsOfNetwork.most) || refused.Load() != 20 {
			t.Errorf("%d looked at, %d refused", wrong.Load(), refused.Load())
		}
		c.add(5 * time.Minute)
		if _, _, err := s.SignIn(ctx, ann.Email, password, ""); slugOf(err) != "too_many_attempts" || waitOf(err) != 10*time.Minute {
			t.Errorf("%v, %v", err, waitOf(err))
		}
		c.add(10*time.Minute - 1)
		if _, _, err := s.SignIn(ctx, ann.Email, password, ""); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		c.add(1)
		// The right password clears the count.
		for range 3 {
			for range signInsOfNetwork.most - 1 {
				if _, _, err := s.SignIn(ctx, ann.Email, "wrong password", ""); slugOf(err) != "bad_credentials" {
					t.Fatal(err)
				}
			}
			if _, _, err := s.SignIn(ctx, ann.Email, password, ""); err != nil {
				t.Fatal(err)
			}
		}
		// One stranger does not keep the owner out; many networks do.
		guess := func(n int) {
			t.Helper()
			for i := range n {
				if _, _, err := s.SignIn(ctx, ann.Email, "wrong password", fmt.Sprintf("10.0.%d.1", i/signInsOfNetwork.most)); slugOf(err) != "bad_credentials" {
					t.Fatal(i, err)
				}
			}
		}
		guess(signInsOfNetwork.most)
		if _, _, err := s.SignIn(ctx, ann.Email, password, "10.0.0.1"); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		if _, _, err := s.SignIn(ctx, ann.Email, password, "198.51.100.7"); err != nil {
			t.Error(err)
		}
		c.add(15 * time.Minute)
		guess(signInsOfEmail.most)
		if _, _, err := s.SignIn(ctx, ann.Email, password, "198.51.100.7"); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		c.add(15 * time.Minute)
		// One address against many accounts; a household of IPv6 is one address.
		for i := range signInsOfAddress.most {
			if _, _, err := s.SignIn(ctx, fmt.Sprintf("u%d@example.org", i), "wrong password", fmt.Sprintf("[2001:db8::%x]:443", i)); slugOf(err) != "bad_credentials" {
				t.Fatal(i, err)
			}
		}
		if _, _, err := s.SignIn(ctx, "fresh@example.org", "wrong password", "2001:db8::ffff"); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		if _, _, err := s.SignIn(ctx, ann.Email, password, "2001:db8:0:1::1"); err != nil {
			t.Error(err)
		}
		for range signUpsOfAddress.most {
			if _, err := s.SignUp(ctx, ann.Email, password, "192.0.2.7"); slugOf(err) != "email_taken" {
				t.Fatal(err)
			}
		}
		if _, err := s.SignUp(ctx, "new@example.org", password, "192.0.2.7"); slugOf(err) != "too_many_attempts" {
			t.Error(err)
		}
		// A customer of IPv6 has 65,536 networks, and not as many sign-ups.
		for i := range 4*signUpsOfAddress.most + 1 {
			err := s.countAddress(ctx, fmt.Sprintf("2001:db8:7:%x::1", i), signUpsOfAddress, "sign-ups")
			if refused := slugOf(err) == "too_many_attempts"; refused != (i == 4*signUpsOfAddress.most) {
				t.Fatal(i, err)
			}
		}
	})
}

// TestUnknownTakesAsLong keeps every password from being hashed: a sign-in to
// an account that does not exist then waits like one to an account that does.
// Time passes only when nothing else can happen, so that the deadline is reached
// by a sign-in that waits for its turn and by no other.
func TestUnknownTakesAsLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, place{dir: dir}, Options{})
		a := signUp(t, s, "ann@example.org")
		for range hashesAtOnce {
			if _, err := s.hashes.enter(t.Context(), "busy"); err != nil {
				t.Fatal(err)
			}
		}
		for _, email := range []string{a.Email, "nobody@example.org"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			if _, _, err := s.SignIn(ctx, email, "wrong password", ""); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s is answered without a hash: %v", email, err)
			}
			cancel()
		}
	})
}

// TestDelete deletes keys: they stop working, and what was spent with them stays
// spent and stays in the usage of their account.
func TestDelete(t *testing.T) {
	stores(t, func(t *testing.T, p place) {
		c := newClock("2026-03-10T12:00:00Z")
		s, other := openAt(t, p, Options{Clock: c.now}), openAt(t, p, Options{Clock: c.now})
		ctx := t.Context()
		a := signUp(t, s, "ann@example.org")
		secret, k, err := s.CreateFor(ctx, a.ID, "old laptop")
		if err != nil {
			t.Fatal(err)
		}
		_, kept, err := s.CreateFor(ctx, a.ID, "server")
		if err != nil {
			t.Fatal(err)
		}
		pay := func(id string, calls int) {
			t.Helper()
			if _, err := s.Charge(ctx, id, calls); err != nil {
				t.Fatal(err)
			}
		}
		pay(k.ID, 3)
		c.add(time.Hour)
		pay(k.ID, 5)
		pay(kept.ID, 2)
		pay(a.ID, 1)
		if got, err := other.Delete(ctx, k.ID); err != nil || got != k {
			t.Fatalf("%+v, %v", got, err)
		}
		if _, err := s.Authenticate(ctx, secret); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("a deleted key works: %v", err)
		}
		for _, err := range []error{second(s.Charge(ctx, k.ID, 1)), second(s.Delete(ctx, k.ID)), second(s.Reactivate(ctx, k.ID)), second(s.Delete(ctx, "nonsense"))} {
			if !errors.Is(err, ErrUnknownKey) {
				t.Error(err)
			}
		}
		if keys, err := s.KeysOf(ctx, a.ID); err != nil || len(keys) != 1 || keys[0] != kept {
			t.Errorf("%+v, %v", keys, err)
		}
		if b, err := s.Balance(ctx, kept.ID); err != nil || b.Remaining != 50-11 {
			t.Errorf("what was spent is given back: %+v, %v", b, err)
		}
		used, err := s.Usage(ctx, a.ID, c.now().Add(-time.Hour), c.now().Add(time.Minute), time.Hour)
		if err != nil || len(used) != 2 || used[0].Calls != 3 || used[1].Calls != 6 {
			t.Errorf("%+v, %v", used, err)
		}
		if events, err := s.AuditTrail(ctx, EventFilter{Key: k.ID, Kind: EventDelete}); err != nil || len(events) != 1 {
			t.Errorf("%+v, %v", events, err)
		}
		// A key that belongs to nobody goes with all that was known of it.
		_, alone := create(t, s, Free)
		pay(alone.ID, 2)
		if first, err := s.TakeScreen(ctx, alone.ID); !first || err != nil {
			t.Error(first, err)
		}
		if _, err := s.Delete(ctx, alone.ID); err != nil {
			t.Error(err)
		}
		// Whoever deletes keys that are being used disturbs nobody else.
		var ids []string
		for range 8 {
			_, k, err := s.CreateFor(ctx, a.ID, "")
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, k.ID)
		}
		var wg sync.WaitGroup
		for _, id := range ids {
			for range 3 {
				wg.Go(func() {
					if _, err := s.Charge(ctx, id, 1); err != nil && !errors.Is(err, ErrUnknownKey) {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if _, err := other.Delete(ctx, id); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := s.Charge(ctx, kept.ID, 0); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if keys, err := s.KeysOf(ctx, a.ID); err != nil || len(keys) != 1 {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		spent, err := s.Balance(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, id := range []string{a.ID, kept.ID} {
			used, err := s.Usage(ctx, id, c.now().Add(-24*time.Hour), c.now().Add(time.Minute), time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range used {
				total += b.Calls
			}
		}
		if total != spent.Limit-spent.Remaining {
			t.Errorf("%d calls are spent and %d are in the usage", spent.Limit-spent.Remaining, total)
		}
	})
}

// Passwords that anybody would try first are refused, however they are written.
func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"password", "PassWord123", "12345678", " qwertyuiop ", "Grantgraph", "ADALOVELACE", "AdaLovelace@example.org", "aaaaaaaa", "ééééééééé", strings.Repeat(" ", 9), "p@ssw0rd"} {
		if err := checkPassword(bad, "adalovelace@example.org"); slugOf(err) != "common_password" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{password, "password of the squatter", "grantgraph is my favorite", "aaaaaaab", "fdsajklö", "ada@example.com"} {
		if err := checkPassword(good, "adalovelace@example.org"); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	list := commonPasswords()
	if len(list) < 1000 {
		t.Errorf("only %d passwords", len(list))
	}
	for word := range list {
		if word != strings.ToLower(word) || checkPassword(word, "") == nil || slugOf(checkPassword(word, "")) == "bad_password" {
			t.Errorf("%q is never compared with anything", word)
		}
	}
}
