package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/agent"
	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/fault"
)

// agentPath is where agents get their keys.
const agentPath = "/agent-key"

// maxPurpose bounds each of the two things that an agent says of itself.
const maxPurpose = 1000

// AgentKeyAnswer is the state of the key of an agent.
type AgentKeyAnswer struct {
	head
	APIKey    string          `json:"api_key" doc:"The key. It is made known here and kept by nobody but you; answers to requests with a key repeat that key."`
	Status    string          `json:"status" enum:"locked,unlocked,spent" doc:"locked: only the calls of the challenge may be made. unlocked: calls are left. spent: none are left."`
	Tier      string          `json:"tier" enum:"anonymous,signed,attested,trusted" doc:"What the agent has shown of itself."`
	ExpiresAt string          `json:"expires_at" doc:"When the key ends, whatever is left." format:"date-time"`
	Calls     AgentCalls      `json:"calls" doc:"The allowance of the key."`
	Challenge *AgentChallenge `json:"challenge,omitempty" doc:"What has to be answered to unlock the key; absent when there is nothing to answer."`
	tail
}

// AgentCalls is an allowance.
type AgentCalls struct {
	Limit     int `json:"limit" doc:"Calls in the allowance."`
	Remaining int `json:"remaining" doc:"Calls left of it; a locked key has none."`
}

// AgentChallenge is a set of questions about the rows of three calls.
type AgentChallenge struct {
	ID           string          `json:"id" doc:"Names the challenge."`
	Questions    []AgentQuestion `json:"questions" doc:"Two or three questions; the answers are sent in this order."`
	Calls        []AgentCall     `json:"calls" doc:"The three calls that the questions are about, numbered from 1 in this order. A locked key may make these and no others; they are not counted."`
	AnswerTo     AgentCall       `json:"answer_to" doc:"Where the answers go: send them there as {\"answers\": [...]}, with the key as X-API-Key."`
	AttemptsLeft int             `json:"attempts_left" doc:"Answers that may still be sent; after the last wrong one there is a new challenge."`
	RetryAfterS  int             `json:"retry_after_s" doc:"Seconds to wait before the next answer."`
}

// AgentQuestion is one question.
type AgentQuestion struct {
	ID         string `json:"id" doc:"Names the question within the challenge."`
	Text       string `json:"text" doc:"The question."`
	AnswerType string `json:"answer_type" enum:"integer,organization,text" doc:"integer: whole dollars. organization: a name or an EIN. text: wording as filed."`
}

// AgentCall is a request that a locked key may make.
type AgentCall struct {
	Method string `json:"method" doc:"HTTP method."`
	URL    string `json:"url" doc:"Address. The order of its parameters does not matter, everything else does." format:"uri"`
}

// MintRequest is the body of a request for a key.
type MintRequest struct {
	Purpose string `json:"purpose" doc:"What the key is for, in a few words; recorded, not verified."`
	Source  string `json:"source" doc:"How you learned of this service; recorded, not verified."`
}

// AnswerRequest is the body of an answer to a challenge.
type AnswerRequest struct {
	Answers []string `json:"answers" doc:"One answer per question, in the order of the questions."`
}

// Examiner draws challenges; *agent.Examiner is one.
type Examiner interface {
	Draw(ctx context.Context, a agent.Asker, keyID string, number int, version string) (*agent.Challenge, error)
}

// desk is where agents get keys and are examined.
type desk struct {
	agents   account.Agents
	examiner Examiner
	verifier *httpsig.Verifier
	trusted  []string
	clock    func() time.Time
	log      *slog.Logger
}

// newDesk makes the desk of a service, nil when its store knows no agents.
func newDesk(c *Config) (*desk, error) {
	if c.Agents == nil {
		return nil, nil
	}
	d := &desk{agents: c.Agents, examiner: c.Examiner, clock: c.Clock, log: c.Log}
	if d.examiner == nil {
		// Challenges are kept with the keys, so nobody needs the secret again.
		e, err := agent.NewExaminer(randomSecret())
		if err != nil {
			return nil, err
		}
		d.examiner = e
	}
	directory := c.Directory
	if directory == nil {
		directory = httpsig.NewDirectory(httpsig.Options{Now: c.Clock})
	}
	var err error
	if d.verifier, err = httpsig.NewVerifier(c.BaseURL, directory, c.Agents); err != nil {
		return nil, err
	}
	d.verifier.Now = c.Clock
	for _, host := range c.Trusted {
		host = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(host)), "https://")
		d.trusted = append(d.trusted, strings.TrimSuffix(strings.TrimSuffix(host, "/"), ":443"))
	}
	return d, nil
}

// randomSecret is what an examiner of this process alone draws with.
func randomSecret() []byte {
	b := make([]byte, 2*agent.MinSecret)
	rand.Read(b) // never fails
	return b
}

// hasDesk says whether the service hands out keys to agents.
func hasDesk(s *server) bool { return s.desk != nil }

const agentTag = "Agent keys"

func mintOperation() Operation {
	return Operation{
		ID: "mintAgentKey", Method: "POST", Path: agentPath, Tag: agentTag, Access: Open, needs: theGraph, offered: hasDesk,
		Summary: "Get a key as an automated agent",
		Description: "Mints a key without an account. It arrives locked, with a challenge: two or three plain questions about the rows of three calls, which the locked key may make. " +
			"Answering them unlocks 10 calls for a day. A request signed as GET /agent-key describes gets a key of a higher tier without a challenge; a signature that does not hold is refused.",
		Body: MintRequest{}, MaxBody: 16 << 10, Response: AgentKeyAnswer{}, Formats: []string{"json"},
		Slugs: []string{slugSignature, slugInactive, slugMints, slugAttempts, slugStore, slugNoChallenge},
		Examples: []Example{
			{Case: "1", Description: "A locked key and its challenge", Body: `{"purpose":"comparing funders of food pantries","source":"llms.txt"}`},
			{Case: "unsupported", Description: "A field that does not exist", Body: `{"purpose":"comparing funders of food pantries","source":"llms.txt","mail":"someone@example.org"}`},
			{Case: "strict", Description: "What strict=1 refuses", Query: "strict=1", Body: `{"purpose":"comparing funders of food pantries","source":"llms.txt","mail":"someone@example.org"}`},
			{Case: "invalid", Description: "A request that does not say how it learned of the service", Body: `{"purpose":"comparing funders of food pantries"}`},
		},
		plan: mintPlan,
	}
}

func rulesOperation() Operation {
	return Operation{
		ID: "getAgentKeyRules", Method: "GET", Path: agentPath, Tag: agentTag, Access: Open, offered: hasDesk,
		Summary:     "How agents get keys and sign requests",
		Description: "Lists what each tier of agent keys asks and gives, and the exact requirements on a signed request, for programs to read.",
		Response:    AgentRules{}, Formats: []string{"json"},
		Examples: []Example{{Case: "1", Description: "The requirements"}},
		plan: func(c *call) (run, error) {
			return func(context.Context) (answer, error) { return c.desk.rules(c), nil }, nil
		},
	}
}

func answerOperation() Operation {
	return Operation{
		ID: "answerChallenge", Method: "POST", Path: agentPath + "/answer", Tag: agentTag, Access: Agent, needs: theGraph, offered: hasDesk,
		Summary: "Answer the challenge of a locked key",
		Description: "Unlocks a locked key when every answer is right. A wrong answer is not said to be the first or the second; the next may be sent after 5 seconds, the one after that 10 seconds later. " +
			"After three wrong answers there is a new challenge, in the answer. An answer that comes too soon is refused and not counted.",
		Body: AnswerRequest{}, MaxBody: 16 << 10, Response: AgentKeyAnswer{}, Formats: []string{"json"},
		Slugs: []string{slugWrong, slugNotDue, slugReplaced, slugTooSoon, slugNoChallenge},
		Examples: []Example{
			{Case: "1", Description: "Right answers: the key is unlocked", Body: `{"answers":["$120,000","00-0000004"]}`},
			{Case: "wrong_answer", Description: "Wrong answers", Body: `{"answers":["$120,000","00-0000005"]}`},
		},
		plan: answerPlan,
	}
}

func challengeOperation() Operation {
	return Operation{
		ID: "renewChallenge", Method: "POST", Path: agentPath + "/challenge", Tag: agentTag, Access: Agent, needs: theGraph, offered: hasDesk,
		Summary: "Get the next challenge for a key whose calls are spent",
		Description: "Locks a spent key of the anonymous tier and gives it a new challenge; answering it gives another 10 calls, as often as you like until the key expires. " +
			"A key that is locked is told its present challenge again. While calls remain there is none.",
		Response: AgentKeyAnswer{}, Formats: []string{"json"},
		Slugs:    []string{slugNotDue, slugNoChallenge},
		Examples: []Example{{Case: "1", Description: "A new challenge"}},
		plan: func(c *call) (run, error) {
			return func(ctx context.Context) (answer, error) { return c.desk.renew(ctx, c) }, nil
		},
	}
}

func mintPlan(c *call) (run, error) {
	f := c.readForm()
	spec := account.AgentSpec{Purpose: f.text("purpose", maxPurpose), Source: f.text("source", maxPurpose)}
	f.finish()
	return func(ctx context.Context) (answer, error) { return c.desk.mint(ctx, c, spec) }, nil
}

// mint makes a key. The address is counted before the signature is looked at,
// because to look at it may mean to ask a host of the stranger's choice.
func (d *desk) mint(ctx context.Context, c *call, spec account.AgentSpec) (answer, error) {
	wait, ok, err := d.agents.TakeMint(ctx, c.address)
	if err != nil {
		return nil, err
	}
	if !ok {
		f := fault.New(slugMints, "Too many keys were asked for from this address: at most %d an hour are minted.", account.MintsAnHour).
			Try("ask again in %d seconds, or use the keys you have", seconds(wait))
		f.Err = &account.WaitError{Wait: wait}
		return nil, f
	}
	if err := d.identify(ctx, c, &spec); err != nil {
		return nil, err
	}
	who := "agent"
	if spec.Host != "" {
		who = "agent of " + spec.Host
	}
	ctx = account.As(ctx, account.Actor{Name: who, Address: c.address})
	secret, a, err := d.agents.MintAgent(ctx, spec)
	if err != nil {
		return nil, err
	}
	if a.Tier == account.Anonymous {
		if a, err = d.draw(ctx, c, a); err != nil {
			return nil, err
		}
	}
	d.log.Info("an agent has a key", slog.String("request_id", c.id), slog.String("key", a.ID), slog.String("tier", string(a.Tier)), slog.String("host", a.Host))
	c.secret = secret
	return d.state(c, a)
}

// identify finds the tier that a request has earned. One with a signature that
// does not hold has earned nothing: it is not taken for one without.
func (d *desk) identify(ctx context.Context, c *call, spec *account.AgentSpec) error {
	spec.Tier = account.Anonymous
	signed := slices.ContainsFunc([]string{"Signature", "Signature-Input", "Signature-Agent"}, func(name string) bool {
		return c.request != nil && len(c.request.Header.Values(name)) > 0
	})
	if !signed {
		return nil
	}
	sig, err := d.verifier.Verify(ctx, c.request)
	if errors.Is(err, httpsig.ErrNone) {
		return fault.New(slugSignature, "The request names a Signature-Agent but is not signed.").
			Try("send Signature-Input and Signature as well, or none of the three")
	}
	if err != nil {
		return err
	}
	spec.Thumbprint, spec.Host = sig.KeyID, sig.Host
	switch {
	case slices.Contains(d.trusted, sig.Host):
		spec.Tier = account.Trusted
	case sig.Attested:
		spec.Tier = account.Attested
	default:
		spec.Tier = account.Signed
		c.warn.caveat("_credential", fmt.Sprintf("The key is of the signed tier and not of the attested one: %s.", sig.Why))
	}
	return nil
}

// state is the key as the wire tells it.
func (d *desk) state(c *call, a account.AgentInfo) (answer, error) {
	out := &AgentKeyAnswer{
		head: success, APIKey: c.secret, Status: string(a.Status), Tier: string(a.Tier), ExpiresAt: instant(a.Expires),
		Calls: AgentCalls{a.Allowance, a.Remaining}, tail: tail{c.service()},
	}
	if a.Status == account.Locked {
		ch, err := d.wire(c, a)
		if err != nil {
			return nil, err
		}
		out.Challenge = ch
	}
	return out, nil
}

// admit checks that a key which may be an agent's may make a request. A locked
// key may make the calls of its challenge only; which of them this is, is
// remembered, to be counted when the request is found to be in order.
func (d *desk) admit(ctx context.Context, c *call, values url.Values) error {
	if c.tier != account.Anonymous {
		return nil
	}
	a, err := d.agents.Agent(ctx, c.key)
	if err != nil || a.Status != account.Locked {
		return err
	}
	refusal := fault.New(slugLocked, "This key is locked: until its challenge is answered it may make only the calls the challenge names.").
		Try("make those calls exactly as given, then POST %s%s%s/answer; POST %s/challenge tells the challenge again", c.base, versioned, agentPath, agentPath)
	if a.Challenge.No == 0 {
		return refusal
	}
	kept, err := recall(a.Challenge)
	if err != nil {
		return err
	}
	for i, named := range kept.Calls {
		one := agent.Challenge{Calls: kept.Calls[i : i+1]}
		if one.Allows(c.op.Method, versioned+c.op.Path, values) {
			c.named = callName(named)
			return nil
		}
	}
	return refusal
}

// restrictions tells a caller what its trial key holds back.
func (c *call) restrictions() {
	t := c.tier.Terms()
	switch {
	case c.tier == "":
		return
	case c.named != "":
		c.warn.caveat("_credential", "This key is locked: it may make the three calls of its challenge and no others; they are not counted. It has no year slice, so hits is a corpus total.")
	case c.tier == account.Anonymous:
		c.warn.caveat("_credential", fmt.Sprintf("This is a trial key of the anonymous tier: at most %d rows in a page and %d calls until another challenge is answered, for a day. It has no year slice, so hits is a corpus total.", t.Rows, t.Calls))
	default:
		c.warn.caveat("_credential", fmt.Sprintf("This is a trial key of the %s tier: at most %d rows in a page and %d calls in all, which never refill. It has no year slice, so hits is a corpus total.", c.tier, t.Rows, t.Calls))
	}
}
