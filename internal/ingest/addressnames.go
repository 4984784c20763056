package ingest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
)

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
