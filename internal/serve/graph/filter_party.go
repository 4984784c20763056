package graph

import (
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/each"
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
		Read:      func(r *Reading) { r.Filter.Funders = r.eins("funder_id", nil) },
		Canonical: func(w *Name, f *Filter) { writeSet(w, f.Funders) },
		rows:      func(g index, f *Filter) []condition { return []condition{g.funderCond(f.Funders)} },
		bound:     func(g *Graph, f *Filter) int64 { return g.rowsOfFunders(f.Funders) },
		SQL:       func(w *Where, f *Filter) { w.And("funder_ein IN (%s)", quotedEINs(f.Funders)) },
	}, func(f *Filter) *[]ein.EIN { return &f.Funders }, ein.EIN.String, listWords[ein.EIN]{"by ", "Funder: ", (*Words).party})
	funders.weight = func(g *Graph, f *Filter) int64 { return g.funderSetWeight() + 64*int64(len(f.Funders)) }
	recipients := &Declaration{
		Params: partyParam("recip_id", "00-0000004"),
		Read:   readRecipients,
		Write: func(f *Filter, set func(name, value string)) {
			set("recip_id", strings.Join(append(each.Of(f.Recipients, ein.EIN.String), f.Unlinked...), ","))
		},
		On:   func(f *Filter) bool { return len(f.Recipients)+len(f.Unlinked) > 0 },
		Take: func(from, to *Filter) { to.Recipients, to.Unlinked = from.Recipients, from.Unlinked },
		Canonical: func(w *Name, f *Filter) {
			writeSet(w, f.Recipients)
			w.Texts(f.Unlinked)
		},
		rows:   func(g index, f *Filter) []condition { return []condition{g.recipCond(g.recipsIn(f))} },
		bound:  func(g *Graph, f *Filter) int64 { return g.rowsOfRecipients(f) },
		weight: func(_ *Graph, f *Filter) int64 { return 64 * int64(len(f.Recipients)+len(f.Unlinked)) },
		SQL: func(w *Where, f *Filter) {
			switch {
			case len(f.Unlinked) == 0:
				w.And("recipient_ein IN (%s)", quotedEINs(f.Recipients))
			case len(f.Recipients) == 0:
				w.And("recip_id IN (%s)", quoted(f.Unlinked...))
			default:
				w.And("(recipient_ein IN (%s) OR recip_id IN (%s))", quotedEINs(f.Recipients), quoted(f.Unlinked...))
			}
		},
		Say: sayRecipients,
	}
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

// unlinkedID matches the recip_id of a row whose recipient has no EIN.
var unlinkedID = regexp.MustCompile(`(?i)^(nm-[0-9a-f]{12}|intl-[a-z0-9-]{1,40})$`)

// readRecipients reads EINs, and the identities of rows whose recipient has none.
func readRecipients(r *Reading) {
	f := r.Filter
	f.Recipients = r.eins("recip_id", func(item string) bool {
		unlinked := unlinkedID.MatchString(item)
		if unlinked {
			f.Unlinked = append(f.Unlinked, strings.ToLower(item))
		}
		return unlinked
	})
	f.Unlinked = set(f.Unlinked)
	if len(f.Recipients) > 0 && len(f.Unlinked) == 0 {
		r.Caveat("recip_id", "This counts grants that we linked to the EIN. "+
			"Grants that name the organization and that we could not link are left out.")
	}
}

func sayRecipients(w *Words, f *Filter) {
	n := len(f.Recipients)
	w.list(itemList{"to ", "Recipient: ", n + len(f.Unlinked), func(i int) string {
		if i < n {
			return w.party(f.Recipients[i])
		}
		return "recipient " + f.Unlinked[i-n] + ", without an EIN"
	}, func(f *Filter, i int) {
		if i < n {
			f.Recipients = dropped(f.Recipients, i)
		} else {
			f.Unlinked = dropped(f.Unlinked, i-n)
		}
	}})
}

// eins reads a list of EINs, sorted and without repetitions, and leaves the items that other takes. It also
// reads the identity of a row, so that clients can send back what the service wrote.
func (r *Reading) eins(name string, other func(item string) bool) []ein.EIN {
	items := r.List(name)
	list := make([]ein.EIN, 0, len(items))
	for i, item := range items {
		if other != nil && other(item) {
			continue
		}
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

func quotedEINs(list []ein.EIN) string { return quoted(each.Of(list, ein.EIN.String)...) }

func (w *Words) party(e ein.EIN) string {
	if n := w.Name(e); n != "" {
		return orgname.Display(n)
	}
	return "EIN " + e.Hyphenated()
}
