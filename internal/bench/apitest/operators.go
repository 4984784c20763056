package apitest

import (
	"context"
	"encoding/json"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/example"
)

// operators find nothing, and the keys that they make are not kept.
type operators struct{ example.Store }

func (operators) View(context.Context, string, map[string]any) ([]account.Row, error) {
	return []account.Row{{JSON: []byte("{}")}}, nil
}
func (operators) Audit(context.Context, account.Event) error { return nil }
func (o operators) Create(ctx context.Context, _ account.Plan, _, _ string) (string, account.KeyInfo, error) {
	k, err := o.Find(ctx, "")
	return example.Key, k, err
}
func (o operators) CreateFor(ctx context.Context, _, _ string) (string, account.KeyInfo, error) {
	return o.Create(ctx, "", "", "")
}
func (o operators) Rotate(ctx context.Context, _ string) (string, account.KeyInfo, error) {
	return o.Create(ctx, "", "", "")
}
func (o operators) Delete(ctx context.Context, id string) (account.KeyInfo, error) {
	return o.Find(ctx, id)
}
func (operators) Invite(context.Context, string) (token string, a account.Account, err error) { return }
func (operators) AcceptCorrection(context.Context, string, func(string) error) (row string, err error) {
	return
}
func (operators) RejectCorrection(context.Context, string, string) error { return nil }

type emptyDesk struct{}

func (emptyDesk) StatusJSON(context.Context) (json.RawMessage, error)                    { return []byte("{}"), nil }
func (emptyDesk) Rulings() func(string) error                                            { return nil }
func (emptyDesk) Datasets() (list []json.RawMessage, err error)                          { return }
func (emptyDesk) Publish(string, func(string) error) (err error)                         { return }
func (emptyDesk) Deliver(context.Context, string, string, bool) (link string, err error) { return }
