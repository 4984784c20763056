package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/lists"
)

// takeChecks fetches the times at which the publishers of the lists were last checked.
func (f *Follower) takeChecks(ctx context.Context) error {
	body, err := read(ctx, f.opt.Store, Lists.checksKey(), maxChecks)
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
			body, err := read(ctx, s, Lists.checksKey(), maxChecks)
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
