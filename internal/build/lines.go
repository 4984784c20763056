package build

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/resolve"
	"grantgraph/internal/source/irs990"
)

// maxAmount is the largest grant believed; a larger figure is a keying error.
const maxAmount = 50_000_000_000

// lines are the grant rows of a build as columns: one entry per row in each
// slice, strings by number. What a line says of its recipient is a tuple, of
// which there are far fewer than lines; everything that is a function of the
// tuple is worked out once.
type lines struct {
	filing  []uint32 // into choice.filings: the return that is chosen
	origin  []uint32 // the return whose list it stands in; usually the same
	part    []uint8
	line    []uint32
	tuple   []uint32
	attr    []uint32
	purpose []uint32
	amount  []int64

	tuples   *interner // see tupleKey
	attrs    *interner // relationship and status
	purposes *interner

	adjustments []adjustment
}

// adjustment is a negative line: a refund, or a correction of an earlier year.
// It is no grant and is kept beside the grants.
type adjustment struct {
	filing  uint32
	part    uint8
	line    uint32
	amount  int64
	name    string
	purpose string
}

func compareAdjustments(a, b *adjustment) int {
	return cmp.Or(cmp.Compare(a.filing, b.filing), cmp.Compare(a.part, b.part), cmp.Compare(a.line, b.line))
}

const sep = '\x1f'

// appendTuple writes the key of what a line says of its recipient.
func appendTuple(b []byte, l *stagedLine, filed ein.EIN) []byte {
	for _, s := range [...]string{l.Name1, l.Name2, l.Person, l.Street, l.City, l.State, l.ZIP, l.Country} {
		b = append(b, s...)
		b = append(b, sep)
	}
	b = append(strconv.AppendUint(b, uint64(resolve.ReadTaxStatus(cmp.Or(l.Section, l.Status))), 10), sep)
	return filed.Append(b)
}

// tuple is a tuple key taken apart. Its strings share the key's memory.
type tuple struct {
	name1, name2, person, street, city, state, zip, country string
	standing                                                resolve.TaxStatus
	filed                                                   ein.EIN
}

func splitTuple(key string) (t tuple) {
	fields := [...]*string{&t.name1, &t.name2, &t.person, &t.street, &t.city, &t.state, &t.zip, &t.country}
	for _, f := range fields {
		i := strings.IndexByte(key, sep)
		*f, key = key[:i], key[i+1:]
	}
	said, filed, _ := strings.Cut(key, string(sep))
	standing, _ := strconv.ParseUint(said, 10, 8)
	t.standing = resolve.TaxStatus(standing)
	t.filed, _ = ein.Filed(filed)
	return t
}

// name is the recipient as filed: the organization, else the person.
func (t *tuple) name() string {
	if n := joined(t.name1, t.name2); n != "" {
		return n
	}
	return t.person
}

func appendAttr(b []byte, l *stagedLine) []byte {
	b = append(b, l.Relationship...)
	b = append(b, sep)
	return append(b, l.Status...)
}

func splitAttr(key string) (relationship, status string) {
	relationship, status, _ = strings.Cut(key, string(sep))
	return relationship, status
}

// clean makes filed text fit for a key: the separator never occurs in XML, but
// a numeric character reference can smuggle it in.
func clean(s string) string {
	if strings.IndexByte(s, sep) < 0 {
		return s
	}
	return strings.ReplaceAll(s, string(sep), " ")
}

func (l *stagedLine) clean() {
	for _, f := range [...]*string{&l.Name1, &l.Name2, &l.Person, &l.Street, &l.City, &l.State, &l.ZIP, &l.Country, &l.Relationship, &l.Status} {
		*f = clean(*f)
	}
}

// gather reads the lines of the chosen returns, keeps those that are cash
// grants, and accounts for the others.
func (b *builder) gather(ctx context.Context, p *plan, c *choice) (*lines, error) {
	b.phase("gather", int64(len(p.shards)))
	g := &lines{tuples: newInterner(), attrs: newInterner(), purposes: newInterner()}
	// The lines of a return may stand for a later version of it.
	standsFor := make([]int32, len(c.filings))
	for i := range standsFor {
		standsFor[i] = -1
	}
	for i := range c.filings {
		if f := &c.filings[i]; f.fate == chosen {
			standsFor[f.linesOf] = int32(i)
		}
	}
	var key []byte
	for i := range p.shards {
		current, start := int32(-1), 0
		for l, err := range readStaged[stagedLine](ctx, b, &p.shards[i], "lines") {
			if err != nil {
				return nil, err
			}
			if l.Seq != current {
				g.endReturn(c, start)
				current, start = l.Seq, len(g.amount)
			}
			origin := c.bySeq[i][l.Seq]
			if origin < 0 || standsFor[origin] < 0 {
				continue
			}
			f := uint32(standsFor[origin])
			acc := &c.filings[f].account
			if !g.admit(&l, f, acc) {
				continue
			}
			l.clean()
			filed, _ := ein.Filed(l.EIN)
			g.filing = append(g.filing, f)
			g.origin = append(g.origin, uint32(origin))
			g.part = append(g.part, uint8(l.Part))
			g.line = append(g.line, uint32(l.Line))
			g.amount = append(g.amount, l.Cash)
			key = appendTuple(key[:0], &l, filed)
			g.tuple = append(g.tuple, g.tuples.id(key))
			key = appendAttr(key[:0], &l)
			g.attr = append(g.attr, g.attrs.id(key))
			key = append(key[:0], strings.TrimSpace(l.Purpose)...)
			g.purpose = append(g.purpose, g.purposes.id(key))
			acc.Rows++
			acc.Sum += l.Cash
		}
		g.endReturn(c, start)
		b.step(1)
	}
	return g, nil
}

// admit decides whether a line is a cash grant.
func (g *lines) admit(l *stagedLine, filing uint32, acc *lineAccount) bool {
	acc.Goods += l.NonCash
	name := l.Name1 + l.Name2 + l.Person
	switch {
	case l.Cash < 0:
		acc.Negative++
		acc.NegativeSum += l.Cash
		g.adjustments = append(g.adjustments, adjustment{
			filing: filing, part: uint8(l.Part), line: uint32(l.Line), amount: l.Cash,
			name: strings.Clone(joined(joined(l.Name1, l.Name2), l.Person)), purpose: strings.Clone(l.Purpose),
		})
	case l.Cash > maxAmount:
		acc.TooLarge++
	case l.Cash == 0 && l.NonCash > 0:
		acc.NonCash++
	case l.Cash == 0 && name == "":
		acc.Empty++
	case l.Cash == 0:
		acc.Zero++
	case acc.Rows > 1 && l.Cash == acc.Sum && isTotal(name):
		acc.Total++
	default:
		return true
	}
	return false
}

// isTotal recognizes a line that sums up the list above it.
func isTotal(name string) bool {
	if len(name) > 40 {
		return false
	}
	switch k := strings.Trim(orgname.Fold(name), " .:-*"); k {
	case "TOTAL", "TOTALS", "SUBTOTAL", "SUB-TOTAL", "SUB TOTAL", "GRAND TOTAL", "TOTAL GRANTS", "TOTAL CONTRIBUTIONS", "TOTAL GRANTS PAID", "TOTAL GRANTS AND CONTRIBUTIONS":
		return true
	}
	return false
}

// endReturn looks at the rows of one return as a whole, those from start on: a
// list that was filed twice over is halved.
func (g *lines) endReturn(c *choice, start int) {
	n := len(g.amount) - start
	if n < 2 || n%2 != 0 {
		return
	}
	f := &c.filings[g.filing[start]]
	if !doubled(f.account.Sum, f.declared) {
		return
	}
	// Every distinct line must occur an even number of times; keep the first
	// half of each.
	type content struct {
		tuple, attr, purpose uint32
		part                 uint8
		amount               int64
	}
	counts := make(map[content]int, n)
	at := func(i int) content {
		return content{g.tuple[i], g.attr[i], g.purpose[i], g.part[i], g.amount[i]}
	}
	for i := start; i < start+n; i++ {
		counts[at(i)]++
	}
	for _, k := range counts {
		if k%2 != 0 {
			return
		}
	}
	for k := range counts {
		counts[k] /= 2
	}
	to := start
	for i := start; i < start+n; i++ {
		k := at(i)
		if counts[k] == 0 {
			f.account.Rows--
			f.account.Repeated++
			f.account.Sum -= g.amount[i]
			continue
		}
		counts[k]--
		g.move(to, i)
		to++
	}
	g.cut(to)
}

// doubled reports whether an itemized sum is twice what the filer declared.
func doubled(sum, declared int64) bool {
	if declared <= 0 || sum*10 < declared*19 {
		return false
	}
	off := sum/2 - declared
	return max(off, -off)*50 <= declared
}

func (g *lines) move(to, from int) {
	g.filing[to], g.origin[to], g.part[to], g.line[to] = g.filing[from], g.origin[from], g.part[from], g.line[from]
	g.tuple[to], g.attr[to], g.purpose[to], g.amount[to] = g.tuple[from], g.attr[from], g.purpose[from], g.amount[from]
}

func (g *lines) cut(n int) {
	g.filing, g.origin, g.part, g.line = g.filing[:n], g.origin[:n], g.part[:n], g.line[:n]
	g.tuple, g.attr, g.purpose, g.amount = g.tuple[:n], g.attr[:n], g.purpose[:n], g.amount[:n]
}

// part names a list of a form, for keys and tables.
func partName(p uint8) string { return irs990.Part(p).String() }

// order sorts the row numbers 0..n-1 by less.
func order(n int, compare func(a, b uint32) int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortFunc(rows, compare)
	return rows
}
