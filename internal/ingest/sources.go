package ingest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot"
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
// taken. A file of no known kind is left alone.
type Sources struct {
	Root      string
	Returns   []string // all relative to Root, with slashes, sorted
	Indexes   []string
	Masters   []master
	Overrides []string // of these three, one file each can be used
	Assisted  []string
	Masked    []string
	Census    string
	Lists     map[string][]string // compliance lists other than the master file, by name
	Federal   []string
	Audits    []string
	States    map[string][]string // by two-letter code in lower case
	UK        []string
	Invented  bool // some of it was written by synth
}

// master is one posting of a part of the business master file.
type master struct {
	Path   string
	Part   string // eo1, eo_wy
	Posted string // YYYY-MM or YYYY-MM-DD, empty when the name does not say
	Older  bool   // a newer posting of the same part is present
}

var (
	masterName = regexp.MustCompile(`^(eo[1-4]|eo_[a-z]{2})(?:_(\d{4}-\d{2}(?:-\d{2})?))?\.csv(?:\.gz)?$`)
	datedDir   = regexp.MustCompile(`^\d{4}-\d{2}(?:-\d{2})?$`)
	plainText  = regexp.MustCompile(`\.(csv|txt|tsv|psv)(\.gz)?$|\.zip$`)
	awardName  = regexp.MustCompile(`^fy\d{4}_.*\.(zip|csv(\.gz)?)$`)
)

// listFile says which files of a folder belong to a list.
type listFile struct {
	list, folder string
	name         *regexp.Regexp
}

var listFiles = []listFile{
	{lists.Pub78, "pub78", regexp.MustCompile(`^data-download-pub78\.(zip|txt(\.gz)?)$`)},
	{lists.Revocation, "revocation", regexp.MustCompile(`^data-download-revocation\.(zip|txt(\.gz)?)$`)},
	{lists.OFAC, "ofac", regexp.MustCompile(`^(sdn|alt|add|sdn_comments)\.csv(\.gz)?$`)},
	{lists.IRB, "irb", regexp.MustCompile(`\.(html?|txt)$`)},
	{lists.CARegistry, "careg", regexp.MustCompile(`^charities-(may-operate|may-not-operate|undetermined-status|not-operating)\.csv(\.gz)?$`)},
	{lists.CAFTB, "caftb", regexp.MustCompile(`\.(csv|txt|tsv|xlsx)(\.gz)?$`)},
}

// Discover lists the upstream files under root.
func Discover(ctx context.Context, root string) (*Sources, error) {
	s, err := discover(ctx, root)
	if err != nil {
		return nil, err
	}
	if len(s.Returns) == 0 {
		return nil, fault.New("sources_empty", "no filings under %s", root).
			Try("grantgraph fetch --sources %s   downloads them; grantgraph synth --out %s   makes an invented set", root, root)
	}
	for _, files := range [][]string{s.Overrides, s.Assisted, s.Masked} {
		if len(files) > 1 { // one of them would be dropped unseen
			return nil, fault.New("two_overrides", "%s and %s are both lists of overrides of one kind", s.abs(files[0]), s.abs(files[1])).
				Try("put all rows into one of them")
		}
	}
	return s, nil
}

// discover is Discover without the demand that there be filings: lists can be
// taken up alone.
func discover(ctx context.Context, root string) (*Sources, error) {
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
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return fault.Disk(file, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && file != root {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return fault.Disk(file, err)
		}
		if d.Name() == synth.Marker {
			// Another file of that name does not read as a world.
			if _, err := synth.Read(filepath.Dir(file)); err == nil {
				s.Invented = true
			}
		}
		s.add(filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
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
			// A set of files belongs together, and a folder is a set.
			s.Lists[name] = slices.DeleteFunc(files, func(f string) bool { return path.Dir(f) != path.Dir(newest(files)) })
		default:
			s.Lists[name] = newestByName(files)
		}
	}
	s.Federal, s.Audits, s.UK = newestByName(s.Federal), newestByName(s.Audits), newestByName(s.UK)
	for state, files := range s.States {
		s.States[state] = newestByName(files)
	}
	return s, nil
}

// add puts one file where it belongs; files of no known kind are left alone.
func (s *Sources) add(rel string) {
	dirs := strings.Split(rel, "/")
	name := strings.ToLower(dirs[len(dirs)-1])
	dirs = dirs[:len(dirs)-1]
	switch {
	case slices.Contains(dirs, "990"):
		switch {
		case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, "_public.xml"):
			s.Returns = append(s.Returns, rel)
		case strings.HasPrefix(name, "index") && strings.HasSuffix(name, ".csv"):
			s.Indexes = append(s.Indexes, rel)
		}
	case slices.Contains(dirs, "bmf"):
		m := masterName.FindStringSubmatch(name)
		if m == nil {
			return
		}
		posted := m[2]
		for i := len(dirs) - 1; i >= 0 && posted == ""; i-- {
			if datedDir.MatchString(dirs[i]) {
				posted = dirs[i]
			}
		}
		s.Masters = append(s.Masters, master{Path: rel, Part: m[1], Posted: posted})
	case slices.Contains(dirs, "usaspending"):
		if awardName.MatchString(name) {
			s.Federal = append(s.Federal, rel)
		}
	case slices.Contains(dirs, "fac"):
		if plainText.MatchString(name) {
			s.Audits = append(s.Audits, rel)
		}
	case slices.Contains(dirs, "stateaward"):
		if state := dirs[len(dirs)-1]; len(state) == 2 && (plainText.MatchString(name) || name == "mapping.toml") {
			s.States[state] = append(s.States[state], rel)
		}
	case slices.Contains(dirs, "uk"):
		if strings.HasPrefix(name, "publicextract.") {
			s.UK = append(s.UK, rel)
		}
	case slices.ContainsFunc(listFiles, func(l listFile) bool { return slices.Contains(dirs, l.folder) }):
		for _, l := range listFiles {
			if slices.Contains(dirs, l.folder) && l.name.MatchString(name) {
				s.Lists[l.list] = append(s.Lists[l.list], rel)
			}
		}
	case slices.Contains(dirs, "overrides") && name == "human.csv":
		s.Overrides = append(s.Overrides, rel)
	case slices.Contains(dirs, "overrides") && (name == "model.csv" || name == "llm.csv"):
		s.Assisted = append(s.Assisted, rel)
	case slices.Contains(dirs, "overrides") && name == "masked.csv":
		s.Masked = append(s.Masked, rel)
	case slices.Contains(dirs, "census") && strings.HasSuffix(name, ".txt"):
		s.Census = rel
	}
}

// rankMasters orders the postings of each part newest first and marks the rest
// as older. An undated posting counts as the newest.
func (s *Sources) rankMasters() {
	slices.SortFunc(s.Masters, func(a, b master) int {
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

// newest is the file in the folder of the latest date, where folders are
// dated. Undated folders come after dated ones, as what was fetched by hand or
// by the program itself.
func newest(files []string) string {
	return slices.MaxFunc(files, func(a, b string) int {
		return cmp.Or(strings.Compare(folderDate(a), folderDate(b)), strings.Compare(path.Dir(a), path.Dir(b)))
	})
}

func folderDate(file string) string {
	dirs := strings.Split(path.Dir(file), "/")
	for _, d := range slices.Backward(dirs) {
		if datedDir.MatchString(d) {
			return d
		}
	}
	return "9999"
}

// newestByName keeps, of files with the same name, the newest.
func newestByName(files []string) []string {
	byName := map[string][]string{}
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f), ".gz")
		byName[name] = append(byName[name], f)
	}
	kept := make([]string, 0, len(byName))
	for _, same := range byName {
		kept = append(kept, newest(same))
	}
	slices.Sort(kept)
	return kept
}

// abs is the path of a source file on disk.
func (s *Sources) abs(rel string) string { return filepath.Join(s.Root, filepath.FromSlash(rel)) }

// wrongFormat says that a file is not what its place says it should be.
func wrongFormat(path, what string, err error) error {
	if _, ok := fault.Of(err); ok {
		return err
	}
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		return fault.Disk(path, err)
	}
	return fault.New("wrong_format", "%s is not %s: %w", path, what, err).
		Try("fetch it again, or move it out of the sources folder")
}

// stopped is the end of the context, where that is why something failed: where
// the work was by then is no fault of that place.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func hashFile(ctx context.Context, path string) (sum string, n int64, err error) {
	sum, n, err = disk.Hash(ctx, path)
	return sum, n, stopped(ctx, fault.Disk(path, err))
}

// source begins the record of a file with its hash.
func (b *builder) source(ctx context.Context, kind, rel string) (snapshot.Source, error) {
	sum, size, err := hashFile(ctx, b.sources.abs(rel))
	return snapshot.Source{Kind: kind, Path: rel, Bytes: size, SHA256: sum}, err
}

// unreadable says why a file could not be read; that the build was stopped is not
// the file's fault.
func (b *builder) unreadable(ctx context.Context, rel, what string, err error) error {
	return stopped(ctx, wrongFormat(b.sources.abs(rel), what, err))
}

// readSource reads one upstream file and records it with its hash. what says
// what the file should have been, in case it is not.
func (b *builder) readSource(ctx context.Context, kind, rel, what string, read func(io.Reader) (rows int64, err error)) error {
	path := b.sources.abs(rel)
	sum, size, err := hashFile(ctx, path)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	defer f.Close()
	rows, err := read(disk.Until(ctx, f))
	if err != nil {
		return stopped(ctx, wrongFormat(path, what, err))
	}
	b.addSource(snapshot.Source{Kind: kind, Path: rel, Bytes: size, SHA256: sum, Rows: rows})
	return nil
}

func (b *builder) addSource(s snapshot.Source) { b.used = append(b.used, s) }
