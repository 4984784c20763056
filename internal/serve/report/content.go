package report

import (
	"encoding/json"
	"slices"

	"grantgraph/client"
	"grantgraph/internal/serve/screen"
)

type shownContent struct {
	client.ReportContent
	named *client.NameReportContent // the screen of a name; the content above is empty then
}

// readContent reads the content of a report whose JSON was parsed already.
func readContent(raw []byte) (*shownContent, error) {
	var kind struct {
		Subject json.RawMessage `json:"subject"`
	}
	c := &shownContent{}
	into := any(&c.ReportContent)
	if err := json.Unmarshal(raw, &kind); err == nil && kind.Subject != nil {
		c.named = &client.NameReportContent{}
		into = c.named
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, bad("the content is not that of a report: %v", err)
	}
	return c, nil
}

func (c *shownContent) invented() bool {
	caveats := c.Compliance.Caveats
	if c.named != nil {
		caveats = c.named.Compliance.Caveats
	}
	return slices.Contains(caveats, screen.InventedData)
}

// provenances returns the lists of a screening, in the order of the page.
func (c *shownContent) provenances() []client.ScreenProvenance {
	if c.named != nil {
		return []client.ScreenProvenance{c.named.Compliance.OFACSanctionsScreen.ScreenProvenance}
	}
	k := &c.Compliance
	california := &k.StateRegistration.California
	return []client.ScreenProvenance{
		k.BMF.ScreenProvenance, k.Pub78.ScreenProvenance, k.Revocation.ScreenProvenance, k.IRBScreen.ScreenProvenance,
		k.OFACSanctionsScreen.ScreenProvenance, california.ScreenProvenance, california.FTB,
	}
}
