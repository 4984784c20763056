package screening

import (
	"context"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/report"
)

func (o *operations) verify() api.Operation {
	return api.Operation{
		ID: "verifyReport", Method: "POST", Path: path + "/verify", Access: api.Open, Anew: true,
		Summary: "Verify a report that was kept",
		Description: "Takes a report as it was kept, the block of JSON, an answer that holds it, or the PDF, computes its identifier again, verifies the signature with the published keys, and says whether its format version is still current. " +
			"What cannot be verified is null, never false: false says that it was checked and is wrong. Nothing is kept, and nothing is counted.",
		Body: client.Report{}, BodyTypes: []string{"application/pdf"}, MaxBody: maxDocument, AtOnce: budget.NewAtOnce(mostDocuments, mostFromOne), Response: client.VerifyAnswer{}, Formats: []string{"json"},
		Refusals: []api.Refusal{api.StoreUnavailable},
		Examples: []api.Example{
			{Case: "1", Description: "A report that was issued", Body: o.Samples.Report},
			{Case: "bent", Description: "The same after it was changed", Body: strings.Replace(o.Samples.Report, `"found":true`, `"found":false`, 1)},
			{Case: "unknown_key", Description: "A report signed with a key that this service never had: nothing can be said of its signature", Body: o.Samples.Foreign},
			{Case: "invalid", Description: "What is no report at all", Body: `{"ein":"00-0000001"}`},
		},
		Plan: o.planVerify,
	}
}

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
