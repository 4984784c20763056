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

type stateFormat struct {
	stateaward.Mapping
	head  []string
	what  []column
	keeps []string // by column: a value that the filter lets pass
	drops []string // and one that it does not, empty when there is none
}

func newStateFormat(m stateaward.Mapping) *stateFormat {
	g := &stateFormat{Mapping: m, head: m.Header()}
	n := len(g.head)
	g.what, g.keeps, g.drops = make([]column, n), make([]string, n), make([]string, n)
	c := &m.Columns
	for _, p := range []struct {
		names string
		what  column
	}{
		{c.Payee, payee}, {c.EIN, payeeEIN}, {c.City, payeeCity}, {c.State, payeeState}, {c.ZIP, payeeZIP}, {c.FiscalYear, paidYear},
		{c.Date, paidDay}, {c.Agency, payer}, {c.Program, paidFor}, {c.Category, paidKind}, {c.Amount, paid}, {c.ID, paymentID},
	} {
		if i := stateaward.Find(g.head, p.names); i >= 0 {
			g.what[i] = p.what
		}
	}
	for _, f := range m.Filters {
		i := stateaward.Find(g.head, f.Column)
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
	payers       = words.of("state payer")
	payments     = words.of("state program")
	paymentKinds = words.of("state payment")
)

// stateAwards writes the files of one state, a file a fiscal year.
func (d *listWriter) stateAwards(m stateaward.Mapping) error {
	g := newStateFormat(m)
	var paths []string
	for year := firstPayment; year <= lastPayment; year++ {
		paths = append(paths, fmt.Sprintf("stateaward/%s/payments_FY%d.csv", strings.ToLower(m.State), year))
	}
	row := &record{separator: g.Separator, end: "\r\n", quotes: true, columns: len(g.head)}
	for _, name := range g.head {
		row.add(name)
	}
	return d.writeAll(paths, string(row.finish()), func(files []*listFile) error {
		write := func(e *entity, known string) {
			for k := range files {
				r := rng{sub(e.key, '=', k)}
				if !r.odds(7000) {
					continue
				}
				for n := range 1 + zipf(r.next(), 5, 1) {
					d.payment(files[k], row, g, e, firstPayment+k, n, known)
				}
			}
		}
		slots := d.w.slotsOf(m.State)
		for _, s := range slots {
			if err := d.ctx.Err(); err != nil {
				return err
			}
			for i := int(s); i < d.w.orgs; i += len(d.w.slots) {
				share := 1200
				if i < d.w.wellKnown() {
					share = 4500
				}
				if !odds(sub(d.w.seed, '=', i), share) {
					continue
				}
				if d.w.org(i, &d.f); d.f.class.is(stateAwards) && !d.w.exemption(&d.f).gone() {
					write(&d.f, "state_rows")
				}
			}
		}
		for k := range 12 + len(slots) {
			d.vendor(1_000_000*int(m.State[0])+1_000*int(m.State[1])+k, &d.f)
			write(&d.f, "state_rows_unknown")
		}
		return nil
	})
}

func (d *listWriter) payment(l *listFile, row *record, g *stateFormat, e *entity, year, n int, known string) {
	r := rng{sub(sub(e.key, '+', year), '+', n)}
	start := date(year-1, time.Month(g.YearStart), 1)
	if g.YearStart == 1 {
		start = start.AddDate(1, 0, 0)
	}
	at := start.AddDate(0, 0, r.n(360))
	agency, program, kind := r.of(payers), r.of(payments), r.of(paymentKinds)
	amount := int64(exp2(10*one+r.n(4*one)+r.n(4*one)))*100 + int64(r.n(100))
	if r.odds(120) {
		amount = -(amount / 10)
	}
	values := [...]any{payee: caps(appendSigned(nil, e)), payeeEIN: nil, payeeCity: e.zip.City, payeeState: e.zip.State, payeeZIP: e.zip.Code,
		paidYear: year, paidDay: day{at, "01/02/2006"}, payer: agency, paidFor: program, paidKind: kind, paid: cents(amount), kept: nil}
	if e.ein != 0 {
		values[payeeEIN] = e.ein
	}
	drop, dropped := r.odds(200), false
	for i, what := range g.what {
		value := values[what]
		switch {
		case drop && g.drops[i] != "":
			value, dropped = g.drops[i], true
		case what == paymentID:
			value = fmt.Sprintf("%s%d-%08d", g.State, year, r.next()%100_000_000)
		case what == kept:
			value = g.keeps[i]
		}
		row.add(value)
	}
	b := row.finish()
	if dropped {
		l.Write(b)
		d.counts["state_rows_left_out"]++
		return
	}
	l.row(b)
	d.counts[known]++
}
