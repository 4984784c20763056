package ingest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// Masking removes whatever identifies a private person from a snapshot: the name, street, city, ZIP code and purpose of a grant
// to that person. The amount, the date, the funder and the state stay, so all sums stay correct. The contacts whom foundations
// name for applicants lose their name, street, ZIP code, phone number and email address. Masking runs before anything is
// written, so no table or index ever holds the removed data.

// maskedName is the name that a masked row shows. It is classified as a person's name.
const maskedName = "AN INDIVIDUAL"

type MaskReport struct {
	Individuals string `json:"individuals"` // how grants to persons are shown: filed, or masked if all of them are masked
	Grants      int64  `json:"grant_count"` // masked rows, for any reason
	TotalAmount int64  `json:"total_amount"`
	Adjustments int64  `json:"adjustments"`      // masked negative lines
	Contacts    int64  `json:"contacts"`         // masked contacts for applicants
	Listed      int64  `json:"listed"`           // entries of overrides/masked.csv
	Unmet       int64  `json:"listed_not_found"` // entries that match no line of the returns
}

// maskList reads the lines that are masked even if persons are not masked in general.
func (b *builder) maskList(ctx context.Context) (m *maskList, err error) {
	err = b.readOne(ctx, discover.Masked, "a list of lines to mask", func(path string, r io.Reader) (_ int64, err error) {
		m, err = readMaskList(r)
		return int64(m.len()), b.overrideFault(path, err)
	})
	b.report.Masked.Listed = int64(m.len())
	return m, err
}

// noteUnmet warns about list entries that match no line: a typing error in the list would leave a person visible.
func (b *builder) noteUnmet(m *maskList) {
	if b.report.Masked.Unmet = m.unmet(); b.report.Masked.Unmet > 0 {
		b.report.warn("%d of %d entries of %s name no line of the returns that were read, so nothing was masked for them",
			b.report.Masked.Unmet, b.report.Masked.Listed, b.sources.Files[discover.Masked][0])
	}
}

// maskIndividuals marks the rows to mask. Each masked recipient gets an identity made from its first grant
// instead of its name, so the grants of one funder to one person still count as one recipient.
func (b *builder) maskIndividuals(c *corpus, identities []string) {
	all := b.opt.MaskIndividuals
	if !all && len(c.lines.masked) == 0 {
		return
	}
	first := map[string]string{} // by identity, the lowest grant key
	var key []byte
	for row := range identities {
		listed := c.lines.masked[c.lines.recipientNo[row]]
		if !listed && (!all || c.recipients.class[row]&individual == 0) {
			continue
		}
		c.recipients.class[row] |= masked
		key = grant.AppendKey(key[:0], c.filings[c.lines.origin[row]].key(), partName(c.lines.part[row]), int32(c.lines.line[row]))
		if listed { // we cannot tell these recipients apart, so each counts separately
			identities[row] = resolve.MaskedID(string(key))
			continue
		}
		if have, ok := first[identities[row]]; !ok || string(key) < have {
			first[identities[row]] = string(key)
		}
	}
	for row, id := range identities {
		if c.recipients.class[row]&masked == 0 {
			continue
		}
		if lowest, ok := first[id]; ok {
			identities[row] = resolve.MaskedID(lowest)
		}
		b.report.Masked.Grants++
		b.report.Masked.TotalAmount += c.lines.amount[row]
	}
}

func (c *corpus) masked(row uint32) bool {
	return c.recipients != nil && c.recipients.class[row]&masked != 0
}

func (c *corpus) purposeOf(row uint32) string {
	if c.masked(row) {
		return ""
	}
	return c.lines.purposes.at(c.lines.purpose[row])
}

// adjustmentRow renders a negative line. Such lines have no class, so we ask
// whether the recipient is a person only if persons are masked.
func (b *builder) adjustmentRow(c *corpus, a *adjustment) snapshot.Adjustment {
	f := &c.filings[a.filing]
	r := snapshot.Adjustment{
		Filing: f.key(), ObjectID: f.objectID(), EIN: f.ein.String(), TaxYear: int32(f.year), Part: partName(a.part), Line: int32(a.line),
		Amount: a.amount, RecipientEIN: a.ein.String(), Name: a.name, Purpose: a.said.Purpose,
	}
	if a.name == maskedName || b.opt.MaskIndividuals && a.ein == ein.None && classify.Individual(&a.said, c.people) {
		r.Name, r.Purpose = maskedName, ""
		b.report.Masked.Adjustments++
	}
	return r
}

// cloneLine copies what the classifier needs of a line, because the batch that holds the line is reused.
func cloneLine(l *stage.Line, pf bool) classify.Line {
	keep := strings.Clone
	return classify.Line{
		Name1: keep(l.Name1), Name2: keep(l.Name2), Person: keep(l.Person), Street: keep(l.Street), City: keep(l.City),
		Status: keep(l.Status), Relationship: keep(l.Relationship), Purpose: keep(l.Purpose), PF: pf,
	}
}

// maskList names single lines that are masked in every build, because somebody asked for it or is at risk. It is kept as CSV
// beside the other overrides. The columns stand in any order, and those that are not needed may be missing:
//
//	object_id,line,grant_key,reason
//
// A row selects a line by the return it stands in and its place in the list, counted from 1, or by its grant
// key, and says why. The line "application 2" is the second contact that a foundation names for applicants.
type maskList struct {
	byLine map[returnLine]int // to the entry
	byKey  map[string]int
	mu     sync.Mutex
	used   []bool // by entry: whether a line of the returns matched
}

type returnLine struct {
	object uint64
	line   int32 // below 0 for an application
}

const maxMasked = 1_000_000

// readMaskList reads the list. It refuses a file with any error, because a dropped entry would leave a person visible.
func readMaskList(r io.Reader) (*maskList, error) {
	at := map[string]int{}
	m := &maskList{byLine: map[returnLine]int{}, byKey: map[string]int{}}
	err := rows.ByHand(r, maxMasked, func(head []string) error {
		for i, name := range head {
			name = strings.ToLower(strings.TrimSpace(name))
			if !slices.Contains([]string{"object_id", "line", "grant_key", "reason"}, name) {
				return fmt.Errorf("the column %q is not one of object_id, line, grant_key and reason", fault.Clip(name, 40))
			}
			if _, twice := at[name]; twice {
				return fmt.Errorf("the column %s is there twice", name)
			}
			at[name] = i
		}
		_, byObject := at["object_id"]
		_, byLine := at["line"]
		_, byKey := at["grant_key"]
		_, why := at["reason"]
		if byObject != byLine || !byObject && !byKey || !why {
			return fmt.Errorf("the header is %q; expected object_id,line,reason or grant_key,reason", fault.Clip(strings.Join(head, ","), 80))
		}
		return nil
	}, func(_ int, row []string) error {
		field := func(name string) string {
			if i, ok := at[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		return m.add(field("object_id"), field("line"), field("grant_key"), field("reason"))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *maskList) add(object, line, key, reason string) error {
	switch {
	case reason == "":
		return fmt.Errorf("the reason is empty; say why, so that the entry can be reviewed")
	case key != "" && object == "" && line == "":
		if len(key) != grant.KeySize {
			return fmt.Errorf("grant_key %q is not one of %d characters", fault.Clip(key, 40), grant.KeySize)
		}
		m.byKey[strings.Clone(key)] = len(m.used)
	case key == "" && object != "" && line != "":
		o, err := strconv.ParseUint(object, 10, 64)
		if err != nil || len(object) != 18 {
			return fmt.Errorf("object_id %q is not a number of 18 digits", fault.Clip(object, 40))
		}
		number, application := strings.CutPrefix(line, "application ")
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n <= 0 {
			return fmt.Errorf("line %q is not the number of a line, or the word application and a number", fault.Clip(line, 40))
		}
		if application {
			n = -n
		}
		m.byLine[returnLine{o, int32(n)}] = len(m.used)
	default:
		return fmt.Errorf("an entry is an object_id and a line, or a grant_key")
	}
	m.used = append(m.used, false)
	return nil
}

func (m *maskList) len() int {
	if m == nil {
		return 0
	}
	return len(m.used)
}

// has reports whether a line of a return is on the list, and records that the entry matched. A nil list is empty.
func (m *maskList) has(f *filing, part uint8, line int32) bool {
	if m == nil {
		return false
	}
	var at int
	var found bool
	if f.object != 0 {
		at, found = m.byLine[returnLine{f.object, line}]
	}
	if !found && len(m.byKey) > 0 {
		at, found = m.byKey[string(grant.AppendKey(nil, f.key(), partName(part), line))]
	}
	if found {
		m.mu.Lock()
		m.used[at] = true
		m.mu.Unlock()
	}
	return found
}

func (m *maskList) unmet() (n int64) {
	if m == nil {
		return 0
	}
	for _, met := range m.used {
		if !met {
			n++
		}
	}
	return n
}
