package stage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage/shardfile"
	"grantgraph/internal/place"
)

// stager makes shards in a folder from the archives of a shelf. It may make several at the same time.
type stager struct {
	volumes volumes
	dir     string
	step    func(bytes int64)
	writers sync.Pool // of *shardWriter, one for each shard that is being made
}

func newStager(ctx context.Context, from shelf, dir string, step func(int64)) *stager {
	return &stager{volumes{ctx: ctx, shelf: from}, dir, step, sync.Pool{New: func() any { return newShardWriter() }}}
}

func (st *stager) close() { st.volumes.close() }

func (st *stager) stage(ctx context.Context, p *Plan, s *shard) error {
	// The system may have tidied the folder away while this worker waited.
	err := disk.MkdirAll(st.dir, 0o755)
	if err == nil {
		_, err = os.Stat(st.dir) // a link may lead nowhere
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New("no_scratch", "the folder %s for shards that are being made cannot be made: %w", st.dir, err).
			Try("give another with --scratch")
	}
	if err != nil {
		return fault.Disk(st.dir, err)
	}
	return publish(st.dir, s.key, func(tmp string) error {
		w := st.writers.Get().(*shardWriter)
		defer st.writers.Put(w)
		if err := w.begin(tmp); err != nil {
			return err
		}
		for _, g := range s.segments {
			if err := st.segment(ctx, w, &p.archives[g.archive], g); err != nil {
				w.abandon()
				return err
			}
		}
		sums, err := w.close()
		if err != nil {
			return err
		}
		return writeSums(tmp, sums)
	})
}

// segment reads the members of one segment. It fails if the archive cannot be
// read, or is not the planned one any more when its members are read.
func (st *stager) segment(ctx context.Context, w *shardWriter, from *plannedArchive, g segment) (err error) {
	v, err := st.volumes.take(ctx, from)
	if err != nil {
		return ofArchive{err}
	}
	defer func() { st.volumes.give(v, err == nil) }()
	for i := g.from; i < g.to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.member(ctx, &v.Members[i], g.first+int32(i-g.from)); err != nil {
			return err
		}
		if err := v.Err(); err != nil {
			return ofArchive{unread(st.volumes.shelf.name(from.Path), err)}
		}
		st.step(int64(v.Members[i].Size) + 1)
	}
	if err := v.unchanged(ctx); err != nil {
		return ofArchive{err}
	}
	return nil
}

// ofArchive is an error of reading an archive, as opposed to writing a shard.
type ofArchive struct{ error }

func (e ofArchive) Unwrap() error { return e.error }

// OfArchive says whether a shard could not be made because its archive could not be read.
func OfArchive(err error) bool {
	_, ok := errors.AsType[ofArchive](err)
	return ok
}

// unread says that an archive could not be read, unless the work was stopped.
func unread(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.Disk(name, err)
}

// volumes keeps the archives open that were read last, because listing an archive
// of a hundred thousand members takes longer than reading a shard of it.
type volumes struct {
	ctx   context.Context
	shelf shelf

	mu   sync.Mutex
	open []*openVolume // the last used comes last
}

const keptVolumes = 4

type openVolume struct {
	*volume
	rel    string
	once   sync.Once
	err    error
	users  int
	unkept bool // to be closed when its last reader is done
}

// take opens an archive, which must be the planned one.
func (k *volumes) take(ctx context.Context, a *plannedArchive) (*openVolume, error) {
	o := k.find(a.Path)
	fresh := false
	o.once.Do(func() {
		fresh = true
		o.volume, o.err = k.shelf.open(k.ctx, a.Path)
	})
	err := o.err
	if err == nil && !fresh {
		err = o.unchanged(ctx)
	}
	if err == nil {
		err = k.same(o, a)
	}
	if err != nil {
		k.give(o, false)
		return nil, discover.Stopped(ctx, err)
	}
	return o, nil
}

// same is an error if an archive is not the one that was planned.
func (k *volumes) same(o *openVolume, a *plannedArchive) error {
	listing, err := o.Listing()
	if err != nil {
		return unread(k.shelf.name(a.Path), err)
	}
	if listing != a.Listing || o.size != a.Bytes || len(o.Members) != a.Members {
		return sourceChanged(k.shelf.name(a.Path))
	}
	return nil
}

// find is the entry of an archive, which need not be open yet.
func (k *volumes) find(rel string) *openVolume {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.open, func(o *openVolume) bool { return o.rel == rel }); i >= 0 {
		o := k.open[i]
		k.open = append(slices.Delete(k.open, i, i+1), o)
		o.users++
		return o
	}
	o := &openVolume{rel: rel, users: 1}
	k.open = append(k.open, o)
	if len(k.open) > keptVolumes {
		k.remove(0)
	}
	return o
}

// give ends a use of an archive. An archive that could not be read is not kept open.
func (k *volumes) give(o *openVolume, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o.users--
	if !keep {
		if i := slices.Index(k.open, o); i >= 0 {
			k.remove(i)
			return
		}
	}
	o.closeIfUnused()
}

// remove takes an archive off the list, and closes it when nobody reads it.
func (k *volumes) remove(i int) {
	o := k.open[i]
	k.open = slices.Delete(k.open, i, i+1)
	o.unkept = true
	o.closeIfUnused()
}

func (o *openVolume) closeIfUnused() {
	if o.users == 0 && o.unkept && o.volume != nil {
		_ = o.Close()
	}
}

func (k *volumes) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.open) > 0 {
		k.remove(0)
	}
}

type shardWriter struct {
	reader   *irs990.Reader
	ret      irs990.Return
	sink     irs990.Sink
	seq      int32
	lines    int32
	returns  *shardTable[Return]
	books    *shardTable[Books]
	grants   *shardTable[Line]
	people   *shardTable[Person]
	holdings *shardTable[Holding]
	related  *shardTable[Related]
	failures *shardTable[Failure]
	applying *shardTable[Application]
	asides   *shardTable[Aside]
	tables   []stagedTable // all of them, in the order of tableNames
}

func newShardWriter() *shardWriter {
	w := &shardWriter{reader: irs990.NewReader()}
	w.returns, w.books, w.grants = newShardTable[Return](w), newShardTable[Books](w), newShardTable[Line](w)
	w.people, w.holdings, w.related = newShardTable[Person](w), newShardTable[Holding](w), newShardTable[Related](w)
	w.failures, w.applying, w.asides = newShardTable[Failure](w), newShardTable[Application](w), newShardTable[Aside](w)
	w.sink = irs990.Sink{
		Grant: w.grant, Application: w.apply,
		Aside: func(a *irs990.Aside) error {
			return w.asides.add(&Aside{MemberNo{w.seq}, int32(a.Part), int32(a.Line), a.Region, a.Purpose, a.Recipients.Value, a.Cash.Value, a.NonCash.Value})
		},
		Person:  func(p *irs990.Person) error { return w.people.add(&Person{MemberNo{w.seq}, *p}) },
		Holding: func(h *irs990.Holding) error { return w.holdings.add(&Holding{MemberNo{w.seq}, *h}) },
		Related: func(r *irs990.Related) error { return w.related.add(&Related{MemberNo{w.seq}, *r}) },
	}
	return w
}

func (w *shardWriter) begin(dir string) error {
	for i, t := range w.tables {
		if err := t.begin(tablePath(dir, tableNames[i])); err != nil {
			for _, begun := range w.tables[:i] {
				begun.abandon()
			}
			return err
		}
	}
	return nil
}

// member reads one return. A return that cannot be read is set aside with its reason. Rows that were written
// before it failed stay; they are never used, because the table of returns has no row for them.
func (w *shardWriter) member(ctx context.Context, m *archive.Member, seq int32) error {
	w.seq, w.lines = seq, 0
	rc, err := m.Open()
	if err != nil {
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	defer rc.Close()
	hash := sha256.New()
	if err := w.reader.Read(io.TeeReader(rc, hash), &w.ret, &w.sink); err != nil {
		if spillErr, ok := errors.AsType[*shardWriteError](err); ok {
			return spillErr.err
		}
		if _, ok := errors.AsType[*irs990.FormatError](err); ok {
			return w.fail(ctx, m.Name, "not a readable return", err)
		}
		return w.fail(ctx, m.Name, "cannot be unzipped", err)
	}
	filer, err := ein.Parse(w.ret.EIN)
	if err != nil {
		return w.fail(ctx, m.Name, "no usable EIN", fmt.Errorf("the filer's EIN: %w", err))
	}
	if _, ok := w.ret.FiscalYear(); !ok {
		return w.fail(ctx, m.Name, "no usable period end", fmt.Errorf("no tax period ends on %q", w.ret.PeriodEnd))
	}
	row := rowOf(&w.ret)
	row.Seq, row.Member, row.EIN, row.Lines = seq, m.Name, uint32(filer), w.lines
	row.ObjectID, _ = irs990.ObjectID(m.Name)
	row.SHA256 = hex.EncodeToString(hash.Sum(nil))
	if err := w.returns.add(&row); err != nil {
		return err
	}
	return w.books.add(&Books{MemberNo{seq}, w.ret.Books})
}

// fail sets a member aside, unless reading failed because the build was stopped.
func (w *shardWriter) fail(ctx context.Context, member, kind string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.failures.add(&Failure{MemberNo: MemberNo{w.seq}, Member: member, Kind: kind, Reason: err.Error()})
}

func rowOf(r *irs990.Return) Return {
	m := &r.Money
	state, country := stateAndCountry(&r.Address)
	return Return{
		Head: Head{
			Form: r.Form, Timestamp: r.Timestamp, TaxYear: int32(r.TaxYr()), PeriodEnd: r.PeriodEnd, Amended: r.Amended, Preselected: r.Preselected,
			GrantsPaid: m.GrantsPaid, DeclaredPF: r.Declared.PFPaid, DeclaredCharity: r.Declared.PFPaidCharity, DeclaredDomestic: r.Declared.DomesticOrgs,
			Given: m.GrantsPaid.Or(r.Declared.Given()),
		},
		Schema: r.Version, PeriodBegin: r.PeriodBegin, Name: join(r.Name1, r.Name2), DBA: r.DBA,
		Street: join(r.Address.Line1, r.Address.Line2), City: r.Address.City, State: state, ZIP: r.Address.ZIP, Country: country,
		Group: r.Group, Subsection: r.Subsection, Website: r.Website, Formation: r.FormationYear,
		Mission: r.Mission, Activity: r.Activity, Programs: r.Programs, States: r.States,
		Revenue: m.Revenue, Expenses: m.Expenses, Surplus: m.Surplus,
		NetAssets: m.NetAssets, Assets: m.Assets, AssetsFMV: m.AssetsFMV, Liabilities: m.Liabilities,
		Contributions: m.Contributions, ProgramRevenue: m.ProgramRevenue, InvestmentIncome: m.InvestmentIncome, OtherIncome: m.OtherIncome,
		GovernmentGrants: m.GovernmentGrants, Cash: m.Cash, Savings: m.Savings, InvestmentFees: m.InvestmentFees,
		DAFHeld: r.DAF.Held, DAFGrants: r.DAF.Grants,
	}
}

// grant stages a line of a grant that was paid, or the amount of a grant approved for a later year.
func (w *shardWriter) grant(g *irs990.Grant) error {
	if g.Part == irs990.PFFuture {
		return w.asides.add(&Aside{MemberNo: MemberNo{w.seq}, Part: int32(g.Part), Line: int32(g.Line), Cash: g.Cash.Value})
	}
	w.lines++
	state, country := stateAndCountry(&g.Address)
	return w.grants.add(&Line{
		MemberNo: MemberNo{w.seq}, Part: int32(g.Part), Line: int32(g.Line),
		Name1: g.Name1, Name2: g.Name2, Person: g.Person,
		Street: join(g.Address.Line1, g.Address.Line2), City: g.Address.City, State: state, ZIP: g.Address.ZIP, Country: country,
		EIN: g.EIN, Section: g.IRCSection, Relationship: g.Relationship, Status: g.Status,
		Purpose: g.Purpose, Cash: g.Cash.Value, NonCash: g.NonCash.Value,
	})
}

// territories have a code of their own among the countries. Filers write an address there either way; it counts as one in a state.
var territories = map[string]string{"AQ": "AS", "CQ": "MP", "GQ": "GU", "RQ": "PR", "VQ": "VI"}

// stateAndCountry are the state and the FIPS code of the country of an address; in the United States the country is empty. A
// foreign address that was filed without a code gets the IRS's code for "other country".
func stateAndCountry(a *irs990.Address) (state, country string) {
	switch at := territories[a.Country]; {
	case at != "":
		return at, ""
	case a.Country == "US":
		state, _ = place.State(a.Province)
		return cmp.Or(a.State, state), ""
	case a.Country == "" && a.Foreign():
		return a.State, "OC"
	}
	return a.State, a.Country
}

// join puts two lines of an address or a name together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

func (w *shardWriter) apply(a *irs990.Application) error {
	state, country := stateAndCountry(&a.Address)
	return w.applying.add(&Application{
		MemberNo: MemberNo{w.seq}, Name: a.Name, Street: join(a.Address.Line1, a.Address.Line2), City: a.Address.City, State: state,
		ZIP: a.Address.ZIP, Country: country, Phone: a.Phone, Email: a.Email,
		Form: a.Form, Deadlines: a.Deadlines, Restrictions: a.Restrictions,
	})
}

var tableNames = [...]string{returnsTable, booksTable, linesTable, peopleTable, holdingsTable, relatedTable, failuresTable, applyingTable, asidesTable}

// stagedTable is a table of a shard, whatever its rows.
type stagedTable interface {
	begin(path string) error
	close() error
	abandon()
	sum() (string, int64)
}

func (w *shardWriter) close() (sums []byte, err error) {
	for i, s := range w.tables {
		if cerr := s.close(); cerr != nil {
			err = cmp.Or(err, cerr)
			continue
		}
		sum, size := s.sum()
		sums = appendSum(sums, sum, size, tableNames[i])
	}
	return sums, err
}

func (w *shardWriter) abandon() {
	for _, s := range w.tables {
		s.abandon()
	}
}

type shardTable[T any] struct {
	*shardfile.Writer[T]
	path string
	file *disk.File
}

// shardWriteError marks a failure to write, which is no fault of the return that is being read.
type shardWriteError struct{ err error }

func (e *shardWriteError) Error() string { return e.err.Error() }

func (e *shardWriteError) Unwrap() error { return e.err }

func newShardTable[T any](w *shardWriter) *shardTable[T] {
	s := &shardTable[T]{Writer: shardfile.NewWriter[T]()}
	w.tables = append(w.tables, s)
	return s
}

func (s *shardTable[T]) begin(path string) error {
	f, err := disk.Create(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	s.path, s.file = path, f
	s.Reset(f)
	return nil
}

func (s *shardTable[T]) add(row *T) error {
	if err := s.Add(row); err != nil {
		return &shardWriteError{fault.Disk(s.path, err)}
	}
	return nil
}

func (s *shardTable[T]) close() error {
	err := s.Close()
	if cerr := s.file.Close(); err == nil {
		err = cerr
	}
	return fault.Disk(s.path, err)
}

func (s *shardTable[T]) sum() (string, int64) { return s.file.Sum(), s.file.Size() }

func (s *shardTable[T]) abandon() { s.file.Close() }
