package ingest

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
)

// maxAmount is the largest grant we accept. A larger figure is a typing error.
const maxAmount = 50_000_000_000

// lines holds the grant rows of a build as columns: each slice has one entry per row, and strings are kept by number. There are
// far fewer recipients than lines, so anything that depends on the recipient alone is computed once per recipient.
type lines struct {
	filing      []uint32 // into corpus.filings: the chosen return
	origin      []uint32 // the return that lists the row; usually the same
	part        []uint8
	line        []uint32
	recipientNo []uint32 // into recipients
	relationNo  []uint32 // into relations
	purpose     []uint32 // into purposes
	amount      []int64

	recipients *interner // of recipientKey
	relations  *interner // of relationKey
	purposes   *interner

	telling     []uint64        // by recipient: the distinctive words of its name, as a signature
	masked      map[uint32]bool // recipients of the lines that are masked one by one
	adjustments []adjustment

	key []byte // the key being built
}

// adjustment is a negative line: a refund, or a correction of an earlier year.
// Adjustments have a table of their own, because they are not grants.
type adjustment struct {
	filing uint32
	part   uint8
	line   uint32
	amount int64
	name   string
	said   classify.Line
	ein    ein.EIN // as filed
}

func (g *lines) recipient(i uint32) resolve.Recipient { return g.recipientKey(i).split() }

func (g *lines) recipientKey(i uint32) recipientKey { return recipientKey(g.recipients.at(i)) }

func (g *lines) relation(row uint32) (relationship, status string) {
	return relationKey(g.relations.at(g.relationNo[row])).split()
}

// gatherLines reads the lines of the chosen returns. It keeps the cash grants and counts the other lines.
func (b *builder) gatherLines(ctx context.Context, c *corpus) error {
	hide, err := b.maskList(ctx)
	if err != nil {
		return err
	}
	b.phase("gather", int64(c.stage.Shards()))
	standsFor := c.standsFor()
	c.lines = newLines(c.stagedLines(standsFor))
	parts := sync.Pool{New: func() any { return newLines(0) }} // memory that shards use in turn
	err = parallel.Ordered(ctx, b.workers, c.stage.Shards(), func(ctx context.Context, i int) (*lines, error) {
		part := parts.Get().(*lines)
		return part, b.gatherShard(ctx, c, i, standsFor, hide, part)
	}, func(part *lines) error {
		c.lines.join(part)
		part.reset()
		parts.Put(part)
		b.step(1)
		return nil
	})
	if err != nil {
		return err
	}
	c.lines.freeze()
	if err := b.gatherApplications(ctx, c, hide); err != nil {
		return err
	}
	if err := c.gatherAsides(ctx); err != nil {
		return err
	}
	b.noteUnmet(hide)
	return nil
}

// standsFor holds, for each filing, the chosen filing that its lines count for,
// or -1. The lines of a return may count for a later version of that return.
func (c *corpus) standsFor() []int32 {
	of := make([]int32, len(c.filings))
	for i := range of {
		of[i] = -1
	}
	for i := range c.filings {
		if f := &c.filings[i]; f.fate == chosen {
			of[f.linesOf] = int32(i)
		}
	}
	return of
}

// mostForeseen limits the rows we allocate in advance, because the number of lines that a return states may be wrong.
const mostForeseen = 64 << 20

func (c *corpus) stagedLines(standsFor []int32) (n int) {
	for i, of := range standsFor {
		if of >= 0 {
			n += int(c.filings[i].lines)
		}
	}
	return min(n, mostForeseen)
}

// gatherShard gathers the lines of one shard into g. The lines of a return are all
// in one shard, so no other shard writes the accounts of its returns.
func (b *builder) gatherShard(ctx context.Context, c *corpus, shard int, standsFor []int32, hide *maskList, g *lines) error {
	current, start := int32(-1), 0
	for l, err := range stage.Rows[stage.Line](ctx, c.stage, shard) {
		if err != nil {
			return err
		}
		if l.Seq != current {
			g.halveIfDoubled(c.filings, start)
			current, start = l.Seq, len(g.amount)
		}
		origin := c.bySeq[shard][l.Seq]
		if origin < 0 || standsFor[origin] < 0 {
			continue
		}
		if irs990.Part(l.Part) == irs990.PFPaid {
			c.filings[origin].paid++
		}
		f := uint32(standsFor[origin])
		acc := &c.filings[f].account
		hidden := hide.has(&c.filings[origin], uint8(l.Part), l.Line)
		if hidden {
			// Its identifying fields go before any other step reads the line.
			l = stage.Line{MemberNo: l.MemberNo, Part: l.Part, Line: l.Line, Name1: maskedName, State: l.State, Country: l.Country, Cash: l.Cash, NonCash: l.NonCash}
		}
		if !g.isGrant(&l, f, acc) {
			continue
		}
		g.add(&l, f, uint32(origin), hidden)
		acc.Rows++
		acc.Sum += l.Cash
	}
	g.halveIfDoubled(c.filings, start)
	return nil
}

func newLines(rows int) *lines {
	return &lines{
		filing: make([]uint32, 0, rows), origin: make([]uint32, 0, rows), part: make([]uint8, 0, rows), line: make([]uint32, 0, rows),
		recipientNo: make([]uint32, 0, rows), relationNo: make([]uint32, 0, rows), purpose: make([]uint32, 0, rows), amount: make([]int64, 0, rows),
		recipients: newInterner(), relations: newInterner(), purposes: newInterner(), masked: map[uint32]bool{},
	}
}

func (g *lines) add(l *stage.Line, filing, origin uint32, hidden bool) {
	cleanLine(l)
	g.filing = append(g.filing, filing)
	g.origin = append(g.origin, origin)
	g.part = append(g.part, uint8(l.Part))
	g.line = append(g.line, uint32(l.Line))
	g.amount = append(g.amount, l.Cash)
	g.key = appendRecipientKey(g.key[:0], l)
	recipient := g.recipients.id(g.key)
	g.recipientNo = append(g.recipientNo, recipient)
	if hidden {
		g.masked[recipient] = true
	}
	g.key = appendRelationKey(g.key[:0], l)
	g.relationNo = append(g.relationNo, g.relations.id(g.key))
	g.key = append(g.key[:0], strings.TrimSpace(l.Purpose)...)
	g.purpose = append(g.purpose, g.purposes.id(g.key))
}

func (g *lines) join(part *lines) {
	g.filing = append(g.filing, part.filing...)
	g.origin = append(g.origin, part.origin...)
	g.part = append(g.part, part.part...)
	g.line = append(g.line, part.line...)
	g.amount = append(g.amount, part.amount...)
	g.adjustments = append(g.adjustments, part.adjustments...)
	recipients := g.recipients.join(part.recipients)
	g.recipientNo = appendRenumbered(g.recipientNo, part.recipientNo, recipients)
	g.relationNo = appendRenumbered(g.relationNo, part.relationNo, g.relations.join(part.relations))
	g.purpose = appendRenumbered(g.purpose, part.purpose, g.purposes.join(part.purposes))
	for i := range part.masked {
		g.masked[recipients[i]] = true
	}
}

func appendRenumbered(dst, ids, numbers []uint32) []uint32 {
	for _, id := range ids {
		dst = append(dst, numbers[id])
	}
	return dst
}

func (g *lines) reset() {
	g.cut(0)
	g.adjustments = g.adjustments[:0]
	g.recipients.reset()
	g.relations.reset()
	g.purposes.reset()
	clear(g.masked)
}

// freeze frees the memory that only more rows would need.
func (g *lines) freeze() {
	g.recipients.freeze()
	g.relations.freeze()
	g.purposes.freeze()
}

func (g *lines) isGrant(l *stage.Line, filing uint32, acc *lineAccount) bool {
	if acc.Goods += l.NonCash; l.NonCash != 0 {
		acc.GoodsLines++
	}
	switch {
	case l.Cash < 0:
		filed, _ := ein.Filed(l.EIN)
		acc.Negative++
		acc.NegativeSum += l.Cash
		g.adjustments = append(g.adjustments, adjustment{
			filing: filing, part: uint8(l.Part), line: uint32(l.Line), amount: l.Cash,
			name: strings.Clone(l.FullName()), said: cloneLine(l, irs990.Part(l.Part) == irs990.PFPaid), ein: filed,
		})
	case l.Cash > maxAmount:
		acc.TooLarge++
	case l.Cash == 0 && l.NonCash > 0:
		acc.NonCash++
	case l.Cash == 0 && l.Name1 == "" && l.Name2 == "" && l.Person == "":
		acc.Empty++
	case l.Cash == 0:
		acc.Zero++
	case acc.Rows > 1 && l.Cash == acc.Sum && isTotal(l.Name1+l.Name2+l.Person):
		acc.Total++
	default:
		return true
	}
	return false
}

func isTotal(name string) bool {
	if len(name) > 40 {
		return false
	}
	switch strings.Trim(orgname.Fold(name), " .:-*") {
	case "TOTAL", "TOTALS", "SUBTOTAL", "SUB-TOTAL", "SUB TOTAL", "GRAND TOTAL",
		"TOTAL GRANTS", "TOTAL CONTRIBUTIONS", "TOTAL GRANTS PAID", "TOTAL GRANTS AND CONTRIBUTIONS":
		return true
	}
	return false
}

// halveIfDoubled looks at all rows of one return, which begin at start. If the
// filer listed every grant twice, it drops half of them.
func (g *lines) halveIfDoubled(filings []filing, start int) {
	n := len(g.amount) - start
	if n < 2 || n%2 != 0 {
		return
	}
	f := &filings[g.filing[start]]
	if !doubled(f.account.Sum, f.declared) {
		return
	}
	// Every distinct line must occur an even number of times; keep the first half of each.
	type content struct {
		recipient, relation, purpose uint32
		part                         uint8
		amount                       int64
	}
	counts := make(map[content]int, n)
	at := func(i int) content {
		return content{g.recipientNo[i], g.relationNo[i], g.purpose[i], g.part[i], g.amount[i]}
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
	g.recipientNo[to], g.relationNo[to], g.purpose[to], g.amount[to] = g.recipientNo[from], g.relationNo[from], g.purpose[from], g.amount[from]
}

func (g *lines) cut(n int) {
	g.filing, g.origin, g.part, g.line = g.filing[:n], g.origin[:n], g.part[:n], g.line[:n]
	g.recipientNo, g.relationNo, g.purpose, g.amount = g.recipientNo[:n], g.relationNo[:n], g.purpose[:n], g.amount[:n]
}

func partName(p uint8) string { return irs990.Part(p).String() }

// Lines are kept as numbers, and their text as keys: the fields joined by a separator. Equal lines have equal
// keys, and each key is kept once. Only the functions below build and split keys.

// separator stands between the fields of a key. XML forbids this character, but
// a numeric character reference can still produce it; see cleanLine.
const separator = '\x1f'

type recipientKey string

// appendRecipientKey writes the key of a line that cleanLine has cleaned.
func appendRecipientKey(b []byte, l *stage.Line) []byte {
	for _, s := range [...]string{l.Name1, l.Name2, l.Person, l.Street, l.City, l.State, l.ZIP, l.Country} {
		b = append(b, s...)
		b = append(b, separator)
	}
	status := resolve.ReadTaxStatus(cmp.Or(l.Section, l.Status))
	b = append(strconv.AppendUint(b, uint64(status), 10), separator)
	filed, _ := ein.Filed(l.EIN)
	return filed.Append(b)
}

// split splits a key into its fields. The strings share the key's memory.
func (k recipientKey) split() (r resolve.Recipient) {
	rest := string(k)
	for _, f := range [...]*string{&r.Name1, &r.Name2, &r.Person, &r.Street, &r.City, &r.State, &r.ZIP, &r.Country} {
		i := strings.IndexByte(rest, separator)
		*f, rest = rest[:i], rest[i+1:]
	}
	said, filed, _ := strings.Cut(rest, string(separator))
	status, _ := strconv.ParseUint(said, 10, 8)
	r.TaxStatus = resolve.TaxStatus(status)
	r.Filed, _ = ein.Filed(filed)
	return r
}

// nameAndPlace are the three names joined as in the key, the city, the state and the ZIP code. It does not split the whole key.
func (k recipientKey) nameAndPlace() (names, city, state, zip string) {
	rest := string(k)
	next := func() (field string) {
		field, rest, _ = strings.Cut(rest, string(separator))
		return field
	}
	size := len(next()) + len(next()) + len(next()) + 2
	names = string(k[:size])
	next() // the street
	return names, next(), next(), next()
}

// foreign reports whether the recipient has a foreign address. It reads the key from the end: only the status
// and the EIN, which are short, follow the country.
func (k recipientKey) foreign() bool {
	rest := string(k)
	for range 2 {
		rest = rest[:strings.LastIndexByte(rest, separator)]
	}
	return rest[len(rest)-1] != separator
}

// relationKey holds what a line says about the recipient besides its identity:
// its relationship to the funder and its foundation status.
type relationKey string

func appendRelationKey(b []byte, l *stage.Line) []byte {
	b = append(b, l.Relationship...)
	b = append(b, separator)
	return append(b, l.Status...)
}

func (k relationKey) split() (relationship, status string) {
	relationship, status, _ = strings.Cut(string(k), string(separator))
	return relationship, status
}

func cleanLine(l *stage.Line) {
	for _, f := range [...]*string{&l.Name1, &l.Name2, &l.Person, &l.Street, &l.City, &l.State, &l.ZIP, &l.Country, &l.Relationship, &l.Status} {
		if strings.IndexByte(*f, separator) >= 0 {
			*f = strings.ReplaceAll(*f, string(separator), " ")
		}
	}
}
