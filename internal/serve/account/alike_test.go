package account

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// player is one side of the comparison: a store and what was made in it, in the
// order in which it was made.
type player struct {
	*Store
	clock    *clock
	secrets  []string
	ids      []string
	agents   []string
	accounts []string
	sessions []string
	tokens   []string
}

// TestStoresAlike does the same thousand things to both stores and compares
// every answer.
func TestStoresAlike(t *testing.T) {
	t.Parallel()
	a := &player{clock: newClock("2026-02-28T20:00:00Z")}
	b := &player{clock: newClock("2026-02-28T20:00:00Z")}
	a.Store = openAt(t, place{dir: t.TempDir()}, Options{Clock: a.clock.now, Mints: 20})
	b.Store = openAt(t, place{dsn: newSchema(t)}, Options{Clock: b.clock.now, Mints: 20})
	r := rand.New(rand.NewPCG(seed(t), 3))
	seen := map[string]int{}
	for i := range 1000 {
		move := r.Uint64()
		x, y := a.play(t, rand.New(rand.NewPCG(move, 4))), b.play(t, rand.New(rand.NewPCG(move, 4)))
		if x != y {
			t.Fatalf("move %d: SQLite says %s, PostgreSQL says %s", i, x, y)
		}
		verb, _, _ := strings.Cut(x, " ")
		seen[verb]++
	}
	if len(seen) < 20 {
		t.Errorf("only %v was tried", seen)
	}
}

func pick(r *rand.Rand, from []string) string {
	if len(from) == 0 || r.IntN(20) == 0 {
		return "key_nobodyNobody"
	}
	return from[r.IntN(len(from))]
}

// play makes one random move and tells what came of it, without what differs
// from store to store by design.
func (p *player) play(t *testing.T, r *rand.Rand) string {
	ctx := t.Context()
	emails := []string{"ann@example.org", "Bob@example.org", "eve@example.org", "nonsense"}
	passwords := []string{password, password, "another secret", "wrong password", "short", "Password1"}
	plans := []Plan{Free, Plus, Pro, "gold"}
	tiers := []Tier{Anonymous, Anonymous, Signed, Attested, "gold"}
	email, pass := emails[r.IntN(len(emails))], passwords[r.IntN(len(passwords))]
	switch r.IntN(27) {
	case 0, 1:
		d := []time.Duration{time.Second, 5 * time.Second, time.Minute, time.Hour, 7 * time.Hour, 24 * time.Hour}[r.IntN(6)]
		p.clock.add(d)
		return "wait"
	case 2:
		secret, k, err := p.Create(ctx, plans[r.IntN(4)], email, "label")
		if err == nil {
			p.secrets, p.ids = append(p.secrets, secret), append(p.ids, k.ID)
		}
		return describe("create", p.plain(k), err)
	case 3, 4, 5:
		bal, err := p.Charge(ctx, pick(r, slices.Concat(p.ids, p.accounts)), r.IntN(30))
		return describe("charge", bal, err)
	case 6, 7:
		bal, err := p.Charge(ctx, pick(r, p.agents), r.IntN(5))
		return describe("charge-agent", bal, err)
	case 8:
		k, err := p.Authenticate(ctx, pick(r, p.secrets))
		return describe("authenticate", p.plain(k), err)
	case 9:
		i := r.IntN(50)
		if i >= len(p.ids) {
			return "rotate nothing"
		}
		secret, k, err := p.Rotate(ctx, p.ids[i])
		if err == nil {
			p.secrets = append(p.secrets, secret)
		}
		return describe("rotate", p.plain(k), err)
	case 10:
		k, err := p.Deactivate(ctx, pick(r, p.ids))
		return describe("deactivate", p.plain(k), err)
	case 11:
		k, err := p.Reactivate(ctx, pick(r, p.ids))
		return describe("reactivate", p.plain(k), err)
	case 12:
		k, err := p.SetPlan(ctx, pick(r, append(p.ids, p.agents...)), plans[r.IntN(4)])
		return describe("plan", p.plain(k), err)
	case 13:
		a, err := p.SignUp(ctx, email, pass, "192.0.2.1")
		if err == nil {
			p.accounts = append(p.accounts, a.ID)
		}
		a.ID = ""
		return describe("sign-up", a, err)
	case 14, 15:
		secret, a, err := p.SignIn(ctx, email, pass, "192.0.2.1")
		if err == nil {
			p.sessions = append(p.sessions, secret)
		}
		a.ID = ""
		return describe("sign-in", a, err)
	case 16:
		a, err := p.Session(ctx, pick(r, p.sessions))
		a.ID = ""
		return describe("session", a, err)
	case 17:
		secret, err := p.ChangePassword(ctx, pick(r, p.accounts), pass, passwords[r.IntN(5)])
		if err == nil {
			p.sessions = append(p.sessions, secret)
		}
		return describe("password", nil, err)
	case 18:
		make := p.VerifyToken
		if r.IntN(2) == 0 {
			make = p.ResetToken
		}
		token, err := make(ctx, pick(r, p.accounts))
		if err == nil {
			p.tokens = append(p.tokens, token)
		}
		return describe("token", nil, err)
	case 19:
		token := pick(r, p.tokens)
		session, a, err := p.VerifyEmail(ctx, token, pass)
		if err == nil {
			p.sessions = append(p.sessions, session)
		}
		b, err2 := p.ResetPassword(ctx, token, pass)
		a.ID, b.ID = "", ""
		return describe("redeem", []Account{a, b}, err) + describe("", nil, err2)
	case 20:
		secret, k, err := p.CreateFor(ctx, pick(r, p.accounts), "label")
		if err == nil {
			p.secrets, p.ids = append(p.secrets, secret), append(p.ids, k.ID)
		}
		return describe("create-for", p.plain(k), err)
	case 21:
		tier := tiers[r.IntN(5)]
		spec := AgentSpec{Tier: tier, Purpose: "x", Source: "y"}
		if tier != Anonymous {
			spec.Thumbprint = fmt.Sprint("thumb", r.IntN(3))
		}
		wait, ok, err := p.TakeMint(ctx, "192.0.2.1")
		secret, a, err2 := p.MintAgent(ctx, spec)
		if err2 == nil {
			p.secrets, p.agents = append(p.secrets, secret), append(p.agents, a.ID)
		}
		return describe("mint", []any{wait, ok, a.Status, a.Remaining, a.Expires.String()}, err) + describe("", nil, err2)
	case 22:
		id := pick(r, p.agents)
		known, _ := p.Agent(ctx, id)
		a, err := p.SetChallenge(ctx, id, known.Challenge.No-r.IntN(8)/7, quiz())
		return describe("challenge", []any{a.Status, a.Challenge}, err)
	case 23, 24:
		verify := right
		if r.IntN(3) == 0 {
			verify = wrong
		}
		id := pick(r, p.agents)
		known, _ := p.Agent(ctx, id)
		a, out, err := p.Attempt(ctx, id, known.Challenge.No-r.IntN(8)/7, verify)
		return describe("attempt", []any{out, a.Status, a.Remaining, a.Challenge}, err)
	case 25:
		if r.IntN(3) > 0 {
			return "delete nothing"
		}
		k, err := p.Delete(ctx, pick(r, p.ids))
		return describe("delete", p.plain(k), err)
	}
	id := pick(r, slices.Concat(p.ids, p.accounts))
	left, err := p.TakeCall(ctx, pick(r, p.agents), "GET /b")
	first, err2 := p.TakeScreen(ctx, id)
	if r.IntN(3) == 0 {
		err2 = cmp.Or(err2, p.ReturnScreen(ctx, id))
	}
	taken, err6 := p.Screened(ctx, id)
	fresh, err3 := p.Seen(ctx, "k", fmt.Sprint(r.IntN(5)), p.clock.now().Add(time.Minute))
	used, err4 := p.Usage(ctx, id, p.clock.now().Add(-48*time.Hour), p.clock.now(), time.Hour)
	bal, err5 := p.Balance(ctx, id)
	return describe("take", left, err) + describe("", first, err2) + describe("", fresh, err3) + describe("", used, err4) + describe("", bal, err5) + describe("", taken, err6)
}

// plain is a key without what is drawn at random.
func (p *player) plain(k KeyInfo) KeyInfo {
	k.ID = ""
	if k.Account != "" {
		k.Account = "account"
	}
	return k
}

func describe(verb string, v any, err error) string {
	if err != nil {
		return fmt.Sprintf("%s %v: %s %v", verb, v, slugOf(err), err)
	}
	return fmt.Sprintf("%s %v", verb, v)
}
