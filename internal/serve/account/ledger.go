package account

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ledger charges. Charges that arrive while a transaction is being written go together into the next one.
type ledger struct {
	store *Store
	jobs  chan *charge
	quit  chan struct{} // closed when the ledger accepts no more charges
	ended chan struct{} // closed when the writer has ended
	once  sync.Once
}

// mostCharges share a transaction, so that the first does not wait for long.
const mostCharges = 512

// batchTime bounds how long one transaction of charges may take, including the time in which a failed database returns.
const batchTime = 10 * time.Second

// charge is one call to pay. Its balance and refusal are valid once done has received nil: the transaction was committed.
type charge struct {
	ctx     context.Context
	id      string
	cost    int
	receipt []byte // of a call that is paid only once; nil for one that is paid each time
	balance Balance
	refusal error
	done    chan error
}

// chargeTables reads and writes the rows of charges, many at a time. Where servers share a database, reading meters and
// balances locks their rows until the transaction ends, in the order of the lists, so that no two servers wait for each other.
type chargeTables interface {
	readPayers(t *tx, keys, accounts []string) map[string]record
	readMeters(t *tx, ms []*meter)
	writeMeters(t *tx, ms []*meter)
	readAgentBalances(t *tx, ps []*agentBalance)
	writeAgentBalances(t *tx, ps []*agentBalance)
	addUsage(t *tx, of usageTable, hour int64, us []usage)
}

type meterPlace struct {
	owner  string
	period Window
	start  int64
}

type meter struct {
	meterPlace
	calls   int64
	changed bool
}

const spentCalls = "SELECT calls FROM spent WHERE owner = $1 AND period = $2 AND start = $3"

type agentBalance struct {
	key       int64
	status    Status
	expires   int64
	allowance int64
	remaining int64
	changed   bool
}

// usage is how many calls a key made in an hour, or an account without a key.
type usage struct{ of, calls int64 }

type usageTable struct{ name, column string }

var (
	usageOfKeys     = usageTable{"usage", "key"}
	usageOfAccounts = usageTable{"account_usage", "account"}
)

func (u usageTable) insert(rows string) string {
	return "INSERT INTO " + u.name + " (" + u.column + ", hour, calls) " + rows +
		" ON CONFLICT (" + u.column + ", hour) DO UPDATE SET calls = " + u.name + ".calls + excluded.calls"
}

func (r record) usedIn() (usageTable, int64) {
	if r.keyless() {
		return usageOfAccounts, r.account
	}
	return usageOfKeys, r.seq
}

func (l *ledger) close() {
	l.once.Do(func() { close(l.quit) })
	<-l.ended
}

// do charges, and returns when the charge is on the disk.
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
		// The writer may have answered before it ended.
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
			// Charges that were accepted before are still made.
			select {
			case c := <-l.jobs:
				gathered = append(gathered, c)
			default:
				return
			}
		}
		// Callers that just got an answer often charge again at once: their next charge comes into this batch.
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

// commit applies the charges in one transaction, and reports success once it is on the disk.
func (l *ledger) commit(charges []*charge) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	err := l.store.engine.transact(ctx, l.store, func(t *tx) { l.store.applyCharges(t, charges) })
	if err != nil && ctx.Err() != nil {
		err = unavailable(err)
	}
	for _, c := range charges {
		c.done <- err
	}
}

type batch struct {
	*Store
	t       *tx
	charges []*charge
	payers  map[string]record
	meters  map[meterPlace]*meter
	agents  map[int64]*agentBalance
	used    map[usageTable]map[int64]int64 // calls by the number of the key or account
}

// applyCharges decides on each charge in turn, as if it were alone.
func (s *Store) applyCharges(t *tx, charges []*charge) {
	b := &batch{
		Store: s, t: t, charges: charges, meters: map[meterPlace]*meter{}, agents: map[int64]*agentBalance{},
		used: map[usageTable]map[int64]int64{usageOfKeys: {}, usageOfAccounts: {}},
	}
	b.readPayers()
	b.readAllowances()
	for _, c := range charges {
		if c.refusal == nil {
			b.decide(c)
		}
	}
	if len(b.used[usageOfKeys])+len(b.used[usageOfAccounts]) > 0 {
		b.write()
	}
}

func (b *batch) readPayers() {
	var keys, accounts []string
	for _, c := range b.charges {
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
	b.payers = b.engine.readPayers(b.t, slices.Compact(keys), slices.Compact(accounts))
}

// readAllowances refuses unknown and inactive payers, and reads what is left to the others.
func (b *batch) readAllowances() {
	for _, c := range b.charges {
		r, ok := b.payers[c.id]
		switch {
		case c.refusal != nil:
		case !ok && isID(accPrefix, c.id):
			c.refusal = unknownAccount()
		case !ok:
			c.refusal = noSuchKey()
		case !r.Active && r.keyless():
			c.refusal = refuse(ErrInactive, "inactive_account")
		case !r.Active:
			c.refusal = inactive()
		case r.Plan == Agent:
			b.agents[r.seq] = &agentBalance{key: r.seq}
		default:
			at := b.meterPlace(r)
			b.meters[at] = &meter{meterPlace: at}
		}
	}
	if len(b.meters) > 0 {
		b.engine.readMeters(b.t, sortedMeters(b.meters))
	}
	if len(b.agents) > 0 {
		b.engine.readAgentBalances(b.t, sortedBalances(b.agents))
	}
}

func (b *batch) meterPlace(r record) meterPlace {
	w := b.Terms(r.Plan).Window
	return meterPlace{r.owner(), w, w.Start(b.t.now).Unix()}
}

func sortedMeters(all map[meterPlace]*meter) []*meter {
	return slices.SortedFunc(maps.Values(all), func(a, b *meter) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.period, b.period), cmp.Compare(a.start, b.start))
	})
}

func sortedBalances(all map[int64]*agentBalance) []*agentBalance {
	return slices.SortedFunc(maps.Values(all), func(a, b *agentBalance) int { return cmp.Compare(a.key, b.key) })
}

func (b *batch) decide(c *charge) {
	r, cost := b.payers[c.id], int64(c.cost)
	// This transaction holds the lock on the allowance, so nobody else pays from it.
	if c.receipt != nil && b.t.receipted(c.receipt) {
		cost = 0
	}
	if r.Plan == Agent {
		c.balance, c.refusal = b.agents[r.seq].pay(r.Tier, cost, b.t.now)
	} else {
		c.balance, c.refusal = b.pay(b.meters[b.meterPlace(r)], r, cost, b.t.now)
	}
	if c.refusal == nil && cost > 0 {
		table, whose := r.usedIn()
		b.used[table][whose] += cost
		if c.receipt != nil {
			b.t.writeReceipt(c.receipt)
		}
	}
}

func (b *batch) write() {
	maps.DeleteFunc(b.meters, func(_ meterPlace, m *meter) bool { return !m.changed })
	maps.DeleteFunc(b.agents, func(_ int64, p *agentBalance) bool { return !p.changed })
	if len(b.meters) > 0 {
		b.engine.writeMeters(b.t, sortedMeters(b.meters))
	}
	if len(b.agents) > 0 {
		b.engine.writeAgentBalances(b.t, sortedBalances(b.agents))
	}
	hour := b.t.now.UTC().Truncate(time.Hour).Unix()
	for _, table := range []usageTable{usageOfKeys, usageOfAccounts} {
		var us []usage
		for _, whose := range slices.Sorted(maps.Keys(b.used[table])) {
			us = append(us, usage{whose, b.used[table][whose]})
		}
		if len(us) > 0 {
			b.engine.addUsage(b.t, table, hour, us)
		}
	}
}

// pay takes cost calls from the allowance of a plan in a window, or none.
func (s *Store) pay(m *meter, r record, cost int64, now time.Time) (Balance, error) {
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

// Charge takes cost calls from an allowance, or none: then the error wraps ErrSpent. It returns after the charge is on the
// disk. If it returns early, the call may still be charged, but never twice.
func (s *Store) Charge(ctx context.Context, id string, cost int) (Balance, error) {
	return s.charge(ctx, &charge{id: id, cost: cost})
}

func (s *Store) charge(ctx context.Context, c *charge) (Balance, error) {
	if c.cost < 0 {
		return Balance{}, fmt.Errorf("a charge of %d calls", c.cost)
	}
	if !isID(idPrefix, c.id) && !isID(accPrefix, c.id) {
		return Balance{}, noSuchKey()
	}
	// The charge is read only after the answer. Before it, the writer may still change the charge of a caller that has left.
	c.ctx, c.done = ctx, make(chan error, 1)
	if err := s.ledger.do(ctx, c); err != nil {
		return Balance{}, err
	}
	return c.balance, c.refusal
}
