package graph

import (
	"context"
	"io"
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
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

	classMask = flagDAF | flagPerson | flagRelated | flagNobody
)

// classes is the number of classes that can be excluded.
const classes = 4

// Build derives the index from the tables of an unpublished snapshot and writes it under graph/. It reads the
// rows once and holds them as columns. It makes each derived section when that section is written, and drops
// it afterwards. The result is a function of the tables.
func Build(ctx context.Context, w *snapshot.Writer) error {
	b := newBuilder()
	s := w.Unpublished()
	steps := []func() error{
		func() error { return b.readGrants(ctx, s) },
		b.numberAll,
		func() error { return b.readFunders(s) },
		func() error { return b.readOrganizations(s) },
		func() error { return b.readCauses(s) },
		b.describeRecipients,
		b.computeTotals,
	}
	for _, step := range steps {
		if err := stage(ctx, step); err != nil {
			return err
		}
	}
	return w.WriteFile(fileName, func(out io.Writer) error { return b.write(ctx, out) })
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
	return &builder{
		recipDict: newDict(), nameDict: newDict(), purposeDict: newDict(), placeDict: newDict(), filingDict: newDict(),
		short: newDict(), yearNumbers: map[int32]uint8{}, probNumbers: map[float64]uint32{},
	}
}

func inconsistent(format string, args ...any) error {
	return fault.New("tables_inconsistent", "the tables of the snapshot cannot be indexed: "+format, args...).
		Try("build the snapshot again; if it fails the same way, report it")
}
