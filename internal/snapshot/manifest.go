package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Format is the version of the layout. Readers refuse other versions.
const Format = 2

// Manifest describes a snapshot. Only Version, GeneratedAt and Seal depend on more than the sources, so two builds of the same
// sources agree in everything else. Database files are an exception: their rows agree, but the engine chooses their bytes. So
// Content leaves out their size and checksum. It also leaves out the folder HistoryDir, which depends on earlier builds.
type Manifest struct {
	Format      int             `json:"format"`
	Version     string          `json:"version"`            // build stamp, sortable
	GeneratedAt time.Time       `json:"generated_at"`       // when the build began
	Content     string          `json:"content"`            // SHA-256 over the checksums of all files but databases, vectors and history
	Invented    bool            `json:"invented,omitempty"` // some of the sources were made up, so nothing here may pass for true
	Individuals string          `json:"individuals"`        // how private persons are shown: IndividualsFiled or IndividualsMasked
	Scope       string          `json:"scope,omitempty"`    // whose returns count, if not everybody's
	Counts      Counts          `json:"counts"`
	Sources     []Source        `json:"sources"`
	Files       []File          `json:"files"`
	Report      json.RawMessage `json:"report"` // the build report, see package ingest
	Seal        string          `json:"seal"`   // SHA-256 of the manifest's file with zeros in this place
}

// How a snapshot shows private persons who received grants.
const (
	IndividualsFiled  = "filed"  // as in the returns
	IndividualsMasked = "masked" // without name, city, ZIP code and purpose
)

type Counts struct {
	Grants            int64 `json:"grants"`
	TotalAmount       int64 `json:"total_amount"`
	Funders           int64 `json:"funders"`
	Recipients        int64 `json:"recipients"`
	Linked            int64 `json:"linked"` // grants whose recipient has an EIN
	LinkedAmount      int64 `json:"linked_amount"`
	Organizations     int64 `json:"organizations"`
	Returns           int64 `json:"returns"`
	FirstFiscalYear   int   `json:"first_fiscal_year"`
	LastFiscalYear    int   `json:"last_fiscal_year"`
	LastCompleteYear  int   `json:"last_complete_fiscal_year"`
	PartialFiscalYear []int `json:"partial_fiscal_years"`
}

// Source is one upstream file that went into the snapshot.
type Source struct {
	Kind   string `json:"kind"` // irs990, bmf, override_human, census
	Path   string `json:"path"` // relative to the sources folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"` // returns or records read from it
}

// HistoryDir is the folder of files that compare a snapshot with the snapshots kept when it was made.
const HistoryDir = "history"

type File struct {
	Path   string `json:"path"` // relative to the snapshot, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"`
}

// Table is the name of the table in the file, or empty if the file is not a table.
func (f *File) Table() string {
	if dir, name := path.Split(f.Path); dir == tablesName+"/" {
		return strings.TrimSuffix(name, ".parquet")
	}
	return ""
}

// unsealed replaces the seal while it is computed.
var unsealed = strings.Repeat("0", hex.EncodedLen(sha256.Size))

func sealed(seal string) []byte { return []byte(`"seal": "` + seal + `"`) }

// encode seals the manifest and returns its file. The seal reveals any changed bit,
// because counts and sources are shown to others as they are in the manifest.
func (m *Manifest) encode() ([]byte, error) {
	m.Seal = unsealed
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	sum := sha256.Sum256(body)
	m.Seal = hex.EncodeToString(sum[:])
	at := bytes.LastIndex(body, sealed(unsealed))
	copy(body[at:], sealed(m.Seal))
	return body, nil
}

func (m *Manifest) intact(body []byte) bool {
	at := bytes.LastIndex(body, sealed(m.Seal))
	if at < 0 || len(m.Seal) != len(unsealed) {
		return false
	}
	body = bytes.Clone(body)
	copy(body[at:], sealed(unsealed))
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]) == m.Seal
}

func (f File) history() bool { return strings.HasPrefix(f.Path, HistoryDir+"/") }

// contentHash is one hash for the whole content: the hash of the list of file hashes. It leaves out three kinds of files.
// Databases repeat the tables. Vectors depend on whether the machine has a fast encoder. History depends on earlier builds.
func contentHash(files []File) string {
	h := sha256.New()
	for _, f := range files {
		if strings.HasSuffix(f.Path, ".duckdb") || strings.HasSuffix(f.Path, "/vectors.gg") || f.history() {
			continue
		}
		fmt.Fprintf(h, "%s %d %s\n", f.SHA256, f.Bytes, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Rates say how the build found the EINs of recipients.
type Rates struct {
	Rules []RuleCount  `json:"ein_source"` // strongest first; rows without an EIN come last, as none
	Years []YearCounts `json:"by_year"`
	Model ModelRates   `json:"model"`
}

// ModelRates describe the model for grants that no rule decided.
type ModelRates struct {
	Origin  string `json:"origin"` // trained or prior; empty if the build did not say
	Metrics struct {
		Labels int `json:"labels"` // grants with a known organization on which it was fitted
	} `json:"metrics"`
}

type RuleCount struct {
	Name        string `json:"name"`
	Grants      int64  `json:"grant_count"`
	TotalAmount int64  `json:"total_amount"`
}

type YearCounts struct {
	FiscalYear  int         `json:"fiscal_year"`
	Grants      int64       `json:"grant_count"`
	TotalAmount int64       `json:"total_amount"`
	Partial     bool        `json:"partial"`
	Rules       []RuleCount `json:"ein_source"`
}

// Unresolved is the name of the count of rows without an EIN.
const Unresolved = "none"

func (y *YearCounts) Linked() (n int64) {
	for _, r := range y.Rules {
		if r.Name != Unresolved {
			n += r.Grants
		}
	}
	return n
}

// Rates reads the rates from the build report, without years that have no grants.
func (m *Manifest) Rates() (r Rates, err error) {
	if len(m.Report) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(m.Report, &r); err != nil {
		return Rates{}, fmt.Errorf("reading the build report: %w", err)
	}
	r.Years = slices.DeleteFunc(r.Years, func(y YearCounts) bool { return y.Grants == 0 })
	return r, nil
}

// AwardCoverage says which sources the tables of government funding cover. It tells "no awards" from "not searched".
type AwardCoverage struct {
	FederalThrough string   // day of the latest federal action read; empty if no archive was read
	StatesRead     []string // two-letter codes, sorted; other states were not searched
}

// AwardCoverage reads the coverage from the build report.
func (m *Manifest) AwardCoverage() (AwardCoverage, error) {
	c := AwardCoverage{StatesRead: []string{}}
	if len(m.Report) == 0 {
		return c, nil
	}
	var report struct {
		Awards struct {
			Federal struct {
				Through string `json:"through"`
			} `json:"federal"`
			States []struct {
				State string `json:"state"`
				Files int    `json:"files"`
			} `json:"states"`
		} `json:"awards"`
	}
	if err := json.Unmarshal(m.Report, &report); err != nil {
		return c, fmt.Errorf("reading the build report: %w", err)
	}
	c.FederalThrough = report.Awards.Federal.Through
	for _, s := range report.Awards.States {
		if s.Files > 0 {
			c.StatesRead = append(c.StatesRead, s.State)
		}
	}
	return c, nil
}

// Bounds on the manifest of a snapshot from another machine.
const (
	MaxManifest  = 32 << 20 // bytes
	maxFiles     = 10_000
	maxFileBytes = 1 << 42
	maxFilePath  = 200
)

// receivedPrefix begins the name of a folder that is being filled with a snapshot from another machine. The
// folder outlives the process, so that the next one can continue.
const receivedPrefix = ".pull-"

var (
	filePattern = regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]*(\.[a-z0-9]+)?(/[a-z0-9_][a-z0-9_-]*(\.[a-z0-9]+)?){0,3}$`)
	sumPattern  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func IsVersion(text string) bool { return stampPattern.MatchString(text) }

func IsSum(text string) bool { return sumPattern.MatchString(text) }

// ParseManifest reads the manifest of a snapshot from another machine and does not trust it. Besides checksums, it checks that
// the names and sizes of files are such as a build writes. So the names can safely be used as paths.
func ParseManifest(version string, body []byte) (*Manifest, error) {
	bad := func(format string, args ...any) (*Manifest, error) {
		return nil, fault.New("bad_manifest", "the manifest of snapshot "+fault.Clip(version, 40)+" "+format, args...).
			Try("publish the snapshot again from the machine that built it")
	}
	if len(body) > MaxManifest {
		return bad("is longer than %d bytes", MaxManifest)
	}
	m := &Manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return bad("cannot be read: %w", err)
	}
	if m.Format != Format {
		return nil, fault.New("snapshot_format", "snapshot %s has layout %d, this program reads %d", fault.Clip(version, 40), m.Format, Format).
			Try("use the same release of grantgraph on every machine, and build with it")
	}
	switch {
	case !m.intact(body):
		return bad("does not match its checksum")
	case !IsVersion(version) || m.Version != version:
		return bad("is that of %q", fault.Clip(m.Version, 40))
	case len(m.Files) > maxFiles:
		return bad("lists more than %d files", maxFiles)
	}
	names := map[string]bool{}
	for _, f := range m.Files {
		switch {
		case len(f.Path) > maxFilePath || !filePattern.MatchString(f.Path) || f.Path == manifestName:
			return bad("has a file named %q", fault.Clip(f.Path, maxFilePath))
		case f.Bytes < 0 || f.Bytes > maxFileBytes:
			return bad("has a file of %d bytes", f.Bytes)
		case !sumPattern.MatchString(f.SHA256):
			return bad("has a file without a checksum")
		case names[f.Path]:
			return bad("lists %s twice", f.Path)
		}
		names[f.Path] = true
	}
	for _, f := range m.Files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if names[dir] {
				return bad("has %s as a file and as a folder", dir)
			}
		}
	}
	if contentHash(m.Files) != m.Content {
		return bad("lists other files than its checksum says")
	}
	return m, nil
}

func (s *Snapshot) Body() ([]byte, error) {
	name := filepath.Join(s.Dir, manifestName)
	body, err := os.ReadFile(name)
	return body, fault.Disk(name, err)
}

// Receiver receives a snapshot from another machine into a data directory. The caller fills its folder. The
// folder is kept until Publish or Discard, even across restarts.
type Receiver struct {
	Dir      string // the caller puts the files of the manifest here
	Journal  string // beside Dir, for the caller's notes on progress
	Manifest *Manifest

	data string
	body []byte
}

// Receive starts or continues to receive the snapshot of a manifest. The id is a
// digest of the manifest, to tell apart two snapshots of the same version.
func Receive(data, id string, m *Manifest, body []byte) (*Receiver, error) {
	builds := filepath.Join(data, buildsName)
	dir := filepath.Join(builds, receivedPrefix+m.Version+"-"+id)
	r := &Receiver{Dir: dir, Journal: dir + ".journal", Manifest: m, data: data, body: body}
	for _, f := range m.Files {
		sub := filepath.Dir(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err := disk.MkdirAll(sub, 0o755); err != nil {
			return nil, fault.Disk(sub, err)
		}
	}
	return r, fault.Disk(dir, disk.MkdirAll(dir, 0o755))
}

// LockReceiving keeps other processes from receiving into the same directory. The
// error is disk.ErrLocked if another process is receiving.
func LockReceiving(data string) (release func(), err error) {
	builds := filepath.Join(data, buildsName)
	if err := disk.MkdirAll(builds, 0o755); err != nil {
		return nil, fault.Disk(builds, err)
	}
	name := filepath.Join(builds, receivedPrefix+"lock")
	f, err := disk.LockPath(name)
	if err != nil {
		return nil, fault.Disk(name, err)
	}
	return func() { f.Close() }, nil
}

// received lists the folders of partly received snapshots, with their journals.
func received(data string) ([]string, error) {
	builds := filepath.Join(data, buildsName)
	entries, err := os.ReadDir(builds)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fault.Disk(builds, err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), receivedPrefix) && e.Name() != receivedPrefix+"lock" {
			names = append(names, filepath.Join(builds, e.Name()))
		}
	}
	return names, nil
}

// DiscardReceived removes partly received snapshots, except keep, which may be nil.
func DiscardReceived(data string, keep *Receiver) error {
	names, err := received(data)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names {
		if keep == nil || name != keep.Dir && name != keep.Journal {
			errs = append(errs, fault.Disk(name, disk.RemoveAll(name)))
		}
	}
	return errors.Join(errs...)
}

// Publish makes the snapshot visible and points current at it. The caller must have checked all files against their checksums.
func (r *Receiver) Publish() (*Snapshot, error) {
	name := filepath.Join(r.Dir, manifestName)
	if err := disk.WriteFile(name, 0o644, writeBytes(r.body)); err != nil {
		return nil, fault.Disk(name, err)
	}
	final := filepath.Join(r.data, buildsName, r.Manifest.Version)
	if err := disk.Publish(r.Dir, final); err != nil {
		return nil, fault.Disk(final, err)
	}
	if err := disk.Remove(r.Journal); err != nil {
		return nil, fault.Disk(r.Journal, err)
	}
	return &Snapshot{Dir: final, Manifest: *r.Manifest}, PointTo(r.data, r.Manifest.Version)
}

func PointTo(data, version string) error {
	if _, err := OpenVersion(data, version); err != nil {
		return err
	}
	if now, err := currentVersion(data); err == nil && now == version {
		return nil
	}
	return pointTo(data, version)
}

// Versions lists the snapshots of a data directory in order.
func Versions(data string) ([]string, error) { return versions(filepath.Join(data, buildsName)) }
