package graph

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
)

const maxEINs = 1000

// UnsupportedIDType is the slug of the refusal of identifiers that are not EINs.
const UnsupportedIDType = "unsupported_id_type"

func partyFilters() []*Declaration {
	funders := listed(&Declaration{
		Params:    partyParam("funder_id", "00-0000001"),
		Read:      func(r *Reading) { r.Filter.Funders = r.eins("funder_id") },
		Canonical: func(w *Name, f *Filter) { writeSet(w, f.Funders) },
		rows:      func(g index, f *Filter) []condition { return []condition{g.funderCond(f.Funders)} },
		bound:     func(g *Graph, f *Filter) int64 { return g.rowsOfFunders(f.Funders) },
		SQL:       func(w *Where, f *Filter) { w.And("funder_ein IN (%s)", quotedEINs(f.Funders)) },
	}, func(f *Filter) *[]ein.EIN { return &f.Funders }, ein.EIN.String, listWords[ein.EIN]{"by ", "Funder: ", (*Words).party})
	funders.weight = func(g *Graph, f *Filter) int64 { return g.funderSetWeight() + 64*int64(len(f.Funders)) }
	recipients := listed(&Declaration{
		Params: partyParam("recip_id", "00-0000004"),
		Read: func(r *Reading) {
			if r.Filter.Recipients = r.eins("recip_id"); len(r.Filter.Recipients) > 0 {
				r.Caveat("recip_id", "Only rows whose recipient was resolved to an EIN can match; "+
					"grants to the same organization on unresolved rows are left out.")
			}
		},
		Canonical: func(w *Name, f *Filter) { writeSet(w, f.Recipients) },
		rows:      func(g index, f *Filter) []condition { return []condition{g.recipCond(g.recipsOf(f.Recipients))} },
		bound:     func(g *Graph, f *Filter) int64 { return g.rowsOfRecipients(f.Recipients) },
		SQL:       func(w *Where, f *Filter) { w.And("recipient_ein IN (%s)", quotedEINs(f.Recipients)) },
	}, func(f *Filter) *[]ein.EIN { return &f.Recipients }, ein.EIN.String, listWords[ein.EIN]{"to ", "Recipient: ", (*Words).party})
	idType := &Declaration{
		Params: Documented(&Param{Name: "id_type", Type: TextParam, Enum: []string{"ein"}, Default: "ein"}), PartOf: "funder_id", Read: readIDType,
	}
	return []*Declaration{idType, funders, recipients}
}

func partyParam(name, example string) []*Param {
	return Documented(&Param{Name: name, Type: TextParam, List: true, MaxLength: maxEINs * 15, MaxItems: maxEINs, Example: example})
}

func readIDType(r *Reading) {
	if kind, ok := r.Text("id_type"); ok && !strings.EqualFold(kind, "ein") {
		r.Failed = fault.New(UnsupportedIDType, "id_type %q is not supported: "+
			"organizations are identified by EIN only, which /search finds by name.", clip(kind)).
			Try("find the EIN by name with /api/v1/search?q=… and send it without id_type")
	}
}

// identityPrefix is how the recip_id of a row begins when its recipient has an EIN.
const identityPrefix = "ein-"

// eins reads a list of EINs, sorted and without repetitions. It also reads the
// identity of a row, so that clients can send back what the service wrote.
func (r *Reading) eins(name string) []ein.EIN {
	items := r.List(name)
	list := make([]ein.EIN, 0, len(items))
	for i, item := range items {
		digits := item
		if len(item) > len(identityPrefix) && strings.EqualFold(item[:len(identityPrefix)], identityPrefix) {
			digits = item[len(identityPrefix):]
		}
		e, err := ein.Parse(digits)
		if err != nil {
			r.Refuse(name, i, "ein_parsing", item, nil, "%q is not an EIN: nine digits are needed, "+
				"hyphens and missing leading zeros are fine; find EINs by name with /search", clip(item))
			continue
		}
		list = append(list, e)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func quotedEINs(list []ein.EIN) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return quoted(out...)
}

func (w *Words) party(e ein.EIN) string {
	if n := w.Name(e); n != "" {
		return orgname.Display(n)
	}
	return "EIN " + e.Hyphenated()
}
