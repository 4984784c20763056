package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
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
