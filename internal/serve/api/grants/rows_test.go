package grants

import (
	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"strings"
	"testing"
)

func TestGrantRow(t *testing.T) {
	t.Parallel()
	// The names and their order are the contract.
	const want = "grant_key funder_ein funder_name funder_city funder_state funder_type recip_id recip_ein recip_name recip_name_filed recip_city recip_state recip_zipcode recip_country amount fiscal_year subject subject_label subject_source ntee_code support purpose filing x_service"
	if got := strings.Join(api.ColumnNames(GrantRow{}), " "); got != want {
		t.Errorf("a grant is %s", got)
	}
	if got := strings.Join(api.ColumnNames(client.FunderRow{}), " "); got != "funder_ein funder_name total_amount grant_count recipient_count first_fiscal_year last_fiscal_year funder_city funder_state funder_type" {
		t.Errorf("a funder is %s", got)
	}
	if got := strings.Join(api.ColumnNames(RecipientRow{}), " "); got != "recip_id recip_ein recip_name recip_city recip_state recip_zipcode recip_country total_amount grant_count funder_count first_fiscal_year last_fiscal_year unidentified" {
		t.Errorf("a recipient is %s", got)
	}
	if u := api.FilingURL(361234567, "202100000000000001"); u == nil || !strings.Contains(*u, "361234567/202100000000000001") {
		t.Errorf("a filing is at %v", u)
	}
}
