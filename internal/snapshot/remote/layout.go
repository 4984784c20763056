package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// Area is one kind of content in a store, with its own pointer.
type Area string

// The areas of a store.
const (
	Snapshots Area = "snapshots"
	Lists     Area = "lists" // editions of the compliance lists
)

// noun is the word for one version, used in messages.
func (a Area) noun() string {
	if a == Lists {
		return "edition of the lists"
	}
	return "snapshot"
}

func (a Area) pointerKey() string                { return string(a) + "/current" }
func (a Area) manifestKey(version string) string { return a.manifests() + version + ".json" }
func (a Area) objectKey(sum string) string       { return a.objects() + sum }
func (a Area) leaseKey(id string) string         { return a.leases() + id + ".json" }
func (a Area) checksKey() string                 { return string(a) + "/checks.json" }
func (a Area) manifests() string                 { return string(a) + "/builds/" }
func (a Area) objects() string                   { return string(a) + "/objects/" }
func (a Area) leases() string                    { return string(a) + "/leases/" }

// layout is the version of this package's format. Readers refuse other versions.
const layout = 1

// Pointer names the version to be served.
type Pointer struct {
	Layout   int    `json:"layout"`
	Version  string `json:"version"`
	Manifest string `json:"manifest"` // SHA-256 of the manifest's file
	// Newest is the newest version ever pointed at. It prevents publishing a version by accident after it was rolled back.
	Newest string `json:"newest"`
}

// Bounds of what is read from a store.
const (
	maxPointer = 4 << 10
	maxLease   = 64 << 10
	maxHeld    = 100     // versions in a lease
	maxLeases  = 10_000  // leases in a store
	maxObjects = 2 << 20 // objects in an area
	maxKept    = 10_000  // versions in an area
	maxChecks  = 1 << 20
)

func ParsePointer(body []byte) (Pointer, error) {
	var p Pointer
	err := strict(body, maxPointer, &p)
	switch {
	case err != nil:
	case p.Layout != layout:
		return p, fault.New("store_layout", "the store has layout %d, this program reads %d", p.Layout,
			layout).Try("use the same release of grantgraph on every machine")
	case !snapshot.IsVersion(p.Version) || !snapshot.IsVersion(p.Newest) || p.Newest < p.Version:
		err = errors.New("its versions are none")
	case !snapshot.IsSum(p.Manifest):
		err = errors.New("it names no manifest")
	}
	if err != nil {
		return Pointer{}, fault.New("bad_pointer", "the pointer in the store cannot be read: %w", err).
			Try("grantgraph publish --rollback VERSION writes a new one; --list shows the versions")
	}
	return p, nil
}

// Lease names the versions that a machine is using.
type Lease struct {
	Layout int      `json:"layout"`
	Kind   string   `json:"kind"`  // a constant below
	Holds  []string `json:"holds"` // versions
}

// Kinds of leases.
const (
	leaseNode    = "node"    // serves a version, or is about to
	leasePublish = "publish" // is sending a version
	leaseSweep   = "sweep"   // is removing unused versions
)

func ParseLease(body []byte) (Lease, error) {
	var l Lease
	if err := strict(body, maxLease, &l); err != nil {
		return Lease{}, err
	}
	switch {
	case l.Layout != layout:
		return Lease{}, fmt.Errorf("it has layout %d", l.Layout)
	case !slices.Contains([]string{leaseNode, leasePublish, leaseSweep}, l.Kind):
		return Lease{}, errors.New("it is of no known kind")
	case len(l.Holds) > maxHeld || slices.ContainsFunc(l.Holds, func(v string) bool { return !snapshot.IsVersion(v) }):
		return Lease{}, errors.New("its versions are none")
	}
	return l, nil
}

// strict decodes a small JSON document and refuses anything after it.
func strict(body []byte, most int, into any) error {
	if len(body) > most {
		return fmt.Errorf("it is longer than %d bytes", most)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind it")
	}
	return nil
}

func encode(v any) []byte {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // cannot fail: only texts and numbers
	}
	return append(body, '\n')
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

var leaseIDPattern = regexp.MustCompile(`^[a-z0-9-]{8,64}$`)

// version is the version whose manifest has this key. ok is false for other keys, which are ignored.
func (a Area) version(key string) (version string, ok bool) {
	name, under := strings.CutPrefix(key, a.manifests())
	version, json := strings.CutSuffix(name, ".json")
	return version, under && json && snapshot.IsVersion(version)
}

func (a Area) object(key string) (sum string, ok bool) {
	sum, under := strings.CutPrefix(key, a.objects())
	return sum, under && snapshot.IsSum(sum)
}

func (a Area) leaseID(key string) (id string, ok bool) {
	name, under := strings.CutPrefix(key, a.leases())
	id, json := strings.CutSuffix(name, ".json")
	return id, under && json && leaseIDPattern.MatchString(id)
}

// Read reads a whole object, which must not be longer than most bytes.
func Read(ctx context.Context, s Store, key string, most int64) ([]byte, error) {
	r, err := s.Get(ctx, key, 0, most+1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > most {
		return nil, fault.New("bad_object", "%s in %s is longer than %d bytes", key, s, most).Try("see who else writes there")
	}
	return body, nil
}

// readPointer reads the pointer of an area and its tag. The tag is empty if there is no pointer.
func readPointer(ctx context.Context, s Store, a Area) (p Pointer, tag string, err error) {
	// The pointer may move between two requests.
	for range 5 {
		info, err := s.Head(ctx, a.pointerKey())
		if errors.Is(err, fs.ErrNotExist) {
			return Pointer{}, "", nil
		}
		if err != nil {
			return Pointer{}, "", err
		}
		body, err := Read(ctx, s, a.pointerKey(), maxPointer)
		if err != nil {
			return Pointer{}, "", err
		}
		again, err := s.Head(ctx, a.pointerKey())
		if err != nil {
			return Pointer{}, "", err
		}
		if again.Tag == info.Tag {
			p, err := ParsePointer(body)
			return p, info.Tag, err
		}
	}
	return Pointer{}, "", fault.New("store_busy", "the pointer in %s is being moved all the time", s).Try("run it again when other publishers are done")
}

// Current reads which version is to be served. If nothing was ever published, the error is fs.ErrNotExist.
func Current(ctx context.Context, s Store, a Area) (Pointer, error) {
	body, err := Read(ctx, s, a.pointerKey(), maxPointer)
	if err != nil {
		return Pointer{}, err
	}
	return ParsePointer(body)
}

func readManifest(ctx context.Context, s Store, a Area, version string) (*snapshot.Manifest, []byte, error) {
	body, err := Read(ctx, s, a.manifestKey(version), snapshot.MaxManifest)
	if err != nil {
		return nil, nil, err
	}
	m, err := snapshot.ParseManifest(version, body)
	return m, body, err
}

func versionsIn(ctx context.Context, s Store, a Area) (versions []string, err error) {
	versions, err = collect(ctx, s, a.manifests(), "snapshots", maxKept, func(o Info) (string, bool) { return a.version(o.Key) })
	slices.Sort(versions)
	return versions, err
}

// collect takes what a folder of a store has of something, unless that is too much.
func collect[T any](ctx context.Context, s Store, prefix, what string, most int, take func(Info) (T, bool)) (list []T, err error) {
	err = s.List(ctx, prefix, func(o Info) error {
		v, ok := take(o)
		switch {
		case !ok:
			return nil
		case len(list) == most:
			return fault.New("store_full", "there are too many %s in %s", what, s).Try("use another prefix, or lower --keep")
		}
		list = append(list, v)
		return nil
	})
	return list, err
}

type liveLease struct {
	Lease
	id      string
	renewed time.Time
	broken  bool // unreadable, so it may hold any version
}

func leasesIn(ctx context.Context, s Store, a Area) (list []liveLease, err error) {
	found, err := collect(ctx, s, a.leases(), "leases", maxLeases, func(o Info) (liveLease, bool) {
		id, ok := a.leaseID(o.Key)
		return liveLease{id: id, renewed: o.Modified}, ok
	})
	if err != nil {
		return nil, err
	}
	for _, l := range found {
		body, err := Read(ctx, s, a.leaseKey(l.id), maxLease)
		if errors.Is(err, fs.ErrNotExist) {
			continue // given back meanwhile
		}
		if err != nil {
			return nil, err
		}
		l.Lease, err = ParseLease(body)
		l.broken = err != nil
		list = append(list, l)
	}
	return list, nil
}
