package eval

import (
	"errors"
	"io"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

type Case struct {
	resolve.Recipient // without the EIN
	Funder            ein.EIN
	Truth             ein.EIN
	Year              string
	Section           string
	Amount            int64

	name orgname.Name
}

// labelColumns are the columns of a file of labelled lines that are read; others are ignored.
var labelColumns = []string{"funder_ein", "tax_year", "recipient_name", "recipient_name2", "street", "city", "state", "zip", "irc_section", "filed_ein"}

// ErrLabelled is wrapped by every error about a file without labelled lines.
var ErrLabelled = errors.New("not a file of labelled grant lines")

const (
	ReasonLabel  = "no usable EIN filed"
	ReasonPrefix = "an EIN filed with a prefix that was never issued"
	ReasonOwn    = "the funder's own EIN filed"
	ReasonName   = "no name"
)

// labelled describes a CSV file of labelled lines, plain or gzipped, with the columns above in any order.
var labelled = rows.Headed{Layout: rows.CSV, Name: "labelled lines", Format: ErrLabelled}

// ReadLabelled calls fn for every line of a file, as package rows promises. It counts and skips lines without a usable label.
func ReadLabelled(r io.Reader, fn func(*Case) error) (rows.Tally, error) {
	var c Case
	var at []int
	header := func(names []string) (err error) {
		at, err = rows.Place(names, ErrLabelled, strings.Join(labelColumns, ","), labelColumns...)
		return err
	}
	return labelled.Read(r, header, func(fields []string) string { return c.take(fields, at) }, func() error { return fn(&c) })
}

func (c *Case) take(fields []string, at []int) (reason string) {
	text := func(i int) string { return strings.TrimSpace(fields[at[i]]) }
	*c = Case{Year: text(1), Section: text(8)}
	c.Funder, _ = ein.Filed(text(0))
	var ok bool
	switch c.Truth, ok = ein.Filed(text(9)); {
	case !ok:
		return ReasonLabel
	case c.Truth == c.Funder:
		return ReasonOwn
	}
	c.Recipient = resolve.Recipient{Name1: text(2), Name2: text(3), Street: text(4), City: text(5), State: text(6), ZIP: text(7),
		TaxStatus: resolve.ReadTaxStatus(text(8))}
	if c.name = orgname.ParseLine(c.Name1, c.Name2, c.City, c.State); c.name.KX == "" {
		return ReasonName
	}
	return ""
}

func AddMaster(b *resolve.UniverseBuilder, r io.Reader) (rows.Tally, error) {
	return bmf.Read(r, func(m *bmf.Record) error {
		o := resolve.Org{
			EIN: m.EIN, Name: m.Name, Street: m.Street, City: m.City, State: m.State,
			NTEE: m.NTEE, Subsection: m.Subsection, Foundation: m.Foundation, Affiliation: m.Affiliation, Group: m.Group,
			SortName: m.SortName, Revenue: m.Revenue.Value, Sources: resolve.BMF, Active: true,
		}
		o.ZIP5, _ = place.ZIP5(m.ZIP, m.State)
		b.Add(o)
		return nil
	})
}

// Teach adds the labelled lines' filed EINs to the universe, as a build does. Each case is later resolved without its own
// funder's statements. A case without a known funder is not added, because its statement could not be ignored later.
func Teach(b *resolve.UniverseBuilder, cases []Case) {
	for i := range cases {
		c := &cases[i]
		if c.Funder == ein.None {
			continue
		}
		at := resolve.Location{Street: c.Street, City: c.City, State: c.State}
		at.ZIP5, _ = place.ZIP5(c.ZIP, c.State)
		b.AddFiled(resolve.FiledRecipient{EIN: c.Truth, KX: c.name.KX, Spelling: strings.TrimSpace(c.Name1 + " " + c.Name2), At: at}, c.Funder)
	}
}

// Ask resolves a case with its EIN hidden and judges the answer.
func Ask(r *resolve.Resolver, c *Case) (Outcome, resolve.Match) {
	m := r.ResolveBlind(&c.Recipient, &c.name, c.Funder, ein.None)
	o := Outcome{Rule: m.Rule, Prob: m.Prob, Class: "org", Slices: c.slices(), Amount: c.Amount}
	// An organization that was found counts as one that could be found, also if the label is wrong.
	o.Present = r.Knows(c.Truth, c.Funder) || m.EIN == c.Truth || outvoted(r, c, m)
	o.Covered = r.Universe().Covered(c.State)
	if o.Present {
		line := c.Recipient
		line.Filed = c.Truth
		o.Strange = r.FiledNameConflict(&line, &c.name)
		if m.EIN != c.Truth {
			o.Standing = r.Standing(&c.Recipient, &c.name, c.Funder, c.Truth)
		}
		o.Blocked = m.EIN == c.Truth || o.Standing != resolve.NotCandidate
	}
	o.Verdict = verdict(r, c, m, o.Present)
	return o, m
}

// outvoted reports whether an answer follows what other filers state for the name, and the label is a lone mistake: its
// EIN is in no register, and either one slip of the keys from the answer or stated by one funder against two.
func outvoted(r *resolve.Resolver, c *Case, m resolve.Match) bool {
	return m.Rule == grant.Registry && m.EIN != c.Truth && !r.Knows(c.Truth, c.Funder) && r.Stated(c.name.KX, c.Truth, c.Funder) == 0 &&
		(ein.OneSlip(c.Truth, m.EIN) || r.Stated(c.name.KX, m.EIN, c.Funder) > 1)
}

// verdict compares an answer with the label. A label is suspect if the organization found has the line's name and the
// labelled organization does not.
func verdict(r *resolve.Resolver, c *Case, m resolve.Match, present bool) Verdict {
	switch {
	case m.EIN == ein.None:
		return Silent
	case m.EIN == c.Truth:
		return Right
	case outvoted(r, c, m):
		return Suspect
	case present && r.Universe().Bears(m.EIN, c.name.KX) && !r.Universe().Bears(c.Truth, c.name.KX):
		return Suspect
	}
	return Wrong
}

func (c *Case) slices() []Slice {
	words := "4+"
	if n := strings.Count(c.name.K2, " ") + 1; n < 4 {
		words = string(rune('0' + n))
	}
	street := "street"
	switch {
	case c.Street == "":
		street = "none"
	case strings.HasPrefix(orgname.StreetKey(c.Street), "POB"):
		street = "PO box"
	}
	list := []Slice{{"state", c.State}, {"year", c.Year}, {"words in the name", words}, {"address", street}}
	if c.Amount > 0 {
		list = append(list, Slice{"amount", band(c.Amount)})
	}
	return list
}
