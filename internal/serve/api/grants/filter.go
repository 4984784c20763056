package grants

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// The widths of lists of EINs and of amounts.
const (
	maxEINs       = 1000 // in a list
	einListLength = maxEINs * 15
	mostDollars   = 1 << 53
	maxKeys       = 1000 // grant keys in a list
	maxKeyLength  = 64
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
func filterParams() []api.Param {
	return []api.Param{
		{Name: "funder_id", Also: append(api.Words("funder_ein funder grantmaker grantmaker_id grantmaker_ein foundation foundation_id foundation_ein donor donor_id donor_ein filer_ein ein_funder grantor grantor_id funding_organization awarding_organization"), api.Either("funder_id or recip_id", "ein eins org_id organization_id organization org")...), Type: api.String, List: true, MaxLength: einListLength, MaxItems: maxEINs, Example: "00-0000001", Description: "Grantmaker EIN in any format: hyphens and missing leading zeros are normalized. Comma-separate for several, at most 1,000."},
		{Name: "recip_id", Also: api.Words("recipient_id recipient recipient_ein recip_ein recip recipient_eins grantee grantee_id grantee_ein beneficiary receiver_id awardee awardee_id ein_recipient"), Type: api.String, List: true, MaxLength: einListLength, MaxItems: maxEINs, Example: "00-0000004", Description: "Recipient EIN in any format, or the recip_id of a row that has one; comma-separate for several, at most 1,000. Rows whose recipient has no resolved EIN never match."},
		{Name: "id_type", Also: api.Words("identifier_type org_id_type key_type"), EnumAlso: map[string]string{"eins": "ein", "tax_id": "ein", "taxid": "ein", "fein": "ein"}, Type: api.String, Enum: []string{"ein"}, Default: "ein", Description: "Only ein; any other value is a 400. Find EINs by name with /search."},
		{Name: "year", Also: api.Words("years fiscal_year fiscal_years fy tax_year tax_yr taxyear yr grant_year year_issued award_year period tax_period"), Type: api.String, List: true, Example: "2017-2020", Description: "Fiscal year (2021), comma list (2019,2021) or range (2017-2020)."},
		{Name: "min_year", Also: api.Words("year_min from_year year_from start_year since since_year first_year begin_year year_gte min_fiscal_year start_date date_from"), Type: api.Integer, Min: api.Bound(1900), Max: api.Bound(2100), Description: "First fiscal year, open-ended."},
		{Name: "max_year", Also: api.Words("year_max to_year year_to end_year until until_year last_year year_lte max_fiscal_year end_date date_to"), Type: api.Integer, Min: api.Bound(1900), Max: api.Bound(2100), Description: "Last fiscal year, open-ended."},
		{Name: "subject", Also: api.Words("subjects subject_code cause causes ntee ntee_code ntee_codes ntee_major category field_of_work issue issue_area topic area_of_work sector"), Type: api.String, List: true, MaxLength: 2000, MaxItems: 1000, Example: "B", Description: "NTEE major letter (B), NTEE code (B42) or cause label (Education); comma-separate for several. A value shaped like a code of a proprietary taxonomy is a 400. Rows without a recipient EIN or NTEE code never match, unless subject_basis=any. Letters and causes: " + causes() + "."},
		{Name: "subject_basis", Also: api.Words("cause_basis subject_source cause_source ntee_basis inferred include_inferred"), EnumAlso: map[string]string{"inferred": "any", "all": "any", "both": "any", "1": "any", "true": "any", "yes": "any", "ntee": "registered", "0": "registered", "false": "registered", "no": "registered"}, Type: api.String, Enum: ntee.BasisWords(), Default: "registered", Description: "Which causes count: registered (the recipient's NTEE code alone) or any (also the cause that was inferred for a recipient without a code, where the evidence is strong). An inferred cause is a letter, so it matches letters and causes, never a longer code."},
		{Name: "location", Also: placeWords(), Type: api.String, List: true, Example: "IL", Description: "Place, read as geo_id_type says; comma-separate for several. In a list of cities or counties a bare state code qualifies the one before it: Springfield, IL, Portland."},
		{Name: "geo_id_type", Also: api.Words("geo_type geography_type geo location_id_type place_type location_kind"), EnumAlso: map[string]string{"county": "county_fips", "counties": "county_fips", "fips": "county_fips", "county_code": "county_fips", "countyfips": "county_fips", "zipcode": "zip", "zip_code": "zip", "zips": "zip", "zip5": "zip", "postal_code": "zip", "postcode": "zip", "postal": "zip", "states": "state", "state_code": "state", "st": "state", "region": "state", "province": "state", "town": "city", "cities": "city", "municipality": "city", "place": "city", "countries": "country", "country_code": "country", "nation": "country", "iso": "country"}, Type: api.String, Enum: graph.PlaceKindWords(), Default: "state", Description: "How location is read: state (code or name), zip (five digits or a prefix of three), city, county_fips (five digits, or the name with its state: Summit County, OH) or country (FIPS 10-4)."},
		{Name: "location_type", Also: api.Words("location_of place_of geo_area location_role location_scope"), EnumAlso: map[string]string{"recip": "recipient", "recipients": "recipient", "grantee": "recipient", "recipient_location": "recipient", "place_of_performance": "recipient", "funders": "funder", "grantmaker": "funder", "foundation": "funder", "donor": "funder", "funder_location": "funder", "geographic_area_served": "area_served", "service_area": "area_served", "served": "area_served", "areas_served": "area_served", "area": "area_served"}, Type: api.String, Enum: graph.PlaceOfWords(), Default: "recipient", Description: "Whose place is meant. area_served selects the FUNDERS whose giving reaches the place and returns all their grants, including those made elsewhere."},
		{Name: "near", Also: append(api.Words("near_zip nearby close_to around zip_near proximity center"), api.Either("near with within", "lat latitude lon lng longitude coordinates")...), Type: api.String, MaxLength: 10, Example: "43701", Description: "A ZIP code: only places within so many miles of it match (within). Whose place is meant, location_type says; where location is given too, both must hold. Distances are great circles between the middles of ZIP code areas; a ZIP code for boxes stands in the middle of its town. A place without a ZIP code never matches. A ZIP code whose place is not known is a 422."},
		{Name: "within", Also: api.Words("radius miles distance max_distance within_miles radius_miles"), Type: api.Integer, Min: api.Bound(1), Max: api.Bound(maxMiles), Default: defaultMiles, Description: "How many miles from near, 1 to 500. Without near it is a 422."},
		{Name: "query", Also: append(api.Words("q search search_term search_terms search_text keyword keywords text purpose grant_purpose description term terms phrase full_text"), api.Either("query, or an EIN that /search finds by name,", "name funder_name recip_name recipient_name grantee_name org_name organization_name")...), Type: api.String, MaxLength: 500, Example: "after school program", Description: "Words that must all occur in the purpose as filed or in the recipient's name, where the endings -s, -es, -ed and -ing make no difference; \"quoted phrases\" and -excluded words; at most 32 of them, and 500 bytes in UTF-8."},
		{Name: "support", Also: api.Words("support_strategy support_strategies support_type support_types strategy grant_type award_type type_of_support"), EnumAlso: map[string]string{"operating": "general_operating", "general": "general_operating", "general_support": "general_operating", "general_operating_support": "general_operating", "operations": "general_operating", "unrestricted": "general_operating", "core": "general_operating", "core_support": "general_operating", "programs": "program", "program_support": "program", "project": "program", "project_support": "program", "building": "capital", "capital_campaign": "capital", "construction": "capital", "endowments": "endowment", "scholarships": "scholarship", "fellowships": "fellowship", "capacity": "capacity_building", "match": "matching", "matching_grant": "matching", "challenge_grant": "matching", "emergency": "emergency_relief", "disaster_relief": "emergency_relief", "relief": "emergency_relief", "sponsorships": "sponsorship", "event": "sponsorship"}, Type: api.String, List: true, Enum: supportIDs(), Description: "Support strategy derived from the purpose wording; approximate. Comma-separate for any of several."},
		{Name: "funder_type", Also: api.Words("grantmaker_type foundation_type funder_kind funder_types org_type donor_type"), EnumAlso: map[string]string{"foundation": "private_foundation", "private": "private_foundation", "pf": "private_foundation", "990pf": "private_foundation", "charity": "public_charity", "public": "public_charity", "pc": "public_charity", "990": "public_charity", "daf": "daf_or_passthrough", "dafs": "daf_or_passthrough", "donor_advised": "daf_or_passthrough", "donor_advised_fund": "daf_or_passthrough", "passthrough": "daf_or_passthrough", "pass_through": "daf_or_passthrough"}, Type: api.String, Enum: grant.FunderKinds(), Description: "Kind of grantmaker."},
		{Name: "exclude_daf", Also: api.Words("no_daf no_dafs exclude_dafs without_daf exclude_donor_advised"), Type: api.Boolean, Default: false, Description: "Drops donor-advised and pass-through funders; the same as exclude=daf."},
		{Name: "exclude", Also: append(api.Words("excluding excludes without omit drop"), api.Alias{Word: "exclude_individuals", Say: "exclude=individuals"}, api.Alias{Word: "exclude_related", Say: "exclude=related_party"}, api.Alias{Word: "exclude_related_party", Say: "exclude=related_party"}), EnumAlso: map[string]string{"dafs": "daf", "donor_advised": "daf", "donor_advised_fund": "daf", "donor_advised_funds": "daf", "passthrough": "daf", "individual": "individuals", "people": "individuals", "persons": "individuals", "related": "related_party", "related_parties": "related_party", "insider": "related_party", "insiders": "related_party", "unknown": "unidentified", "unnamed": "unidentified", "anonymous": "unidentified", "nobody": "unidentified"}, Type: api.String, List: true, Enum: graph.ClassWords(), Description: "Classes of rows to drop, comma-separated. unidentified are the lines that name no organization (\"see attached\", \"various\"), those to individuals among them; in SQL it is is_unidentified. Nothing is dropped by default. x_service.excluded says what each class cost."},
		{Name: "country", Also: api.Words("countries country_code recip_country recipient_country nation"), Type: api.String, List: true, MaxLength: 2000, MaxItems: 300, Example: "UK", Description: "Recipient country, FIPS 10-4 code, which is not always the ISO code; comma-separate for several."},
		{Name: "min_amt", Also: append(api.Words("min_amount minimum_amount amount_min amt_min min_grant min_grant_amount min_dollars amount_from amount_gte amount_gt lower_bound min_award min_award_amount minamount"), api.Either("min_amt or max_amt", "amount amt dollars amount_range")...), Type: api.Integer, Min: api.Bound(0), Max: api.Bound(mostDollars), Description: "Smallest grant, whole dollars."},
		{Name: "max_amt", Also: api.Words("max_amount maximum_amount amount_max amt_max max_grant max_grant_amount max_dollars amount_to amount_lte amount_lt upper_bound max_award max_award_amount maxamount"), Type: api.Integer, Min: api.Bound(0), Max: api.Bound(mostDollars), Description: "Largest grant, whole dollars."},
		{Name: "min_match_prob", Also: api.Words("match_prob match_probability min_match_probability min_prob min_probability min_confidence confidence min_score probability"), Type: api.Number, Min: api.Bound(0), Max: api.Bound(1), Description: "Keeps rows whose recipient EIN has at least this match_prob. Rows without a recipient EIN never match. Above about 0.965 no model-resolved row is left."},
		{Name: "ein_source", Also: api.Words("match_source source ein_sources match_rule match_type provenance"), EnumAlso: map[string]string{"stated": "filed", "reported": "filed", "filer": "filed", "human": "override_human", "manual": "override_human", "llm": "override_llm", "ml": "model", "machine": "model", "registry_dominant": "registry-dominant", "zipcode": "zip", "zip_code": "zip"}, Type: api.String, List: true, Enum: ruleNames(), Description: "How the recipient EIN was resolved, comma-separated; filed is the subset stated by filers."},
		{Name: "grant_key", Also: api.Words("grant_keys grant_id grant_ids transaction_id transaction_ids key keys"), Type: api.String, List: true, MaxLength: maxKeys * (maxKeyLength + 1), MaxItems: maxKeys, Example: "example-1", Description: "The grant_key of a row; comma-separate for several, at most 1,000. A key that the dataset does not have matches nothing."},
	}
}

// filterReader turns parameters into a graph.Filter.
type filterReader struct {
	*api.Reader
	manifest *snapshot.Manifest
	// hasCounty asks the dataset for a county.
	hasCounty func(fips string) bool
	filter    graph.Filter
	// reaches is set when the answer has to say how many funders reach the place.
	reaches bool
}

// readFilter reads every grant filter of a request.
func readFilter(r *api.Reader, m *snapshot.Manifest, g Graph) (*filterReader, error) {
	f := &filterReader{Reader: r, manifest: m, hasCounty: g.HasCounty}
	if err := f.identity(); err != nil {
		return nil, err
	}
	f.years()
	f.basis()
	if err := f.subject(); err != nil {
		return nil, err
	}
	f.judgeBasis()
	f.location()
	f.country()
	f.query()
	f.kinds()
	f.amounts()
	f.certainty()
	f.keys()
	return f, nil
}

func (f *filterReader) identity() error {
	if kind, ok := f.Text("id_type"); ok && !strings.EqualFold(kind, "ein") {
		return fault.New(idType.Slug, "id_type %q is not supported: organizations are identified by EIN only, which /search finds by name.", api.Clip(kind)).
			Try("find the EIN by name with /api/v1/search?q=… and send it without id_type")
	}
	f.filter.Funders = f.eins("funder_id")
	f.filter.Recipients = f.eins("recip_id")
	if len(f.filter.Recipients) > 0 {
		f.Warn.Caveat("recip_id", "Only rows whose recipient was resolved to an EIN can match; grants to the same organization on unresolved rows are left out.")
	}
	return nil
}

// identityPrefix is how the recip_id of a row begins when its recipient has an EIN.
const identityPrefix = "ein-"

// eins reads a list of EINs, sorted and without repetitions. The identity of a
// row is read as well, so that what the service wrote can be sent back.
func (f *filterReader) eins(name string) []ein.EIN {
	items := f.List(name)
	list := make([]ein.EIN, 0, len(items))
	for i, item := range items {
		digits := item
		if len(item) > len(identityPrefix) && strings.EqualFold(item[:len(identityPrefix)], identityPrefix) {
			digits = item[len(identityPrefix):]
		}
		e, err := ein.Parse(digits)
		if err != nil {
			f.Problem(f.Param(name), i, "ein_parsing", item, nil, "%q is not an EIN: nine digits are needed, hyphens and missing leading zeros are fine; find EINs by name with /search", api.Clip(item))
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
	for i, item := range f.List("year") {
		if s, ok := f.span(i, item); ok {
			spans = append(spans, s)
		}
	}
	low, hasLow := f.Integer("min_year")
	high, hasHigh := f.Integer("max_year")
	if hasLow && hasHigh && low > high {
		f.Problem(f.Param("max_year"), -1, "value_error", strconv.FormatInt(high, 10), api.Limit{"ge": low}, "the value is before min_year")
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
			f.Warn.Caveat("year", "No fiscal year satisfies year together with min_year and max_year, so nothing matches.")
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
		f.Problem(f.Param("year"), i, "year_parsing", item, nil, "%q is not a fiscal year; write 2021, 2019,2021 or 2017-2020", api.Clip(item))
		return graph.Span{}, false
	case a > b:
		f.Problem(f.Param("year"), i, "value_error", item, nil, "the range %s ends before it begins", api.Clip(item))
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
		f.Warn.Caveat(name, fmt.Sprintf("%s growing as returns are released; the last complete one is %d.", subject, counts.LastCompleteYear))
	}
	outside := !slices.ContainsFunc(f.filter.Years, func(s graph.Span) bool {
		return (s.From == 0 || s.From <= counts.LastFiscalYear) && (s.To == 0 || s.To >= counts.FirstFiscalYear)
	})
	if outside {
		f.Warn.Caveat(name, fmt.Sprintf("The data covers fiscal years %d to %d, so nothing matches.", counts.FirstFiscalYear, counts.LastFiscalYear))
	}
}

func (f *filterReader) asks(year int) bool {
	return slices.ContainsFunc(f.filter.Years, func(s graph.Span) bool {
		return s.From <= year && (s.To == 0 || year <= s.To)
	})
}

func (f *filterReader) subject() error {
	value, ok := f.Text("subject")
	if !ok {
		return nil
	}
	subject, err := ntee.ParseSubject(value)
	var refused *ntee.ProprietaryError
	if errors.As(err, &refused) {
		return fault.New(proprietary.Slug, "subject: %s.", refused.Error()).
			Try("NTEE letters and their causes are listed in the documentation of subject")
	}
	if err != nil {
		return err
	}
	for _, unknown := range subject.Unknown {
		f.Warn.Ignored("subject", fmt.Sprintf("%q is no NTEE letter, code or cause label, so it was not applied.", api.Clip(unknown)))
	}
	if subject.Empty() {
		if len(subject.Unknown) == 0 {
			f.Warn.Ignored("subject", api.EmptyList)
		}
		return nil
	}
	f.filter.Subject = ntee.Subject{Items: subject.Items}
	missing := "no NTEE code"
	if f.filter.SubjectBasis == ntee.Any {
		missing = "neither an NTEE code nor an inferred cause"
	}
	f.Warn.Caveat("subject", "A grant has the cause of its recipient: rows whose recipient has no resolved EIN or "+missing+" never match.")
	return nil
}

// basis reads which causes count, before the subject is read.
func (f *filterReader) basis() {
	word, _ := f.Choice("subject_basis")
	f.filter.SubjectBasis, _ = ntee.ParseBasis(word)
}

// judgeBasis says what the wider basis does, once the subject is known.
func (f *filterReader) judgeBasis() {
	longer := slices.ContainsFunc(f.filter.Subject.Items, func(it ntee.Item) bool { return it.Kind == ntee.Prefix })
	switch {
	case f.filter.SubjectBasis == ntee.Registered:
	case f.filter.Subject.Empty():
		f.Warn.Caveat("subject_basis", "Without subject it decides only which causes the rows of /grants/transactions show.")
	case longer:
		f.Warn.Caveat("subject_basis", "Inferred causes count too. They are letters, so none of them matches a code of more than a letter.")
	default:
		f.Warn.Caveat("subject_basis", "Inferred causes count too: they are right about 96 times in 100, and rows say which they are (subject_source).")
	}
}

func (f *filterReader) query() {
	value, ok := f.Text("query")
	if !ok {
		return
	}
	q, ok := graph.ParseQuery(value)
	if !ok {
		f.Warn.Ignored("query", "There is no word to look for in the value, so the filter did not run.")
		return
	}
	if n := len(q.Must) + len(q.MustNot); n > graph.MaxTerms {
		f.Problem(f.Param("query"), -1, "too_long", value, api.Limit{"max_length": graph.MaxTerms, "actual_length": n},
			"the query has %d words and phrases; at most %d are looked for", n, graph.MaxTerms)
		return
	}
	f.filter.Query = q
}

func (f *filterReader) kinds() {
	for _, id := range f.Choices("support") {
		s, _ := grant.ParseSupport(id)
		f.filter.Support |= s
	}
	if f.filter.Support != 0 {
		f.Warn.Caveat("support", "Support strategies are derived from the wording of the purpose as filed; they are approximate and lean towards including too much.")
	}
	f.filter.FunderKind, _ = f.Choice("funder_type")
	if f.Boolean("exclude_daf") {
		f.filter.Exclude |= graph.DAF
	}
	for _, word := range f.Choices("exclude") {
		class, _ := graph.ParseClass(word)
		f.filter.Exclude |= class
	}
	if f.filter.FunderKind == grant.Passthrough && f.filter.Exclude&graph.DAF != 0 {
		f.Warn.Caveat("funder_type", "funder_type=daf_or_passthrough together with exclude=daf leaves nothing.")
	}
}

func (f *filterReader) amounts() {
	low, hasLow := f.Integer("min_amt")
	high, hasHigh := f.Integer("max_amt")
	if hasLow && hasHigh && low > high {
		f.Problem(f.Param("max_amt"), -1, "value_error", strconv.FormatInt(high, 10), api.Limit{"ge": low}, "the value is less than min_amt")
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
	if p, ok := f.Number("min_match_prob"); ok {
		f.filter.MinProb = &p
		f.Warn.Caveat("min_match_prob", "Rows without a recipient EIN have no match_prob and never match.")
		if p >= modelTop {
			f.Warn.Caveat("min_match_prob", "Model-resolved rows top out near 0.965: above that every one of them is dropped and only rows resolved by a rule are left.")
		}
	}
	for _, name := range f.Choices("ein_source") {
		rule, _ := grant.ParseRule(name)
		f.filter.Sources = append(f.filter.Sources, rule)
	}
	slices.Sort(f.filter.Sources)
	if len(f.filter.Sources) > 0 {
		f.Warn.Caveat("ein_source", "Rows without a recipient EIN have no ein_source and never match.")
	}
}

func (f *filterReader) keys() {
	for i, key := range f.List("grant_key") {
		if len(key) > maxKeyLength {
			f.Problem(f.Param("grant_key"), i, "string_too_long", key, api.Limit{"max_length": maxKeyLength}, "the key is %d bytes long; no grant has one of more than %d", len(key), maxKeyLength)
			continue
		}
		f.filter.Keys = append(f.filter.Keys, key)
	}
	slices.Sort(f.filter.Keys)
	f.filter.Keys = slices.Compact(f.filter.Keys)
}

func (f *filterReader) country() {
	p := f.Param("country")
	for _, item := range f.List("country") {
		if code, ok := f.nation(p, item); ok && !slices.Contains(f.filter.Countries, code) {
			f.filter.Countries = append(f.filter.Countries, code)
		}
	}
	slices.Sort(f.filter.Countries)
}

// nation reads a FIPS 10-4 country code. A code that ISO gives to another
// country is read as FIPS, and the answer says so.
func (f *filterReader) nation(p *api.Param, item string) (string, bool) {
	code := strings.ToUpper(item)
	name, ok := place.Country(code)
	if !ok {
		reason := fmt.Sprintf("%q is not a FIPS 10-4 country code, so it was not applied.", api.Clip(item))
		for _, n := range place.Countries() {
			if strings.EqualFold(n.Name, item) {
				reason += fmt.Sprintf(" The code of %s is %s.", n.Name, n.Code)
			}
		}
		f.Warn.Ignored(p.Name, reason)
		return "", false
	}
	if other, ok := elsewhereISO[code]; ok {
		f.Warn.Caveat(p.Name, fmt.Sprintf("%s was read as FIPS 10-4, where it is %s; in ISO 3166 it is %s.", code, name, other))
	}
	if code == "US" {
		f.Warn.Caveat(p.Name, "Only recipients abroad carry a country, so US matches no row; filter by state instead.")
	}
	return code, true
}
