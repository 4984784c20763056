package api

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/graph"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot"
)

// The widths of lists of EINs and of amounts.
const (
	einListLength = maxEINs * 15
	mostDollars   = 1 << 53
)

// supportIDs is the vocabulary of support.
func supportIDs() []string { return grant.Support(1<<grant.Strategies - 1).IDs() }

// ruleNames is the vocabulary of ein_source.
func ruleNames() []string {
	var names []string
	for _, r := range grant.Rules() {
		names = append(names, r.String())
	}
	return names
}

// causes lists the letters of the NTEE with their causes.
func causes() string {
	var list []string
	for letter := byte('A'); letter <= 'Z'; letter++ {
		list = append(list, string(rune(letter))+" "+ntee.Label(letter))
	}
	return strings.Join(list, "; ")
}

// filterParams are the grant filters, in the order of the documentation.
func filterParams() []Param {
	return []Param{
		{Name: "funder_id", Also: append(words("funder_ein funder grantmaker grantmaker_id grantmaker_ein foundation foundation_id foundation_ein donor donor_id donor_ein filer_ein ein_funder grantor grantor_id funding_organization awarding_organization"), either("funder_id or recip_id", "ein eins org_id organization_id organization org")...), Type: String, List: true, MaxLength: einListLength, MaxItems: maxEINs, Example: "00-0000001", Description: "Grantmaker EIN in any format: hyphens and missing leading zeros are normalized. Comma-separate for several, at most 1,000."},
		{Name: "recip_id", Also: words("recipient_id recipient recipient_ein recip_ein recip recipient_eins grantee grantee_id grantee_ein beneficiary receiver_id awardee awardee_id ein_recipient"), Type: String, List: true, MaxLength: einListLength, MaxItems: maxEINs, Example: "00-0000004", Description: "Recipient EIN in any format, or the recip_id of a row that has one; comma-separate for several, at most 1,000. Rows whose recipient has no resolved EIN never match."},
		{Name: "id_type", Also: words("identifier_type org_id_type key_type"), EnumAlso: map[string]string{"eins": "ein", "tax_id": "ein", "taxid": "ein", "fein": "ein"}, Type: String, Enum: []string{"ein"}, Default: "ein", Description: "Only ein; any other value is a 400. Find EINs by name with /search."},
		{Name: "year", Also: words("years fiscal_year fiscal_years fy tax_year tax_yr taxyear yr grant_year year_issued award_year period tax_period"), Type: String, List: true, Example: "2017-2020", Description: "Fiscal year (2021), comma list (2019,2021) or range (2017-2020)."},
		{Name: "min_year", Also: words("year_min from_year year_from start_year since since_year first_year begin_year year_gte min_fiscal_year start_date date_from"), Type: Integer, Min: bound(1900), Max: bound(2100), Description: "First fiscal year, open-ended."},
		{Name: "max_year", Also: words("year_max to_year year_to end_year until until_year last_year year_lte max_fiscal_year end_date date_to"), Type: Integer, Min: bound(1900), Max: bound(2100), Description: "Last fiscal year, open-ended."},
		{Name: "subject", Also: words("subjects subject_code cause causes ntee ntee_code ntee_codes ntee_major category field_of_work issue issue_area topic area_of_work sector"), Type: String, List: true, MaxLength: 2000, MaxItems: 1000, Example: "B", Description: "NTEE major letter (B), NTEE code (B42) or cause label (Education); comma-separate for several. A value shaped like a code of a proprietary taxonomy is a 400. Rows without a recipient EIN or NTEE code never match. Letters and causes: " + causes() + "."},
		{Name: "location", Also: placeWords(), Type: String, List: true, Example: "IL", Description: "Place, read as geo_id_type says; comma-separate for several. In a list of cities a bare state code qualifies the city before it: Springfield, IL, Portland."},
		{Name: "geo_id_type", Also: words("geo_type geography_type geo location_id_type place_type location_kind"), EnumAlso: map[string]string{"county": "county_fips", "counties": "county_fips", "fips": "county_fips", "county_code": "county_fips", "countyfips": "county_fips", "zipcode": "zip", "zip_code": "zip", "zips": "zip", "zip5": "zip", "postal_code": "zip", "postcode": "zip", "postal": "zip", "states": "state", "state_code": "state", "st": "state", "region": "state", "province": "state", "town": "city", "cities": "city", "municipality": "city", "place": "city", "countries": "country", "country_code": "country", "nation": "country", "iso": "country"}, Type: String, Enum: graph.PlaceKindWords(), Default: "state", Description: "How location is read: state (code or name), zip (five digits or a prefix of three), city, county_fips (five digits) or country (FIPS 10-4)."},
		{Name: "location_type", Also: words("location_of place_of geo_area location_role location_scope"), EnumAlso: map[string]string{"recip": "recipient", "recipients": "recipient", "grantee": "recipient", "recipient_location": "recipient", "place_of_performance": "recipient", "funders": "funder", "grantmaker": "funder", "foundation": "funder", "donor": "funder", "funder_location": "funder", "geographic_area_served": "area_served", "service_area": "area_served", "served": "area_served", "areas_served": "area_served", "area": "area_served"}, Type: String, Enum: graph.PlaceOfWords(), Default: "recipient", Description: "Whose place is meant. area_served selects the FUNDERS whose giving reaches the place and returns all their grants, including those made elsewhere."},
		{Name: "query", Also: append(words("q search search_term search_terms search_text keyword keywords text purpose grant_purpose description term terms phrase full_text"), either("query, or an EIN that /search finds by name,", "name funder_name recip_name recipient_name grantee_name org_name organization_name")...), Type: String, MaxLength: 500, Example: "after school program", Description: "Words that must all occur in the purpose as filed or in the recipient's name, where the endings -s, -es, -ed and -ing make no difference; \"quoted phrases\" and -excluded words; at most 32 of them, and 500 bytes in UTF-8."},
		{Name: "support", Also: words("support_strategy support_strategies support_type support_types strategy grant_type award_type type_of_support"), EnumAlso: map[string]string{"operating": "general_operating", "general": "general_operating", "general_support": "general_operating", "general_operating_support": "general_operating", "operations": "general_operating", "unrestricted": "general_operating", "core": "general_operating", "core_support": "general_operating", "programs": "program", "program_support": "program", "project": "program", "project_support": "program", "building": "capital", "capital_campaign": "capital", "construction": "capital", "endowments": "endowment", "scholarships": "scholarship", "fellowships": "fellowship", "capacity": "capacity_building", "match": "matching", "matching_grant": "matching", "challenge_grant": "matching", "emergency": "emergency_relief", "disaster_relief": "emergency_relief", "relief": "emergency_relief", "sponsorships": "sponsorship", "event": "sponsorship"}, Type: String, List: true, Enum: supportIDs(), Description: "Support strategy derived from the purpose wording; approximate. Comma-separate for any of several."},
		{Name: "funder_type", Also: words("grantmaker_type foundation_type funder_kind funder_types org_type donor_type"), EnumAlso: map[string]string{"foundation": "private_foundation", "private": "private_foundation", "pf": "private_foundation", "990pf": "private_foundation", "charity": "public_charity", "public": "public_charity", "pc": "public_charity", "990": "public_charity", "daf": "daf_or_passthrough", "dafs": "daf_or_passthrough", "donor_advised": "daf_or_passthrough", "donor_advised_fund": "daf_or_passthrough", "passthrough": "daf_or_passthrough", "pass_through": "daf_or_passthrough"}, Type: String, Enum: grant.FunderKinds(), Description: "Kind of grantmaker."},
		{Name: "exclude_daf", Also: words("no_daf no_dafs exclude_dafs without_daf exclude_donor_advised"), Type: Boolean, Default: false, Description: "Drops donor-advised and pass-through funders; the same as exclude=daf."},
		{Name: "exclude", Also: append(words("excluding excludes without omit drop"), alias{"exclude_individuals", "exclude=individuals"}, alias{"exclude_related", "exclude=related_party"}, alias{"exclude_related_party", "exclude=related_party"}), EnumAlso: map[string]string{"dafs": "daf", "donor_advised": "daf", "donor_advised_fund": "daf", "donor_advised_funds": "daf", "passthrough": "daf", "individual": "individuals", "people": "individuals", "persons": "individuals", "related": "related_party", "related_parties": "related_party", "insider": "related_party", "insiders": "related_party"}, Type: String, List: true, Enum: graph.ClassWords(), Description: "Classes of rows to drop, comma-separated. Nothing is dropped by default. x_service.excluded says what each class cost."},
		{Name: "country", Also: words("countries country_code recip_country recipient_country nation"), Type: String, List: true, Example: "UK", Description: "Recipient country, FIPS 10-4 code, which is not always the ISO code; comma-separate for several."},
		{Name: "min_amt", Also: append(words("min_amount minimum_amount amount_min amt_min min_grant min_grant_amount min_dollars amount_from amount_gte amount_gt lower_bound min_award min_award_amount minamount"), either("min_amt or max_amt", "amount amt dollars amount_range")...), Type: Integer, Min: bound(0), Max: bound(mostDollars), Description: "Smallest grant, whole dollars."},
		{Name: "max_amt", Also: words("max_amount maximum_amount amount_max amt_max max_grant max_grant_amount max_dollars amount_to amount_lte amount_lt upper_bound max_award max_award_amount maxamount"), Type: Integer, Min: bound(0), Max: bound(mostDollars), Description: "Largest grant, whole dollars."},
		{Name: "min_match_prob", Also: words("match_prob match_probability min_match_probability min_prob min_probability min_confidence confidence min_score probability"), Type: Number, Min: bound(0), Max: bound(1), Description: "Keeps rows whose recipient EIN has at least this match_prob. Rows without a recipient EIN never match. Above about 0.965 no model-resolved row is left."},
		{Name: "ein_source", Also: words("match_source source ein_sources match_rule match_type provenance"), EnumAlso: map[string]string{"stated": "filed", "reported": "filed", "filer": "filed", "human": "override_human", "manual": "override_human", "llm": "override_llm", "ml": "model", "machine": "model", "registry_dominant": "registry-dominant", "zipcode": "zip", "zip_code": "zip"}, Type: String, List: true, Enum: ruleNames(), Description: "How the recipient EIN was resolved, comma-separated; filed is the subset stated by filers."},
	}
}

// filterReader turns parameters into a graph.Filter.
type filterReader struct {
	*reader
	manifest *snapshot.Manifest
	// hasCounty asks the dataset for a county.
	hasCounty func(fips string) bool
	filter    graph.Filter
	// reaches is set when the answer has to say how many funders reach the place.
	reaches bool
}

// readFilter reads every grant filter of a request.
func readFilter(r *reader, d *Dataset) (*filterReader, error) {
	f := &filterReader{reader: r, manifest: &d.Manifest, hasCounty: d.Graph.HasCounty}
	if err := f.identity(); err != nil {
		return nil, err
	}
	f.years()
	if err := f.subject(); err != nil {
		return nil, err
	}
	f.location()
	f.country()
	f.words()
	f.kinds()
	f.amounts()
	f.certainty()
	return f, nil
}

func (f *filterReader) identity() error {
	if kind, ok := f.text("id_type"); ok && !strings.EqualFold(kind, "ein") {
		return fault.New(slugIDType, "id_type %q is not supported: organizations are identified by EIN only, which /search finds by name.", fault.Clip(kind, maxQuoted)).
			Try("find the EIN by name with /api/v1/search?q=… and send it without id_type")
	}
	f.filter.Funders = f.eins("funder_id")
	f.filter.Recipients = f.eins("recip_id")
	if len(f.filter.Recipients) > 0 {
		f.warn.caveat("recip_id", "Only rows whose recipient was resolved to an EIN can match; grants to the same organization on unresolved rows are left out.")
	}
	return nil
}

// identityPrefix is how the recip_id of a row begins when its recipient has an EIN.
const identityPrefix = "ein-"

// eins reads a list of EINs, sorted and without repetitions. The identity of a
// row is read as well, so that what the service wrote can be sent back.
func (f *filterReader) eins(name string) []ein.EIN {
	items := f.list(name)
	list := make([]ein.EIN, 0, len(items))
	for i, item := range items {
		digits := item
		if len(item) > len(identityPrefix) && strings.EqualFold(item[:len(identityPrefix)], identityPrefix) {
			digits = item[len(identityPrefix):]
		}
		e, err := ein.Parse(digits)
		if err != nil {
			f.problem(f.param(name), i, "ein_parsing", item, nil, "%q is not an EIN: nine digits are needed, hyphens and missing leading zeros are fine; find EINs by name with /search", fault.Clip(item, maxQuoted))
			continue
		}
		list = append(list, e)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// nothing is a span that no row has, for filters that contradict each other.
var nothing = graph.Span{From: 1, To: 1}

func (f *filterReader) years() {
	var spans []graph.Span
	for i, item := range f.list("year") {
		if s, ok := f.span(i, item); ok {
			spans = append(spans, s)
		}
	}
	low, hasLow := f.integer("min_year")
	high, hasHigh := f.integer("max_year")
	if hasLow && hasHigh && low > high {
		f.problem(f.param("max_year"), -1, "value_error", strconv.FormatInt(high, 10), limit{"ge": low}, "the value is before min_year")
		return
	}
	name := "year"
	if len(spans) == 0 {
		if !hasLow && !hasHigh {
			return
		}
		name = "min_year"
		if !hasLow {
			name = "max_year"
		}
		spans = []graph.Span{{From: int(low), To: int(high)}}
	} else if hasLow || hasHigh {
		var within []graph.Span
		for _, s := range spans {
			if hasLow {
				s.From = max(s.From, int(low))
			}
			if hasHigh {
				s.To = min(s.To, int(high))
			}
			if s.From <= s.To {
				within = append(within, s)
			}
		}
		if spans = within; len(spans) == 0 {
			f.warn.caveat("year", "No fiscal year satisfies year together with min_year and max_year, so nothing matches.")
			f.filter.Years = []graph.Span{nothing}
			return
		}
	}
	f.filter.Years = merge(spans)
	f.judgeYears(name)
}

// span reads one item of year.
func (f *filterReader) span(i int, item string) (graph.Span, bool) {
	from, to, ranged := strings.Cut(item, "-")
	a, okA := fiscalYear(from)
	b, okB := a, okA
	if ranged {
		b, okB = fiscalYear(to)
	}
	switch {
	case !okA || !okB:
		f.problem(f.param("year"), i, "year_parsing", item, nil, "%q is not a fiscal year; write 2021, 2019,2021 or 2017-2020", fault.Clip(item, maxQuoted))
		return graph.Span{}, false
	case a > b:
		f.problem(f.param("year"), i, "value_error", item, nil, "the range %s ends before it begins", fault.Clip(item, maxQuoted))
		return graph.Span{}, false
	}
	return graph.Span{From: a, To: b}, true
}

func fiscalYear(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if len(s) != 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && n >= 1900 && n <= 2100
}

// merge sorts spans and joins those that touch, so that equal questions have
// equal filters.
func merge(spans []graph.Span) []graph.Span {
	slices.SortFunc(spans, func(a, b graph.Span) int { return a.From - b.From })
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if last.To != 0 && s.From <= last.To+1 {
			last.To = max(last.To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// judgeYears tells which of the years asked for are partial or not there.
func (f *filterReader) judgeYears(name string) {
	counts := &f.manifest.Counts
	var partial []string
	for _, year := range counts.PartialFiscalYear {
		if f.asks(year) {
			partial = append(partial, strconv.Itoa(year))
		}
	}
	if len(partial) > 0 {
		subject := "Fiscal year " + partial[0] + " is partial and keeps"
		if len(partial) > 1 {
			subject = "Fiscal years " + strings.Join(partial, ", ") + " are partial and keep"
		}
		f.warn.caveat(name, fmt.Sprintf("%s growing as returns are released; the last complete one is %d.", subject, counts.LastCompleteYear))
	}
	outside := !slices.ContainsFunc(f.filter.Years, func(s graph.Span) bool {
		return (s.From == 0 || s.From <= counts.LastFiscalYear) && (s.To == 0 || s.To >= counts.FirstFiscalYear)
	})
	if outside {
		f.warn.caveat(name, fmt.Sprintf("The data covers fiscal years %d to %d, so nothing matches.", counts.FirstFiscalYear, counts.LastFiscalYear))
	}
}

func (f *filterReader) asks(year int) bool {
	return slices.ContainsFunc(f.filter.Years, func(s graph.Span) bool {
		return s.From <= year && (s.To == 0 || year <= s.To)
	})
}

func (f *filterReader) subject() error {
	value, ok := f.text("subject")
	if !ok {
		return nil
	}
	subject, err := ntee.ParseSubject(value)
	var refused *ntee.ProprietaryError
	if errors.As(err, &refused) {
		return fault.New(slugProprietary, "subject: %s.", refused.Error()).
			Try("NTEE letters and their causes are listed in the documentation of subject")
	}
	if err != nil {
		return err
	}
	for _, unknown := range subject.Unknown {
		f.warn.ignored("subject", fmt.Sprintf("%q is no NTEE letter, code or cause label, so it was not applied.", fault.Clip(unknown, maxQuoted)))
	}
	if subject.Empty() {
		if len(subject.Unknown) == 0 {
			f.warn.ignored("subject", emptyList)
		}
		return nil
	}
	f.filter.Subject = ntee.Subject{Items: subject.Items}
	f.warn.caveat("subject", "A grant has the cause of its recipient: rows whose recipient has no resolved EIN or no NTEE code never match.")
	return nil
}

func (f *filterReader) words() {
	value, ok := f.text("query")
	if !ok {
		return
	}
	q, ok := graph.ParseQuery(value)
	if !ok {
		f.warn.ignored("query", "There is no word to look for in the value, so the filter did not run.")
		return
	}
	if n := len(q.Must) + len(q.MustNot); n > graph.MaxTerms {
		f.problem(f.param("query"), -1, "too_long", value, limit{"max_length": graph.MaxTerms, "actual_length": n},
			"the query has %d words and phrases; at most %d are looked for", n, graph.MaxTerms)
		return
	}
	f.filter.Query = q
}

func (f *filterReader) kinds() {
	for _, id := range f.choices("support") {
		s, _ := grant.ParseSupport(id)
		f.filter.Support |= s
	}
	if f.filter.Support != 0 {
		f.warn.caveat("support", "Support strategies are derived from the wording of the purpose as filed; they are approximate and lean towards including too much.")
	}
	f.filter.FunderKind, _ = f.choice("funder_type")
	if f.boolean("exclude_daf") {
		f.filter.Exclude |= graph.DAF
	}
	for _, word := range f.choices("exclude") {
		class, _ := graph.ParseClass(word)
		f.filter.Exclude |= class
	}
	if f.filter.FunderKind == grant.Passthrough && f.filter.Exclude&graph.DAF != 0 {
		f.warn.caveat("funder_type", "funder_type=daf_or_passthrough together with exclude=daf leaves nothing.")
	}
}

func (f *filterReader) amounts() {
	low, hasLow := f.integer("min_amt")
	high, hasHigh := f.integer("max_amt")
	if hasLow && hasHigh && low > high {
		f.problem(f.param("max_amt"), -1, "value_error", strconv.FormatInt(high, 10), limit{"ge": low}, "the value is less than min_amt")
		return
	}
	if hasLow {
		f.filter.MinAmount = &low
	}
	if hasHigh {
		f.filter.MaxAmount = &high
	}
}

// modelTop is about the largest probability that the model gives. Few builds
// have a row that comes quite up to it.
const modelTop = 0.965

func (f *filterReader) certainty() {
	if p, ok := f.number("min_match_prob"); ok {
		f.filter.MinProb = &p
		f.warn.caveat("min_match_prob", "Rows without a recipient EIN have no match_prob and never match.")
		if p >= modelTop {
			f.warn.caveat("min_match_prob", "Model-resolved rows top out near 0.965: above that every one of them is dropped and only rows resolved by a rule are left.")
		}
	}
	for _, name := range f.choices("ein_source") {
		rule, _ := grant.ParseRule(name)
		f.filter.Sources = append(f.filter.Sources, rule)
	}
	slices.Sort(f.filter.Sources)
	if len(f.filter.Sources) > 0 {
		f.warn.caveat("ein_source", "Rows without a recipient EIN have no ein_source and never match.")
	}
}

func (f *filterReader) country() {
	p := f.param("country")
	for _, item := range f.list("country") {
		if code, ok := f.nation(p, item); ok && !slices.Contains(f.filter.Countries, code) {
			f.filter.Countries = append(f.filter.Countries, code)
		}
	}
	slices.Sort(f.filter.Countries)
}

// nation reads a FIPS 10-4 country code. A code that ISO gives to another
// country is read as FIPS, and the answer says so.
func (f *filterReader) nation(p *Param, item string) (string, bool) {
	code := strings.ToUpper(item)
	name, ok := place.Country(code)
	if !ok {
		reason := fmt.Sprintf("%q is not a FIPS 10-4 country code, so it was not applied.", fault.Clip(item, maxQuoted))
		for _, n := range place.Countries() {
			if strings.EqualFold(n.Name, item) {
				reason += fmt.Sprintf(" The code of %s is %s.", n.Name, n.Code)
			}
		}
		f.warn.ignored(p.Name, reason)
		return "", false
	}
	if other, ok := elsewhereISO[code]; ok {
		f.warn.caveat(p.Name, fmt.Sprintf("%s was read as FIPS 10-4, where it is %s; in ISO 3166 it is %s.", code, name, other))
	}
	if code == "US" {
		f.warn.caveat(p.Name, "Only recipients abroad carry a country, so US matches no row; filter by state instead.")
	}
	return code, true
}
