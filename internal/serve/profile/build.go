package profile

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/hash"
	"grantgraph/internal/ntee"
	"grantgraph/internal/radix"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/packed"
	"grantgraph/internal/table"
)

// Build writes the index of a snapshot in one pass over tables sorted by EIN. Rows of others are held until sorted.
func Build(ctx context.Context, w *snapshot.Writer) error {
	t := tablesOf(w.Unpublished())
	return w.WriteFile(fileName, func(out io.Writer) error { return t.write(ctx, out) })
}

// Tables are the rows of an index, by EIN except Returns, People and BoardLinks.
type Tables struct {
	Organizations iter.Seq2[snapshot.Organization, error]
	Orgs          iter.Seq2[snapshot.Org, error]
	FunderKinds   iter.Seq2[snapshot.FunderKind, error]
	Causes        iter.Seq2[snapshot.InferredCause, error]
	Financials    iter.Seq2[snapshot.Financial, error]
	Returns       iter.Seq2[snapshot.Return, error]
	People        iter.Seq2[snapshot.Person, error]
	ServiceAreas  iter.Seq2[snapshot.ServiceArea, error]
	BoardLinks    iter.Seq2[snapshot.BoardLink, error]
	Families      iter.Seq2[snapshot.OrgFamily, error]
	Assets        iter.Seq2[snapshot.AssetProfile, error]
	Holdings      iter.Seq2[snapshot.FoundationHolding, error]
	Applications  iter.Seq2[snapshot.Application, error]
	Accounts      iter.Seq2[snapshot.GrantAccount, error]
	Awards        iter.Seq2[snapshot.GovAward, error]

	// Coverage is what the awards cover. A snapshot has it in its manifest.
	Coverage snapshot.AwardCoverage
}

func tablesOf(s *snapshot.Snapshot) *Tables {
	return &Tables{
		Organizations: rowsOf[snapshot.Organization](s, snapshot.Organizations),
		Orgs:          rowsOf[snapshot.Org](s, snapshot.Orgs),
		FunderKinds:   rowsOf[snapshot.FunderKind](s, snapshot.FunderKinds),
		Causes:        rowsOf[snapshot.InferredCause](s, snapshot.InferredCauses),
		Financials:    rowsOf[snapshot.Financial](s, snapshot.Financials),
		Returns:       rowsOf[snapshot.Return](s, snapshot.Returns),
		People:        rowsOf[snapshot.Person](s, snapshot.People),
		ServiceAreas:  rowsOf[snapshot.ServiceArea](s, snapshot.ServiceAreas),
		BoardLinks:    rowsOf[snapshot.BoardLink](s, snapshot.BoardLinks),
		Families:      rowsOf[snapshot.OrgFamily](s, snapshot.OrgFamilies),
		Assets:        rowsOf[snapshot.AssetProfile](s, snapshot.AssetProfiles),
		Holdings:      rowsOf[snapshot.FoundationHolding](s, snapshot.FoundationHoldings),
		Applications:  rowsOf[snapshot.Application](s, snapshot.Applications),
		Accounts:      rowsOf[snapshot.GrantAccount](s, snapshot.GrantAccounts),
		Awards:        rowsOf[snapshot.GovAward](s, snapshot.GovAwards),
	}
}

// rowsOf reads a table, or nothing if the snapshot lacks it, as test data may.
func rowsOf[T any](s *snapshot.Snapshot, table string) iter.Seq2[T, error] {
	if !s.HasTable(table) {
		return nil
	}
	return snapshot.Rows[T](s, table)
}

func orNone[T any](rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	if rows == nil {
		return func(func(T, error) bool) {}
	}
	return rows
}

type builder struct {
	ctx    context.Context
	out    *mapped.Writer
	facts  []fact
	latest []uint64 // by organization: the mark of its latest filing, 0 for none
	starts []uint32 // by range of EINs: the number of its first organization, then the number of all

	// The organization found last: the rows of one organization are usually adjacent.
	last  string
	org   uint32
	known bool
}

func (t *Tables) write(ctx context.Context, out io.Writer) error {
	b := &builder{ctx: ctx, out: mapped.NewWriter(out, fileKind)}
	for _, p := range new(columns).parts(b, t) {
		if err := p.fill(); err != nil {
			return err
		}
	}
	if err := b.addAwards(t); err != nil {
		return err
	}
	mapped.Add(b.out, "facts", b.facts)
	mapped.Add(b.out, "peers", peersOf(b.facts))
	return b.out.Close()
}

type sectionWriter struct {
	out    *mapped.Writer
	name   string
	orgs   []uint32
	starts []uint64
	totals []uint32
	at     uint64
	most   int // rows kept per organization
}

func (b *builder) begin(name string, most int) *sectionWriter {
	b.out.Begin(name + ".rows")
	return &sectionWriter{out: b.out, name: name, most: most}
}

func (s *sectionWriter) add(org uint32, row []byte) error {
	if n := len(s.orgs); n == 0 || s.orgs[n-1] != org {
		s.orgs, s.starts, s.totals = append(s.orgs, org), append(s.starts, s.at), append(s.totals, 0)
	}
	total := &s.totals[len(s.totals)-1]
	if *total++; int(*total) > s.most {
		return nil
	}
	s.at += uint64(len(row))
	_, err := s.out.Write(row)
	return err
}

func (s *sectionWriter) end() {
	mapped.Add(s.out, s.name+".org", s.orgs)
	mapped.Add(s.out, s.name+".start", append(s.starts, s.at))
	mapped.Add(s.out, s.name+".total", s.totals)
}

const checkEvery = 4096

func each[T any](ctx context.Context, rows iter.Seq2[T, error], take func(*T) error) error {
	n := 0
	for row, err := range orNone(rows) {
		if n%checkEvery == 0 && err == nil {
			err = ctx.Err()
		}
		if n++; err != nil {
			return err
		}
		if err := take(&row); err != nil {
			return err
		}
	}
	return nil
}

// addIdentities writes the identity of every organization. The tables are read side by side.
func (b *builder) addIdentities(name string, t *Tables) error {
	filings := snapshot.Follow(orNone(t.Orgs), func(o *snapshot.Org) string { return o.EIN })
	defer filings.Stop()
	funders := snapshot.Follow(orNone(t.FunderKinds), func(k *snapshot.FunderKind) string { return k.FunderEIN })
	defer funders.Stop()
	causes := snapshot.Follow(orNone(t.Causes), func(c *snapshot.InferredCause) string { return c.EIN })
	defer causes.Stop()
	s := b.begin(name, 1)
	var buf []byte
	err := each(b.ctx, t.Organizations, func(o *snapshot.Organization) error {
		e, err := ein.Parse(o.EIN)
		if err != nil || o.Name == "" || len(b.facts) > 0 && b.facts[len(b.facts)-1].EIN >= uint32(e) {
			return fault.New("organizations_table", "organization %q of the snapshot has no EIN or no name, or is out of order", o.EIN).Try("build the snapshot again")
		}
		filing, err := filings.At(o.EIN)
		if err != nil {
			return err
		}
		funder, err := funders.At(o.EIN)
		if err != nil {
			return err
		}
		cause, err := causes.At(o.EIN)
		if err != nil {
			return err
		}
		id := identityOf(o, filing, funder, cause)
		b.facts = append(b.facts, factOf(e, &id))
		mark := uint64(0)
		if filing != nil {
			mark = markOf(filing.Filing)
		}
		b.latest = append(b.latest, mark)
		buf = packed.Append(buf[:0], &id)
		return s.add(uint32(len(b.facts)-1), buf)
	})
	s.end()
	b.starts = startsOf(b.facts)
	return err
}

// identityOf makes an identity. filing, funder and cause may be nil.
func identityOf(o *snapshot.Organization, filing *snapshot.Org, funder *snapshot.FunderKind, cause *snapshot.InferredCause) Identity {
	id := Identity{
		Name: o.Name, AlsoKnown: o.AlsoKnown, Former: o.Former, Street: o.Street, City: o.City, State: o.State, ZIP: o.ZIP5, County: o.County,
		NTEE: o.NTEE, Subsection: o.Subsection, Foundation: o.Foundation, Affiliation: o.Affiliation, Group: o.Group, Deductible: o.Deductible,
		Ruling: o.Ruling, FilingReq: o.FilingReq, LastPeriod: o.LastPeriod, Revenue: o.Revenue, Sources: o.Sources, Active: o.Active, Pop: o.Pop,
	}
	if filing != nil {
		id.ReturnType, id.Mission, id.Activity, id.Website, id.Formed = filing.ReturnType, said(filing.Mission), said(filing.Activity),
			website(filing.Website), filing.FormationYear
		if filing.TotalRevenue != nil {
			id.Revenue = filing.TotalRevenue
		}
	}
	if funder != nil {
		id.FunderKind = funder.Kind
	}
	if _, registered := ntee.Parse(o.NTEE); !registered && cause != nil {
		id.InferredCause, id.InferredConfidence = cause.Letter, cause.Confidence
	}
	id.Kind, id.Type = search.TypeOf(o, funder, id.ReturnType)
	return id
}

func factOf(e ein.EIN, id *Identity) fact {
	f := fact{EIN: uint32(e)}
	if len(id.State) == 2 {
		copy(f.State[:], id.State)
	}
	if code, ok := ntee.Parse(id.NTEE); ok {
		copy(f.NTEE[:], code)
	}
	if n, err := strconv.ParseUint(id.County, 10, 32); err == nil {
		f.County = uint32(n)
	}
	if id.Revenue != nil {
		f.Revenue, f.HasRevenue = *id.Revenue, 1
	}
	return f
}

func markOf(filing string) uint64 { return max(hash.Of(filing), 1) }

// einRange is a range of EINs that holds few organizations.
const (
	einRange  = 512
	einRanges = 1_000_000_000/einRange + 1
)

// startsOf is where each range of EINs begins: one lookup, while a binary search would touch distant memory.
func startsOf(facts []fact) []uint32 {
	starts := make([]uint32, einRanges+1)
	for i := range facts {
		starts[facts[i].EIN/einRange+1]++
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	return starts
}

func (b *builder) number(text string) (uint32, bool) {
	if text != b.last {
		b.last, b.known = text, false
		if e, err := ein.Parse(text); err == nil {
			from, to := b.starts[e/einRange], b.starts[e/einRange+1]
			b.org, b.known = numberOf(b.facts[from:to], e)
			b.org += from
		}
	}
	return b.org, b.known
}

func numberOf(facts []fact, e ein.EIN) (uint32, bool) {
	i, found := slices.BinarySearchFunc(facts, uint32(e), func(f fact, e uint32) int { return cmp.Compare(f.EIN, e) })
	return uint32(i), found
}

// addSorted returns the step that adds a table sorted by EIN, at most most rows of each organization.
func addSorted[T any](b *builder, rows iter.Seq2[T, error], key func(*T) *string, most int) func(name string) error {
	return func(name string) error {
		s := b.begin(name, most)
		var buf []byte
		last := ""
		err := each(b.ctx, rows, func(row *T) error {
			e := key(row)
			if *e < last {
				return fault.New("table_order", "the table behind the %s of profiles is not in the order of EINs: %s stands after %s", name, *e,
					last).Try("build the snapshot again")
			}
			last = *e
			org, known := b.number(last)
			if !known {
				return nil
			}
			*e = ""
			buf = packed.Append(buf[:0], row)
			return s.add(org, buf)
		})
		s.end()
		return err
	}
}

type gathered struct {
	entries []entry
	bytes   []byte
}

type entry struct {
	org  uint32
	size uint32
	at   uint64
	rank int64 // within the organization; smaller comes first
}

func gather[T any](g *gathered, org uint32, rank int64, row *T) {
	at := len(g.bytes)
	g.bytes = packed.Append(g.bytes, row)
	g.entries = append(g.entries, entry{org, uint32(len(g.bytes) - at), uint64(at), rank})
}

func (g *gathered) write(b *builder, name string, most int) error {
	order := make([]radix.Item, len(g.entries))
	for i := range order {
		order[i] = radix.Item{Key: radix.Rising(g.entries[i].rank), Of: uint32(i)}
	}
	radix.Sort(order)
	for i := range order {
		order[i].Key = uint64(g.entries[order[i].Of].org)
	}
	radix.Sort(order)
	s := b.begin(name, most)
	for _, x := range order {
		e := &g.entries[x.Of]
		if err := s.add(e.org, g.bytes[e.at:e.at+uint64(e.size)]); err != nil {
			return err
		}
	}
	s.end()
	return b.ctx.Err()
}

const mostFilings = 200

// addGathered adds a table in any order, at most most rows of each organization.
func addGathered[T any](b *builder, name string, rows iter.Seq2[T, error], most int, take func(*gathered, *T)) error {
	var g gathered
	if err := each(b.ctx, rows, func(row *T) error { take(&g, row); return nil }); err != nil {
		return err
	}
	return g.write(b, name, most)
}

// addFilings adds the returns that stand, latest first.
func (b *builder) addFilings(name string, t *Tables) error {
	return addGathered(b, name, t.Returns, mostFilings, func(g *gathered, r *snapshot.Return) {
		if org, known := b.number(r.EIN); known && r.Fate == "chosen" {
			gather(g, org, -dayOf(r.PeriodEnd), &Filing{ObjectID: r.ObjectID, ReturnType: r.Form, FiscalYear: r.TaxYear, PeriodEnd: r.PeriodEnd, Amended: r.Amended})
		}
	})
}

// dayOf is a date as a number with the same order.
func dayOf(date string) int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(date, "-", ""), 10, 64)
	return n
}

func (b *builder) addPeople(name string, t *Tables) error {
	return addGathered(b, name, t.People, MaxPeople, func(g *gathered, p *snapshot.Person) {
		if org, known := b.number(p.EIN); known && b.latest[org] == markOf(p.Filing) {
			p.EIN = ""
			gather(g, org, 0, p)
		}
	})
}

// addBoards adds each pair of organizations that share people to both of them.
func (b *builder) addBoards(name string, t *Tables) error {
	return addGathered(b, name, t.BoardLinks, MaxBoardLinks, func(g *gathered, l *snapshot.BoardLink) {
		x, knownX := b.number(l.E1)
		y, knownY := b.number(l.E2)
		if !knownX || !knownY {
			return
		}
		row := boardLink{SharedPeople: l.SharedPeople, Possible: l.PossibleSharedPeople, SameState: l.SameState, Confidence: l.Conf}
		rank := -(2*int64(l.SharedPeople) + int64(l.PossibleSharedPeople)) // confirmed people count double
		row.Number = int64(y)
		gather(g, x, rank, &row)
		row.Number = int64(x)
		gather(g, y, rank, &row)
	})
}

// pointers are the words of a mission text that only refers to another place, such as "See Schedule O".
var pointers = table.SetOf("SEE REFER PLEASE TO THE OF ON IN FOR AND AS SCHEDULE SCH O FORM PART I II III IV LINE PAGE ATTACHED ATTACHMENT " +
	"STATEMENT STMT " +
	"DETAIL DETAILS ABOVE BELOW ORGANIZATION ORGANIZATIONS PRIMARY EXEMPT PURPOSE MISSION N A NA NONE NOT APPLICABLE")

// said is a text as filed, or empty if the text only refers to another place.
func said(text string) string {
	for w := range strings.FieldsFuncSeq(strings.ToUpper(strings.ReplaceAll(text, "'", "")),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !pointers[w] && strings.Trim(w, "0123456789") != "" {
			return text
		}
	}
	return ""
}

// website is an address as filed, or empty if the field says there is none: "N/A", "NONE".
func website(text string) string {
	if !strings.Contains(text, ".") {
		return ""
	}
	return said(text)
}
