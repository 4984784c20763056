package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// localScreening screens against the lists of a data directory. If the directory has
// a snapshot too, the names that filings give an organization are screened as well.
type localScreening struct {
	screener *screen.Screener
	names    *search.Index // nil without a snapshot
	from     string
	closing  []func()
}

func openLocalScreening(data string) (_ *localScreening, err error) {
	s := &localScreening{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	now, err := lists.Read(data)
	if err != nil {
		return nil, err
	}
	if now.Edition == nil {
		return nil, fault.New("no_lists", "%s has no compliance lists", data).
			Try("grantgraph build --sources DIR --data %s, or --url for a service that has them", data)
	}
	unhold, err := now.Edition.Hold()
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, unhold)
	if s.screener, err = screen.Open(now); err != nil {
		return nil, err
	}
	s.closing = append(s.closing, func() { _ = s.screener.Close() })
	s.from = "lists " + now.Version()
	if _, err := os.Stat(filepath.Join(data, "current")); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	build, unhold, err := snapshot.OpenHeld(data)
	if err != nil {
		return nil, err
	}
	s.closing = append(s.closing, unhold)
	if s.names, err = search.OpenNames(build); err != nil {
		return nil, err
	}
	s.closing = append(s.closing, func() { _ = s.names.Close() })
	s.from += ", snapshot " + build.Manifest.Version
	return s, nil
}

func (s *localScreening) identity() string { return s.from }

func (*localScreening) most() int { return 500 }

func (s *localScreening) screen(ctx context.Context, eins []ein.EIN) (map[ein.EIN]*sheet.Result, error) {
	at := time.Now()
	list := make([]*sheet.Result, len(eins))
	err := parallel.Each(ctx, 0, len(eins), func(_ context.Context, i int) error {
		q := screen.Query{EIN: eins[i], Unfiled: s.names == nil}
		if s.names != nil {
			if org, ok := s.names.Lookup(eins[i]); ok && org.Name != "" {
				q.Filed = []string{org.Name}
			}
		}
		list[i] = &sheet.Result{Record: s.screener.Screen(q, at), At: at}
		return nil
	})
	if err != nil {
		return nil, err
	}
	results := make(map[ein.EIN]*sheet.Result, len(eins))
	for i, e := range eins {
		results[e] = list[i]
	}
	return results, nil
}

func (s *localScreening) close() {
	for i := len(s.closing) - 1; i >= 0; i-- {
		s.closing[i]()
	}
}
