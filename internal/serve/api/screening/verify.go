package screening

import (
	"context"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/report"
)

// weightOfVerdict is the memory that verification takes, in bytes. A small PDF may
// unpack to much, and parsed values take more than the bytes of the document.
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

// keys are all keys that ever signed reports.
func (o *operations) keys(ctx context.Context) (list []report.PublicKey, err error) {
	keys, err := o.Ring.Keys(ctx)
	for _, k := range keys {
		list = append(list, report.PublicKey(k))
	}
	return list, err
}
