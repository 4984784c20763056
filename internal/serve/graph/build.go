package graph

import (
	"context"
	"io"
	"iter"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

const fileName = "graph/index"

// fileKind is the file of the index. Its version changes when the sections that are read change, or the
// meaning of their numbers. A section that nobody reads any more may be there or not.
var fileKind = &mapped.Kind{
	Magic: "GGgraph9", Name: "graph index",
	Missing: "graph_missing", Version: "graph_version", Damaged: Damaged,
}

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "graph_damaged"

// maxRows leaves room for a row number to be a uint32 with a spare value, and for the end of a block of rows after the last.
const maxRows = math.MaxUint32 - blockRows

// flags of a row.
const (
	flagDAF     = uint8(DAF)
	flagPerson  = uint8(Individuals)
	flagRelated = uint8(RelatedParty)
	flagNobody  = uint8(Unidentified)
	flagMatched = uint8(1 << 4)

	conflictShift = 5 // two bits of grant.Conflict stand above it
	conflictMask  = 3

	flagState = uint8(1 << 7)

	classMask = flagDAF | flagPerson | flagRelated | flagNobody
)

// classes is the number of classes that can be excluded.
const classes = 4

// Build derives the index from the tables of an unpublished snapshot and writes it under graph/. It reads the
// rows once and holds them as columns. It makes each derived section when that section is written, and drops
// it afterwards. The result is a function of the tables.
func Build(ctx context.Context, w *snapshot.Writer) error {
	s := w.Unpublished()
	t := source{
		rows: s.RowsOf(snapshot.Grants), grants: snapshot.Batches[grantRow](s, snapshot.Grants),
		funders: snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds), orgs: snapshot.Rows[orgRow](s, snapshot.Organizations),
	}
	if s.HasTable(snapshot.InferredCauses) { // older snapshots do not have this table
		t.causes = snapshot.Rows[snapshot.InferredCause](s, snapshot.InferredCauses)
	}
	b := newBuilder()
	if err := b.read(ctx, t); err != nil {
		return err
	}
	return w.WriteFile(fileName, func(out io.Writer) error { return b.write(ctx, out) })
}

// source is the rows that an index is made of.
type source struct {
	rows    int64 // of grants, about
	grants  iter.Seq2[[]grantRow, error]
	funders iter.Seq2[snapshot.FunderKind, error]
	orgs    iter.Seq2[orgRow, error]
	causes  iter.Seq2[snapshot.InferredCause, error] // nil for none
}

func (b *builder) read(ctx context.Context, t source) error {
	for _, step := range []func() error{
		func() error { return b.readGrants(ctx, t) },
		b.numberAll,
		func() error { return b.readFunders(t.funders) },
		func() error { return b.readOrganizations(t.orgs) },
		func() error { return b.readCauses(t.causes) },
		b.describeRecipients,
		b.computeTotals,
	} {
		if err := stage(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Of is the graph of a few rows, in memory.
func Of(m *snapshot.Manifest, grants []snapshot.Grant, funders iter.Seq2[snapshot.FunderKind, error], orgs []snapshot.Organization) (*Graph, error) {
	b := newBuilder()
	err := b.read(context.Background(), source{
		grants:  func(yield func([]grantRow, error) bool) { yield(each.Of(grants, wordsOf), nil) },
		funders: funders,
		orgs: func(yield func(orgRow, error) bool) {
			for _, o := range orgs {
				if !yield(orgRow{o.EIN, o.Name, o.City, o.State, o.ZIP5, o.NTEE}, nil) {
					return
				}
			}
		},
	})
	if err != nil {
		return nil, err
	}
	return mapped.InMemory(fileKind, func(out io.Writer) error { return b.write(context.Background(), out) },
		func(f *mapped.File) *Graph { return newGraph(f, m) })
}

// wordsOf is a row as the build reads it, which has the same fields with words as texts.
func wordsOf(g snapshot.Grant) (r grantRow) {
	from, to := reflect.ValueOf(g), reflect.ValueOf(&r).Elem()
	for i := range to.NumField() {
		value := from.FieldByName(to.Type().Field(i).Name)
		if value.Kind() == reflect.String {
			value = reflect.ValueOf(&snapshot.Word{Text: value.String()})
		}
		to.Field(i).Set(value)
	}
	return r
}

// stage does a part of the work, unless the build is called off.
func stage(ctx context.Context, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return work()
}

type builder struct {
	rows int
	columns
	orders
	keys      []byte // grant keys end to end
	keyEnds   []uint32
	recipEINs []ein.EIN // by recipient number of arrival

	recipDict, nameDict, purposeDict, placeDict, filingDict *dict

	yearList    []int32 // in the order of arrival at first
	probList    []float64
	yearNumbers map[int32]uint8
	probNumbers map[float64]uint32
	numbers     map[int32]*snapshot.Word // texts of numbers in compound keys

	funder    []FunderRecord
	recip     []RecipientRecord
	byRecip   lists // rows of each recipient
	byFunder  []uint32
	placeList []placeRecord
	short     *dict // names, cities, states, ZIP codes and so on

	sums   storedSums
	groups groupIndex
	words  wordIndex
	stems  *dict
}

// FunderRecord is one funder; strings are numbers in the table of short ones.
type FunderRecord struct {
	EIN                             uint32
	Name, City, CityKey, State, ZIP uint32
	County                          uint32
	Kind                            uint32 // one of kindNumbers, or noKind
	Accepts                         uint32 // see grant.Applications; empty if not stated
}

const noKind = math.MaxUint32

// RecipientRecord is one recipient identity.
type RecipientRecord struct {
	EIN                    uint32
	Name, City, State, ZIP uint32
	Country, NTEE          uint32
	Inferred               uint32 // letter of the inferred cause where there is no code, else 0
	Classes                uint32 // partyClasses that any of its rows has
}

// Unnamed reports whether it is no organization: a person, or a line that names nobody. Rankings put such recipients last.
func (r *RecipientRecord) Unnamed() bool { return r.EIN == 0 && r.Classes&uint32(partyClasses) != 0 }

type placeRecord struct {
	City, CityKey, State, ZIP, Country, County uint32
	StateNo                                    uint32 // number of the state's bitset
}

type yearSum struct{ Amount, Grants, Funders, Recips int64 }

func newBuilder() *builder {
	b := &builder{
		recipDict: newDict(), nameDict: newDict(), purposeDict: newDict(), placeDict: newDict(), filingDict: newDict(),
		short: newDict(), yearNumbers: map[int32]uint8{}, probNumbers: map[float64]uint32{}, numbers: map[int32]*snapshot.Word{},
	}
	b.short.id("") // is 0, as what is not known
	return b
}

func inconsistent(format string, args ...any) error {
	return fault.New("tables_inconsistent", "the tables of the snapshot cannot be indexed: "+format, args...).
		Try("build the snapshot again; if it fails the same way, report it")
}

// write writes the index, section by section. The order of the sections lets each stage drop what no later one looks at.
func (b *builder) write(ctx context.Context, out io.Writer) error {
	w := mapped.NewWriter(out, fileKind)
	s := mapped.Layout{To: w}
	all := b.sums.all
	mapped.Add(w, "scope", []int64{all.Amount, all.Grants, all.Funders, all.Recipients})
	mapped.Add(w, "key.off", append([]uint32{0}, b.keyEnds...))
	mapped.Add(w, "key.text", b.keys)
	b.columns.layout(s, b.rows)
	if err := stage(ctx, b.orderRows); err != nil {
		return err
	}
	b.keys, b.keyEnds, b.filings = nil, nil, nil
	b.orders.layout(s, b.rows)
	b.orders = orders{}
	back := backward{funders: inOrder(b.funders, b.byRecip.val), amounts: inOrder(b.amounts, b.byRecip.val), years: inOrder(b.years, b.byRecip.val)}
	back.layout(s, b.rows)
	back = backward{}

	states, stateOf := distinct(b.placeList, func(p *placeRecord) uint32 { return p.State })
	for i := range b.placeList {
		b.placeList[i].StateNo = stateOf[i]
	}
	codes, codeOf := distinct(b.recip, func(r *RecipientRecord) uint32 { return r.NTEE })
	if err := stage(ctx, func() error { return b.groupRows(states) }); err != nil {
		return err
	}
	mapped.Add(w, "years", b.yearList)
	mapped.Add(w, "probs", b.probList)
	mapped.Add(w, "states", states)
	mapped.Add(w, "codes", codes)
	mapped.Add(w, "funder", b.funder)
	mapped.Add(w, "funder.rows", b.byFunder)
	mapped.Add(w, "recip", b.recip)
	mapped.Add(w, "place", b.placeList)
	b.sums.unnamed = make(bitset, wordsFor(len(b.recip)))
	for i := range b.recip {
		if b.recip[i].Unnamed() {
			b.sums.unnamed.set(uint32(i))
		}
	}
	b.sums.funderTop, b.sums.recipTop = byTotal(b.sums.funders), byTotal(b.sums.recips)
	b.sums.recipTop = slices.Concat(
		slices.DeleteFunc(slices.Clone(b.sums.recipTop), b.sums.unnamed.has),
		slices.DeleteFunc(b.sums.recipTop, func(id uint32) bool { return !b.sums.unnamed.has(id) }))
	b.sums.layout(s, len(b.funder), len(b.recip), len(b.yearList))
	b.groups.layout(s, len(states), b.rows)
	stored := b.makeCells(len(states))
	stored.layout(s)
	byState := b.stateCells(len(states), b.byFunder, nil, b.recips)
	byState.layout(s, "cell.funder.state", len(states)*len(b.yearList))
	byState = b.stateCells(len(states), b.byRecip.off, b.byRecip.val, b.funders)
	byState.layout(s, "cell.recipient.state", len(states)*len(b.yearList))
	parties := b.partySets()
	parties.each(len(b.yearList), len(b.funder), len(b.recip), func(name string, _, _ int, d *dimension) { mapped.Add(w, name, d.data) })
	stored, byState, parties = cells{}, stateCells{}, partySets{}

	if err := ctx.Err(); err != nil {
		return err
	}
	b.writeSets(w, len(states))
	given := b.giving()
	given.layout(s, len(b.funder))
	given = giving{}
	b.byRecip.layout(s, "recip.rows", len(b.recip), b.rows)
	byPlace := invert(b.places, len(b.placeList))
	byPlace.layout(s, "place.rows", len(b.placeList), b.rows)
	byPlace = lists{}
	recipsOfCode := invert(codeOf, len(codes))
	recipsOfCode.layout(s, "code.recips", len(codes), len(b.recip))

	// The word index needs nothing of the rows but their texts.
	b.columns = columns{names: b.names, purposes: b.purposes}
	b.groups, b.sums = groupIndex{}, storedSums{}
	if err := stage(ctx, b.indexWords); err != nil {
		return err
	}
	b.words.layout(s, len(b.stems.list), len(b.recip), b.rows)
	b.short.write(w, "text.short")
	b.recipDict.write(w, "text.recip")
	b.nameDict.write(w, "text.name")
	b.purposeDict.write(w, "text.purpose")
	b.filingDict.write(w, "text.filing")
	b.stems.write(w, "text.stem")
	return w.Close()
}

// inOrder is the values of some rows of a column, in the order of these rows.
func inOrder[T any](column []T, rows []uint32) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}

// writeSets makes the sets of rows of one column after the other, and writes them.
func (b *builder) writeSets(w *mapped.Writer, states int) {
	majorOf := make([]uint8, len(b.recip)) // letters; 0 for none
	for i := range b.recip {
		if code := b.short.list[b.recip[i].NTEE]; code != "" {
			majorOf[i] = code[0]
		}
	}
	var all dimensions
	fill := map[*dimension]func(d *dimension, row uint32){
		&all.year:  func(d *dimension, row uint32) { d.at(int(b.years[row])).set(row) },
		&all.state: func(d *dimension, row uint32) { d.at(int(b.groups.states[row])).set(row) },
		&all.major: func(d *dimension, row uint32) {
			if r := b.recips[row]; b.recip[r].EIN != 0 && majorOf[r] != 0 {
				d.at(int(majorOf[r] - 'A')).set(row)
			}
		},
		&all.inferred: func(d *dimension, row uint32) {
			if r := b.recips[row]; b.recip[r].EIN != 0 && majorOf[r] == 0 && b.recip[r].Inferred != 0 {
				d.at(int(b.recip[r].Inferred - 'A')).set(row)
			}
		},
		&all.kind: func(d *dimension, row uint32) {
			if k := b.funder[b.funders[row]].Kind; k != noKind {
				d.at(int(k)).set(row)
			}
		},
		&all.rule: func(d *dimension, row uint32) { d.at(int(b.rules[row])).set(row) },
		&all.class: func(d *dimension, row uint32) {
			for c := range classes {
				if b.flags[row]>>c&1 != 0 {
					d.at(c).set(row)
				}
			}
		},
		&all.support: func(d *dimension, row uint32) {
			for s := b.supports[row] & (1<<grant.Strategies - 1); s != 0; s &= s - 1 {
				d.at(bits.TrailingZeros16(s)).set(row)
			}
		},
		&all.linked: func(d *dimension, row uint32) {
			if b.recip[b.recips[row]].EIN != 0 {
				d.at(0).set(row)
			}
		},
		&all.prob: func(d *dimension, row uint32) {
			if len(d.data) > 0 {
				d.at(int(b.probs[row])).set(row)
			}
		},
		&all.amount: func(d *dimension, row uint32) {
			for s := 0; s < len(amountSteps) && b.amounts[row] >= amountSteps[s]; s++ {
				d.at(s).set(row)
			}
		},
	}
	all.each(len(b.yearList), states, len(b.probList), func(name string, values int, of *dimension) {
		d, set := newDimension(values, b.rows), fill[of]
		for row := range uint32(b.rows) {
			set(&d, row)
		}
		mapped.Add(w, name, d.data)
	})
}
