package organizations

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/table"
)

// noData says why a filter of another service is not honored, by the name of the filter in warnings.
//
//go:embed not_honored.tsv
var notHonored string

var noData = table.Map("not_honored.tsv", notHonored, "field", "reason")

// unhonored reports the fields of a block for which there is no data.
func (r *listReader) unhonored(f *api.Form) {
	prefix := f.Called("")
	for _, name := range slices.Sorted(maps.Keys(noData)) {
		field, ok := strings.CutPrefix(name, prefix)
		if !ok || strings.Contains(field, ".") {
			continue
		}
		if _, given := f.Value(field); given {
			f.Ignored(field, "%s The filter did not run.", noData[name])
		}
	}
}

func (r *listReader) readFilters(f *api.Form) error {
	x := &r.question.filter
	r.places(f)
	for _, name := range []string{"cause", "ntee"} {
		if err := r.causes(f, name); err != nil {
			return err
		}
	}
	r.forms(f, "return_type")
	r.subsections(f, "subsection")
	r.foundations(f, "foundation_type")
	r.groups(f, "group_exemption")
	r.applications(f, "accepts_applications")
	x.Revenue = r.span(f, "min_revenue", "max_revenue", -maxDollars, maxDollars)
	x.Assets = r.span(f, "min_assets", "max_assets", -maxDollars, maxDollars)
	x.Expenses = r.span(f, "min_expenses", "max_expenses", -maxDollars, maxDollars)
	x.GrantsPaid = r.span(f, "min_grants_paid", "max_grants_paid", -maxDollars, maxDollars)
	x.RulingYear = r.span(f, "min_ruling_year", "max_ruling_year", 0, 9999)
	r.stands(f, "in_bmf", &x.InBMF, &r.sources.BMF, r.have().InBMF)
	r.stands(f, "pub78_verified", &x.Pub78, &r.sources.Pub78, r.have().Pub78)
	r.stands(f, "revoked", &x.Revoked, &r.sources.Revocation, r.have().Revoked)
	r.unhonored(f)

	geography := r.nested(f, "geography")
	r.places(geography)
	r.unhonored(geography)
	r.readFinancials(r.nested(f, "financials"))
	return r.readOrganization(r.nested(f, "organization"))
}

// readOrganization reads Candid's organization block, also its earlier versions.
func (r *listReader) readOrganization(f *api.Form) error {
	x := &r.question.filter
	for _, name := range []string{"ntee_major_codes", "ntee_minor_codes"} {
		if err := r.causes(f, name); err != nil {
			return err
		}
	}
	r.subsections(f, "subsection_codes")
	r.foundations(f, "foundation_codes")
	r.groups(f, "group_exemption")
	r.spanBlock(f, "ruling_year", &x.RulingYear, 0, 9999)
	r.formTypes(f)
	for _, b := range []*api.Form{f, r.nested(f, "properties"), r.nested(f, "specific_exclusions")} {
		r.stands(b, "bmf_status", &x.InBMF, &r.sources.BMF, r.have().InBMF)
		r.stands(b, "pub78_verified", &x.Pub78, &r.sources.Pub78, r.have().Pub78)
		if exclude := r.flag(b, "exclude_revoked_organizations"); exclude != nil && *exclude {
			is := false
			r.standsAs(b, "exclude_revoked_organizations", &is, &x.Revoked, &r.sources.Revocation, r.have().Revoked)
		}
		r.unhonored(b)
	}
	return nil
}

// readFinancials reads Candid's financials block, also its earlier versions.
func (r *listReader) readFinancials(f *api.Form) {
	x := &r.question.filter
	year := r.nested(f, "most_recent_year")
	r.formTypes(year)
	for _, b := range []*api.Form{year, f} {
		r.spanBlock(b, "total_revenue", &x.Revenue, -maxDollars, maxDollars)
		r.spanBlock(b, "total_expenses", &x.Expenses, -maxDollars, maxDollars)
		r.spanBlock(b, "total_assets", &x.Assets, -maxDollars, maxDollars)
	}
	r.unhonored(f)
}

// twice is the warning that a filter was also given under another name.
const twice = "The same filter is also in the body under another name, so this one was not applied."

// put sets a list of the filter, unless the list is already set.
func put[T any](f *api.Form, name string, to *[]T, values []T) {
	switch {
	case len(values) == 0:
	case len(*to) > 0:
		f.Ignored(name, twice)
	default:
		*to = values
	}
}

func (r *listReader) spanBlock(f *api.Form, name string, to *directory.Range, low, high int64) {
	b := r.nested(f, name)
	switch x := r.span(b, "min", "max", low, high); {
	case x.Empty():
	case !to.Empty():
		f.Ignored(name, twice)
	default:
		*to = x
	}
}

// have returns the sets of the compliance lists, empty if no lists are loaded.
func (r *listReader) have() *screen.Standing {
	if r.standing == nil {
		return &screen.Standing{}
	}
	return r.standing
}

// stands reads a filter by a compliance list. Without the list it does not run: anybody might be on the missing list.
func (r *listReader) stands(f *api.Form, name string, to **bool, list *client.ComplianceSource, set []uint64) {
	if is := r.flag(f, name); is != nil {
		r.standsAs(f, name, is, to, list, set)
	}
}

func (r *listReader) standsAs(f *api.Form, name string, is *bool, to **bool, list *client.ComplianceSource, set []uint64) {
	switch {
	case !list.Screens || set == nil:
		why := "The list is not loaded."
		if list.Note != nil {
			why = *list.Note
		}
		f.Ignored(name, "The list that it uses is out of service, so the filter did not run. %s", why)
	case *to != nil && **to != *is:
		f.Ignored(name, twice)
	default:
		*to = is
	}
}

func (r *listReader) places(f *api.Form) {
	x := &r.question.filter
	r.list(f, "state", &x.States, func(item string) []string {
		code, ok := place.State(item)
		if !ok {
			f.Ignored("state", "%q is not a state, so it was not applied.", api.Clip(item))
			return nil
		}
		return []string{code}
	})
	put(f, "city", &x.Cities, r.cities(f))
	put(f, "zip", &x.ZIPs, r.zips(f))
	put(f, "county", &x.Counties, r.counties(f))
}

// inStates reads names, in which a bare state code belongs to the name before it.
func (r *listReader) inStates(f *api.Form, name string) (list []directory.City) {
	for _, item := range r.parts(f, name) {
		if region, ok := place.RegionOf(item); ok && len(item) == 2 {
			if n := len(list); n > 0 && list[n-1].State == "" {
				list[n-1].State = region.Code
				continue
			}
			f.Ignored(name, "%q is a state with no place before it, so it was not applied; write Springfield, IL.", api.Clip(item))
			continue
		}
		list = append(list, directory.City{Name: item})
	}
	return list
}

func (r *listReader) cities(f *api.Form) (list []directory.City) {
	var everywhere []string
	for _, c := range r.inStates(f, "city") {
		key := orgname.City(c.Name)
		if key == "" {
			f.Ignored("city", "%q is not the name of a city, so it was not applied.", api.Clip(c.Name))
			continue
		}
		if c.State == "" {
			everywhere = append(everywhere, api.Clip(c.Name))
		}
		list = append(list, directory.City{Name: key, State: c.State})
	}
	if len(everywhere) > 0 && !f.Has("state") {
		f.Caveat("city", "No state was given for %s, so cities of that name in every state match; write City, ST for one.", someOf(everywhere))
	}
	return list
}

func someOf(list []string) string {
	const most = 10
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// zips reads ZIP codes of five or nine digits, prefixes of three digits, and four digits that have lost their leading zero.
func (r *listReader) zips(f *api.Form) (list []string) {
	for i, item := range r.parts(f, "zip") {
		digits := strings.ReplaceAll(item, "-", "")
		if strings.Trim(digits, "0123456789") != "" || len(digits) != 3 && len(digits) != 4 && len(digits) != 5 && len(digits) != 9 {
			f.Problem("zip", i, "zip_parsing", item, nil, "%q is not a ZIP code; write five digits, or three for a whole area", api.Clip(item))
			continue
		}
		switch len(digits) {
		case 3:
			f.Caveat("zip", "%s is the beginning of a ZIP code: every ZIP code in the area matches.", digits)
		case 4:
			digits = "0" + digits
		}
		list = append(list, digits[:min(5, len(digits))])
	}
	return list
}

// countyNames finds counties by name in capitals, also without a last word such as County.
var countyNames = sync.OnceValue(func() map[string][]place.County {
	names := map[string][]place.County{}
	for _, c := range place.Shipped().Counties() {
		full := strings.ToUpper(c.Name)
		names[full] = append(names[full], c)
		if i := strings.LastIndexByte(full, ' '); i > 0 {
			names[full[:i]] = append(names[full[:i]], c)
		}
	}
	return names
})

func (r *listReader) counties(f *api.Form) (list []string) {
	for _, c := range r.inStates(f, "county") {
		if code := strings.TrimSpace(c.Name); strings.Trim(code, "0123456789") == "" && (len(code) == 4 || len(code) == 5) {
			list = append(list, strings.Repeat("0", 5-len(code))+code)
			continue
		}
		var found []string
		for _, county := range countyNames()[strings.ToUpper(c.Name)] {
			if c.State == "" || c.State == county.State {
				found = append(found, county.FIPS)
			}
		}
		switch len(found) {
		case 0:
			f.Ignored("county", "%q is not a county, so it was not applied; write Summit County, OH or the five digits of its FIPS code.", api.Clip(c.Name))
		case 1:
		default:
			f.Caveat("county", "There are %d counties of the name %s, and all of them match; write Summit County, OH for one.", len(found), api.Clip(c.Name))
		}
		list = append(list, found...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// causes reads letters, causes and codes, which may have their label after them.
func (r *listReader) causes(f *api.Form, name string) error {
	var all ntee.Subject
	for _, value := range r.values(f, name) {
		if code, label, ok := strings.Cut(value, " "); ok && label != "" && leadingCode(code) {
			value = code
		}
		subject, err := ntee.ParseSubject(value)
		if err != nil {
			return fault.New("proprietary_subject", "%s.", err).Try("send an NTEE letter, an NTEE code or a cause")
		}
		for _, unknown := range subject.Unknown {
			f.Ignored(name, "%s", ntee.NotApplied(unknown))
		}
		all.Items = append(all.Items, subject.Items...)
	}
	if !all.Empty() {
		r.question.filter.Causes = append(r.question.filter.Causes, all)
	}
	return nil
}

func leadingCode(word string) bool {
	letter := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	return len(word) == 1 && letter(word[0]) || len(word) >= 2 && len(word) <= 4 && letter(word[0]) && digit(word[1])
}

var returnTypes = []string{"990", "990EZ", "990PF", "990T"}

// list reads a list into one of the filter; of gives the values that an item stands for.
func (r *listReader) list(f *api.Form, name string, to *[]string, of func(item string) []string) {
	var list []string
	for _, item := range r.parts(f, name) {
		list = append(list, of(item)...)
	}
	put(f, name, to, list)
}

func (r *listReader) forms(f *api.Form, name string) {
	r.list(f, name, &r.question.filter.ReturnTypes, func(item string) []string {
		form := strings.TrimPrefix(strings.TrimPrefix(strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(item)), "FORM"), "F")
		switch {
		case slices.Contains(returnTypes, form):
			return []string{form}
		case form == "990N":
			f.Ignored(name, "Forms 990-N are not in the data, so it was not applied.")
		default:
			r.outside(f, name, item, returnTypes, nil)
		}
		return nil
	})
}

// formTypes reads Candid's form_types: the forms that are true.
func (r *listReader) formTypes(f *api.Form) {
	b := r.nested(f, "form_types")
	var list []string
	for _, form := range returnTypes[:3] {
		if is := r.flag(b, "f"+strings.ToLower(form)); is != nil && *is {
			list = append(list, form)
		}
	}
	put(f, "form_types", &r.question.filter.ReturnTypes, list)
	r.unhonored(b)
}

func (r *listReader) applications(f *api.Form, name string) {
	r.list(f, name, &r.question.filter.Accepts, func(item string) []string {
		word := strings.ReplaceAll(strings.ToLower(item), " ", "_")
		if slices.Contains(grant.Applications(), word) {
			return []string{word}
		}
		r.outside(f, name, word, grant.Applications(), map[string]string{"true": grant.Accepts, "false": grant.Preselects, "preselected": grant.Preselects})
		return nil
	})
}

func (r *listReader) subsections(f *api.Form, name string) {
	r.list(f, name, &r.question.filter.Subsections, func(item string) []string {
		code := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(item, " ", "")), "501(c)"), "501c")
		rest := strings.TrimLeft(strings.TrimPrefix(code, "("), "0123456789")
		code = strings.TrimSuffix(strings.TrimPrefix(code, "("), rest)
		if len(code) == 1 {
			code = "0" + code
		}
		if irscode.SubsectionLabel(code) == "" {
			f.Ignored(name, "%q is not a subsection, so it was not applied; write 03 or 501(c)(3).", api.Clip(item))
			return nil
		}
		if rest = strings.TrimPrefix(rest, ")"); rest != "" {
			f.Caveat(name, "Of %q the subsection %s was applied alone; foundation_type tells public charities from private foundations.",
				api.Clip(item), irscode.SubsectionLabel(code))
		}
		return []string{code}
	})
}

func (r *listReader) foundations(f *api.Form, name string) {
	var list []string
	for _, value := range r.values(f, name) {
		// A code may be followed by its label, which has commas.
		if code, _, ok := strings.Cut(value, " "); ok && irscode.FoundationLabel(code) != "" {
			value = code
		}
		for item := range strings.SplitSeq(value, ",") {
			switch item = strings.ToUpper(strings.TrimSpace(item)); {
			case item == "":
			case foundationCodes[item] != nil:
				list = append(list, foundationCodes[item]...)
			case irscode.FoundationLabel(item) != "":
				list = append(list, item)
			default:
				r.outside(f, name, item, []string{"PC", "PF", "POF", "SO"}, map[string]string{
					"PRIVATE_FOUNDATION": "PF", "PUBLIC_CHARITY": "PC", "PUBLIC CHARITY": "PC", "PRIVATE FOUNDATION": "PF",
				})
			}
		}
	}
	put(f, name, &r.question.filter.FoundationCodes, list)
}

func (r *listReader) groups(f *api.Form, name string) {
	r.list(f, name, &r.question.filter.Groups, func(item string) []string {
		if number := strings.TrimLeft(item, "0"); number != "" && len(item) <= 5 && strings.Trim(item, "0123456789") == "" {
			return []string{number}
		}
		f.Ignored(name, "%q is not the number of a group exemption, so it was not applied.", api.Clip(item))
		return nil
	})
}
