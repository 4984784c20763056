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

// The parts of a dataset that a damaged file takes out of service, by the folder of
// the file in a snapshot. The lists are an edition of their own.
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

// partOf is the part that needs a file of a snapshot.
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

// Times between two checks of all files: of a server without problems, and of one
// whose requests fail as they do when a mapped file is damaged.
const (
	inspectEvery = 24 * time.Hour
	suspectEvery = time.Minute
)

// Suspect checks all files soon, because a request failed as it does when a mapped
// file has become unreadable or different. It returns at once.
func (h *Holder) Suspect() { h.inspectLater(&h.suspected, suspectEvery) }

// InspectDaily checks all files when the last check was a day ago. It returns at once.
func (h *Holder) InspectDaily() { h.inspectLater(&h.inspected, inspectEvery) }

func (h *Holder) inspectLater(last *time.Time, every time.Duration) {
	if !h.change.TryLock() {
		return // another dataset is being taken up; no request waits for that
	}
	defer h.change.Unlock()
	now := h.opt.Clock()
	if h.closed || h.inspecting || now.Sub(*last).Abs() < every {
		return
	}
	h.inspecting, *last = true, now
	ctx, stop := context.WithCancel(context.Background())
	h.stopInspecting = stop
	d, release := h.Acquire()
	h.checks.Go(func() {
		defer release()
		defer stop()
		if runtime.GOOS == "linux" {
			// On Linux this concerns the thread alone. The thread ends with the goroutine,
			// because it stays locked to it.
			runtime.LockOSThread()
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowestPriority)
		}
		bad := inspect(ctx, d)
		h.change.Lock()
		defer h.change.Unlock()
		if h.inspecting = false; ctx.Err() == nil && !h.closed {
			h.takeOut(d, bad)
		}
	})
}

const lowestPriority = 19

// inspect compares every file of a dataset with its checksum, one after the other. It
// returns the parts that need a damaged file.
func inspect(ctx context.Context, d *Dataset) (bad map[string]error) {
	bad = map[string]error{}
	for _, f := range d.Snapshot.Manifest.Files {
		if err := d.Snapshot.VerifyFile(ctx, f); err != nil {
			bad[partOf(f)] = err
		}
	}
	if d.Lists.Edition != nil {
		for _, f := range d.Lists.Edition.Manifest.Files {
			// Without the log of their changes the lists are as good as before.
			if err := d.Lists.Edition.VerifyFile(ctx, f); err != nil && !strings.HasPrefix(f.Path, snapshot.HistoryDir+"/") {
				bad[partLists] = err
			}
		}
	}
	return bad
}

// takeOut takes parts with damaged files out of service, unless another dataset is
// current by now. Requests under way may still fail.
func (h *Holder) takeOut(d *Dataset, bad map[string]error) {
	next, changed := *h.current, false
	if next.build == d.build {
		for part, err := range bad {
			if part == partLists {
				continue
			}
			h.opt.Log.Error("a file of the dataset was damaged while it was served; what needs it is out of service",
				"part", part, "dataset", d.Version(), "error", err)
			changed = true
			switch part {
			case partGraph:
				next.Graph = nil
			case partSearch:
				next.Search = nil
			case partIdentify:
				if d.Search != nil {
					d.Search.DropKnown()
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
		}
	}
	to := &next
	if err := bad[partLists]; err != nil && next.edition == d.edition {
		h.opt.Log.Error("the compliance lists were damaged while they were served; nobody is screened", "edition", d.Lists.Version(), "error", err)
		_ = h.refuseLists(d.Lists.Version(), err)
		o, err := openEdition(lost(next.Lists.Checks))
		standing, failed := next.standingWith(o.screener)
		if err = errors.Join(err, failed); err != nil {
			h.opt.Log.Error("the compliance lists could not be taken out of service", "error", err)
		} else {
			to, changed = next.withLists(o, standing), true
		}
	}
	if changed {
		h.swap(to)
	}
}

// lost are lists that were made and cannot be used.
func lost(checks []lists.Check) *lists.Current {
	return &lists.Current{Checks: slices.Clone(checks), Problem: "its files on this server are damaged or missing"}
}
