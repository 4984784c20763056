package agent

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
)

// Drawer draws challenges; *Examiner is one.
type Drawer interface {
	Draw(ctx context.Context, a Asker, keyID string, number int, version string) (*Challenge, error)
}

// Rows are the grants of a dataset, which challenges are about.
type Rows struct {
	Asker
	Version string // of the dataset
}

type KeyOptions struct {
	Store    account.Agents
	Examiner Drawer
	Verifier *httpsig.Verifier
	Trusted  []string // hosts of signature agents of the trusted tier, such as agent.example
	URL      string   // where agents get their keys
	Clock    func() time.Time
	Log      *slog.Logger
}

// Keys mints keys for agents, examines agents without a signature, and restricts locked keys.
type Keys struct{ o KeyOptions }

func NewKeys(o KeyOptions) *Keys {
	hosts := make([]string, len(o.Trusted))
	for i, host := range o.Trusted {
		host = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(host)), "https://")
		hosts[i] = strings.TrimSuffix(strings.TrimSuffix(host, "/"), ":443")
	}
	o.Trusted = hosts
	return &Keys{o}
}

// State is a key and, when it is locked, the challenge that unlocks it.
type State struct {
	account.AgentInfo
	Challenge *Challenge
	Wait      time.Duration // before the next answer is accepted
}

// AttemptsLeft returns how many answers the agent may still send.
func (s *State) AttemptsLeft() int {
	return max(0, account.MostAttempts-s.AgentInfo.Challenge.Attempts)
}

type Minted struct {
	State
	Secret string
	Below  string // why a signed request got the signed tier and not a higher one; empty for other requests
}

type Application struct {
	Purpose, Source string
	Address         string        // of the client
	RequestID       string        // for the log
	Request         *http.Request // its signature earns a tier; nil for no signature
}

// Mint makes a key. It counts the address first, because checking a signature may fetch from a stranger's host.
func (k *Keys) Mint(ctx context.Context, a Application, rows Rows) (*Minted, error) {
	wait, ok, err := k.o.Store.TakeMint(ctx, a.Address)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, tooManyMints(wait)
	}
	spec := account.AgentSpec{Purpose: a.Purpose, Source: a.Source}
	minted := &Minted{}
	if minted.Below, err = k.identify(ctx, a.Request, &spec); err != nil {
		return nil, err
	}
	who := "agent"
	if spec.Host != "" {
		who = "agent of " + spec.Host
	}
	ctx = account.As(ctx, account.Actor{Name: who, Address: a.Address})
	secret, info, err := k.o.Store.MintAgent(ctx, spec)
	if err != nil {
		return nil, err
	}
	if info.Tier == account.Anonymous {
		if info, err = k.draw(ctx, a.RequestID, info, rows); err != nil {
			return nil, err
		}
	}
	k.o.Log.Info("an agent has a key", "request_id", a.RequestID, "key", info.ID, "tier", string(info.Tier), "host", info.Host)
	minted.Secret = secret
	minted.State, err = k.state(info)
	return minted, err
}

// identify finds the tier that a request has earned. below says why a signed request is not of a higher tier.
func (k *Keys) identify(ctx context.Context, r *http.Request, spec *account.AgentSpec) (below string, err error) {
	spec.Tier = account.Anonymous
	signed := slices.ContainsFunc([]string{"Signature", "Signature-Input", "Signature-Agent"}, func(name string) bool {
		return r != nil && len(r.Header.Values(name)) > 0
	})
	if !signed {
		return "", nil
	}
	sig, err := k.o.Verifier.Verify(ctx, r)
	if errors.Is(err, httpsig.ErrNone) {
		return "", fault.New(BadSignature, "The request names a Signature-Agent but is not signed.").
			Try("send Signature-Input and Signature as well, or none of the three")
	}
	if err != nil {
		return "", err
	}
	spec.Thumbprint, spec.Host = sig.KeyID, sig.Host
	switch {
	case slices.Contains(k.o.Trusted, sig.Host):
		spec.Tier = account.Trusted
	case sig.Attested:
		spec.Tier = account.Attested
	default:
		spec.Tier = account.Signed
		return sig.Why, nil
	}
	return "", nil
}

// draw gives a key its next challenge, or leaves that of a request that was faster.
func (k *Keys) draw(ctx context.Context, requestID string, a account.AgentInfo, rows Rows) (account.AgentInfo, error) {
	drawn, err := k.o.Examiner.Draw(ctx, rows, a.ID, a.Challenge.No+1, rows.Version)
	if err != nil {
		return a, err
	}
	kept, err := Keep(drawn)
	if err != nil {
		return a, err
	}
	next, err := k.o.Store.SetChallenge(ctx, a.ID, a.Challenge.No, kept)
	if errors.Is(err, account.ErrStale) {
		err = nil
	}
	if err == nil {
		k.o.Log.Info("an agent has a challenge", "request_id", requestID, "key", a.ID, "challenge", next.Challenge.No)
	}
	return next, err
}

func (k *Keys) state(a account.AgentInfo) (State, error) {
	s := State{AgentInfo: a, Wait: a.Challenge.Wait(k.o.Clock())}
	if a.Status != account.Locked {
		return s, nil
	}
	var err error
	s.Challenge, err = recall(a.Challenge)
	return s, err
}

// current returns the challenge of a locked key for the dataset being served, or nil when a new one is needed.
func (k *Keys) current(ctx context.Context, a account.AgentInfo, rows Rows) (*Challenge, error) {
	if a.Challenge.No == 0 || a.Challenge.Attempts >= account.MostAttempts {
		return nil, nil
	}
	kept, err := recall(a.Challenge)
	if err != nil {
		return nil, err
	}
	return Recompute(ctx, rows, kept, rows.Version)
}

// Renew gives a spent key its next challenge, and returns the challenge of a locked key.
func (k *Keys) Renew(ctx context.Context, keyID, requestID string, rows Rows) (State, error) {
	a, err := k.o.Store.Agent(ctx, keyID)
	if err != nil {
		return State{}, err
	}
	var stands *Challenge
	switch {
	case a.Tier != account.Anonymous, a.Status == account.Unlocked:
		return State{}, account.NotDue(a)
	case a.Status == account.Locked:
		if stands, err = k.current(ctx, a, rows); err != nil {
			return State{}, err
		}
	}
	if stands == nil {
		if a, err = k.draw(ctx, requestID, a, rows); err != nil {
			return State{}, err
		}
	}
	return k.state(a)
}

type Reply struct {
	KeyID     string
	Answers   []string
	Address   string // of the client
	RequestID string // for the log
}

// Examine judges the answers to the challenge of a key. It reads the rows before it asks the store, so that no transaction
// waits. Its error is a *NotAccepted, or a *Miscounted for a wrong number.
func (k *Keys) Examine(ctx context.Context, r Reply, rows Rows) (State, error) {
	ctx = account.As(ctx, account.Actor{Name: "agent", Address: r.Address})
	a, err := k.o.Store.Agent(ctx, r.KeyID)
	if err != nil {
		return State{}, err
	}
	right := false
	if a.Status == account.Locked {
		// An agent that answers too soon is refused before there is any work.
		if wait := a.Challenge.Wait(k.o.Clock()); wait > 0 {
			return State{}, tooSoon(account.Outcome{Left: account.MostAttempts - a.Challenge.Attempts, Wait: wait})
		}
		stands, err := k.current(ctx, a, rows)
		if err != nil {
			return State{}, err
		}
		if stands == nil {
			return State{}, k.redrawn(ctx, r.RequestID, a, rows, replaced())
		}
		if n := len(stands.Questions); len(r.Answers) != n {
			return State{}, &Miscounted{Given: len(r.Answers), Asked: n}
		}
		right = stands.Check(r.Answers)
	}
	a, outcome, err := k.o.Store.Attempt(ctx, r.KeyID, a.Challenge.No, func(account.Challenge) bool { return right })
	if errors.Is(err, account.ErrStale) {
		// Another request has used up the attempts and drawn a new challenge.
		return State{}, k.withNext(a, replaced())
	}
	if err != nil {
		return State{}, err
	}
	switch outcome.Verdict {
	case account.Right:
		k.o.Log.Info("an agent has unlocked its key", "request_id", r.RequestID, "key", a.ID, "challenge", a.Challenge.No)
		return k.state(a)
	case account.TooSoon:
		return State{}, tooSoon(outcome)
	case account.Wrong:
		return State{}, wrong(outcome)
	}
	return State{}, k.redrawn(ctx, r.RequestID, a, rows, usedUp())
}

func (k *Keys) redrawn(ctx context.Context, requestID string, a account.AgentInfo, rows Rows, f *fault.Fault) error {
	a, err := k.draw(ctx, requestID, a, rows)
	if err != nil {
		return err
	}
	return k.withNext(a, f)
}

func (k *Keys) withNext(a account.AgentInfo, f *fault.Fault) error {
	next, err := recall(a.Challenge)
	if err != nil {
		return err
	}
	return &NotAccepted{Fault: f, Next: &State{AgentInfo: a, Challenge: next, Wait: a.Challenge.Wait(k.o.Clock())}}
}

// Admit checks that the key of an agent may make a request. A locked key may make only the calls of its challenge. name is the
// name of that call, which the caller counts with TakeCall once the request is found to be in order.
func (k *Keys) Admit(ctx context.Context, keyID, method, path string, query url.Values) (name string, err error) {
	a, err := k.o.Store.Agent(ctx, keyID)
	if err != nil || a.Status != account.Locked {
		return "", err
	}
	if a.Challenge.No == 0 {
		return "", k.notNamed()
	}
	kept, err := recall(a.Challenge)
	if err != nil {
		return "", err
	}
	if call, ok := kept.call(method, path, query); ok {
		return call.name(), nil
	}
	return "", k.notNamed()
}

// TakeCall counts one of the calls that a locked key may make.
func (k *Keys) TakeCall(ctx context.Context, keyID, name string) error {
	_, err := k.o.Store.TakeCall(ctx, keyID, name)
	return err
}

func (k *Keys) Requirements() client.SignRules { return k.o.Verifier.Requirements() }
