package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/serve/screen/likeness"
	"grantgraph/internal/serve/screen/likeness/quality"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

type screeningFlags struct {
	Screening bool   `help:"Measure the sanctions name screen." group:"Screening"`
	List      string `help:"Folder with sdn.csv and alt.csv as published; by default the list of the data directory." placeholder:"DIR" group:"Screening"`
	Data      string `help:"Data directory whose lists are used without --list, or whose snapshot is ranked." default:"data" placeholder:"DIR" group:"Screening"`
	Cases     string `help:"A CSV file of names to look for, instead of names made from the list." placeholder:"FILE" group:"Screening"`
	Seed      uint64 `help:"Seed of the names that are made." default:"1" placeholder:"N" group:"Screening"`
	Each      int    `help:"How many names are made for each variant, at most." default:"3000" placeholder:"N" group:"Screening"`
	Speed     bool   `help:"Measure the speed, not the quality." group:"Screening"`
	Bulk      int    `help:"How many names are screened together to measure the speed." default:"1900000" placeholder:"N" group:"Screening"`
	Cores     int    `help:"On how many cores." default:"2" placeholder:"N" group:"Screening"`
}

func (c *evalCmd) evalScreening(a *terminal.App) error {
	masters := append(c.BMF, c.More...)
	switch {
	case c.Cases != "" && (c.Speed || len(masters) > 0):
		return fault.New("bad_flag", "--cases has all the names there are to look for: it goes without master files and --speed").Try("measure eval --help")
	case c.Each < 1 || c.Bulk < 1 || c.Cores < 1 || c.Cores > 1024:
		return fault.New("bad_flag", "--each, --bulk and --cores must be at least 1, and --cores at most 1024").Try("measure eval --help")
	case c.List != "" && c.Cases == "" && len(masters) == 0:
		return fault.New("bad_flag", "no names to look for: give master files or --cases").
			Try("measure eval --screening --list %s --bmf eo1.csv eo2.csv eo3.csv eo4.csv", c.List)
	}
	names, edition := c.listNames(a)
	l := likeness.New(names)
	if c.Cases != "" {
		return c.measure(a, l, must(c.readCases(a, names)))
	}
	others := otherNames(masters, edition)
	if c.Speed {
		s := must(quality.Race(a.Ctx, l, others, c.Bulk, c.Cores))
		return c.print(a, "screening speed", s.Print)
	}
	cases := quality.Make(names, c.Seed, c.Each)
	for _, n := range others {
		cases = append(cases, quality.Case{Query: n, Negative: true})
	}
	return c.measure(a, l, cases)
}

func (c *evalCmd) measure(a *terminal.App, l *likeness.List, cases []quality.Case) error {
	r := must(quality.Evaluate(a.Ctx, l, cases))
	return c.print(a, "screening quality", r.Print)
}

// listNames are the names of the entities: of the folder that was given, or of
// the edition of the data directory, which is returned too.
func (c *evalCmd) listNames(a *terminal.App) (names []likeness.Name, e *lists.Edition) {
	if c.List != "" {
		return c.publishedNames(a), nil
	}
	const hint = "grantgraph build --sources DIR --data %s, or give --list"
	e, err := lists.Open(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		err = fault.New("no_lists", "%s has no lists", c.Data).Try(hint, c.Data)
	}
	check(err)
	if s := e.Status(lists.OFAC); !s.Loaded {
		check(fault.New("no_lists", "the sanctions list is not loaded: %s", s.Problem).Try(hint, c.Data))
	}
	entity := map[int64]bool{}
	for s, err := range snapshot.Rows[lists.Sanction](e.Snapshot, lists.Sanctions) {
		check(err)
		entity[s.Num] = s.Entity()
	}
	for n, err := range snapshot.Rows[lists.SanctionName](e.Snapshot, lists.SanctionNames) {
		check(err)
		if entity[n.Num] {
			names = append(names, likeness.Name{ID: n.Num, Kind: likeness.Kind(n.Kind), Text: n.Name})
		}
	}
	return names, e
}

// publishedNames reads the files of a folder as the office publishes them,
// plain or gzipped, in capitals or not. Only the primary file must be there.
func (c *evalCmd) publishedNames(a *terminal.App) (names []likeness.Name) {
	found, err := os.ReadDir(c.List)
	check(fault.Disk(c.List, err))
	var files ofac.Files
	for name, to := range map[string]*io.Reader{"sdn.csv": &files.Primary, "alt.csv": &files.Aliases, "sdn_comments.csv": &files.Comments} {
		i := slices.IndexFunc(found, func(f fs.DirEntry) bool {
			s := strings.ToLower(f.Name())
			return s == name || s == name+".gz"
		})
		if i < 0 {
			continue
		}
		f, err := rows.Open(filepath.Join(c.List, found[i].Name()))
		if err != nil {
			check(fault.New("wrong_format", "%s cannot be read: %w", found[i].Name(), err).Try("fetch the file again"))
		}
		defer f.Close()
		*to = f
	}
	if files.Primary == nil {
		check(fault.New("no_list", "%s has neither sdn.csv nor sdn.csv.gz", c.List).Try("give the folder with the files of the sanctions list"))
	}
	if files.Aliases == nil && !c.JSON {
		fmt.Fprintln(a.Out, "There is no alt.csv: entries are known by their primary names and weak aliases only.")
	}
	list, err := ofac.Read(files)
	if err != nil {
		check(fault.New("wrong_format", "%s does not hold a sanctions list: %w", c.List, err).Try("fetch sdn.csv and alt.csv again"))
	}
	for i := range list.Entries {
		e := &list.Entries[i]
		if !e.Entity() {
			continue
		}
		names = append(names, likeness.Name{ID: e.Num, Kind: likeness.Primary, Text: e.Name})
		for _, alias := range e.Aliases {
			names = append(names, likeness.Name{ID: e.Num, Kind: likeness.Kind(alias.Type), Text: alias.Name})
		}
	}
	return names
}

func otherNames(masters []string, e *lists.Edition) (names []string) {
	if len(masters) > 0 {
		readMasters(masters, func(_ string, m *bmf.Record) { names = append(names, strings.Clone(m.Name)) })
		return names
	}
	if s := e.Status(lists.BMF); !s.Loaded {
		check(fault.New("no_lists", "the master file is not loaded: %s", s.Problem).Try("name its parts with --bmf"))
	}
	for o, err := range snapshot.Rows[lists.Master](e.Snapshot, lists.Masters) {
		check(err)
		names = append(names, o.Name)
	}
	return names
}

var caseColumns = []string{"query_name", "kind", "sdn_ent_num", "variant_type"}

// readCases reads the names to look for, and prints how many of them are not on the list and so cannot be found.
func (c *evalCmd) readCases(a *terminal.App, names []likeness.Name) ([]quality.Case, error) {
	f, err := rows.Open(c.Cases)
	if err != nil {
		return nil, caseFault(c.Cases, err)
	}
	defer f.Close()
	cases, err := parseCases(f)
	if err != nil {
		return nil, caseFault(c.Cases, err)
	}
	entity := map[int64]bool{}
	for _, n := range names {
		entity[n.ID] = true
	}
	outside := 0
	for _, k := range cases {
		if !k.Negative && !slices.ContainsFunc(append(k.Others, k.ID), func(id int64) bool { return entity[id] }) {
			outside++
		}
	}
	if outside > 0 && !c.JSON {
		fmt.Fprintf(a.Out, "%s positives are of entries that are no entities of this list: they count as missed.\n\n", terminal.Count(outside))
	}
	return cases, nil
}

func caseFault(path string, err error) error {
	if _, told := errors.AsType[*fault.Fault](err); told {
		return err
	}
	return fault.New("wrong_format", "%s is not a file of cases: %w", path, err).
		Try("write a CSV file with the columns %s", strings.Join(caseColumns, ", "))
}

func parseCases(r io.Reader) (cases []quality.Case, err error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty")
	}
	if err != nil {
		return nil, err
	}
	header = slices.Clone(header)
	for i, h := range header {
		header[i] = strings.ToLower(strings.Trim(h, " \ufeff"))
	}
	var at [4]int
	for i, name := range caseColumns {
		if at[i] = slices.Index(header, name); at[i] < 0 {
			return nil, fmt.Errorf("it has no column %s", name)
		}
	}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		k := quality.Case{Query: strings.Clone(row[at[0]]), Variant: strings.Clone(strings.TrimSpace(row[at[3]]))}
		line, _ := in.FieldPos(0)
		switch kind := strings.ToLower(strings.TrimSpace(row[at[1]])); kind {
		case "negative":
			k.Negative = true
		case "positive":
			for text := range strings.SplitSeq(row[at[2]], ";") {
				id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
				if err != nil {
					return nil, fmt.Errorf("line %d: %.40q is no entry number", line, text)
				}
				k.Others = append(k.Others, id)
			}
			k.ID, k.Others = k.Others[0], k.Others[1:]
		default:
			return nil, fmt.Errorf("line %d: the kind is %.40q, not positive or negative", line, kind)
		}
		cases = append(cases, k)
	}
	if len(cases) == 0 {
		return nil, errors.New("it has no rows")
	}
	return cases, nil
}
