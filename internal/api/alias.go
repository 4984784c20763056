package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// alias is another word for a parameter: what callers of other services, or
// those who guess, would send. A parameter is never read under another name,
// because one request would then have two spellings; the answer says which name
// was meant, which a guess from the spelling alone could not.
type alias struct {
	word string
	say  string // what was meant; empty is the name of the parameter
}

// words are aliases that mean the parameter and nothing more.
func words(list string) (aliases []alias) {
	for _, w := range strings.Fields(list) {
		aliases = append(aliases, alias{word: w})
	}
	return aliases
}

// either are words that may mean more than one thing.
func either(say, list string) (aliases []alias) {
	for _, w := range strings.Fields(list) {
		aliases = append(aliases, alias{w, say})
	}
	return aliases
}

// fieldWords are other words for the fields of request bodies.
var fieldWords = map[string]string{
	"query": "sql", "statement": "sql", "q": "sql", "sql_query": "sql", "select": "sql",
	"parameters": "params", "bindings": "params", "args": "params", "arguments": "params", "values": "params", "binds": "params",
	"answer": "answers", "responses": "answers", "response": "answers", "solutions": "answers",
	"reason": "purpose", "intent": "purpose", "use": "purpose", "use_case": "purpose", "usage": "purpose", "goal": "purpose", "description": "purpose",
	"referrer": "source", "referer": "source", "origin": "source", "found_via": "source", "how": "source", "discovered_via": "source",
	"tier": "plan", "plan_name": "plan", "product": "plan", "subscription": "plan",
}

// placeWords are the names of places of every kind. Each means location, and
// what says how it is read and whose place it is.
func placeWords() []alias {
	list := words("place places locations geography geo_id region regions area geonameid state states st state_code recip_state recipient_state grantee_state recipient_location recip_location")
	list = append(list, either("location with geo_id_type=city", "city cities town recip_city recipient_city")...)
	list = append(list, either("location with geo_id_type=zip", "zip zips zipcode zip_code postal_code postcode recip_zip recip_zipcode recipient_zip")...)
	list = append(list, either("location with geo_id_type=county_fips", "county counties county_fips fips county_code recip_county recipient_county")...)
	list = append(list, either("location with location_type=funder", "funder_state grantmaker_state foundation_state funder_location")...)
	return append(list, either("location with location_type=area_served", "area_served service_area geographic_focus")...)
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

// plainWord is a name as the tables have it: small letters, with underscores
// where it has other marks or a capital within.
func plainWord(s string) string {
	if len(s) > maxText {
		return ""
	}
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if unicode.IsUpper(r) && lower {
				b.WriteByte('_')
			}
			lower = unicode.IsLower(r) || unicode.IsDigit(r)
			b.WriteRune(unicode.ToLower(r))
		default:
			lower = false
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}

// says finds what is meant by another word for the parameter.
func (p *Param) says(word string) string {
	for _, a := range p.Also {
		if a.word != word {
			continue
		}
		if a.say != "" {
			return a.say
		}
		return p.Name
	}
	return ""
}

// meant finds the parameter of the operation that another word stands for, or
// that has the name in another dress, such as funderId.
func (op *Operation) meant(name string) string {
	word := plainWord(name)
	for i := range op.Params {
		p := &op.Params[i]
		if p.In == "path" {
			continue
		}
		if p.Name == word {
			return p.Name
		}
		if say := p.says(word); say != "" {
			return say
		}
	}
	return ""
}

// otherWord tells of a parameter that was sent in place of one that is missing.
func (r *reader) otherWord(p *Param) string {
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if word := plainWord(name); word == p.Name || p.says(word) != "" {
			return fmt.Sprintf("; %s is no parameter, send it as %s", shown(name), p.Name)
		}
	}
	return ""
}
