package meta

import (
	"strings"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
)

func mapping(external, service, status, note string) client.Mapping {
	return client.Mapping{External: api.OrNull(external), Service: api.OrNull(service), Status: status, Note: note}
}

// The statuses of a mapping.
const (
	unsupported = "unsupported"
	equivalent  = "equivalent"
	transformed = "transformed"
	ours        = "service"
)

// compatibility is the whole map.
func compatibility(call *api.Call) client.Compatibility {
	c := client.Compatibility{
		Endpoints: []client.Mapping{
			mapping("GET /grants/v1/transactions", "GET /api/v1/grants/transactions", transformed, "Rows carry recipient provenance in x_service; field names follow this service."),
			mapping("GET /grants/v1/funders", "GET /api/v1/grants/funders", transformed, "Ranked by total dollars."),
			mapping("GET /grants/v1/recipients", "GET /api/v1/grants/recipients", transformed, "Ranked by dollars received."),
			mapping("GET /grants/v1/summary", "GET /api/v1/grants/summary", transformed, "Totals and a breakdown by fiscal year."),
			mapping("POST /essentials/v4", essentialsSearch, transformed, "Same top-level words; filters are flat or in the same blocks, and rows are flat."),
			mapping("GET /premier/v3/{ein}", "GET /api/v1/premier/{ein}", transformed, "Built from filings and the master file, without self-reported profiles."),
			mapping("GET /charitycheck/v1/{ein}", "GET /api/v1/screening/{ein}", transformed, "Booleans are JSON booleans; compat=legacy_strings renders them as strings."),
			mapping("Charity Check for California (ag_state_charity_reg_num)", "GET /api/v1/screening/{ein}", transformed, "Every record has what the California lists say, in state_registration.california."),
			mapping("GET /charitycheckpdf/v1/pdf/{ein}", "GET /api/v1/screening/{ein}?format=pdf", transformed, "One signed page."),
			mapping("GET /premier/v1/propdf/{ein}", "", unsupported, "There are no profiles as PDF."),
			mapping("GET /premier/v1/ftapdf/{ein}", "", unsupported, "There is no analysis of financial trends; SQL has the figures of the latest filing, as orgs."),
			mapping("GET /essentials/lookup", "", unsupported, "The vocabularies are in the OpenAPI document."),
			mapping("GET /news/v1", "", unsupported, "There is no news in the data."),
			mapping("Nonprofit Eligibility", "", unsupported, "There is no verdict on whom to pay."),
			mapping("Demographics", "", unsupported, "Filings do not say who leads or staffs an organization in those terms."),
			mapping("Taxonomy", "", unsupported, "Causes are those of the NTEE; the vocabularies are in the OpenAPI document."),
			mapping("", "GET /api/v1/search", ours, "Name to EIN, without a key."),
			mapping("", "GET /api/v1/meta", ours, "Dataset metadata, without a key."),
			mapping("", "GET /api/v1/essentials/{ein}", ours, "The core profile of one organization."),
			mapping("", "POST /api/v1/screening/bulk", ours, "Up to 100 organizations in one call."),
			mapping("", "POST /api/v1/screening/names", ours, "Up to 100 names without an EIN, against the sanctions list alone."),
			mapping("", "POST /api/v1/screening/verify", ours, "Verifies a retained report, without a key."),
			mapping("", "GET /api/v1/gov-funding/{ein}", ours, "Government awards."),
			mapping("", "GET /api/v1/similar/{ein}", ours, "Organizations that resemble one; an association, with its reasons."),
			mapping("", "GET /api/v1/prospects/{ein}", ours, "Funders that fund organizations like one; an association, with its reasons."),
			mapping("", "GET /api/v1/changes", ours, "What is new since an earlier build, by funder."),
			mapping("", "GET /api/v1/changes/lists", ours, "What is new on the compliance lists."),
			mapping("", "POST /api/v1/sql", ours, "Read-only SQL over the warehouse."),
			mapping("", "GET /api/v1/sql/schema", ours, "The tables that SQL can read, without a key."),
			mapping("", "POST /api/v1/agent-key", ours, "A trial key for an automated agent."),
			mapping("", "GET /api/v1/agent-key", ours, "What such a key asks and gives, and how to sign for one."),
			mapping("", "POST /api/v1/agent-key/answer", ours, "Unlocks it."),
			mapping("", "POST /api/v1/agent-key/challenge", ours, "Refills it."),
		},
		GrantParameters: []client.Mapping{
			mapping("query", "query", equivalent, "Looks at the purpose as filed and the recipient's name only."),
			mapping("location", "location", transformed, "States, ZIP codes, cities, county FIPS codes or FIPS 10-4 countries; no geoname ids."),
			mapping("geo_id_type", "geo_id_type", transformed, "state, zip, city, county_fips or country; geonameid is not resolved."),
			mapping("location_type", "location_type", transformed, "area_served selects funders whose giving reaches the place and returns all their grants."),
			mapping("year", "year", equivalent, "Fiscal years; ranges are accepted too."),
			mapping("subject", "subject", transformed, "NTEE letters, codes or cause labels; proprietary codes are refused with a 400."),
			mapping("population", "", unsupported, "Filings do not say whom a grant benefits."),
			mapping("support", "support", transformed, "Twelve ids derived from the purpose wording; see support_strategies."),
			mapping("transaction", "", unsupported, "Every row is a cash grant."),
			mapping("recip_id", "recip_id", transformed, "EINs only."),
			mapping("funder_id", "funder_id", transformed, "EINs only."),
			mapping("id_type", "id_type", transformed, "Only ein; any other value is a 400 that points to /search."),
			mapping("include_gov", "", unsupported, "There are no government grantmakers in the data."),
			mapping("min_amt", "min_amt", equivalent, "Whole dollars."),
			mapping("max_amt", "max_amt", equivalent, "Whole dollars."),
			mapping("last_updated", "", unsupported, "Rows have no timestamp; GET /changes says whose rows are different since a build."),
			mapping("profile_levels", "", unsupported, "Organizations have no profile levels."),
			mapping("sort_by", "sort_by", transformed, "A subset of names; year_issued is accepted."),
			mapping("sort_order", "sort_order", equivalent, "asc or desc."),
			mapping("page", "page", equivalent, "From 1."),
			mapping("format", "format", equivalent, "json or xml, and also csv and ndjson."),
			mapping("", "limit", ours, "Up to 1,000 rows in a page."),
			mapping("", "cursor", ours, "Pages through any number of rows."),
			mapping("", "fields", ours, "Picks columns."),
			mapping("", "min_year", ours, "Open-ended fiscal-year bound."),
			mapping("", "max_year", ours, "Open-ended fiscal-year bound."),
			mapping("", "country", ours, "Recipient country, FIPS 10-4."),
			mapping("", "funder_type", ours, "Kind of grantmaker."),
			mapping("", "exclude", ours, "Drops classes of rows and says what each cost."),
			mapping("", "exclude_daf", ours, "The same as exclude=daf."),
			mapping("", "subject_basis", ours, "Whether inferred causes count as well as registered ones."),
			mapping("", "near", ours, "A five-digit ZIP code: only places around it count."),
			mapping("", "within", ours, "How many miles around near."),
			mapping("", "grant_key", ours, "Grants by their own keys."),
			mapping("", "by", ours, "Adds one grouping to a summary: by cause, place, year, funder and so on."),
			mapping("", "top", ours, "How many groups of by are listed one by one."),
			mapping("", "min_match_prob", ours, "How sure the recipient EIN has to be."),
			mapping("", "ein_source", ours, "How the recipient EIN was resolved."),
			mapping("", "strict", ours, "Turns warnings about ignored parameters into a 400."),
			mapping("", "example", ours, "Answers from invented data."),
		},
		EssentialsFilters: []client.Mapping{
			mapping("search_terms", "search_terms", equivalent, "Names, words and, with mode, meaning."),
			mapping("from", "from", equivalent, "Offset of the first result."),
			mapping("size", "size", equivalent, "Up to 1,000."),
			mapping("sort.sort_by", "sort.sort_by", transformed, "name, revenue, assets, expenses, grants_paid or score."),
			mapping("sort.sort_order", "sort.sort_order", equivalent, "asc or desc."),
			mapping("geography.state", "state", equivalent, "Read as it is; also flat, as a list or comma-separated."),
			mapping("geography.city", "city", equivalent, "Read as it is; City, ST names one of several."),
			mapping("geography.zip", "zip", equivalent, "Read as it is; several, and areas of three digits, too. No radius."),
			mapping("geography.radius", "", unsupported, "There is no search by distance."),
			mapping("geography.msa", "", unsupported, "Metropolitan areas are not resolved."),
			mapping("geography.county", "county", transformed, "Read as it is: names such as Summit County, OH, or FIPS codes."),
			mapping("organization.profile_levels", "", unsupported, "Organizations have no profile levels."),
			mapping("organization.ntee_major_codes", "cause", equivalent, "Read as it is: letters, with or without their labels."),
			mapping("organization.ntee_minor_codes", "ntee", equivalent, "Read as it is: codes, with or without their labels."),
			mapping("organization.subsection_codes", "subsection", transformed, "Read as it is: 03 or 501(c)(3); what kind of 501(c)(3) is foundation_type."),
			mapping("organization.foundation_codes", "foundation_type", transformed, "Read as it is: codes of the master file, or PC, PF, POF, SO."),
			mapping("organization.subject_codes", "", unsupported, "Proprietary codes are not used."),
			mapping("organization.population_served_codes", "", unsupported, "Filings do not say whom an organization serves."),
			mapping("organization.group_exemption", "group_exemption", transformed, "Read as it is: numbers of group exemptions."),
			mapping("organization.number_of_employees", "", unsupported, "There is no filter by employees."),
			mapping("organization.ruling_year", "min_ruling_year, max_ruling_year", equivalent, "Read as it is, or as a flat pair of bounds."),
			mapping("organization.properties.bmf_status", "in_bmf", equivalent, "In the current master file."),
			mapping("organization.properties.pub78_verified", "pub78_verified", equivalent, "On the current deductibility list."),
			mapping("organization.properties.exclude_revoked_organizations", "revoked", transformed, "Read as it is; revoked false is the same."),
			mapping("organization.properties.exclude_defunct_or_merged_organizations", "", unsupported, "Neither filings nor the lists mark organizations as defunct or merged."),
			mapping("organization.properties.allow_online_giving", "", unsupported, "Filings do not say."),
			mapping("organization.properties.dei_submitted", "", unsupported, "There are no self-reported profiles."),
			mapping("organization.properties.relationship_type", "", unsupported, "There is no filter by relationship; SQL has families of organizations, as org_families."),
			mapping("financials.most_recent_year.form_types", "return_type", transformed, "f990, f990ez and f990pf are read as they are; Forms 990-N are not in the data. Flat: 990, 990EZ, 990PF or 990T."),
			mapping("financials.most_recent_year.total_revenue", "min_revenue, max_revenue", equivalent, "Read as it is, or as a flat pair of bounds."),
			mapping("financials.most_recent_year.total_expenses", "min_expenses, max_expenses", equivalent, "Read as it is, or as a flat pair of bounds."),
			mapping("financials.most_recent_year.total_assets", "min_assets, max_assets", equivalent, "Read as it is, or as a flat pair of bounds."),
			mapping("financials.required_to_file_990t", "", unsupported, "There is no filter by the duty to file Form 990-T."),
			mapping("financials.a_133_audit_performed", "", unsupported, "There is no filter by federal audits."),
			mapping("last_updated", "", unsupported, "Records have no timestamp; compare dataset.version."),
			mapping("", "mode", ours, "semantic also matches the meaning of a mission."),
			mapping("", "min_grants_paid, max_grants_paid", ours, "Organizations that make grants at some scale."),
			mapping("", "cursor", ours, "Pages through any number of rows."),
		},
	}
	// The pairs of which real rows are known; the others have no counterpart
	// that could be checked.
	external := map[grant.Support]string{
		grant.GeneralOperating: "UA0000", grant.Program: "UN0000", grant.Capital: "UF0000", grant.CapacityBuilding: "UE0000",
		grant.Fellowship: "UR0400", grant.EmergencyRelief: "UG0700",
	}
	for _, s := range grant.Supports() {
		status, note := ours, s.Label()+"; derived from the purpose wording."
		if external[s] != "" {
			status = transformed
		}
		c.SupportStrategies = append(c.SupportStrategies, mapping(external[s], s.IDs()[0], status, note))
	}
	c.Endpoints = honored(c.Endpoints, func(endpoint string) bool { return serves(call, endpoint) })
	c.EssentialsFilters = honored(c.EssentialsFilters, func(string) bool { return serves(call, essentialsSearch) })
	return c
}

// essentialsSearch is the endpoint that the filters of the essentials belong to.
const essentialsSearch = "POST /api/v1/essentials"

// serves says whether the operation table has an endpoint: the map tells of
// the whole interface, of which a part may not be there yet.
func serves(call *api.Call, endpoint string) bool {
	endpoint, _, _ = strings.Cut(endpoint, "?")
	method, path, _ := strings.Cut(endpoint, " ")
	return call.Serves(method, path)
}

// honored keeps a map from promising what is not served: such words of the
// other service are unsupported, and such features of our own are left out.
func honored(list []client.Mapping, there func(service string) bool) []client.Mapping {
	var out []client.Mapping
	for _, m := range list {
		switch {
		case m.Service == nil || there(*m.Service):
			out = append(out, m)
		case m.External != nil:
			out = append(out, mapping(*m.External, "", unsupported, "This service does not offer it."))
		}
	}
	return out
}
