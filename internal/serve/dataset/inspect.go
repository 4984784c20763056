package dataset

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// The parts of a dataset that a damaged file takes out of service, by the folder of the file.
const (
	partGraph     = "graph"
	partSearch    = "search"
	partIdentify  = "identify" // search goes on without it
	partDirectory = "directory"
	partProfiles  = "profile"
	partChanges   = snapshot.HistoryDir
	partSQL       = "sql"
	partLists     = "lists"
)

// Parts are those without which a server is not ready.
var Parts = []string{partGraph, partSearch, partIdentify, partDirectory, partProfiles, partLists}

func partOf(f snapshot.File) string {
	folder, _, _ := strings.Cut(f.Path, "/")
	if isWarehouse(f) {
		return partSQL
	}
	return folder
}

// Damaged names the parts that are out of service, wholly or in part.
func (d *Dataset) Damaged() (parts []string) {
	search, known := true, false
	if d.Search != nil {
		search, known = d.Search.Damaged()
	}
	for i, missing := range []bool{d.Graph == nil, search, known, d.Directory == nil, d.Profiles == nil, d.Lists.Problem != ""} {
		if missing {
			parts = append(parts, Parts[i])
		}
	}
	return parts
}

// inspection is one of the two kinds of checks of files. A Holder's mutex change guards it.
type inspection struct {
	running bool
	next    time.Time // no check begins before
	stop    context.CancelFunc
}

const (
	inspectEvery = 24 * time.Hour
	suspectEvery = time.Second // or longer after a check that took long
	longestPause = 10 * time.Minute
)

// Suspect checks the files that requests read, because one failed as with a damaged mapped file. It returns at once. Each
// damaged part is out of service as soon as its damage is found.
func (h *Holder) Suspect() {
	h.inspectLater(&h.suspicion, func(ctx context.Context, d *Dataset) time.Duration {
		began := h.opt.Clock()
		h.inspect(ctx, d, func(f snapshot.File) bool { return !isTable(f) && !isWarehouse(f) })
		// Requests that fail for another reason leave the disk alone nine tenths of the time.
		return min(max(suspectEvery, 9*h.opt.Clock().Sub(began)), longestPause)
	})
}

// InspectDaily checks all files at low priority once a day. It returns at once.
func (h *Holder) InspectDaily() {
	h.inspectLater(&h.daily, func(ctx context.Context, d *Dataset) time.Duration {
		if runtime.GOOS == "linux" {
			// On Linux this concerns the thread alone, which ends with the goroutine locked to it.
			runtime.LockOSThread()
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowestPriority)
		}
		h.inspect(ctx, d, func(snapshot.File) bool { return true })
		return inspectEvery
	})
}

const lowestPriority = 19

// inspectLater begins a check that returns how long to wait before the next one.
func (h *Holder) inspectLater(i *inspection, check func(context.Context, *Dataset) time.Duration) {
	if !h.change.TryLock() {
		return // another dataset is being taken up; no request waits for that
	}
	defer h.change.Unlock()
	// A clock that was set back does not put the next check off for longer than a day.
	if wait := i.next.Sub(h.opt.Clock()); h.closed || i.running || wait > 0 && wait <= inspectEvery {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	i.running, i.stop = true, stop
	d, release := h.Acquire()
	h.checks.Go(func() {
		defer release()
		defer stop()
		pause := check(ctx, d)
		h.change.Lock()
		defer h.change.Unlock()
		i.running, i.next = false, h.opt.Clock().Add(pause)
	})
}

// inspect compares selected files with the manifest, all sizes first, and takes parts with damaged files out of service.
func (h *Holder) inspect(ctx context.Context, d *Dataset, keep func(snapshot.File) bool) {
	bad := map[string]bool{} // parts
	look := func(s *snapshot.Snapshot, part func(snapshot.File) string, compare func(*snapshot.Snapshot, snapshot.File) error) {
		for _, f := range s.Manifest.Files {
			p := part(f)
			if p == "" || bad[p] || !keep(f) {
				continue
			}
			if err := compare(s, f); err != nil && ctx.Err() == nil {
				bad[p] = true
				h.takeOut(d, p, err)
			}
		}
	}
	for _, compare := range []func(*snapshot.Snapshot, snapshot.File) error{
		(*snapshot.Snapshot).VerifySize,
		func(s *snapshot.Snapshot, f snapshot.File) error { return s.VerifyFile(ctx, f) },
	} {
		look(d.Snapshot, partOf, compare)
		if d.Lists.Edition != nil {
			look(d.Lists.Edition.Snapshot, func(f snapshot.File) string {
				if strings.HasPrefix(f.Path, snapshot.HistoryDir+"/") {
					return "" // without the log of their changes the lists are as good as before
				}
				return partLists
			}, compare)
		}
	}
}

// takeOut takes a part with a damaged file out of service, unless another dataset is current by now.
func (h *Holder) takeOut(d *Dataset, part string, damage error) {
	h.change.Lock()
	defer h.change.Unlock()
	next := *h.current
	if part == partLists && !h.closed {
		h.takeOutLists(d, damage)
		return
	}
	if h.closed || next.build != d.build {
		return
	}
	h.opt.Log.Error("a file of the dataset is damaged; the features that need it are out of service",
		"part", part, "dataset", d.Version(), "error", damage)
	switch part {
	case partGraph:
		next.Graph = nil
	case partSearch:
		next.Search = nil
	case partIdentify:
		if next.Search != nil {
			next.Search.DropKnown()
		}
	case partDirectory:
		next.Directory, next.Standing = nil, nil
	case partProfiles:
		next.Profiles = nil
	case partChanges:
		next.Changes = nil
	case partSQL:
		if next.SQL != nil {
			next.SQL.damaged.Store(true)
		}
	}
	h.swap(&next)
}

func (h *Holder) takeOutLists(d *Dataset, damage error) {
	next := *h.current
	if next.edition != d.edition {
		return
	}
	h.opt.Log.Error("the compliance lists were damaged while they were served; nobody is screened", "edition", d.Lists.Version(), "error", damage)
	_ = h.refuseLists(d.Lists.Version(), damage)
	o, err := openEdition(lost(next.Lists.Checks))
	standing, failed := next.standingWith(o.screener)
	if err = errors.Join(err, failed); err != nil {
		h.opt.Log.Error("the compliance lists could not be taken out of service", "error", err)
		return
	}
	h.swap(next.withLists(o, standing))
}

func lost(checks []lists.Check) *lists.Current {
	return &lists.Current{Checks: slices.Clone(checks), Problem: "its files on this server are damaged or missing"}
}
