package oversight

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// Dataset is a build in a data directory.
type Dataset struct {
	Version string    `json:"version"`
	Current bool      `json:"current"`
	Built   time.Time `json:"built_at"`
	Grants  int64     `json:"grants"`
	Bytes   int64     `json:"bytes"`
	Problem *string   `json:"problem"` // why it cannot be served; null if nothing is known to be wrong
}

func datasetOf(s *snapshot.Snapshot, current bool) *Dataset {
	m := &s.Manifest
	d := &Dataset{Version: m.Version, Current: current, Built: m.GeneratedAt, Grants: m.Counts.Grants}
	for _, f := range m.Files {
		d.Bytes += f.Bytes
	}
	return d
}

// Datasets are the builds of the data directory as JSON, newest first.
func (s *Source) Datasets() (list []json.RawMessage, err error) {
	versions, err := snapshot.Versions(s.Data)
	now, _ := snapshot.Open(s.Data)
	for _, v := range slices.Backward(versions) {
		d := &Dataset{Version: v}
		if build, err := snapshot.OpenVersion(s.Data, v); err != nil {
			d.Problem = new(err.Error())
		} else {
			d = datasetOf(build, now != nil && v == now.Manifest.Version)
		}
		row, _ := json.Marshal(d) // texts, numbers and times
		list = append(list, row)
	}
	return list, err
}

// Publish has the data directory point at another of its builds, an earlier one to roll back. Servers take it up within seconds.
// note is called before, with the version and the one before it.
func (s *Source) Publish(version string, note func(details string) error) error {
	if _, err := os.Stat(filepath.Join(s.Data, "node")); err == nil {
		return fault.New("follows_store", "This data directory follows a store, so its dataset is chosen there.").
			Try("grantgraph publish --rollback %s --to STORE", fault.Clip(version, 40))
	}
	versions, err := snapshot.Versions(s.Data)
	if err != nil {
		return err
	}
	if !slices.Contains(versions, version) {
		return fault.New("no_such_dataset", "There is no dataset %s in the data directory.", fault.Clip(version, 40)).
			Try("grantgraph admin list-datasets shows those that are there")
	}
	if _, err = snapshot.OpenVersion(s.Data, version); err != nil {
		return fault.New("unusable_dataset", "The dataset %s cannot be served: %w", version, err).Try("another version")
	}
	details := version
	if before, err := snapshot.Open(s.Data); err == nil {
		details += " after " + before.Manifest.Version
	}
	if err := note(details); err != nil {
		return err
	}
	return snapshot.PointTo(s.Data, version)
}

// Check is the result of the last whole check of the files, which grantgraph check keeps beside the data.
type Check struct {
	At      time.Time `json:"at"`
	Damaged int       `json:"damaged"`
}

func checkNote(data string) string { return filepath.Join(data, "checked.json") }

// NoteCheck keeps the result of a check.
func NoteCheck(data string, damaged int) error {
	return disk.WriteFile(checkNote(data), 0o644, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(Check{time.Now().UTC().Truncate(time.Second), damaged})
	})
}

// ReadCheck returns the last check, nil if there was none.
func ReadCheck(data string) *Check {
	body, err := os.ReadFile(checkNote(data))
	if last := new(Check); err == nil && json.Unmarshal(body, last) == nil {
		return last
	}
	return nil
}
