package resolve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Overrides are rulings on lines for which the rules find a wrong EIN. They are kept as CSV beside the code and read
// by the build and its tests:
//
//	kx,state,zip5,filed_ein,funder_ein,ein,action,reason,source_url,author,date
//
// The first five columns select lines; an empty column selects any value. The most specific row wins, then the first
// in the file.
type Overrides struct {
	rows    []override
	byKX    map[string][]int32
	byFiled map[ein.EIN][]int32
}

type override struct {
	kx          string
	state, zip5 string
	filed       ein.EIN
	funder      ein.EIN
	ein         ein.EIN
	none        bool // the line has no EIN
	weight      int  // number of selectors given
	line        int
	rule        Rule
	unknown     bool // the EIN need not be in the universe
}

func (o *override) match() Match {
	if o.none {
		return Match{Barred: true}
	}
	return found(o.rule, o.ein)
}

var overrideColumns = []string{"kx", "state", "zip5", "filed_ein", "funder_ein", "ein", "action", "reason", "source_url", "author", "date"}

// maxOverrides bounds a file written by hand.
const maxOverrides = 1_000_000

// ErrOverride is wrapped by every error found in an override file.
var ErrOverride = errors.New("override file")

// ReadOverrides reads an override file. source names the file in errors. An action is "set", "set_unknown" for an EIN
// that is on no list, or "none" if the line has no EIN. Any error rejects the whole file, because a dropped ruling
// would let a known wrong answer through.
func ReadOverrides(r io.Reader, source string) (*Overrides, error) {
	return readOverrides(r, source, OverrideHuman)
}

// ReadAssisted reads rulings that a language model proposed, in the same layout. No person has confirmed them, so the
// checks are stricter: each must state its model and date, and may not name an EIN that is on no list.
func ReadAssisted(r io.Reader, source string) (*Overrides, error) {
	return readOverrides(r, source, OverrideLLM)
}

func readOverrides(r io.Reader, source string, rule Rule) (*Overrides, error) {
	o := &Overrides{byKX: map[string][]int32{}, byFiled: map[ein.EIN][]int32{}}
	type selector struct {
		kx, state, zip5 string
		filed, funder   ein.EIN
	}
	seen := map[selector]int{}
	err := rows.ByHand(r, maxOverrides, func(head []string) error {
		if !slices.Equal(head, overrideColumns) {
			return fmt.Errorf("the header is %q; expected %s", strings.Join(head, ","), strings.Join(overrideColumns, ","))
		}
		return nil
	}, func(line int, f []string) error {
		row, err := parseOverride(f, rule)
		if err != nil {
			return err
		}
		row.line = line
		key := selector{row.kx, row.state, row.zip5, row.filed, row.funder}
		if before, ok := seen[key]; ok {
			return fmt.Errorf("selects the same lines as line %d; keep one of them", before)
		}
		seen[key] = line
		at := int32(len(o.rows))
		o.rows = append(o.rows, row)
		if row.kx != "" {
			o.byKX[row.kx] = append(o.byKX[row.kx], at)
		} else {
			o.byFiled[row.filed] = append(o.byFiled[row.filed], at)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrOverride, source, err)
	}
	return o, nil
}

func parseOverride(f []string, rule Rule) (override, error) {
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	row := override{rule: rule}
	if f[0] != "" {
		row.kx = strings.Clone(f[0])
		if !keyForm.MatchString(row.kx) {
			return row, fmt.Errorf("kx %q is not a name key; write the name's capital letters and digits without spaces, as in %q", fault.Clip(row.kx, maxQuoted),
				orgname.Key(row.kx))
		}
		row.weight++
	}
	if f[1] != "" {
		st, ok := place.State(f[1])
		if !ok {
			return row, fmt.Errorf("state %q is not a US state", fault.Clip(f[1], maxQuoted))
		}
		row.state = st
		row.weight++
	}
	if f[2] != "" {
		if len(f[2]) != 5 || strings.Trim(f[2], "0123456789") != "" {
			return row, fmt.Errorf("zip5 %q is not five digits", fault.Clip(f[2], maxQuoted))
		}
		row.zip5 = strings.Clone(f[2])
		row.weight++
	}
	for _, c := range []struct {
		name string
		text string
		to   *ein.EIN
	}{{"filed_ein", f[3], &row.filed}, {"funder_ein", f[4], &row.funder}, {"ein", f[5], &row.ein}} {
		if c.text == "" {
			continue
		}
		e, err := ein.Parse(c.text)
		if err != nil {
			return row, fmt.Errorf("%s: %w", c.name, err)
		}
		*c.to = e
		if c.to != &row.ein {
			row.weight++
		}
	}
	if row.kx == "" && row.filed == ein.None {
		return row, errors.New("a ruling must select by kx or filed_ein, or it would apply to every line")
	}
	switch f[6] {
	case "set", "set_unknown":
		if row.ein == ein.None {
			return row, fmt.Errorf("action %s needs an ein", f[6])
		}
		row.unknown = f[6] == "set_unknown"
	case "none":
		if row.ein != ein.None {
			return row, errors.New("action none takes no ein")
		}
		row.none = true
	default:
		return row, fmt.Errorf("action %q; expected set, set_unknown or none", fault.Clip(f[6], maxQuoted))
	}
	if f[7] == "" {
		return row, errors.New("the reason is empty; say why, so that the ruling can be reviewed")
	}
	if rule == OverrideLLM {
		switch {
		case row.unknown:
			return row, errors.New("action set_unknown is for people; a model's ruling must name an EIN that some list holds")
		case f[9] == "":
			return row, errors.New("the author is empty; name the model that proposed the ruling")
		case f[10] == "":
			return row, errors.New("the date is empty; say when the model was asked")
		}
	}
	if f[10] != "" {
		if _, err := time.Parse(time.DateOnly, f[10]); err != nil {
			return row, fmt.Errorf("date %q is not of the form 2006-01-02", fault.Clip(f[10], maxQuoted))
		}
	}
	return row, nil
}

// AddRuling adds a row, as CSV, to the file of people's rulings at path, which it makes if there is none. A row that rules the same
// on the same lines is left as it is. The new file is read as a build reads it before it takes the place of the old one.
func AddRuling(path, row string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(strings.Join(overrideColumns, ",")), disk.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return fault.Disk(path, err)
	}
	rules := strings.Join(strings.SplitN(row, ",", 8)[:7], ",") // none of these columns has a comma or a quote
	if bytes.Contains(text, []byte("\n"+rules+",")) {
		return nil
	}
	text = append(bytes.TrimRight(text, "\r\n"), "\n"+row+"\n"...)
	if _, err := ReadOverrides(bytes.NewReader(text), path); err != nil {
		return fault.New("bad_rulings", "%w", err).Try("correct the file, or decide which of two rows is right; then accept the correction again")
	}
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error { _, err := w.Write(text); return err }))
}

// Check reports the first ruling whose EIN is not in the universe, unless the ruling allows that.
func (o *Overrides) Check(u *Universe) error {
	if o == nil {
		return nil
	}
	for i := range o.rows {
		row := &o.rows[i]
		if row.none || row.unknown {
			continue
		}
		if _, ok := u.Lookup(row.ein); !ok {
			return fmt.Errorf("%w, line %d: no source knows %s; correct it, or use the action set_unknown", ErrOverride, row.line, row.ein.Hyphenated())
		}
	}
	return nil
}

func (o *Overrides) Len() int {
	if o == nil {
		return 0
	}
	return len(o.rows)
}

// Funders lists, in order, the funders that some ruling names. Lines can be answered without knowing the funder if no
// ruling names it.
func (o *Overrides) Funders() []ein.EIN {
	if o == nil {
		return nil
	}
	var list []ein.EIN
	for i := range o.rows {
		if f := o.rows[i].funder; f != ein.None {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// find returns the ruling for a recipient, or nil. Without a funder, it considers only rulings that apply to every funder.
func (o *Overrides) find(t *Recipient, n *orgname.Name, funder ein.EIN) *override {
	if o == nil || len(o.rows) == 0 {
		return nil
	}
	var best *override
	look := func(rows []int32) {
		for _, at := range rows {
			row := &o.rows[at]
			if best != nil && (row.weight < best.weight || row.weight == best.weight && row.line > best.line) {
				continue
			}
			if row.selects(t, n, funder) {
				best = row
			}
		}
	}
	if n.KX != "" {
		look(o.byKX[n.KX])
	}
	if t.Filed != ein.None {
		look(o.byFiled[t.Filed])
	}
	return best
}

func (o *override) selects(t *Recipient, n *orgname.Name, funder ein.EIN) bool {
	if o.kx != "" && o.kx != n.KX || o.filed != ein.None && o.filed != t.Filed || o.funder != ein.None && o.funder != funder {
		return false
	}
	if o.state == "" && o.zip5 == "" {
		return true
	}
	state := lineState(t, n).String()
	if o.state != "" && o.state != state {
		return false
	}
	if o.zip5 == "" {
		return true
	}
	z, ok := place.ZIP5(t.ZIP, state)
	return ok && z == o.zip5
}

// keyForm is the form of a name key: capitals and digits only.
var keyForm = regexp.MustCompile(`^[A-Z0-9]{0,512}$`)

// maxQuoted is how many bytes of a file an error message quotes at most.
const maxQuoted = 40
