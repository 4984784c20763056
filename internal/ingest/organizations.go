package ingest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/derive/recipient"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

// writeOrganizations writes the universe, plus the funders and recipients that are not in it, so that
// everyone who gave or received can be looked up. The added ones were not candidates when rows were resolved.
func (b *builder) writeOrganizations(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	strangers, err := b.strangers(ctx, c)
	if err != nil {
		return err
	}
	b.organizations = int64(c.universe.Len() + len(strangers))
	known := func(yield func(snapshot.Organization) bool) {
		for o := range c.universe.All() {
			if !yield(b.organizationRow(o, c.locationOf(o))) {
				return
			}
			b.step(1)
		}
	}
	return snapshot.WriteTableUntil(ctx, w, snapshot.Organizations,
		snapshot.Merge(known, slices.Values(strangers), func(x, y snapshot.Organization) bool { return x.EIN < y.EIN }))
}

func (b *builder) organizationRow(o *resolve.Org, at resolve.Location) snapshot.Organization {
	r := snapshot.Organization{
		EIN: o.EIN.String(), Name: strings.ToUpper(o.Name), Aliases: o.Aliases, Street: at.Street, City: strings.ToUpper(at.City), State: at.State, ZIP5: at.ZIP5,
		NTEE: o.NTEE, Subsection: o.Subsection, Foundation: o.Foundation, Affiliation: o.Affiliation, Group: o.Group,
		Deductible: o.Deductible, FilingReq: o.FilingReq, Ruling: yearAndMonth(o.Ruling), LastPeriod: yearAndMonth(o.LastPeriod),
		Sources: int32(o.Sources), Active: o.Active, Pop: o.Pop,
	}
	if o.Known != nil {
		r.AlsoKnown, r.Former = each.Of(o.Known.Also, strings.ToUpper), each.Of(o.Known.Former, strings.ToUpper)
	}
	if o.Revenue != 0 {
		r.Revenue = &o.Revenue
	}
	r.County, _ = b.places.CountyOf(at.ZIP5, at.City, at.State)
	return r
}

func yearAndMonth(n int32) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(int(n))
}

// stranger is a funder or recipient that the universe does not have.
type stranger struct {
	called map[string]int64 // dollars by its name on the rows
	at     map[resolve.Location]int32
	filer  *filer // for a funder
}

// strangers are the funders and recipients that are not in the universe, sorted by EIN: recipients whose EIN
// too few funders stated, and filers without a name. There are few.
func (b *builder) strangers(ctx context.Context, c *corpus) ([]snapshot.Organization, error) {
	found := map[ein.EIN]*stranger{}
	known := func(e ein.EIN) bool {
		_, ok := c.universe.Lookup(e)
		return ok
	}
	of := func(e ein.EIN) *stranger {
		s := found[e]
		if s == nil {
			s = &stranger{called: map[string]int64{}, at: map[resolve.Location]int32{}}
			found[e] = s
		}
		return s
	}
	for i := range c.funders {
		if f := &c.funders[i]; !known(f.ein) {
			of(f.ein).filer = f.filer
		}
	}
	// There are far fewer recipients than rows, so each recipient is checked once.
	strange := make([]bool, c.recipients.ids.len())
	for id := range strange {
		if e, ok := strings.CutPrefix(c.recipients.ids.at(uint32(id)), resolve.EINPrefix); ok {
			strange[id] = !known(ein.Stored(e))
		}
	}
	for row, e := range c.recipients.ein {
		if row%snapshot.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !strange[c.recipients.id[row]] {
			continue
		}
		s, to := of(e), b.showRecipient(c, uint32(row))
		s.called[to.raw] += c.lines.amount[row]
		s.at[resolve.Location{City: to.city, State: to.state, ZIP5: to.zip}]++
	}
	return each.Of(slices.Sorted(maps.Keys(found)), func(e ein.EIN) snapshot.Organization {
		return b.strangerRow(e, found[e], c.universe.Funders(e))
	}), nil
}

func (b *builder) strangerRow(e ein.EIN, s *stranger, funders int32) snapshot.Organization {
	r := snapshot.Organization{EIN: e.String(), Sources: snapshot.SourceLine, Active: true, Pop: funders}
	if s.filer != nil {
		r.Sources = snapshot.SourceFiler
		r.Name, r.City, r.State, r.ZIP5 = strings.ToUpper(s.filer.name), strings.ToUpper(s.filer.city), s.filer.state, s.filer.zip5
	}
	if r.Name == "" {
		r.Name = recipient.UsualSpelling(s.called)
	}
	if strings.TrimSpace(r.Name) == "" {
		// There is no name, so we use the number.
		r.Name = "EIN " + e.Hyphenated()
	}
	if r.State == "" && r.ZIP5 == "" && len(s.at) > 0 {
		at := slices.MinFunc(slices.Collect(maps.Keys(s.at)), func(x, y resolve.Location) int {
			return cmp.Or(cmp.Compare(s.at[y], s.at[x]), resolve.CompareLocations(x, y))
		})
		r.City, r.State, r.ZIP5 = at.City, at.State, at.ZIP5
	}
	r.County, _ = b.places.CountyOf(r.ZIP5, r.City, r.State)
	return r
}

// writeAddressNames writes the names of recipients without an EIN that are at the address of one organization. Most are its
// former, new or trade name. An address is no proof, so the rows of the recipient stay without an EIN.
func (b *builder) writeAddressNames(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	list, err := b.addressNames(ctx, c)
	if err != nil {
		return err
	}
	return snapshot.WriteTableUntil(ctx, w, snapshot.AddressNames, slices.Values(list))
}

// Bounds of what an address proves.
const (
	leastResident = 0.5 // of the rows with an EIN at an address, those of one organization
	mostNamed     = 8   // other names there; a sponsor of many projects has more
	mostTenants   = 12  // other organizations there, whether they received grants or not
)

func (b *builder) addressNames(ctx context.Context, c *corpus) ([]snapshot.AddressName, error) {
	n := c.lines.recipients.len()
	eins, rows, keys := make([]ein.EIN, n), make([]uint32, n), make([]uint64, n)
	for row, no := range c.lines.recipientNo {
		if c.recipients.class[row]&(individual|unidentified|masked) == 0 {
			eins[no] = cmp.Or(c.recipients.ein[row], eins[no])
			rows[no]++
		}
	}
	err := b.each(ctx, n, func(no int) {
		if rows[no] > 0 {
			t := c.lines.recipient(uint32(no))
			state, _ := place.SettleState(t.City, t.State, t.ZIP)
			if zip, ok := place.ZIP5(t.ZIP, state); ok && t.Country == "" {
				keys[no] = addressKey(t.Street, zip)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	order := radix.Order(n, func(no uint32) uint64 { return keys[no] }, nil)
	found := map[uint32]ein.EIN{} // the organization at the address of a recipient
	for at := range radix.Runs(order, func(x, y uint32) bool { return keys[x] == keys[y] }) {
		if keys[at[0]] != 0 && len(at) > 1 {
			nameResident(c, at, eins, rows, found)
		}
	}
	c.dropCrowded(found, keys)
	return c.namesOf(found), nil
}

// addressKey is a hash of a street and a ZIP code, 0 if either is not known.
func addressKey(street, zip string) uint64 {
	key := orgname.StreetKey(street)
	if zip == "" || key == "" {
		return 0
	}
	return hash.Of(zip + key)
}

// dropCrowded removes the recipients at addresses where many organizations are, such as office buildings.
func (c *corpus) dropCrowded(found map[uint32]ein.EIN, keys []uint64) {
	tenants := map[uint64][]ein.EIN{}
	for no := range found {
		tenants[keys[no]] = nil
	}
	for o := range c.universe.All() {
		at := c.locationOf(o)
		key := addressKey(at.Street, at.ZIP5)
		if list, ok := tenants[key]; ok && len(list) <= mostTenants+1 {
			tenants[key] = append(list, o.EIN)
		}
	}
	maps.DeleteFunc(found, func(no uint32, e ein.EIN) bool {
		others := slices.DeleteFunc(slices.Clone(tenants[keys[no]]), func(t ein.EIN) bool { return t == e })
		return len(others) > mostTenants
	})
}

// nameResident adds to found the recipients without an EIN at one address, if one
// organization has nearly all of the other rows and there are few names.
func nameResident(c *corpus, at []uint32, eins []ein.EIN, rows []uint32, found map[uint32]ein.EIN) {
	residents := map[ein.EIN]uint32{}
	var all uint32
	for _, no := range at {
		if eins[no] != ein.None {
			residents[eins[no]] += rows[no]
			all += rows[no]
		}
	}
	if all == 0 {
		return
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(residents)), func(x, y ein.EIN) int { return cmp.Compare(residents[x], residents[y]) })
	if float64(residents[most]) < leastResident*float64(all) {
		return
	}
	key := func(no uint32) string {
		t := c.lines.recipient(no)
		return t.ParseName().KX
	}
	own, names := map[string]bool{"": true}, map[string]bool{}
	for _, no := range at {
		own[key(no)] = own[key(no)] || eins[no] == most
	}
	for _, no := range at {
		if k := key(no); eins[no] == ein.None && !own[k] {
			names[k] = true
		}
	}
	if len(names) > mostNamed {
		return
	}
	for _, no := range at {
		if eins[no] == ein.None && names[key(no)] {
			found[no] = most
		}
	}
}

// namesOf counts the funders that use each name of each organization. A name belongs
// to the organization at whose address most of the funders find it.
func (c *corpus) namesOf(found map[uint32]ein.EIN) (list []snapshot.AddressName) {
	type namedEIN struct {
		ein ein.EIN
		key string
	}
	spelled, funders, all := map[namedEIN]string{}, map[namedEIN]map[ein.EIN]bool{}, map[string]int{}
	for row, no := range c.lines.recipientNo {
		e, ok := found[no]
		if !ok || c.recipients.class[row]&(individual|unidentified|masked) != 0 {
			continue
		}
		t := c.lines.recipient(no)
		k := namedEIN{e, t.ParseName().KX}
		if name := strings.ToUpper(t.Name()); spelled[k] == "" || name < spelled[k] {
			spelled[k] = name
		}
		if funders[k] == nil {
			funders[k] = map[ein.EIN]bool{}
		}
		if funder := c.filingOf(uint32(row)).ein; !funders[k][funder] {
			funders[k][funder] = true
			all[k.key]++
		}
	}
	for k, name := range spelled {
		if n := len(funders[k]); 2*n > all[k.key] {
			list = append(list, snapshot.AddressName{EIN: k.ein.String(), Name: name, Funders: int32(n)})
		}
	}
	slices.SortFunc(list, func(x, y snapshot.AddressName) int {
		return cmp.Or(strings.Compare(x.EIN, y.EIN), strings.Compare(x.Name, y.Name))
	})
	return list
}

// purposeRanking ranks the purposes of the grants that an organization received or made, one organization at
// a time. It holds the purposes of one organization, and eight bytes for each text of the corpus.
type purposeRanking struct {
	*corpus
	folded []uint64 // by purpose

	paid []purposePaid // of the organization in hand
	best []purposePaid
}

type purposePaid struct {
	folded  uint64
	purpose uint32
	most    int64 // dollars under this exact spelling
	dollars int64 // under all spellings
}

// foldPurposes gives each text of the corpus a hash that ignores case and spacing. The hash is 0 if the text is empty or points
// to a list elsewhere. The hash function is fixed, so a collision would be the same in every build.
func (b *builder) foldPurposes(ctx context.Context, g *lines) ([]uint64, error) {
	folded := make([]uint64, g.purposes.len())
	return folded, b.each(ctx, len(folded), func(i int) {
		text := g.purposes.at(uint32(i))
		if plain := orgname.Fold(text); strings.TrimSpace(text) != "" && !classify.Placeholder(plain) {
			folded[i] = hashWords(plain)
		}
	})
}

// hashWords is a hash of the words of a text. It is never 0.
func hashWords(text string) uint64 {
	h := hash.Start
	for word := range strings.FieldsSeq(text) {
		h = hash.Byte(hash.Add(h, word), ' ')
	}
	return max(h, 1)
}

// top ranks the purposes of some rows by dollars. Texts that differ only in case and spacing are one purpose,
// shown in the spelling with the most dollars.
func (r *purposeRanking) top(rows []uint32) []uint32 {
	r.paid = r.paid[:0]
	for _, row := range rows {
		p := r.lines.purpose[row]
		if folded := r.folded[p]; folded != 0 && !r.masked(row) {
			r.paid = append(r.paid, purposePaid{folded: folded, purpose: p, most: r.lines.amount[row]})
		}
	}
	if len(r.paid) == 0 {
		return nil
	}
	first := r.paid[0].purpose
	if !slices.ContainsFunc(r.paid, func(p purposePaid) bool { return p.purpose != first }) { // enough for most organizations
		return []uint32{first}
	}
	slices.SortFunc(r.paid, func(a, b purposePaid) int {
		if a.folded != b.folded {
			return cmp.Compare(a.folded, b.folded)
		}
		return cmp.Compare(a.purpose, b.purpose)
	})
	r.best = r.best[:0]
	for i := 0; i < len(r.paid); {
		p := r.paid[i]
		for i++; i < len(r.paid) && r.paid[i].purpose == p.purpose; i++ {
			p.most += r.paid[i].most
		}
		p.dollars = p.most
		if n := len(r.best); n == 0 || r.best[n-1].folded != p.folded {
			r.best = append(r.best, p)
			continue
		}
		same := &r.best[len(r.best)-1]
		same.dollars += p.dollars
		if cmp.Or(cmp.Compare(p.most, same.most), strings.Compare(r.text(same), r.text(&p))) > 0 {
			same.purpose, same.most = p.purpose, p.most
		}
	}
	slices.SortFunc(r.best, func(a, b purposePaid) int {
		if a.dollars != b.dollars {
			return cmp.Compare(b.dollars, a.dollars)
		}
		return strings.Compare(r.text(&a), r.text(&b))
	})
	list := make([]uint32, min(len(r.best), snapshot.MaxPurposes))
	for i := range list {
		list[i] = r.best[i].purpose
	}
	return list
}

func (r *purposeRanking) text(p *purposePaid) string { return r.lines.purposes.at(p.purpose) }

type orgPurposes struct {
	ein      ein.EIN
	purposes []uint32
}

// writePurposes writes the purposes of the grants that each organization received and made. Beside the rows,
// it takes four bytes per row and up to a hundred per organization.
func (b *builder) writePurposes(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	folded, err := b.foldPurposes(ctx, c.lines)
	if err != nil {
		return err
	}
	r := &purposeRanking{corpus: c, folded: folded}
	var given, received []orgPurposes
	for i := range c.funders { // both are sorted by EIN
		f := &c.funders[i]
		if list := r.top(c.rows[f.from:f.to]); len(list) > 0 {
			given = append(given, orgPurposes{f.ein, list})
		}
	}
	starts, rows := radix.Group(c.recipients.id, c.recipients.ids.len()) // the rows of recipient i are rows[starts[i]:starts[i+1]]
	for id := range c.recipients.ids.len() {
		if id%snapshot.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, ok := strings.CutPrefix(c.recipients.ids.at(uint32(id)), resolve.EINPrefix)
		if !ok {
			continue
		}
		if list := r.top(rows[starts[id]:starts[id+1]]); len(list) > 0 {
			received = append(received, orgPurposes{ein.Stored(e), list})
		}
	}
	slices.SortFunc(received, func(x, y orgPurposes) int { return cmp.Compare(x.ein, y.ein) })
	// next takes the purposes of an organization from the head of a list.
	next := func(list *[]orgPurposes, e ein.EIN) []string {
		if len(*list) == 0 || (*list)[0].ein != e {
			return []string{}
		}
		numbers := (*list)[0].purposes
		*list = (*list)[1:]
		return each.Of(numbers, func(n uint32) string { return c.lines.purposes.at(n) })
	}
	return snapshot.WriteTableUntil(ctx, w, snapshot.Purposes, func(yield func(snapshot.OrgPurposes) bool) {
		for len(given)+len(received) > 0 {
			e := ein.EIN(math.MaxUint32)
			for _, list := range [...][]orgPurposes{given, received} {
				if len(list) > 0 {
					e = min(e, list[0].ein)
				}
			}
			if !yield(snapshot.OrgPurposes{EIN: e.String(), Received: next(&received, e), Given: next(&given, e)}) {
				return
			}
		}
	})
}
