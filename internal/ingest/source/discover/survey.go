package discover

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/lists"
)

// Survey lists the files that a build would read. It is made without reading them.
type Survey struct {
	Taken    []Taken   `json:"taken"`
	Untaken  []Untaken `json:"not_taken"`
	Warnings []string  `json:"warnings"`
	Invented bool      `json:"invented"`
}

type Taken struct {
	Kind  string `json:"kind"` // as in the manifest's list of sources
	Path  string `json:"path"` // relative to the sources folder
	Bytes int64  `json:"bytes"`
	Date  string `json:"date,omitempty"` // in the name of the file or of its folder; a day, a month or a year
}

// Look surveys a folder of sources, with the rules of a build.
func Look(ctx context.Context, root string) (*Survey, error) {
	s, err := All(ctx, root)
	if err != nil {
		return nil, err
	}
	x := &Survey{Taken: []Taken{}, Untaken: append([]Untaken{}, s.Untaken...), Warnings: append([]string{}, s.Warnings...), Invented: s.Invented}
	add := func(kind string, files ...string) {
		for _, f := range files {
			x.Taken = append(x.Taken, Taken{Kind: kind, Path: f, Date: Dated(f)})
		}
	}
	for kind, files := range s.Files {
		if kind != Masked {
			add(kind, files...)
		}
	}
	for state, files := range s.States {
		add("stateaward_"+state, files...)
	}
	for _, m := range s.Masters {
		kind := lists.BMF
		if m.Older {
			kind = "bmf_older"
		}
		x.Taken = append(x.Taken, Taken{Kind: kind, Path: m.Path, Date: m.Posted})
	}
	for i := range x.Taken {
		t := &x.Taken[i]
		info, err := os.Stat(s.Abs(t.Path))
		if err != nil {
			return nil, fault.Disk(s.Abs(t.Path), err)
		}
		t.Bytes = info.Size()
	}
	slices.SortStableFunc(x.Taken, func(a, b Taken) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Path, b.Path))
	})
	return x, nil
}
