package build

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"grantgraph/internal/fault"
)

// Sources are the upstream files found in a folder. The folder may be laid out
// in any depth; what a file is follows from the nearest folder name and its own
// name:
//
//	990/…/*.zip, *_public.xml      returns
//	990/…/index*.csv               the IRS's own lists of returns
//	bmf/…/eo*.csv[.gz]             the business master file, by region or state
//	overrides/human.csv            adjudicated corrections
//	census/*.txt                   a newer ZIP-to-county relationship file
type Sources struct {
	Root      string
	Returns   []string // all relative to Root, with slashes, sorted
	Indexes   []string
	Masters   []master
	Overrides string
	Census    string
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
)

// Discover lists the upstream files under root.
func Discover(root string) (*Sources, error) {
	s := &Sources{Root: root}
	st, err := os.Stat(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fault.New("sources_missing", "the sources folder %s does not exist", root).
				Try("grantgraph synth --out %s   makes an invented world there", root)
		}
		return nil, fault.Disk(root, err)
	}
	if !st.IsDir() {
		return nil, fault.New("sources_not_folder", "%s is a file, not a folder of upstream files", root).
			Try("give the folder that holds 990/ and bmf/")
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fault.Disk(path, err)
		}
		if strings.HasPrefix(d.Name(), ".") && path != root {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return fault.Disk(path, err)
		}
		s.place(filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.Returns) == 0 {
		return nil, fault.New("sources_empty", "no filings under %s", root).
			Try("put the IRS zips under %s/990 (grantgraph synth --out %s makes an invented set)", root, root)
	}
	slices.Sort(s.Returns)
	slices.Sort(s.Indexes)
	s.rankMasters()
	return s, nil
}

// place puts one file where it belongs; files of no known kind are left alone.
func (s *Sources) place(rel string) {
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
	case slices.Contains(dirs, "overrides") && name == "human.csv":
		s.Overrides = rel
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

// abs is the path of a source file on disk.
func (s *Sources) abs(rel string) string { return filepath.Join(s.Root, filepath.FromSlash(rel)) }
