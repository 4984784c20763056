package grants

import (
	"slices"

	"grantgraph/internal/serve/api"
)

// placeWords are the names of places of every kind. Each means location, and
// what says how it is read and whose place it is.
func placeWords() []api.Alias {
	list := api.Words("place places locations geography geo_id region regions area geonameid state states st state_code recip_state recipient_state grantee_state recipient_location recip_location")
	list = append(list, api.Either("location with geo_id_type=city", "city cities town recip_city recipient_city")...)
	list = append(list, api.Either("location with geo_id_type=zip", "zip zips zipcode zip_code postal_code postcode recip_zip recip_zipcode recipient_zip")...)
	list = append(list, api.Either("location with geo_id_type=county_fips", "county counties county_fips fips county_code recip_county recipient_county")...)
	list = append(list, api.Either("location with location_type=funder", "funder_state grantmaker_state foundation_state funder_location")...)
	return append(list, api.Either("location with location_type=area_served", "area_served service_area geographic_focus")...)
}

// orderWords are other words for the orders that an endpoint has.
func orderWords(names []string) map[string]string {
	out := map[string]string{}
	for word, name := range map[string]string{
		"amt": "amount", "dollars": "amount", "total": "amount", "total_amount": "amount", "grant_amount": "amount", "award_amount": "amount", "value": "amount", "size": "amount",
		"fiscal_year": "year", "tax_year": "year", "date": "year", "year_awarded": "year", "recent": "year", "newest": "year",
		"grants": "count", "grant_count": "count", "number_of_grants": "count", "num_grants": "count",
		"funder": "funder_name", "grantmaker": "funder_name", "grantmaker_name": "funder_name", "foundation": "funder_name",
		"recipient": "recip_name", "recipient_name": "recip_name", "grantee": "recip_name", "grantee_name": "recip_name",
		"recipient_state": "recip_state", "grantmaker_state": "funder_state",
	} {
		if slices.Contains(names, name) {
			out[word] = name
		}
	}
	// Where rows are of one party, its name and state need not say whose.
	for _, part := range []string{"name", "state"} {
		funder, recip := slices.Contains(names, "funder_"+part), slices.Contains(names, "recip_"+part)
		switch {
		case funder && !recip:
			out[part] = "funder_" + part
		case recip && !funder:
			out[part] = "recip_" + part
		}
	}
	return out
}
