package downloads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/remote"
)

const (
	IndexName = "index.json" // lists the releases, for programs that follow them
	prefix    = "downloads/"

	maxText     = 16 << 20 // bytes of a description in a store
	maxReleases = 100
)

// Index lists the releases that are kept, newest first. Addresses are relative to its own.
type Index struct {
	Releases []Release `json:"releases"`
}

// Release is a snapshot whose tables can be downloaded.
type Release struct {
	Version string    `json:"version"`
	Created time.Time `json:"created"`
	Package string    `json:"package"`           // address of its description
	Changes string    `json:"changes,omitempty"` // address of what changed since the release before
}

// Folder is where the files of a release belong in a store.
func Folder(version string) string { return prefix + version }

// Publish adds a release, whose files are in the store, to the index, and removes all but the newest few.
func Publish(ctx context.Context, s remote.Store, p *warehouse.DataPackage, keep int) error {
	index, _, tag, err := readIndex(ctx, s)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(index.Releases, func(x Release) bool { return x.Version == p.Version })
	list = append(list, Release{Version: p.Version, Created: p.Created, Package: p.Version + "/" + warehouse.PackageName})
	slices.SortFunc(list, func(a, b Release) int { return strings.Compare(b.Version, a.Version) })
	for i := range len(list) - 1 {
		list[i].Changes = "../api/v1/changes?since=" + list[i+1].Version
	}
	gone := list[min(keep, len(list)):]
	index.Releases = list[:len(list)-len(gone)]
	body, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return err
	}
	if _, err := s.PutIf(ctx, prefix+IndexName, append(body, '\n'), tag); err != nil {
		return err
	}
	for _, x := range gone {
		if err := s.List(ctx, Folder(x.Version)+"/", func(o remote.Info) error { return s.Delete(ctx, o.Key) }); err != nil {
			return err
		}
	}
	return nil
}

// readIndex reads the index of a store, as text too, with its tag. A store without one has no releases.
func readIndex(ctx context.Context, s remote.Store) (index Index, body []byte, tag string, err error) {
	index.Releases = []Release{}
	info, err := s.Head(ctx, prefix+IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return index, []byte(`{"releases": []}` + "\n"), "", nil
	}
	if err != nil {
		return index, nil, "", err
	}
	if body, err = read(ctx, s, prefix+IndexName); err != nil {
		return index, nil, "", err
	}
	if err := json.Unmarshal(body, &index); err != nil {
		return index, nil, "", fmt.Errorf("%s: %w", IndexName, err)
	}
	if len(index.Releases) > maxReleases || slices.ContainsFunc(index.Releases, func(r Release) bool { return !snapshot.IsVersion(r.Version) }) {
		return index, nil, "", fmt.Errorf("%s lists no releases", IndexName)
	}
	return index, body, info.Tag, nil
}

func read(ctx context.Context, s remote.Store, key string) ([]byte, error) {
	r, err := s.Get(ctx, key, 0, maxText+1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	if err == nil && len(body) > maxText {
		err = fmt.Errorf("%s is longer than %d bytes", key, maxText)
	}
	return body, err
}
