package change

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

const linesPath = "change/lines.gg"

// linesKind is the file of the digests. Those of two versions cannot be compared.
var linesKind = &mapped.Kind{
	Magic: "GGlines1", Name: "file of digests",
	Missing: "lines_unreadable", Version: "lines_version", Damaged: "lines_damaged",
}

// filed is a return that stands. Returns are sorted by filer, period and family.
type filed struct {
	Filing uint64 // digest of its key
	Amount int64  // of its grants
	EIN    uint32
	Period uint32 // period end, as a number of eight digits
	Family uint32 // 1 for a Form 990-T, which a filer may file besides another return for the period
	Lines  uint32 // number of its lines
}

func (f *filed) compare(g *filed) int {
	return cmp.Or(cmp.Compare(f.EIN, g.EIN), cmp.Compare(f.Period, g.Period), cmp.Compare(f.Family, g.Family))
}

type line struct {
	Place   uint32    // its number in the list, and which list it is
	Content [2]uint32 // digest of the row, in two halves to avoid a gap
}

func (l line) content() uint64 { return uint64(l.Content[0]) | uint64(l.Content[1])<<32 }

func byPlace(a, b line) int {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.content(), b.content()))
}

type lines struct {
	file  *mapped.File
	filed []filed
	lines []line
}

func openLines(s *snapshot.Snapshot) (*lines, error) {
	return mapped.Load(s.Dir, linesPath, linesKind, func(f *mapped.File) *lines {
		x := &lines{file: f, filed: mapped.Column[filed](f, "returns", mapped.AnyLength), lines: mapped.Column[line](f, "lines", mapped.AnyLength)}
		n := 0
		for i := range x.filed {
			n += int(x.filed[i].Lines)
			if i > 0 && x.filed[i-1].compare(&x.filed[i]) >= 0 {
				f.Fail("the returns are out of order")
			}
		}
		if n != len(x.lines) {
			f.Fail("it has %d lines where its returns have %d", len(x.lines), n)
		}
		return x
	})
}

type returnRow struct {
	Filing string `parquet:"filing"`
	EIN    string `parquet:"ein"`
	Form   string `parquet:"form"`
	Period string `parquet:"period_end"`
	Fate   string `parquet:"fate"`
}

// grantRow holds the columns of table grants that are place and content of a line: not its key, which names the filing, nor
// what builds estimate or take from other sources.
type grantRow struct {
	FunderEIN *snapshot.Word `parquet:"funder_ein"`
	Filing    *snapshot.Word `parquet:"filing"`
	Period    *snapshot.Word `parquet:"period_end"`
	Part      *snapshot.Word `parquet:"part"`
	Line      int32          `parquet:"line"`

	Amount         int64          `parquet:"amount"`
	Year           int32          `parquet:"tax_year"`
	RecipID        *snapshot.Word `parquet:"recip_id"`
	RecipEIN       *snapshot.Word `parquet:"recipient_ein"`
	Raw            *snapshot.Word `parquet:"recipient_raw"`
	Filed          *snapshot.Word `parquet:"recipient_filed"`
	City           *snapshot.Word `parquet:"recipient_city"`
	State          *snapshot.Word `parquet:"recipient_state"`
	ZIP            *snapshot.Word `parquet:"recipient_zip"`
	County         *snapshot.Word `parquet:"recipient_county"`
	Country        *snapshot.Word `parquet:"recipient_country"`
	Purpose        *snapshot.Word `parquet:"purpose"`
	EINSource      *snapshot.Word `parquet:"ein_source"`
	EINConflict    *snapshot.Word `parquet:"ein_conflict"`
	Tier           *snapshot.Word `parquet:"source_tier"`
	Support        int32          `parquet:"support"`
	IsIndividual   bool           `parquet:"is_individual"`
	IsUnidentified bool           `parquet:"is_unidentified"`
	IsDAF          bool           `parquet:"is_daf"`
	IsRelatedParty bool           `parquet:"is_related_party"`
	AmountSuspect  bool           `parquet:"amount_suspect"`
}

// appendContent appends each text with its length: different rows never give the same bytes.
func (r *grantRow) appendContent(b []byte) []byte {
	for _, word := range [...]*snapshot.Word{r.RecipID, r.RecipEIN, r.Raw, r.Filed, r.City, r.State, r.ZIP, r.County, r.Country, r.Purpose,
		r.EINSource, r.EINConflict, r.Tier} {
		b = binary.AppendUvarint(b, uint64(len(word.Text)))
		b = append(b, word.Text...)
	}
	b = binary.AppendVarint(b, r.Amount)
	b = binary.AppendVarint(b, int64(r.Year))
	b = binary.AppendVarint(b, int64(r.Support))
	for _, is := range [...]bool{r.IsIndividual, r.IsUnidentified, r.IsDAF, r.IsRelatedParty, r.AmountSuspect} {
		b = strconv.AppendBool(b, is)
	}
	return b
}

// place is where a line is in its return, and in which list, as forms have different ones.
func (r *grantRow) place() uint32 {
	place := uint32(r.Line) << 1
	if r.Part.Text == "SI2" {
		place |= 1
	}
	return place
}

// period is the end of the period, parsed once for all rows that share it.
func (r *grantRow) period() uint32 {
	if r.Period.Note == 0 {
		r.Period.Note = day(r.Period.Text)
	}
	return r.Period.Note
}

func writeLines(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	returns, err := readReturns(ctx, s)
	if err != nil {
		return err
	}
	return w.WriteFile(linesPath, func(out io.Writer) error {
		f := mapped.NewWriter(out, linesKind)
		f.Begin("lines")
		all, err := addLines(ctx, f, s, returns)
		if err != nil {
			return err
		}
		mapped.Add(f, "returns", all)
		return f.Close()
	})
}

// readReturns reads the returns that stand, in order.
func readReturns(ctx context.Context, s *snapshot.Snapshot) (list []filed, err error) {
	for r, err := range snapshot.Rows[returnRow](s, snapshot.Returns) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if r.Fate != "chosen" {
			continue
		}
		f := filed{Filing: digest([]byte(r.Filing)), EIN: number(r.EIN), Period: day(r.Period)}
		if r.Form == "990T" {
			f.Family = 1
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b filed) int { return a.compare(&b) })
	for i := 1; i < len(list); i++ {
		if list[i-1].compare(&list[i]) == 0 {
			return nil, fmt.Errorf("two returns stand for EIN %09d and the period that ended %d", list[i].EIN, list[i].Period)
		}
	}
	return list, nil
}

type placed struct {
	at      uint64 // period end, and place in the return
	content uint64
	amount  int64
}

func (p *placed) period() uint32 { return uint32(p.at >> 32) }
func (p *placed) place() uint32  { return uint32(p.at) }

// addLines writes the lines of all returns in order and counts them, with one funder's lines in memory at a time.
func addLines(ctx context.Context, f io.Writer, s *snapshot.Snapshot, returns []filed) ([]filed, error) {
	var (
		held   []placed
		funder string
		at     int // in returns
		buf    []byte
	)
	end := func() error {
		if len(held) == 0 {
			return nil
		}
		slices.SortFunc(held, func(a, b placed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.content, b.content)) })
		buf = buf[:0]
		for i := range held {
			p := &held[i]
			want := filed{EIN: number(funder), Period: p.period()}
			for at < len(returns) && returns[at].compare(&want) < 0 {
				at++
			}
			if at == len(returns) || returns[at].compare(&want) != 0 {
				return fmt.Errorf("a grant of %s stands in a return for the period that ended %d, and there is none", funder, p.period())
			}
			returns[at].Lines++
			returns[at].Amount += p.amount
			buf = binary.LittleEndian.AppendUint32(buf, p.place())
			buf = binary.LittleEndian.AppendUint64(buf, p.content)
		}
		held = held[:0]
		_, err := f.Write(buf)
		return err
	}
	var text []byte
	for rows, err := range snapshot.Batches[grantRow](s, snapshot.Grants) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		for i := range rows {
			r := &rows[i]
			if r.FunderEIN.Text != funder {
				if err := end(); err != nil {
					return nil, err
				}
				funder = strings.Clone(r.FunderEIN.Text)
			}
			text = r.appendContent(text[:0])
			held = append(held, placed{uint64(r.period())<<32 | uint64(r.place()), digest(text), r.Amount})
		}
	}
	return returns, end()
}
