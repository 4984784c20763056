package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

// build publishes a snapshot with some files into a data directory.
func build(t *testing.T, data string, at time.Time, files map[string]string) *snapshot.Snapshot {
	t.Helper()
	w, err := snapshot.Create(data, at)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	for name, body := range files {
		if err := w.WriteFile(name, func(out io.Writer) error { _, err := io.WriteString(out, body); return err }); err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.Publish(snapshot.Manifest{Report: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// content is a world of three files, of which one changes with the day.
func content(day string) map[string]string {
	return map[string]string{
		"graph/index":         strings.Repeat("the same every day ", 5000),
		"tables/grants.thing": strings.Repeat(day, 20_000),
		"empty":               "",
	}
}

func slug(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return fmt.Sprint(err)
}

func publish(t *testing.T, s Store, snap *snapshot.Snapshot, keep int) *Published {
	t.Helper()
	out, err := Publication{Store: s, Area: Snapshots, Keep: keep}.Publish(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// follower follows a store into a new directory, a few kilobytes at a time.
func follower(t *testing.T, s Store, data string) *Follower {
	t.Helper()
	f, err := NewFollower(FollowOptions{Store: s, Data: data, Log: slog.New(slog.DiscardHandler), chunk: 8 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// look looks at the store once; what failed before is tried again.
func look(t *testing.T, f *Follower) error {
	t.Helper()
	f.snapshots.again, f.lists.again = time.Time{}, time.Time{}
	return errors.Join(f.look(t.Context(), f.snapshots, false), f.look(t.Context(), f.lists, false))
}

func keys(t *testing.T, s Store, prefix string) (list []string) {
	t.Helper()
	if err := s.List(t.Context(), prefix, func(o Info) error { list = append(list, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

func mustVersion(t *testing.T, data, want string) {
	t.Helper()
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if s.Manifest.Version != want {
		t.Errorf("%s is current, not %s", s.Manifest.Version, want)
	}
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
}

// TestPublishAndFollow walks a build from one directory to another, then a
// second one, and back.
func TestPublishAndFollow(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		from, to := t.TempDir(), t.TempDir()
		first := build(t, from, noon, content("monday "))
		out := publish(t, s, first, 3)
		if out.Previous != "" || out.Sent != out.Bytes || out.Files != 3 {
			t.Errorf("%+v", out)
		}
		f := follower(t, s, to)
		if err := f.First(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustVersion(t, to, first.Manifest.Version)
		fetched := testutil.ToFloat64(f.metrics.bytes)
		if fetched != float64(out.Bytes) {
			t.Errorf("%v bytes were fetched of %d", fetched, out.Bytes)
		}

		// Again is nothing new.
		if again := publish(t, s, first, 3); again.Sent != 0 || again.Previous != first.Manifest.Version {
			t.Errorf("%+v", again)
		}
		second := build(t, from, noon.Add(time.Hour), content("tuesday "))
		changed := int64(len(content("tuesday ")["tables/grants.thing"]))
		if out := publish(t, s, second, 3); out.Sent != changed || out.Previous != first.Manifest.Version {
			t.Errorf("only what changed is to be sent: %+v", out)
		}
		// A server that still answers from the first holds it.
		old, err := snapshot.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		release, err := old.Hold()
		if err != nil {
			t.Fatal(err)
		}
		if err := look(t, f); err != nil {
			t.Fatal(err)
		}
		mustVersion(t, to, second.Manifest.Version)
		if now := testutil.ToFloat64(f.metrics.bytes); now != fetched+float64(changed) {
			t.Errorf("%v bytes were fetched for what changed in %d", now-fetched, changed)
		}
		if err := old.Verify(); err != nil {
			t.Errorf("what is held was removed: %v", err)
		}
		release()
		if err := look(t, f); err != nil {
			t.Fatal(err)
		}
		if versions, _ := snapshot.Versions(to); len(versions) != 1 {
			t.Errorf("what nobody holds is still there: %v", versions)
		}

		back, err := Publication{Store: s, Area: Snapshots}.Rollback(t.Context(), first.Manifest.Version)
		if err != nil || back.Previous != second.Manifest.Version {
			t.Fatalf("%+v %v", back, err)
		}
		if err := look(t, f); err != nil {
			t.Fatal(err)
		}
		mustVersion(t, to, first.Manifest.Version)
		// What was rolled back does not come again by itself.
		if _, err := (Publication{Store: s, Area: Snapshots, Keep: 3}).Publish(t.Context(), second); slug(err) != "publish_withdrawn" {
			t.Error(err)
		}
		third := build(t, from, noon.Add(2*time.Hour), content("wednesday "))
		publish(t, s, third, 3)
		if _, err := (Publication{Store: s, Area: Snapshots, Keep: 3}).Publish(t.Context(), first); slug(err) != "publish_older" {
			t.Error(err)
		}
		list, err := List(t.Context(), s, Snapshots)
		if err != nil || len(list) != 3 || !list[2].Current || list[0].Nodes != 1 || list[0].Files != 3 {
			t.Errorf("%+v %v", list, err)
		}
		if left := keys(t, s, Snapshots.leases()); len(left) != 1 {
			t.Errorf("leases %v", left)
		}
	})
}

// TestRetention sweeps, and leaves what is named.
func TestRetention(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		from := t.TempDir()
		var versions []string
		days := []string{"a ", "b ", "c ", "d "}
		held := &holder{store: s, area: Snapshots, id: "node-00000001"}
		for i, day := range days {
			snap := build(t, from, noon.Add(time.Duration(i)*time.Hour), content(day))
			versions = append(versions, snap.Manifest.Version)
			if i == 1 {
				// A node uses the first; what a stranger put there is nobody's business.
				if _, err := held.set(t.Context(), leaseNode, versions[0]); err != nil {
					t.Fatal(err)
				}
				put(t, s, "snapshots/objects/README", "by hand")
			}
			publish(t, s, snap, 1)
		}
		left, err := versionsIn(t.Context(), s, Snapshots)
		if err != nil || !slices.Equal(left, []string{versions[0], versions[3]}) {
			t.Errorf("%v are left of %v: %v", left, versions, err)
		}
		// Two tables, and what both share; and the stranger's.
		if objects := keys(t, s, Snapshots.objects()); len(objects) != 5 {
			t.Errorf("objects %v", objects)
		}
		// Whoever is at work keeps all.
		busy := &holder{store: s, area: Snapshots, id: "publish-00000001"}
		if _, err := busy.set(t.Context(), leasePublish); err != nil {
			t.Fatal(err)
		}
		held.drop()
		next := build(t, from, noon.Add(9*time.Hour), content("e "))
		if out := publish(t, s, next, 1); len(out.Removed) != 0 || out.Kept == "" {
			t.Errorf("%+v", out)
		}
		busy.drop()
		// So does a lease that cannot be read.
		put(t, s, Snapshots.leaseKey("node-00000002"), "{")
		if out := publish(t, s, next, 1); len(out.Removed) != 0 || out.Kept == "" {
			t.Errorf("%+v", out)
		}
		if err := s.Delete(t.Context(), Snapshots.leaseKey("node-00000002")); err != nil {
			t.Fatal(err)
		}
		if out := publish(t, s, next, 1); len(out.Removed) != 2 {
			t.Errorf("%+v", out)
		}
		mustFollow(t, s, next)
	})
}

// mustFollow brings what the store points at into a new directory.
func mustFollow(t *testing.T, s Store, want *snapshot.Snapshot) {
	t.Helper()
	to := t.TempDir()
	if err := follower(t, s, to).First(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustVersion(t, to, want.Manifest.Version)
}

// offClock is a store seen by a machine whose clock is off: the times of objects
// differ from its own by so much.
type offClock struct {
	Store
	by time.Duration
}

func (o offClock) Head(ctx context.Context, key string) (Info, error) {
	info, err := o.Store.Head(ctx, key)
	info.Modified = info.Modified.Add(o.by)
	return info, err
}

func (o offClock) List(ctx context.Context, prefix string, each func(Info) error) error {
	return o.Store.List(ctx, prefix, func(i Info) error { i.Modified = i.Modified.Add(o.by); return each(i) })
}

// TestClocks sweeps while the clock of the store is hours off, either way: what a
// lease names stays.
func TestClocks(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{-90 * time.Minute, 90 * time.Minute, -10 * 24 * time.Hour, 10 * 24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			inner, err := Open(t.TempDir(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			s, from := offClock{inner, by}, t.TempDir()
			first := build(t, from, noon, content("a "))
			publish(t, s, first, 1)
			node := &holder{store: s, area: Snapshots, id: "node-00000001"}
			if _, err := node.set(t.Context(), leaseNode, first.Manifest.Version); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				publish(t, s, build(t, from, noon.Add(time.Duration(i+1)*time.Hour), content("b ")), 1)
			}
			m, _, err := readManifest(t.Context(), s, Snapshots, first.Manifest.Version)
			if err != nil {
				t.Fatal(err)
			}
			if err := (Publication{Store: s, Area: Snapshots}).whole(t.Context(), m); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTwoPublishers lets two machines publish at the same time: one of them finds
// out, and the store is whole whoever wins.
func TestTwoPublishers(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		publish(t, s, build(t, t.TempDir(), noon, content("before ")), 1)
		snaps := []*snapshot.Snapshot{
			build(t, t.TempDir(), noon.Add(time.Hour), content("one ")),
			build(t, t.TempDir(), noon.Add(2*time.Hour), content("two ")),
		}
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i, snap := range snaps {
			wg.Go(func() {
				_, errs[i] = Publication{Store: s, Area: Snapshots, Keep: 1}.Publish(t.Context(), snap)
			})
		}
		wg.Wait()
		now, err := Current(t.Context(), s, Snapshots)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range errs {
			if got := slug(err); err != nil && got != "publish_conflict" && got != "publish_older" {
				t.Errorf("publisher %d: %v", i, err)
			} else if err != nil && now.Version == snaps[i].Manifest.Version {
				t.Errorf("publisher %d was told that it failed: %v", i, err)
			}
		}
		mustFollow(t, s, snaps[slices.IndexFunc(snaps, func(x *snapshot.Snapshot) bool { return x.Manifest.Version == now.Version })])
		// The same version twice, with other content.
		twin := build(t, t.TempDir(), noon.Add(2*time.Hour), content("three "))
		put(t, s, Snapshots.manifestKey(twin.Manifest.Version), manifestOf(t, snaps[1]))
		if now.Version == twin.Manifest.Version {
			if _, err := (Publication{Store: s, Area: Snapshots}).Publish(t.Context(), twin); slug(err) != "publish_conflict" {
				t.Error(err)
			}
		}
	})
}

func manifestOf(t *testing.T, s *snapshot.Snapshot) string {
	t.Helper()
	body, err := s.Body()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestDamage spoils the store in many ways. The old version stays, and when it is
// mended, the new one comes.
func TestDamage(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, s Store, snap *snapshot.Snapshot){
		"an object with another byte": func(t *testing.T, s Store, snap *snapshot.Snapshot) {
			key := Snapshots.objectKey(snap.Manifest.Files[2].SHA256)
			put(t, s, key, "X"+get(t, s, key, 1, 1<<30))
		},
		"an object that is short": func(t *testing.T, s Store, snap *snapshot.Snapshot) {
			key := Snapshots.objectKey(snap.Manifest.Files[2].SHA256)
			put(t, s, key, get(t, s, key, 0, 100))
		},
		"an object that is gone": func(t *testing.T, s Store, snap *snapshot.Snapshot) {
			if err := s.Delete(t.Context(), Snapshots.objectKey(snap.Manifest.Files[2].SHA256)); err != nil {
				t.Fatal(err)
			}
		},
		"a manifest with another byte": func(t *testing.T, s Store, snap *snapshot.Snapshot) {
			put(t, s, Snapshots.manifestKey(snap.Manifest.Version), strings.Replace(manifestOf(t, snap), `"grants": 0`, `"grants": 1`, 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFake(t).store(t)
			from, to := t.TempDir(), t.TempDir()
			first := build(t, from, noon, content("good "))
			publish(t, s, first, 3)
			f := follower(t, s, to)
			if err := f.First(t.Context()); err != nil {
				t.Fatal(err)
			}
			second := build(t, from, noon.Add(time.Hour), content("bad "))
			publish(t, s, second, 3)
			spoil(t, s, second)
			for range 3 {
				err := look(t, f)
				if got, ok := fault.Of(err); !ok || got.Slug != snapshot.Damaged && got.Slug != "bad_manifest" || got.Hint == "" {
					t.Errorf("%v", err)
				}
			}
			mustVersion(t, to, first.Manifest.Version)
			if n := testutil.ToFloat64(f.metrics.failures.WithLabelValues("snapshots")); n != 1 {
				t.Errorf("%v failures are counted", n)
			}
			if n := testutil.ToFloat64(f.metrics.behind.WithLabelValues("snapshots")); n != 1 {
				t.Errorf("behind is %v", n)
			}
			// A node that starts now has nothing to serve, and says why.
			if err := follower(t, s, t.TempDir()).First(t.Context()); err == nil {
				t.Error("a damaged version was taken")
			}
			if _, err := (Publication{Store: s, Area: Snapshots, Keep: 3, Resend: true}).Publish(t.Context(), second); err != nil {
				t.Fatal(err)
			}
			if err := look(t, f); err != nil {
				t.Fatal(err)
			}
			mustVersion(t, to, second.Manifest.Version)
		})
	}
	t.Run("a pointer to nothing", func(t *testing.T) {
		t.Parallel()
		s := newFake(t).store(t)
		snap := build(t, t.TempDir(), noon, content("a "))
		publish(t, s, snap, 3)
		if err := s.Delete(t.Context(), Snapshots.manifestKey(snap.Manifest.Version)); err != nil {
			t.Fatal(err)
		}
		if err := follower(t, s, t.TempDir()).First(t.Context()); slug(err) != "no_such_snapshot" {
			t.Error(err)
		}
	})
	t.Run("a pointer that is none", func(t *testing.T) {
		t.Parallel()
		s := newFake(t).store(t)
		snap := build(t, t.TempDir(), noon, content("a "))
		publish(t, s, snap, 3)
		put(t, s, Snapshots.pointerKey(), `{"layout":1,"version":"../../etc"}`)
		if err := follower(t, s, t.TempDir()).First(t.Context()); slug(err) != "bad_pointer" {
			t.Error(err)
		}
		if _, err := (Publication{Store: s, Area: Snapshots}).Rollback(t.Context(), snap.Manifest.Version); err != nil {
			t.Fatal(err)
		}
		mustFollow(t, s, snap)
	})
	t.Run("a local file that is damaged is not sent", func(t *testing.T) {
		t.Parallel()
		s := newFake(t).store(t)
		snap := build(t, t.TempDir(), noon, content("a "))
		if err := os.WriteFile(filepath.Join(snap.Dir, "graph", "index"), []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := (Publication{Store: s, Area: Snapshots}).Publish(t.Context(), snap); slug(err) != snapshot.Damaged {
			t.Error(err)
		}
		if _, err := Current(t.Context(), s, Snapshots); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the pointer was moved: %v", err)
		}
	})
	t.Run("a store without conditions", func(t *testing.T) {
		t.Parallel()
		f := newFake(t)
		s := f.store(t)
		f.set(func(_ http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("If-None-Match")
			r.Header.Del("If-Match")
			return false
		})
		if _, err := (Publication{Store: s, Area: Snapshots}).Publish(t.Context(), build(t, t.TempDir(), noon, content("a "))); slug(err) != "store_conditional" {
			t.Error(err)
		}
	})
}

// TestResumedPull ends a pull in the middle, many times; each goes on where the
// one before was.
func TestResumedPull(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := f.store(t)
	snap := build(t, t.TempDir(), noon, content("day after day "))
	out := publish(t, s, snap, 3)
	to := t.TempDir()
	var fetched float64
	attempts := 0
	for ; attempts < 100; attempts++ {
		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int32
		f.set(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/objects/") && n.Add(1) > 9 {
				cancel()
				panic(http.ErrAbortHandler)
			}
			return false
		})
		node := follower(t, s, to)
		err := node.First(ctx)
		fetched += testutil.ToFloat64(node.metrics.bytes)
		cancel()
		if err == nil {
			break
		}
	}
	mustVersion(t, to, snap.Manifest.Version)
	most := float64(out.Bytes) + float64(attempts*defaultParallel*8<<10)
	if attempts < 2 || fetched > most {
		t.Errorf("%d attempts fetched %v bytes of %d", attempts, fetched, out.Bytes)
	}
	entries, err := os.ReadDir(filepath.Join(to, "builds"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".pull-") && e.Name() != ".pull-lock" {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestPowerCut loses what the journal says is there: checksums find it.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	s := newFake(t).store(t)
	snap := build(t, t.TempDir(), noon, content("a "))
	publish(t, s, snap, 3)
	to := t.TempDir()
	m, body, err := readManifest(t.Context(), s, Snapshots, snap.Manifest.Version)
	if err != nil {
		t.Fatal(err)
	}
	r, err := snapshot.Receive(to, digest(body)[:16], m, body)
	if err != nil {
		t.Fatal(err)
	}
	journal := "nonsense\npart x y.\npart 1 0.\nwhole 2.\npart 99999999 7.\npart 1 1"
	if err := os.WriteFile(r.Journal, []byte(journal), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, m.Files[2].Path), []byte("zeros"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := follower(t, s, to).First(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustVersion(t, to, snap.Manifest.Version)
}

// TestServedFilesAreNotWritten begins a pull over a link to a file that is served,
// which the journal does not know.
func TestServedFilesAreNotWritten(t *testing.T) {
	t.Parallel()
	s := newFake(t).store(t)
	from, to := t.TempDir(), t.TempDir()
	publish(t, s, build(t, from, noon, content("a ")), 3)
	f := follower(t, s, to)
	if err := f.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	served, err := snapshot.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	release, err := served.Hold()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	second := build(t, from, noon.Add(time.Hour), content("b "))
	publish(t, s, second, 3)
	r, err := snapshot.Receive(to, digest([]byte(manifestOf(t, second)))[:16], &second.Manifest, []byte(manifestOf(t, second)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(served.Dir, "tables", "grants.thing"), filepath.Join(r.Dir, "tables", "grants.thing")); err != nil {
		t.Fatal(err)
	}
	if err := look(t, f); err != nil {
		t.Fatal(err)
	}
	mustVersion(t, to, second.Manifest.Version)
	if err := served.Verify(); err != nil {
		t.Errorf("a file that is served was written to: %v", err)
	}
}

// TestLittleDisk has a node with less room than a version needs.
func TestLittleDisk(t *testing.T) {
	t.Parallel()
	s := newFake(t).store(t)
	from, to := t.TempDir(), t.TempDir()
	first := build(t, from, noon, content("a "))
	publish(t, s, first, 3)
	f := follower(t, s, to)
	if err := f.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.opt.free = func(string) (int64, error) { return spare + 1000, nil }
	second := build(t, from, noon.Add(time.Hour), content("b "))
	publish(t, s, second, 3)
	if err := look(t, f); slug(err) != "no_space" {
		t.Error(err)
	}
	mustVersion(t, to, first.Manifest.Version)
	f.opt.free = func(string) (int64, error) { return 1 << 40, nil }
	if err := look(t, f); err != nil {
		t.Fatal(err)
	}
	mustVersion(t, to, second.Manifest.Version)
}

// TestOwnBuild is a directory that has another snapshot of the same version.
func TestOwnBuild(t *testing.T) {
	t.Parallel()
	s := newFake(t).store(t)
	to := t.TempDir()
	publish(t, s, build(t, t.TempDir(), noon, content("a ")), 3)
	own := build(t, to, noon, content("own "))
	f := follower(t, s, to)
	if err := look(t, f); err != nil {
		t.Error(err) // it has that version
	}
	if err := f.look(t.Context(), f.snapshots, true); slug(err) != "pull_conflict" {
		t.Error(err)
	}
	mustVersion(t, to, own.Manifest.Version)
}

// TestListsFollow brings an edition of the lists and what is known of their
// publishers.
func TestListsFollow(t *testing.T) {
	t.Parallel()
	stores(t, func(t *testing.T, s Store) {
		from, to := t.TempDir(), t.TempDir()
		publish(t, s, build(t, from, noon, content("a ")), 3)
		f := follower(t, s, to)
		if err := f.First(t.Context()); err != nil {
			t.Fatal(err)
		}
		edition := build(t, lists.Dir(from), noon, map[string]string{"tables/ofac.thing": "names"})
		if _, err := (Publication{Store: s, Area: Lists, Keep: 3}).Publish(t.Context(), edition); err != nil {
			t.Fatal(err)
		}
		checks := []lists.Check{{Name: lists.OFAC, CheckedAt: noon}}
		if err := PublishChecks(t.Context(), s, checks); err != nil {
			t.Fatal(err)
		}
		// Who looked earlier does not take that back.
		if err := PublishChecks(t.Context(), s, []lists.Check{{Name: lists.OFAC, CheckedAt: noon.Add(-time.Hour)}, {Name: lists.BMF, CheckedAt: noon}}); err != nil {
			t.Fatal(err)
		}
		if err := look(t, f); err != nil {
			t.Fatal(err)
		}
		got, err := lists.Read(to)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := got.Check(lists.OFAC); got.Version() != edition.Manifest.Version || !ok || !c.CheckedAt.Equal(noon) || len(got.Checks) != 2 {
			t.Errorf("%s, %+v", got.Version(), got.Checks)
		}
	})
}

// TestGone follows a store that goes away and comes back.
func TestGone(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := follower(t, s, to).First(t.Context()); slug(err) != "no_snapshot" {
		t.Error(err)
	}
	snap := build(t, t.TempDir(), noon, content("a "))
	publish(t, s, snap, 3)
	f := follower(t, s, to)
	if err := f.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root, root+".away"); err != nil {
		t.Fatal(err)
	}
	if err := look(t, f); slug(err) != "store_missing" {
		t.Error(err)
	}
	// A node that starts meanwhile serves what it has.
	if err := follower(t, s, to).First(t.Context()); err != nil {
		t.Error(err)
	}
	mustVersion(t, to, snap.Manifest.Version)
}

// FuzzPointer reads pointers and leases that anybody may have written.
func FuzzPointer(f *testing.F) {
	good := Pointer{Layout: layout, Version: "20261005T120000Z", Manifest: digest(nil), Newest: "20261005T120000Z"}
	f.Add(encode(good))
	f.Add(encode(Lease{Layout: layout, Kind: leaseNode, Holds: []string{"20261005T120000Z"}}))
	f.Add([]byte(`[{"name":"ofac","checked_at":"2026-10-05T12:00:00Z"}]`))
	f.Add([]byte(`{"layout":1,"version":"../../x"}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := ParsePointer(body); err == nil {
			again, err := ParsePointer(encode(p))
			if err != nil || again != p || strings.ContainsAny(p.Version+p.Manifest, "./") {
				t.Errorf("%+v, %v", p, err)
			}
		}
		if l, err := ParseLease(body); err == nil {
			for _, v := range l.Holds {
				if !snapshot.IsVersion(v) {
					t.Errorf("%q", v)
				}
			}
		}
		if c, err := ParseChecks(body); err == nil && len(c) > len(lists.Names()) {
			t.Errorf("%d checks", len(c))
		}
		j := &journal{have: map[int]map[int]bool{}, all: map[int]bool{}}
		for _, line := range bytes.Split(body, []byte("\n")) {
			j.apply(string(line))
		}
	})
}
