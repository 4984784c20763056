package account

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ledger is the one that charges. Charges that arrive while a transaction is
// being written to the disk are gathered into the next one, so the number of
// charges a second is not bound by the number of times a second the disk can
// promise that something is on it.
type ledger struct {
	store *store
	jobs  chan *charge
	quit  chan struct{} // closed when no more charges are taken
	ended chan struct{} // closed when the writer is gone
	once  sync.Once
}

// mostCharges bounds how many charges share a transaction, so that the first
// of them does not wait for long.
const mostCharges = 512

// batchTime bounds how long one transaction of charges may take, a database
// that comes back after a fall included.
const batchTime = 10 * time.Second

// charge is one call to be paid. Its balance and refusal are good only when the
// transaction was committed; then done gets nil.
type charge struct {
	ctx     context.Context
	id      string
	cost    int
	receipt []byte // of what is paid only once; nil for what is paid each time
	balance Balance
	refusal error
	done    chan error
}

// chargeTables is how an engine reads and writes what charges need, many at a
// time. Where several servers share a database, reading meters and balances
// keeps others from the same rows until the transaction ends; the lists are
// sorted, so that no two servers wait for each other.
type chargeTables interface {
	readPayers(t *tx, keys, accounts []string) (map[string]record, error)
	readMeters(t *tx, ms []*meter) error
	writeMeters(t *tx, ms []*meter) error
	readAgentBalances(t *tx, ps []*agentBalance) error
	writeAgentBalances(t *tx, ps []*agentBalance) error
	addUsage(t *tx, of usageTable, hour int64, us []usage) error
}

// meter is what an owner spent in a window.
type meter struct {
	owner   string
	period  Window
	start   int64
	calls   int64
	changed bool
}

// agentBalance is what is left to the key of an agent, as it is stored.
type agentBalance struct {
	key       int64
	status    Status
	expires   int64
	allowance int64
	remaining int64
	changed   bool
}

// usage is what a key used in an hour, or an account without one.
type usage struct{ of, calls int64 }

// usageTable is where it is kept.
type usageTable struct{ name, column string }

var (
	usageOfKeys     = usageTable{"usage", "key"}
	usageOfAccounts = usageTable{"account_usage", "account"}
)

// usedIn says where the usage is kept, and under which number.
func (r record) usedIn() (usageTable, int64) {
	if r.keyless() {
		return usageOfAccounts, r.account
	}
	return usageOfKeys, r.seq
}

func openLedger(s *store) *ledger {
	l := &ledger{store: s, jobs: make(chan *charge, mostCharges), quit: make(chan struct{}), ended: make(chan struct{})}
	go l.run()
	return l
}

// close lets the charges that were accepted finish and ends the writer.
func (l *ledger) close() {
	l.once.Do(func() { close(l.quit) })
	<-l.ended
}

// do charges and returns when that is on the disk.
func (l *ledger) do(ctx context.Context, c *charge) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.jobs <- c:
	case <-l.quit:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ended:
		// The writer may have answered on its way out.
		select {
		case err := <-c.done:
			return err
		default:
			return errClosed
		}
	}
}

func (l *ledger) run() {
	defer close(l.ended)
	gathered := make([]*charge, 0, mostCharges)
	for {
		gathered = gathered[:0]
		select {
		case c := <-l.jobs:
			gathered = append(gathered, c)
		case <-l.quit:
			// What was accepted before is still done.
			select {
			case c := <-l.jobs:
				gathered = append(gathered, c)
			default:
				return
			}
		}
		// Those who were answered a moment ago are about to come again: letting
		// them costs nothing and saves them a turn.
		runtime.Gosched()
	gather:
		for len(gathered) < mostCharges {
			select {
			case c := <-l.jobs:
				gathered = append(gathered, c)
			default:
				break gather
			}
		}
		l.commit(gathered)
	}
}

// commit applies the charges in one transaction and answers them. No one hears
// of success before the transaction is on the disk.
func (l *ledger) commit(charges []*charge) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	err := l.store.engine.transact(ctx, l.store, func(t *tx) error { return l.store.applyCharges(t, charges) })
	if err != nil && ctx.Err() != nil {
		err = unavailable(err)
	}
	for _, c := range charges {
		c.done <- err
	}
}

// applyCharges decides on each charge in turn, as if it were alone, and writes
// what was granted.
func (s *store) applyCharges(t *tx, charges []*charge) error {
	var keys, accounts []string
	for _, c := range charges {
		// One that nobody waits for any more is not paid.
		c.balance, c.refusal = Balance{}, c.ctx.Err()
		switch {
		case c.refusal != nil:
		case isID(accPrefix, c.id):
			accounts = append(accounts, c.id)
		default:
			keys = append(keys, c.id)
		}
	}
	slices.Sort(keys)
	slices.Sort(accounts)
	payers, err := s.engine.readPayers(t, slices.Compact(keys), slices.Compact(accounts))
	if err != nil {
		return err
	}
	type place struct {
		owner  string
		period Window
		start  int64
	}
	meters, agents := map[place]*meter{}, map[int64]*agentBalance{}
	var ms []*meter
	var ps []*agentBalance
	meterOf := func(r record) *meter {
		w := s.window(r.Plan)
		at := place{r.owner(), w, w.Start(t.now).Unix()}
		if meters[at] == nil {
			meters[at] = &meter{owner: at.owner, period: w, start: at.start}
			ms = append(ms, meters[at])
		}
		return meters[at]
	}
	for _, c := range charges {
		r, ok := payers[c.id]
		switch {
		case c.refusal != nil:
		case !ok && isID(accPrefix, c.id):
			c.refusal = unknownAccount()
		case !ok:
			c.refusal = noSuchKey()
		case !r.Active && r.keyless():
			c.refusal = inactiveAccount()
		case !r.Active:
			c.refusal = inactive()
		case r.Plan == Agent && agents[r.seq] == nil:
			agents[r.seq] = &agentBalance{key: r.seq}
			ps = append(ps, agents[r.seq])
		case r.Plan != Agent:
			meterOf(r)
		}
	}
	slices.SortFunc(ms, func(a, b *meter) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.period, b.period), cmp.Compare(a.start, b.start))
	})
	slices.SortFunc(ps, func(a, b *agentBalance) int { return cmp.Compare(a.key, b.key) })
	if len(ms) > 0 {
		if err := s.engine.readMeters(t, ms); err != nil {
			return err
		}
	}
	if len(ps) > 0 {
		if err := s.engine.readAgentBalances(t, ps); err != nil {
			return err
		}
	}
	used := map[usageTable]map[int64]int64{usageOfKeys: {}, usageOfAccounts: {}}
	for _, c := range charges {
		if c.refusal != nil {
			continue
		}
		r, cost := payers[c.id], int64(c.cost)
		if c.receipt != nil {
			// The allowance is locked by now: nobody else is paying with it.
			paid, err := t.receipted(c.receipt)
			if err != nil {
				return err
			}
			if paid {
				cost = 0
			}
		}
		if r.Plan == Agent {
			c.balance, c.refusal = agents[r.seq].pay(r.Tier, cost, t.now)
		} else {
			c.balance, c.refusal = s.pay(meterOf(r), r, cost, t.now)
		}
		if c.refusal == nil && cost > 0 {
			table, whose := r.usedIn()
			used[table][whose] += cost
			if c.receipt != nil {
				if err := t.writeReceipt(c.receipt); err != nil {
					return err
				}
			}
		}
	}
	if len(used[usageOfKeys])+len(used[usageOfAccounts]) == 0 {
		return nil
	}
	ms = slices.DeleteFunc(ms, func(m *meter) bool { return !m.changed })
	ps = slices.DeleteFunc(ps, func(p *agentBalance) bool { return !p.changed })
	if len(ms) > 0 {
		if err := s.engine.writeMeters(t, ms); err != nil {
			return err
		}
	}
	if len(ps) > 0 {
		if err := s.engine.writeAgentBalances(t, ps); err != nil {
			return err
		}
	}
	hour := t.now.UTC().Truncate(time.Hour).Unix()
	for _, table := range []usageTable{usageOfKeys, usageOfAccounts} {
		us := make([]usage, 0, len(used[table]))
		for whose, calls := range used[table] {
			us = append(us, usage{whose, calls})
		}
		slices.SortFunc(us, func(a, b usage) int { return cmp.Compare(a.of, b.of) })
		if len(us) == 0 {
			continue
		}
		if err := s.engine.addUsage(t, table, hour, us); err != nil {
			return err
		}
	}
	return nil
}

// pay takes cost calls from what a plan allows in a window, or none.
func (s *store) pay(m *meter, r record, cost int64, now time.Time) (Balance, error) {
	b := s.balance(r.Plan, now, m.calls)
	if cost > int64(b.Remaining) {
		return b, quotaExhausted(r, m.period, b, now)
	}
	if cost > 0 {
		m.calls += cost
		m.changed = true
	}
	return s.balance(r.Plan, now, m.calls), nil
}

func (s *store) Charge(ctx context.Context, id string, cost int) (Balance, error) {
	return s.charge(ctx, &charge{id: id, cost: cost})
}

func (s *store) charge(ctx context.Context, c *charge) (Balance, error) {
	if c.cost < 0 {
		return Balance{}, fmt.Errorf("a charge of %d calls", c.cost)
	}
	if !isID(idPrefix, c.id) && !isID(accPrefix, c.id) {
		return Balance{}, noSuchKey()
	}
	// The charge is read only after the answer, never while it may still be
	// worked on for a caller that has left.
	c.ctx, c.done = ctx, make(chan error, 1)
	if err := s.ledger.do(ctx, c); err != nil {
		return Balance{}, err
	}
	return c.balance, c.refusal
}
