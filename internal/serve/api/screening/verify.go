package screening

import (
	"context"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
)

// weightOfVerdict is what verification takes, in bytes: a small page may hold
// much, and so many values as are read of a document take more than its bytes.
const weightOfVerdict = 16 << 20

func (o *operations) planVerify(c *api.Call) (api.Run, error) {
	document := c.Body()
	c.Weight = weightOfVerdict
	return func(ctx context.Context) (client.Answer, error) {
		select {
		case o.turns <- struct{}{}:
			defer func() { <-o.turns }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		keys, err := o.keys(ctx)
		if err != nil {
			return nil, err
		}
		v, err := report.Verify(ctx, document, keys)
		if f, ok := fault.Of(err); ok && f.Slug == report.BadReport {
			return nil, api.InvalidBody("", "report", nil, f.Message+"; "+f.Hint)
		}
		if err != nil {
			return nil, err
		}
		return &client.VerifyAnswer{Head: api.Success, Status: string(v.Status()), ReportVerdict: v.ReportVerdict, Tail: c.Tail()}, nil
	}, nil
}

// keys are those that reports were ever signed with.
func (o *operations) keys(ctx context.Context) (list []report.PublicKey, err error) {
	keys, err := o.Ring.Keys(ctx)
	for _, k := range keys {
		list = append(list, report.PublicKey(k))
	}
	return list, err
}
