package synth

import (
	"fmt"
	"strings"
	"time"

	"grantgraph/internal/ingest/source/stateaward"
)

// What nine states say they paid. Each has columns of its own, which the
// reader's mappings name, so the files are written by the same mappings.

const (
	firstPayment = 2021
	lastPayment  = 2025
)

// column is what stands in one column of a state's file.
type column uint8

const (
	blank column = iota
	payee
	payeeEIN
	payeeCity
	payeeState
	payeeZIP
	paidYear
	paidDay
	payer
	paidFor
	paidKind
	paid
	paymentID
	kept // a value that lets the row count
)

// stateFormat is one state's way of writing.
type stateFormat struct {
	stateaward.Mapping
	head  []string
	what  []column
	keeps []string // by column: a value that the filter lets pass
	drops []string // and one that it does not, empty when there is none
}

// folded is a column's name without case, spaces and signs, by which the
// reader finds it.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

func newStateFormat(m stateaward.Mapping) *stateFormat {
	g := &stateFormat{Mapping: m, head: m.Header()}
	n := len(g.head)
	g.what, g.keeps, g.drops = make([]column, n), make([]string, n), make([]string, n)
	at := func(names string) int {
		for name := range strings.SplitSeq(names, "|") {
			for i := range g.head {
				if name != "" && folded(g.head[i]) == folded(name) {
					return i
				}
			}
		}
		return -1
	}
	c := &m.Columns
	for _, p := range []struct {
		names string
		what  column
	}{{c.Payee, payee}, {c.EIN, payeeEIN}, {c.City, payeeCity}, {c.State, payeeState}, {c.ZIP, payeeZIP}, {c.FiscalYear, paidYear}, {c.Date, paidDay},
		{c.Agency, payer}, {c.Program, paidFor}, {c.Category, paidKind}, {c.Amount, paid}, {c.ID, paymentID}} {
		if i := at(p.names); i >= 0 {
			g.what[i] = p.what
		}
	}
	for _, f := range m.Filters {
		i := at(f.Column)
		if i < 0 {
			continue
		}
		if len(f.Drop) > 0 {
			g.drops[i] = strings.ReplaceAll(f.Drop[0], "*", "")
		}
		switch {
		case len(f.Keep) > 0:
			g.what[i] = kept
			g.keeps[i] = strings.ReplaceAll(f.Keep[0], "*", "")
			g.drops[i] = "99"
		case g.what[i] == blank || g.what[i] == paidKind:
			g.what[i] = kept
			g.keeps[i] = "Grants and Subsidies"
		}
	}
	return g
}

var (
	payers = lines(`
Department of Human Services
Department of Education
Department of Public Health
Department of Social Services
Department of Housing
Office of the Arts
Department of Labor
Department of Children and Families`)
	payments = lines(`
Community Services
Early Childhood
Prevention Services
Homeless Assistance
Arts Operating Support
Workforce Training
Rural Health
After School Programs`)
	paymentKinds = lines("Grants\nGrants and Subsidies\nPurchased Services\nContractual Services")
)

// stateAwards writes the files of one state, a file a fiscal year.
func (d *listWriter) stateAwards(m stateaward.Mapping) error {
	g := newStateFormat(m)
	years := lastPayment - firstPayment + 1
	files := make([]*listFile, years)
	for k := range files {
		l, err := d.create(fmt.Sprintf("stateaward/%s/payments_FY%d.csv", strings.ToLower(m.State), firstPayment+k))
		if err != nil {
			return err
		}
		defer l.h.abandon()
		for i, name := range g.head {
			if i > 0 {
				l.WriteString(g.Separator)
			}
			l.Write(appendCSV(nil, []byte(name)))
		}
		l.WriteString("\r\n")
		files[k] = l
	}
	write := func(e *entity, known string) {
		for k := range years {
			r := rng{sub(e.key, '=', k)}
			if !r.odds(7000) {
				continue
			}
			for n := range 1 + zipf(r.next(), 5, 1) {
				d.payment(files[k], g, e, firstPayment+k, n, known)
			}
		}
	}
	var slots []int32
	for i, code := range d.w.states {
		if code == m.State {
			slots = d.w.byState[i]
		}
	}
	for _, s := range slots {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		for i := int(s); i < d.w.orgs; i += len(d.w.slots) {
			share := uint32(1200)
			if i < d.w.wellKnown() {
				share = 4500
			}
			if !odds(sub(d.w.seed, '=', i), share) {
				continue
			}
			d.w.org(i, &d.f)
			switch d.f.class {
			case church, temple, familyFoundation, government, publicCollege:
				continue
			}
			if !d.w.exemption(&d.f).gone() {
				write(&d.f, "state_rows")
			}
		}
	}
	for k := range 12 + len(slots) {
		d.vendor(1_000_000*int(m.State[0])+1_000*int(m.State[1])+k, &d.f)
		write(&d.f, "state_rows_unknown")
	}
	for _, l := range files {
		if err := d.finish(l); err != nil {
			return err
		}
	}
	return nil
}

// payment writes one row.
func (d *listWriter) payment(l *listFile, g *stateFormat, e *entity, year, n int, known string) {
	r := rng{sub(sub(e.key, '+', year), '+', n)}
	start := time.Date(year-1, time.Month(g.YearStart), 1, 0, 0, 0, 0, time.UTC)
	if g.YearStart == 1 {
		start = start.AddDate(1, 0, 0)
	}
	day := start.AddDate(0, 0, r.n(360))
	agency, program, kind := r.of(payers), r.of(payments), r.of(paymentKinds)
	cents := int64(exp2(10*one+r.n(4*one)+r.n(4*one)))*100 + int64(r.n(100))
	sign := ""
	if r.odds(120) {
		sign = "-"
		cents /= 10
	}
	drop := r.odds(200)
	dropped := false
	b := d.row[:0]
	for i, what := range g.what {
		if i > 0 {
			b = append(b, g.Separator[0])
		}
		v := d.tmp[:0]
		switch what {
		case payee:
			v = appendSigned(v, e)
			upper(v)
		case payeeEIN:
			if e.ein != 0 {
				v = e.ein.Append(v)
			}
		case payeeCity:
			v = append(v, e.zip.City...)
		case payeeState:
			v = append(v, e.zip.State...)
		case payeeZIP:
			v = append(v, e.zip.Code...)
		case paidYear:
			v = appendInt(v, int64(year))
		case paidDay:
			v = day.AppendFormat(v, "01/02/2006")
		case payer:
			v = append(v, agency...)
		case paidFor:
			v = append(v, program...)
		case paidKind:
			v = append(v, kind...)
		case paid:
			v = append(v, sign...)
			v = appendPadded(append(appendInt(v, cents/100), '.'), uint64(cents%100), 2)
		case paymentID:
			v = fmt.Appendf(v, "%s%d-%08d", g.State, year, r.next()%100_000_000)
		case kept:
			v = append(v, g.keeps[i]...)
		}
		if drop && g.drops[i] != "" {
			v, dropped = append(v[:0], g.drops[i]...), true
		}
		b = appendCSV(b, v)
		d.tmp = v
	}
	b = append(b, '\r', '\n')
	d.row = b
	if dropped {
		l.Write(b)
		d.counts["state_rows_left_out"]++
		return
	}
	l.row(b)
	d.counts[known]++
}
