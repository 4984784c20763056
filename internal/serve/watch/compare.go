// Package watch tells the owner of a list what changed for its members. After every new edition of the compliance lists and
// every new build, it compares with what the list was last compared with, by package change. Alerts go to the feed of the list,
// which is in the store of the accounts, and from the feed to an email digest and a webhook.
package watch

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/table"
)

// builds is the source of changes between two builds of the dataset.
const builds = "builds"

// notCompared is the change of a source whose changes are unknown.
const notCompared = "not_compared"

type kind struct{ name, title, text string }

//go:embed kinds.tsv
var kindsTable string

// kinds are keyed by source and change, kindOf by name.
var kinds, kindOf = func() (map[string]kind, map[string]kind) {
	all, named := map[string]kind{}, map[string]kind{}
	for _, row := range table.Read("kinds.tsv", kindsTable, "source", "change", "kind", "title", "text") {
		k := kind{row.Text("kind"), row.Text("title"), row.Text("text")}
		all[row.Text("source")+" "+row.Text("change")], named[k.name] = k, k
	}
	return all, named
}()

// Title names the kind of an alert.
func Title(a *account.Alert) string { return kindOf[a.Kind].title }

func Text(a *account.Alert) string {
	return strings.NewReplacer("{was}", a.Was, "{is}", a.Is, "{count}", strconv.FormatInt(a.Count, 10)).Replace(kindOf[a.Kind].text)
}

// State is what members are compared by.
type State struct {
	Log     *change.Log   // of the compliance lists
	Build   string        // version of the dataset
	Changes *change.Index // since earlier builds; nil if unknown

	// Organization reads the present name and address. It is nil if they are unknown.
	Organization func(ein.EIN) (name, address string, known bool)
}

func StateOf(d *dataset.Dataset) State {
	s := State{Log: d.ListLog, Build: d.Version(), Changes: d.Changes}
	if d.Profiles != nil {
		s.Organization = func(e ein.EIN) (name, address string, known bool) {
			p, known := d.Profiles.Read(e, false)
			if !known {
				return "", "", false
			}
			return p.Name, joined(p.Street, joined(p.City, strings.TrimSpace(p.State+" "+p.ZIP))), true
		}
	}
	return s
}

func joined(a, b string) string { return strings.Trim(a+", "+b, ", ") }

// Mark is what a list is compared with next: the latest edition and build. Either part
// is empty while it is out of service, and then the list keeps the mark it has.
func (s *State) Mark() (m account.WatchMark) {
	if all := s.Log.Versions(); len(all) > 0 {
		m.Edition = all[0]
	}
	if s.Changes != nil && s.Organization != nil {
		m.Build = s.Build
	}
	return m
}

// Compare finds what changed for the members of a list since a mark, which never goes back. An empty part of the mark begins
// now. seen are members whose name or address is new.
func Compare(from account.WatchMark, members []account.WatchedMember, s *State) (alerts []account.Alert, seen []account.WatchedMember, to account.WatchMark) {
	to = from
	now := s.Mark()
	c := comparison{from: from, members: make(map[ein.EIN]*account.WatchedMember, len(members))}
	for i := range members {
		c.members[members[i].EIN] = &members[i]
	}
	if now.Edition > from.Edition {
		to.Edition = now.Edition
		if from.Edition != "" {
			c.lists(s.Log, to.Edition)
		}
	}
	if now.Build == "" || now.Build < from.Build {
		return c.alerts, nil, to
	}
	to.Build = now.Build
	ofLists := c.alerts
	c.alerts = nil
	if from.Build != "" && from.Build != now.Build {
		c.grants(s.Changes, members, to.Build)
	}
	for i := range members {
		if m := &members[i]; c.identity(m, s, to.Build) {
			seen = append(seen, *m)
		}
	}
	// What the lists say comes last: if there are more alerts than a list keeps, the first are dropped.
	return append(c.alerts, ofLists...), seen, to
}

type comparison struct {
	from    account.WatchMark
	members map[ein.EIN]*account.WatchedMember
	alerts  []account.Alert
}

// add adds an alert if the table has a kind for the change.
func (c *comparison) add(source, what, from, to string, a account.Alert) {
	k, ok := kinds[source+" "+what]
	if what == notCompared {
		k, ok = kinds["* "+what]
	}
	if !ok {
		return
	}
	a.Kind, a.Source, a.From, a.To = k.name, source, from, to
	if m := c.members[a.EIN]; m != nil {
		a.Name = cmp.Or(m.Name, m.Listed)
	}
	c.alerts = append(c.alerts, a)
}

func (c *comparison) lists(log *change.Log, to string) {
	found, known := log.Since(c.from.Edition)
	if !known {
		c.add("lists", notCompared, c.from.Edition, to, account.Alert{Is: "the compliance lists"})
		return
	}
	for _, l := range found.Lists {
		if !l.Compared && !change.ByName(l.Name) {
			c.add(l.Name, notCompared, c.from.Edition, to, account.Alert{Is: l.Name})
		}
	}
	for i := range found.List {
		x := &found.List[i]
		if c.members[x.EIN] == nil {
			continue // also the lists that have no EINs
		}
		a := account.Alert{EIN: x.EIN, Reference: x.Reference, Was: x.Was, Is: x.Change}
		if x.Match != nil {
			a.Was, a.Is = x.Match.Name, x.Match.Listed
		}
		c.add(x.List, x.Change, c.from.Edition, to, a)
	}
}

func (c *comparison) grants(changes *change.Index, members []account.WatchedMember, to string) {
	for i := range members {
		n, known := changes.Of(c.from.Build, members[i].EIN)
		if !known {
			c.add(builds, notCompared, c.from.Build, to, account.Alert{Is: "returns and grants"})
			return
		}
		for _, x := range []struct {
			what  string
			count uint32
		}{{"new_returns", n.ReturnsNew}, {"amended_returns", n.ReturnsAmended}, {"new_grants", n.RowsAdded}} {
			if x.count > 0 {
				c.add(builds, x.what, c.from.Build, to, account.Alert{EIN: members[i].EIN, Count: int64(x.count)})
			}
		}
	}
}

// identity compares the name and the address of a member and reports whether they are
// new. What the build does not know stays as it was.
func (c *comparison) identity(m *account.WatchedMember, s *State, to string) (changed bool) {
	name, address, known := s.Organization(m.EIN)
	if !known {
		return false
	}
	if m.Name != "" && name != m.Name {
		c.add(builds, "name", c.from.Build, to, account.Alert{EIN: m.EIN, Was: m.Name, Is: name})
	}
	address = cmp.Or(address, m.Address)
	if m.Address != "" && address != m.Address {
		c.add(builds, "address", c.from.Build, to, account.Alert{EIN: m.EIN, Was: m.Address, Is: address})
	}
	changed = name != m.Name || address != m.Address
	m.Name, m.Address = name, address
	return changed
}
