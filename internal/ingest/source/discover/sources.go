// Package discover finds the upstream files in a folder of sources, and decides which of them a build uses.
package discover

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/table"
)

// Sources are the upstream files found in a folder. The folder may be laid out in any depth; what a file is
// follows from the nearest folder name and its own name:
//
//	990/…/*.zip, *_public.xml      returns
//	990/…/index*.csv               the IRS's own lists of returns
//	bmf/…/eo*.csv[.gz]             the business master file, by region or state
//	overrides/human.csv            adjudicated corrections
//	overrides/model.csv, llm.csv   corrections proposed by a language model
//	overrides/masked.csv           lines whose recipient is not to be shown
//	census/*.txt                   a newer ZIP-to-county relationship file
//	pub78/data-download-pub78.*    Publication 78
//	revocation/data-download-revocation.*
//	ofac/…/sdn.csv, alt.csv, …     the sanctions list, one set of files a folder
//	irb/…/*.html, *.txt            Internal Revenue Bulletins
//	careg/…/charities-*.csv        California's registry, four lists
//	caftb/*.csv, *.xlsx, *.txt     California's revoked exemptions
//	usaspending/…/*.zip, *.csv     federal awards
//	fac/…/*.csv, *.txt             audits, which give a UEI and an EIN together
//	stateaward/<st>/*.csv, …       what a state paid, with its mapping.toml
//	uk/…/publicextract.*           the register of England and Wales
//
// If a source exists twice, in folders of different dates, the newest is used. A date is a day, a month or a year in the name
// of a folder. Links to folders are followed. Every file that is not used is recorded with the reason.
type Sources struct {
	Root     string
	Files    map[string][]string // by kind: relative to Root, with slashes, sorted
	Masters  []Master
	States   map[string][]string // payments of states, by two-letter code in lower case
	Invented bool                // some of it was written by synth
	Untaken  []Untaken           // files that are not used, by path
	Warnings []string            // inconsistencies between files that belong together
}

// Kinds of files other than the compliance lists, which are identified by their names. A build uses at most
// one Census file, and one file of each kind of overrides.
const (
	Returns   = "irs990"
	Indexes   = "irs990_index"
	Federal   = "usaspending"
	Audits    = "fac"
	UK        = "ukcharity"
	Overrides = "override_human"
	Assisted  = "override_llm"
	Masked    = "override_masked"
	Census    = "census"
)

// Master is one posting of a part of the business master file.
type Master struct {
	Path   string
	Part   string // eo1, eo_wy
	Posted string // YYYY, YYYY-MM or YYYY-MM-DD, empty when no name says
	Older  bool   // it is of an older edition than the files that are present of this one
}

// AsOf is the date of the posting as a number that sorts like it.
func (m Master) AsOf() int32 {
	n, _ := strconv.ParseInt((strings.ReplaceAll(m.Posted, "-", "") + "00000000")[:len("20060102")], 10, 32)
	return int32(n)
}

var dated = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)\d{2})(?:[-_]?(0[1-9]|1[0-2])(?:[-_]?(0[1-9]|[12]\d|3[01]))?)?(?:[^0-9]|$)`)

// sourceFile says which files of a folder are of a kind.
type sourceFile struct {
	folder, kind, keep string
	name               *regexp.Regexp
	otherwise          string // why other files of the folder are not used
}

//go:embed files.tsv
var filesTable string

var sourceFiles = func() (list []sourceFile) {
	for _, r := range table.Read("files.tsv", filesTable, "folder", "kind", "keep", "name", "otherwise") {
		list = append(list, sourceFile{r.Text("folder"), r.Text("kind"), r.Text("keep"), regexp.MustCompile(r.Text("name")), r.Text("otherwise")})
	}
	return list
}()

// All lists the upstream files under root, which must hold returns.
func All(ctx context.Context, root string) (*Sources, error) {
	s, err := Rest(ctx, root)
	if err == nil && len(s.Files[Returns]) == 0 {
		return nil, fault.New("sources_empty", "no filings under %s", root).
			Try("grantgraph fetch --sources %s   downloads them; grantgraph synth --out %s   makes an invented set", root, root)
	}
	return s, err
}

// Rest is All for a build whose returns come from a shared stage: root need not hold any.
func Rest(ctx context.Context, root string) (*Sources, error) {
	s, err := Lists(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{Overrides, Assisted, Masked} {
		files := s.Files[kind]
		if len(files) > 1 { // otherwise one list would be dropped silently
			return nil, fault.New("two_overrides", "%s and %s are both lists of overrides of one kind", s.Abs(files[0]), s.Abs(files[1])).
				Try("put all rows into one of them")
		}
	}
	return s, nil
}

// Lists is All for the compliance lists only: root need not hold returns, and the lists of overrides are ignored.
func Lists(ctx context.Context, root string) (*Sources, error) {
	s := &Sources{Root: root, Files: map[string][]string{}, States: map[string][]string{}}
	st, err := os.Stat(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New("sources_missing", "the sources folder %s does not exist", root).
				Try("grantgraph fetch --sources %s   fills it; grantgraph synth --out %s   makes an invented world there", root, root)
		}
		return nil, fault.Disk(root, err)
	}
	if !st.IsDir() {
		return nil, fault.New("sources_not_folder", "%s is a file, not a folder of upstream files", root).
			Try("give the folder that holds 990/ and bmf/")
	}
	w := sourceWalk{root: root, leave: s.leave, take: func(rel, abs string) string {
		if path.Base(rel) == synth.Marker {
			// Another file with that name cannot be read as a world.
			if _, err := synth.Read(filepath.Dir(abs)); err == nil {
				s.Invented = true
			}
		}
		return s.add(rel)
	}}
	if err := w.walk(ctx); err != nil {
		return nil, err
	}
	s.rankMasters()
	for _, f := range sourceFiles {
		s.keep(f)
	}
	for state, files := range s.States {
		s.States[state] = s.newestByName(files)
	}
	s.compareDates()
	slices.SortFunc(s.Untaken, func(a, b Untaken) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

func (s *Sources) leave(rel, reason string) { s.Untaken = append(s.Untaken, Untaken{rel, reason}) }

// kindOf finds the kind of a file by its path, or says why the file is not used.
func kindOf(rel string) (f sourceFile, reason string) {
	name, dirs := strings.ToLower(path.Base(rel)), strings.Split(path.Dir(rel), "/")
	i := slices.IndexFunc(sourceFiles, func(f sourceFile) bool { return slices.Contains(dirs, f.folder) })
	switch {
	case i < 0 && slices.Contains([]string{synth.Marker, "truth.ndjson", "people.ndjson"}, name):
		return f, "it describes an invented world and is no source of it"
	case i < 0:
		return f, "it is in no folder of a source, such as 990 or bmf"
	case sourceFiles[i].keep == "states" && len(dirs[len(dirs)-1]) != 2:
		return f, "payments of a state lie in a folder of its two letters"
	}
	for _, f := range sourceFiles[i:] {
		if f.folder == sourceFiles[i].folder && f.name.MatchString(name) {
			return f, ""
		}
	}
	return f, sourceFiles[i].otherwise
}

// add puts a file into its list, or says why the file is not used.
func (s *Sources) add(rel string) (reason string) {
	f, reason := kindOf(rel)
	if reason != "" {
		return reason
	}
	switch f.keep {
	case "masters":
		m := f.name.FindStringSubmatch(strings.ToLower(path.Base(rel)))
		s.Masters = append(s.Masters, Master{Path: rel, Part: m[1], Posted: cmp.Or(dateIn(m[2]), folderDate(rel))})
	case "states":
		state := path.Base(path.Dir(rel))
		s.States[state] = append(s.States[state], rel)
	default:
		s.Files[f.kind] = append(s.Files[f.kind], rel)
	}
	return ""
}

// keep leaves out files of a kind if the build uses other files of that kind.
func (s *Sources) keep(f sourceFile) {
	files := s.Files[f.kind]
	if len(files) == 0 {
		return
	}
	slices.Sort(files)
	switch f.keep {
	case "newest by name":
		files = s.newestByName(files)
	case "newest":
		files = s.newestOnly(files)
	case "set":
		files = s.oneSet(files)
	case "one":
		newest := slices.MaxFunc(files, compareFiles)
		for _, f := range files {
			if f != newest {
				s.leaveOlder(f, newest)
			}
		}
		files = []string{newest}
	}
	s.Files[f.kind] = files
}

// IsReturn reports whether a path below a folder of sources is an archive of returns.
func IsReturn(rel string) bool {
	f, reason := kindOf(rel)
	return reason == "" && f.kind == Returns
}

// rankMasters orders the postings of each part newest first and marks the rest
// as older. An undated posting counts as the newest.
func (s *Sources) rankMasters() {
	slices.SortFunc(s.Masters, func(a, b Master) int {
		return cmp.Or(strings.Compare(a.Part, b.Part), strings.Compare(cmp.Or(b.Posted, undated), cmp.Or(a.Posted, undated)), strings.Compare(a.Path, b.Path))
	})
	holds, newest := map[string]bool{}, ""
	for i, m := range s.Masters {
		s.Masters[i].Older = i > 0 && m.Part == s.Masters[i-1].Part
		holds[path.Dir(m.Path)], newest = true, max(newest, m.Posted)
	}
	// Parts of an older edition are no parts of this one: those below a folder that has parts
	// itself, and those posted months before the newest.
	for i := range s.Masters {
		m := &s.Masters[i]
		for dir := path.Dir(path.Dir(m.Path)); dir != "." && dir != "/"; dir = path.Dir(dir) {
			m.Older = m.Older || holds[dir]
		}
		m.Older = m.Older || m.Posted != "" && months(newest)-months(m.Posted) > 2
	}
}

// months counts the months of a date. A date that is only a year counts as its end.
func months(date string) int {
	year, _ := strconv.Atoi(date[:min(len(date), 4)])
	month := 12
	if len(date) >= len("2006-01") {
		month, _ = strconv.Atoi(date[5:7])
	}
	return 12*year + month
}

// compareDates says which sources are missing or put together from files of different dates. Each file is valid by itself, but
// an organization that moved from one file to another between the dates is in both or in neither.
func (s *Sources) compareDates() {
	if len(s.Masters) == 0 {
		s.Warnings = append(s.Warnings, "there is no business master file among the sources, so recipients are looked for among the filers only; put eo*.csv "+
			"under bmf/")
	}
	var masters []string
	for _, m := range s.Masters {
		if !m.Older {
			masters = append(masters, m.Path)
		}
	}
	posted := func(rel string) string {
		i := slices.IndexFunc(s.Masters, func(m Master) bool { return m.Path == rel })
		return s.Masters[i].Posted
	}
	s.compare("the parts of the business master file", masters, posted)
	s.compare("the four lists of California's registry", s.Files[lists.CARegistry], folderDate)
	s.compare("the tables of the register of England and Wales", s.Files[UK], folderDate)
	// A list that is published as one file may be present in several files of the same date.
	for _, name := range []string{lists.Pub78, lists.Revocation, lists.CAFTB} {
		if files := s.Files[name]; len(files) > 1 {
			s.Warnings = append(s.Warnings, "the list "+name+" is read from "+strings.Join(files, " and ")+" together; keep one of them if they are of different dates")
		}
	}
}

// compare adds a warning where files that belong together are of different months.
func (s *Sources) compare(what string, files []string, date func(string) string) {
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return date(f) == "" })
	if len(files) == 0 {
		return
	}
	byDate := func(a, b string) int { return strings.Compare(date(a), date(b)) }
	oldest, newest := slices.MinFunc(files, byDate), slices.MaxFunc(files, byDate)
	if a, b := date(oldest), date(newest); !strings.HasPrefix(b, a[:min(len(a), len("2006-01"))]) {
		s.Warnings = append(s.Warnings, what+" are of different dates: "+oldest+" of "+a+", "+newest+" of "+b+"; what changed in between may be in both or in "+
			"neither")
	}
}

// dateIn is the date in a name: a day, a month or only a year, as YYYY-MM-DD, YYYY-MM or YYYY; empty when it has none.
func dateIn(name string) string {
	m := dated.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return strings.TrimRight(strings.Join(m[1:], "-"), "-")
}

func folderDate(rel string) string {
	for _, d := range slices.Backward(strings.Split(path.Dir(rel), "/")) {
		if date := dateIn(d); date != "" {
			return date
		}
	}
	return ""
}

// Dated is the date of a file: in its own name, else in that of a folder, or "".
func Dated(rel string) string { return cmp.Or(dateIn(path.Base(rel)), folderDate(rel)) }

// undated is the date of a file whose name has none. It sorts after all other
// dates, because such a file was fetched by hand or by this program.
const undated = "9999"

// Posted is the date in the name of the nearest folder that has one, or a date after all others where no folder has one.
func Posted(rel string) string { return cmp.Or(folderDate(rel), undated) }

func compareFiles(a, b string) int {
	return cmp.Or(strings.Compare(cmp.Or(Dated(a), undated), cmp.Or(Dated(b), undated)), strings.Compare(path.Dir(a), path.Dir(b)), strings.Compare(a, b))
}

func (s *Sources) newestByName(files []string) []string {
	newest := make(map[string]string)
	nameOf := func(f string) string { return strings.TrimSuffix(path.Base(f), ".gz") }
	for _, f := range files {
		if other, ok := newest[nameOf(f)]; !ok || compareFiles(f, other) > 0 {
			newest[nameOf(f)] = f
		}
	}
	slices.Sort(files)
	return slices.DeleteFunc(files, func(f string) bool {
		taken := newest[nameOf(f)]
		if f != taken {
			s.leaveOlder(f, taken)
		}
		return f != taken
	})
}

func (s *Sources) leaveOlder(f, taken string) { s.leave(f, "an older copy: "+taken+" is taken") }

// newestOnly keeps the files of the newest date, in the folder of the newest of
// them, so that a list that is one file is not read twice.
func (s *Sources) newestOnly(files []string) []string {
	newest := slices.MaxFunc(files, compareFiles)
	return slices.DeleteFunc(files, func(f string) bool {
		taken := f == newest || Dated(f) == Dated(newest) && path.Dir(f) == path.Dir(newest) && stem(f) != stem(newest)
		if !taken {
			s.leaveOlder(f, newest)
		}
		return !taken
	})
}

// stem is the name of a file in lower case, without its extensions.
func stem(f string) string {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
	return name
}

// oneSet keeps the newest folder that holds a whole sanctions list: its files belong together. Names of one
// day with aliases of another could clear an organization that both days' lists name.
func (s *Sources) oneSet(files []string) []string {
	holds := func(dir, name string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return path.Dir(f) == dir && stem(f) == name })
	}
	whole := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return !holds(path.Dir(f), "sdn") || !holds(path.Dir(f), "alt")
	})
	if len(whole) == 0 {
		whole = files // the reader says what is missing
	}
	newest := slices.MaxFunc(whole, compareFiles)
	set := path.Dir(newest)
	var kept []string
	for _, f := range files {
		switch {
		case path.Dir(f) == set:
			kept = append(kept, f)
		case !holds(path.Dir(f), "sdn") || !holds(path.Dir(f), "alt"):
			s.leave(f, "its folder lacks sdn.csv or alt.csv; the set in "+set+" is taken")
		default:
			s.leave(f, "of an older set: that in "+set+" is taken")
		}
	}
	return kept
}

func (s *Sources) Abs(rel string) string { return filepath.Join(s.Root, filepath.FromSlash(rel)) }
