// Package discover finds out which upstream files lie in a folder of sources,
// and which of them a build takes.
package discover

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot/lists"
)

// Sources are the upstream files found in a folder. The folder may be laid out
// in any depth; what a file is follows from the nearest folder name and its own
// name:
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
// Where a source is there twice, in folders of different dates, the newest is
// taken; a date is a day, a month or a year in the name of a folder. Links to
// folders are followed. A file that is not taken is noted with the reason.
type Sources struct {
	Root      string
	Returns   []string // all relative to Root, with slashes, sorted
	Indexes   []string
	Masters   []Master
	Overrides []string // of these three, one file each can be used
	Assisted  []string
	Masked    []string
	Census    []string            // at most one
	Lists     map[string][]string // compliance lists other than the master file, by name
	Federal   []string
	Audits    []string
	States    map[string][]string // by two-letter code in lower case
	UK        []string
	Invented  bool      // some of it was written by synth
	Untaken   []Untaken // what is left alone, by path
	Warnings  []string  // what is odd about files that belong together
}

// Master is one posting of a part of the business master file.
type Master struct {
	Path   string
	Part   string // eo1, eo_wy
	Posted string // YYYY, YYYY-MM or YYYY-MM-DD, empty when no name says
	Older  bool   // a newer posting of the same part is present
}

// AsOf is the date of the posting as a number that sorts like it.
func (m Master) AsOf() int32 {
	var n int32
	for _, c := range m.Posted {
		if c >= '0' && c <= '9' {
			n = n*10 + (c - '0')
		}
	}
	switch len(m.Posted) {
	case len("2006"):
		n *= 1_00_00
	case len("2006-01"):
		n *= 1_00
	}
	return n
}

var (
	masterName = regexp.MustCompile(`^(eo[1-4]|eo_[a-z]{2})(?:[_-]([\d_-]+))?\.csv(?:\.gz)?$`)
	dated      = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)\d{2})(?:[-_]?(0[1-9]|1[0-2])(?:[-_]?(0[1-9]|[12]\d|3[01]))?)?(?:[^0-9]|$)`)
	plainText  = regexp.MustCompile(`\.(csv|txt|tsv|psv)(\.gz)?$|\.zip$`)
	awardName  = regexp.MustCompile(`^fy\d{4}_.*\.(zip|csv(\.gz)?)$`)
)

// listFile says which files of a folder belong to a list.
type listFile struct {
	list, folder string
	name         *regexp.Regexp
	called       string // the same for people
}

var listFiles = []listFile{
	{lists.Pub78, "pub78", regexp.MustCompile(`^data-download-pub78\.(zip|txt(\.gz)?)$`), "data-download-pub78.zip or .txt"},
	{lists.Revocation, "revocation", regexp.MustCompile(`^data-download-revocation\.(zip|txt(\.gz)?)$`), "data-download-revocation.zip or .txt"},
	{lists.OFAC, "ofac", regexp.MustCompile(`^(sdn|alt|add|sdn_comments)\.csv(\.gz)?$`),
		"sdn.csv, alt.csv, add.csv and sdn_comments.csv, each set in a folder of its own"},
	{lists.IRB, "irb", regexp.MustCompile(`\.(html?|txt)$`), "*.html or *.txt"},
	{lists.CARegistry, "careg", regexp.MustCompile(`^charities-(may-operate|may-not-operate|undetermined-status|not-operating)\.csv(\.gz)?$`),
		"charities-may-operate.csv, charities-may-not-operate.csv, charities-undetermined-status.csv and charities-not-operating.csv"},
	{lists.CAFTB, "caftb", regexp.MustCompile(`\.(csv|txt|tsv|xlsx)(\.gz)?$`), "*.csv, *.txt or *.xlsx"},
}

// All lists the upstream files under root, which must hold returns.
func All(ctx context.Context, root string) (*Sources, error) {
	s, err := Lists(ctx, root)
	if err != nil {
		return nil, err
	}
	if len(s.Returns) == 0 {
		return nil, fault.New("sources_empty", "no filings under %s", root).
			Try("grantgraph fetch --sources %s   downloads them; grantgraph synth --out %s   makes an invented set", root, root)
	}
	return s, s.oneOverride()
}

// Rest is All for a build whose returns come from a shared stage: root need not
// hold any.
func Rest(ctx context.Context, root string) (*Sources, error) {
	s, err := Lists(ctx, root)
	if err != nil {
		return nil, err
	}
	return s, s.oneOverride()
}

// oneOverride refuses two lists of overrides of one kind.
func (s *Sources) oneOverride() error {
	for _, files := range [][]string{s.Overrides, s.Assisted, s.Masked} {
		if len(files) > 1 { // one of them would be dropped unseen
			return fault.New("two_overrides", "%s and %s are both lists of overrides of one kind", s.Abs(files[0]), s.Abs(files[1])).
				Try("put all rows into one of them")
		}
	}
	return nil
}

// Lists is All for a reader of the compliance lists alone: root need not hold
// returns, and the lists of overrides are not looked at.
func Lists(ctx context.Context, root string) (*Sources, error) {
	s := &Sources{Root: root, Lists: map[string][]string{}, States: map[string][]string{}}
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
			// Another file of that name does not read as a world.
			if _, err := synth.Read(filepath.Dir(abs)); err == nil {
				s.Invented = true
			}
		}
		return s.add(rel)
	}}
	if err := w.walk(ctx); err != nil {
		return nil, err
	}
	slices.Sort(s.Returns)
	slices.Sort(s.Indexes)
	s.rankMasters()
	for name, files := range s.Lists {
		slices.Sort(files)
		switch name {
		case lists.IRB: // every bulletin counts
		case lists.OFAC:
			s.Lists[name] = s.oneSet(files)
		case lists.CARegistry:
			s.Lists[name] = s.newestByName(files)
		default:
			s.Lists[name] = s.newestOnly(files)
		}
	}
	s.Federal, s.Audits, s.UK = s.newestByName(s.Federal), s.newestByName(s.Audits), s.newestByName(s.UK)
	for state, files := range s.States {
		s.States[state] = s.newestByName(files)
	}
	s.takeCensus()
	s.compareDates()
	slices.SortFunc(s.Untaken, func(a, b Untaken) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// leave notes a file that is not taken.
func (s *Sources) leave(rel, reason string) { s.Untaken = append(s.Untaken, Untaken{rel, reason}) }

// add puts one file where it belongs, or says why it belongs nowhere.
func (s *Sources) add(rel string) (reason string) {
	dirs := strings.Split(rel, "/")
	name := strings.ToLower(dirs[len(dirs)-1])
	dirs = dirs[:len(dirs)-1]
	in := func(folder string) bool { return slices.Contains(dirs, folder) }
	switch {
	case in("990"):
		switch {
		case isReturn(name):
			s.Returns = append(s.Returns, rel)
		case strings.HasPrefix(name, "index") && strings.HasSuffix(name, ".csv"):
			s.Indexes = append(s.Indexes, rel)
		default:
			return "returns are *.zip or *_public.xml, and lists of them index*.csv"
		}
	case in("bmf"):
		m := masterName.FindStringSubmatch(name)
		if m == nil {
			return "parts of the master file are called eo1.csv to eo4.csv or eo_xx.csv, with or without a date"
		}
		posted := dateIn(m[2])
		if posted == "" {
			posted = folderDate(rel)
		}
		s.Masters = append(s.Masters, Master{Path: rel, Part: m[1], Posted: posted})
	case in("usaspending"):
		if !awardName.MatchString(name) {
			return "archives of awards are called FY2024_All_Assistance_Full_20250106.zip and the like"
		}
		s.Federal = append(s.Federal, rel)
	case in("fac"):
		if !plainText.MatchString(name) {
			return "audits are .csv, .txt or .zip"
		}
		s.Audits = append(s.Audits, rel)
	case in("stateaward"):
		state := dirs[len(dirs)-1]
		switch {
		case len(state) != 2:
			return "payments of a state lie in a folder of its two letters"
		case !plainText.MatchString(name) && name != "mapping.toml":
			return "payments of a state are .csv, .txt or .zip, with a mapping.toml"
		}
		s.States[state] = append(s.States[state], rel)
	case in("uk"):
		if !strings.HasPrefix(name, "publicextract.") {
			return "tables of the register are called publicextract.*"
		}
		s.UK = append(s.UK, rel)
	case slices.ContainsFunc(listFiles, func(l listFile) bool { return in(l.folder) }):
		for _, l := range listFiles {
			if !in(l.folder) {
				continue
			}
			if !l.name.MatchString(name) {
				return "files of this list are called " + l.called
			}
			s.Lists[l.list] = append(s.Lists[l.list], rel)
			return ""
		}
	case in("overrides"):
		switch name {
		case "human.csv":
			s.Overrides = append(s.Overrides, rel)
		case "model.csv", "llm.csv":
			s.Assisted = append(s.Assisted, rel)
		case "masked.csv":
			s.Masked = append(s.Masked, rel)
		default:
			return "overrides are called human.csv, model.csv or masked.csv"
		}
	case in("census"):
		if !strings.HasSuffix(name, ".txt") {
			return "a relationship file of the Census is .txt"
		}
		s.Census = append(s.Census, rel)
	case name == synth.Marker, name == "truth.ndjson", name == "people.ndjson":
		return "it describes an invented world and is no source of it"
	default:
		return "it is in no folder of a source, such as 990 or bmf"
	}
	return ""
}

// IsReturn reports whether a path below a folder of sources is that of an
// archive of returns.
func IsReturn(rel string) bool {
	return slices.Contains(strings.Split(path.Dir(rel), "/"), "990") && isReturn(strings.ToLower(path.Base(rel)))
}

func isReturn(name string) bool {
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, "_public.xml")
}

// rankMasters orders the postings of each part newest first and marks the rest
// as older. An undated posting counts as the newest.
func (s *Sources) rankMasters() {
	slices.SortFunc(s.Masters, func(a, b Master) int {
		if c := strings.Compare(a.Part, b.Part); c != 0 {
			return c
		}
		if (a.Posted == "") != (b.Posted == "") {
			if a.Posted == "" {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(b.Posted, a.Posted), strings.Compare(a.Path, b.Path))
	})
	for i := 1; i < len(s.Masters); i++ {
		s.Masters[i].Older = s.Masters[i].Part == s.Masters[i-1].Part
	}
}

// compareDates says which sources are missing or put together from files of
// different dates. Each file is good by itself; what moved from one to another between the
// dates is in both or in neither.
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
	s.compare("the four lists of California's registry", s.Lists[lists.CARegistry], folderDate)
	s.compare("the tables of the register of England and Wales", s.UK, folderDate)
	// A list that is one file may lie there in several, all of one date.
	for _, name := range []string{lists.Pub78, lists.Revocation, lists.CAFTB} {
		if files := s.Lists[name]; len(files) > 1 {
			s.Warnings = append(s.Warnings, "the list "+name+" is read from "+strings.Join(files, " and ")+" together; keep one of them if they are of different dates")
		}
	}
}

// compare adds a warning where files that belong together are of different
// months.
func (s *Sources) compare(what string, files []string, date func(string) string) {
	oldest, newest := "", ""
	for _, f := range files {
		d := date(f)
		if d == "" {
			continue
		}
		if oldest == "" || d < date(oldest) {
			oldest = f
		}
		if newest == "" || d > date(newest) {
			newest = f
		}
	}
	if oldest == "" {
		return
	}
	if a, b := date(oldest), date(newest); !strings.HasPrefix(b, a[:min(len(a), len("2006-01"))]) {
		s.Warnings = append(s.Warnings, what+" are of different dates: "+oldest+" of "+a+", "+newest+" of "+b+"; what changed in between may be in both or in "+
			"neither")
	}
}

// dateIn is the date in a name: a day, a month or only a year, as YYYY-MM-DD,
// YYYY-MM or YYYY; empty when it has none.
func dateIn(name string) string {
	m := dated.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	parts := m[1:2]
	for _, p := range m[2:] {
		if p == "" {
			break
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, "-")
}

// folderDate is the date in the name of the nearest folder that has one.
func folderDate(rel string) string {
	for _, d := range slices.Backward(strings.Split(path.Dir(rel), "/")) {
		if date := dateIn(d); date != "" {
			return date
		}
	}
	return ""
}

// fileDate is the date of a file: in its own name, else in that of a folder.
func fileDate(rel string) string { return cmp.Or(dateIn(path.Base(rel)), folderDate(rel)) }

// undated stands for the date of a file whose name has none: it comes after the
// others, as what was fetched by hand or by the program itself.
const undated = "9999"

// Posted is the date in the name of the nearest folder that has one, or a date
// after all others where no folder has one.
func Posted(rel string) string { return cmp.Or(folderDate(rel), undated) }

// compareFiles orders files by their date.
func compareFiles(a, b string) int {
	return cmp.Or(strings.Compare(cmp.Or(fileDate(a), undated), cmp.Or(fileDate(b), undated)), strings.Compare(path.Dir(a), path.Dir(b)), strings.Compare(a, b))
}

// newestByName keeps, of files with the same name, the newest.
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
// them: a list that is one file is not read twice.
func (s *Sources) newestOnly(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	slices.Sort(files)
	newest := slices.MaxFunc(files, compareFiles)
	return slices.DeleteFunc(files, func(f string) bool {
		taken := f == newest || fileDate(f) == fileDate(newest) && path.Dir(f) == path.Dir(newest) && stem(f) != stem(newest)
		if !taken {
			s.leaveOlder(f, newest)
		}
		return !taken
	})
}

// takeCensus keeps one relationship file.
func (s *Sources) takeCensus() {
	if len(s.Census) == 0 {
		return
	}
	newest := slices.MaxFunc(s.Census, compareFiles)
	for _, f := range s.Census {
		if f != newest {
			s.leaveOlder(f, newest)
		}
	}
	s.Census = []string{newest}
}

// stem is the name of a file without what says how it is packed.
func stem(f string) string {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(f)), ".")
	return name
}

// oneSet keeps the newest folder that holds a whole sanctions list: its files
// belong together, and the names of one day with the aliases of another would
// clear whom neither does.
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

// Abs is the path of a source file on disk.
func (s *Sources) Abs(rel string) string { return filepath.Join(s.Root, filepath.FromSlash(rel)) }
