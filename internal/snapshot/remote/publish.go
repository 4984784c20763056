package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

type Publication struct {
	Store    Store
	Area     Area
	Parallel int  // files at a time; 0 means a few
	Keep     int  // versions to keep; 0 keeps all
	Resend   bool // send files even if the store has them, because they may be damaged

	// Progress reports how many bytes of how many are in the store. It may be nil.
	Progress func(done, total int64)
}

type Published struct {
	Area     Area     `json:"area"`
	Version  string   `json:"version"`
	Previous string   `json:"previous,omitempty"` // the version pointed at before; empty if none
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Sent     int64    `json:"bytes_sent"` // of files that the store lacked
	Removed  []string `json:"removed"`    // versions that were removed
	Kept     string   `json:"kept,omitempty"`
}

// Publish sends a snapshot and points at it. On any failure the pointer stays where
// it was, and the next attempt reuses what was sent.
func (p Publication) Publish(ctx context.Context, s *snapshot.Snapshot) (*Published, error) {
	release, err := s.Hold()
	if err != nil {
		return nil, err
	}
	defer release()
	body, err := s.Body()
	if err != nil {
		return nil, err
	}
	version := s.Manifest.Version
	m, err := snapshot.ParseManifest(version, body)
	if err != nil {
		return nil, err
	}
	before, tag, err := readPointer(ctx, p.Store, p.Area)
	if err != nil {
		return nil, err
	}
	if err := p.mayFollow(before, version); err != nil {
		return nil, err
	}
	h, now, stop, err := lease(ctx, p.Store, p.Area, leasePublish, version)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := h.conditional(ctx); err != nil {
		return nil, err
	}
	if err := p.awaitSweep(ctx, h, now); err != nil {
		return nil, err
	}
	// The manifest goes first: it keeps sweepers from removing the files that are sent.
	if err := p.putManifest(ctx, version, body); err != nil {
		return nil, err
	}
	out := &Published{Area: p.Area, Version: version, Previous: before.Version, Files: len(m.Files), Removed: []string{}}
	if out.Bytes, out.Sent, err = p.send(ctx, s, m); err != nil {
		return nil, err
	}
	if err := p.whole(ctx, m); err != nil {
		return nil, err
	}
	if err := p.move(ctx, before, tag, version, body); err != nil {
		return nil, err
	}
	out.Removed, out.Kept, err = p.sweep(ctx, h)
	return out, err
}

// mayFollow refuses a version older than the newest published one. It may be a mistake or a wrong clock.
func (p Publication) mayFollow(before Pointer, version string) error {
	if before.Version == "" || version == before.Version || version > before.Newest {
		return nil
	}
	if version == before.Newest {
		return fault.New("publish_withdrawn", "%s %s was rolled back to %s", p.Area.noun(), version, before.Version).
			Try("build a new one and publish that; or, to serve this one after all, grantgraph publish --rollback %s", version)
	}
	return fault.New("publish_older", "%s %s is older than %s, which was published before", p.Area.noun(), version, before.Newest).
		Try("publish a newer build; if the clock of this machine was behind, set it and build again; to go back on purpose, grantgraph publish --rollback %s",
			version)
}

// awaitSweep waits until no sweeper can remove files that this publication needs.
func (p Publication) awaitSweep(ctx context.Context, h *holder, now time.Time) error {
	began := time.Now()
	for {
		list, err := leasesIn(ctx, p.Store, p.Area)
		if err != nil {
			return err
		}
		// Any clock can measure elapsed time.
		at := now.Add(time.Since(began))
		sweeping := slices.ContainsFunc(list, func(l liveLease) bool {
			return l.id != h.id && l.Kind == leaseSweep && at.Sub(l.renewed) < leaseLive
		})
		if !sweeping {
			return nil
		}
		if time.Since(began) > 2*leaseRenew {
			return fault.New("store_busy", "another publisher is removing old versions from %s",
				p.Store).Try("run it again when it is done; one that was killed counts as done after %d minutes", int(leaseLive.Minutes()))
		}
		if err := parallel.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// putManifest stores the manifest of a version. A version can have only one manifest.
func (p Publication) putManifest(ctx context.Context, version string, body []byte) error {
	key := p.Area.manifestKey(version)
	_, err := p.Store.PutIf(ctx, key, body, "")
	if !errors.Is(err, ErrChanged) {
		return err
	}
	there, err := Read(ctx, p.Store, key, snapshot.MaxManifest)
	if err != nil {
		return err
	}
	if bytes.Equal(there, body) {
		return nil
	}
	if _, err := snapshot.ParseManifest(version, there); err != nil && p.Resend {
		return p.Store.Put(ctx, key, bytes.NewReader(body), int64(len(body)))
	} else if err != nil {
		return fault.New(snapshot.Damaged, "the manifest of %s in %s is damaged", version, p.Store).Try("grantgraph publish --resend")
	}
	return fault.New("publish_conflict", "another %s with the version %s is in %s", p.Area.noun(), version, p.Store).
		Try("build again on this machine: the new build has another version")
}

// send stores the files that the store lacks. It checks each file against its checksum first, because the checksum is its key.
func (p Publication) send(ctx context.Context, s *snapshot.Snapshot, m *snapshot.Manifest) (total, sent int64, err error) {
	files := distinct(m)
	total = bytesOf(files)
	var done, fresh atomic.Int64
	err = parallel.Each(ctx, cmp.Or(p.Parallel, defaultParallel), len(files), func(ctx context.Context, i int) error {
		f := files[i]
		key := p.Area.objectKey(f.SHA256)
		there, err := p.Store.Head(ctx, key)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || there.Size != f.Bytes || p.Resend {
			if err := s.VerifyFile(ctx, f); err != nil {
				return err
			}
			name := filepath.Join(s.Dir, filepath.FromSlash(f.Path))
			file, err := os.Open(name)
			if err != nil {
				return fault.Disk(name, err)
			}
			defer file.Close()
			if err := p.Store.Put(ctx, key, file, f.Bytes); err != nil {
				return err
			}
			fresh.Add(f.Bytes)
		}
		if now := done.Add(f.Bytes); p.Progress != nil {
			p.Progress(now, total)
		}
		return nil
	})
	return total, fresh.Load(), err
}

func bytesOf(files []snapshot.File) (total int64) {
	for _, f := range files {
		total += f.Bytes
	}
	return total
}

// distinct lists the files of a snapshot, each content once, longest first, so that no long file is left for the end.
func distinct(m *snapshot.Manifest) []snapshot.File {
	files := slices.Clone(m.Files)
	slices.SortFunc(files, func(a, b snapshot.File) int { return strings.Compare(a.SHA256, b.SHA256) })
	files = slices.CompactFunc(files, func(a, b snapshot.File) bool { return a.SHA256 == b.SHA256 })
	slices.SortStableFunc(files, func(a, b snapshot.File) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return files
}

// whole checks that every file of a version is in the store, with its length.
func (p Publication) whole(ctx context.Context, m *snapshot.Manifest) error {
	sizes := make(map[string]int64, len(m.Files))
	for _, f := range m.Files {
		sizes[f.SHA256] = f.Bytes
	}
	err := p.Store.List(ctx, p.Area.objects(), func(o Info) error {
		if sum, ok := p.Area.object(o.Key); ok && sizes[sum] == o.Size {
			delete(sizes, sum)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(sizes) > 0 {
		return fault.New(snapshot.Damaged, "%d files of %s are missing in %s, or have another length", len(sizes), m.Version, p.Store).
			Try("grantgraph publish --resend from the machine that built it")
	}
	return nil
}

// move points at the version with a manifest, unless another publisher has moved the pointer meanwhile.
func (p Publication) move(ctx context.Context, before Pointer, tag, version string, manifest []byte) error {
	to := Pointer{Layout: layout, Version: version, Manifest: digest(manifest), Newest: max(before.Newest, version)}
	if to == before {
		return nil
	}
	_, err := p.Store.PutIf(ctx, p.Area.pointerKey(), encode(to), tag)
	if !errors.Is(err, ErrChanged) {
		return err
	}
	now, err := Current(ctx, p.Store, p.Area)
	if err == nil && now == to {
		return nil // the answer to our write was lost, or another publisher did the same
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fault.New("publish_conflict", "another publisher has pointed %s at %s meanwhile; that stays", p.Store, now.Version).
		Try("run it again if %s is still to be served", to.Version)
}

func (p Publication) Rollback(ctx context.Context, version string) (*Published, error) {
	if !snapshot.IsVersion(version) {
		return nil, fault.New("bad_flag", "%q is not a version", fault.Clip(version, 40)).Try("grantgraph publish --list shows the versions in the store")
	}
	h, now, stop, err := lease(ctx, p.Store, p.Area, leasePublish, version)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := p.awaitSweep(ctx, h, now); err != nil {
		return nil, err
	}
	m, body, err := readManifest(ctx, p.Store, p.Area, version)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("no_such_snapshot", "there is no %s %s in %s", p.Area.noun(), version, p.Store).
			Try("grantgraph publish --list shows the versions in the store")
	}
	if err != nil {
		return nil, err
	}
	if err := p.whole(ctx, m); err != nil {
		return nil, err
	}
	before, tag, err := readPointer(ctx, p.Store, p.Area)
	if f, ok := fault.Of(err); ok && f.Slug == "bad_pointer" {
		// This command also repairs an unreadable pointer.
		info, herr := p.Store.Head(ctx, p.Area.pointerKey())
		if herr != nil {
			return nil, herr
		}
		tag, err = info.Tag, nil
	}
	if err != nil {
		return nil, err
	}
	if err := p.move(ctx, before, tag, version, body); err != nil {
		return nil, err
	}
	return &Published{Area: p.Area, Version: version, Previous: before.Version, Files: len(m.Files), Bytes: bytesOf(m.Files), Removed: []string{}}, nil
}

type Version struct {
	Version string `json:"version"`
	Current bool   `json:"current"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	Nodes   int    `json:"nodes"`             // number of nodes that use it
	Problem string `json:"problem,omitempty"` // why it is unusable
}

func List(ctx context.Context, s Store, a Area) ([]Version, error) {
	pointer, _, err := readPointer(ctx, s, a)
	if err != nil {
		return nil, err
	}
	names, err := versionsIn(ctx, s, a)
	if err != nil {
		return nil, err
	}
	leases, err := leasesIn(ctx, s, a)
	if err != nil {
		return nil, err
	}
	list := []Version{}
	for _, name := range names {
		v := Version{Version: name, Current: name == pointer.Version}
		m, _, err := readManifest(ctx, s, a, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			f, ok := fault.Of(err)
			if !ok || f.Slug != "bad_manifest" && f.Slug != "snapshot_format" {
				return nil, err
			}
			v.Problem = f.Message
		default:
			v.Files, v.Bytes = len(m.Files), bytesOf(m.Files)
		}
		for _, l := range leases {
			if l.Kind == leaseNode && slices.Contains(l.Holds, name) {
				v.Nodes++
			}
		}
		list = append(list, v)
	}
	return list, nil
}

// takeChecks fetches the times at which the publishers of the lists were last checked.
func (f *Follower) takeChecks(ctx context.Context) error {
	body, err := Read(ctx, f.opt.Store, Lists.checksKey(), maxChecks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	checks, err := ParseChecks(body)
	if err != nil {
		return err
	}
	now, err := lists.ReadChecks(f.opt.Data)
	if err == nil && bytes.Equal(encode(now), encode(checks)) {
		return nil
	}
	return lists.WriteChecks(f.opt.Data, checks)
}

func ParseChecks(body []byte) ([]lists.Check, error) {
	var checks []lists.Check
	err := strict(body, maxChecks, &checks)
	known := map[string]bool{}
	for _, name := range lists.Names() {
		known[name] = true
	}
	for _, c := range checks {
		if !known[c.Name] {
			err = errors.Join(err, errors.New("it knows lists that there are not"))
			break
		}
		known[c.Name] = false // each list may occur once
	}
	if err != nil {
		return nil, fault.New("bad_object", "what the store says of the publishers of the lists cannot be read: %w", err).Try("publish again")
	}
	return checks, nil
}

// PublishChecks stores when the publishers of the lists were last checked. It does not replace later checks.
func PublishChecks(ctx context.Context, s Store, checks []lists.Check) error {
	for range 5 {
		tag, merged := "", checks
		info, err := s.Head(ctx, Lists.checksKey())
		if err == nil {
			tag = info.Tag
			body, err := Read(ctx, s, Lists.checksKey(), maxChecks)
			if err != nil {
				return err
			}
			if there, err := ParseChecks(body); err == nil {
				merged = newest(checks, there)
			}
			if bytes.Equal(encode(merged), body) {
				return nil
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if _, err := s.PutIf(ctx, Lists.checksKey(), encode(merged), tag); !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return fault.New("store_busy", "others are writing to %s all the time", s).Try("run it again")
}

// newest keeps the later check of each list, in the order of their names.
func newest(a, b []lists.Check) []lists.Check {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y lists.Check) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), y.CheckedAt.Compare(x.CheckedAt))
	})
	return slices.CompactFunc(all, func(x, y lists.Check) bool { return x.Name == y.Name })
}
