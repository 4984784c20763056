package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/hash"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ntee"
)

type corpus struct {
	texts []string
	seen  map[string]bool
}

func (c *corpus) add(parts ...string) {
	var kept []string
	for _, p := range parts {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			kept = append(kept, p)
		}
	}
	text := strings.Join(kept, ". ")
	if len(text) > 2 && !c.seen[text] {
		c.seen[text] = true
		c.texts = append(c.texts, text)
	}
}

// readCorpus collects the texts of returns about their filers and the meanings of cause codes. It fills up to
// size with the purposes of grants and with names and causes of the master file, half of each.
func readCorpus(upstream string, size int) ([]string, error) {
	seen := map[string]bool{}
	filers, grants, names := &corpus{seen: seen}, &corpus{seen: seen}, &corpus{seen: seen}
	if err := readReturns(filepath.Join(upstream, "990", "zips"), filers, grants); err != nil {
		return nil, err
	}
	for _, e := range ntee.Codes() {
		filers.add(e.Title)
		filers.add(e.Title, e.Code.Label())
	}
	if err := names.readMasterFile(filepath.Join(upstream, "bmf", "2026-04")); err != nil {
		return nil, err
	}
	fmt.Printf("texts of filers: %d, of grants: %d, of the master file: %d\n", len(filers.texts), len(grants.texts), len(names.texts))
	rest := max(0, size-len(filers.texts)) / 2
	return slices.Concat(filers.texts, sample(grants.texts, rest), sample(names.texts, rest)), nil
}

// sample is n texts, chosen by a hash so that the choice is always the same.
func sample(texts []string, n int) []string {
	key := func(s string) uint64 { return hash.Of(s) * 0x9e3779b97f4a7c15 }
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b)) })
	return texts[:max(0, min(n, len(texts)))]
}

func readReturns(folder string, filers, grants *corpus) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.zip"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	reader := irs990.NewReader()
	for _, path := range paths {
		zip, err := archive.Open(path)
		if err != nil {
			return err
		}
		for i := range zip.Members {
			body, err := zip.Members[i].Open()
			if err != nil {
				continue // a damaged member teaches nothing
			}
			readReturn(reader, body, filers, grants)
			_ = body.Close()
		}
		_ = zip.Close()
	}
	return nil
}

// readReturn adds the texts of a return about its filer, whole and in parts, and the recipients and purposes of its grants.
func readReturn(reader *irs990.Reader, body io.Reader, filers, grants *corpus) {
	var r irs990.Return
	var purposes []string
	_ = reader.Read(body, &r, &irs990.Sink{Grant: func(g *irs990.Grant) error {
		purpose := strings.Clone(g.Purpose)
		grants.add(g.Name1+" "+g.Name2, purpose)
		filers.add(purpose)
		if !slices.Contains(purposes, purpose) && len(purposes) < 20 {
			purposes = append(purposes, purpose)
		}
		return nil
	}}) // what was read before some damage is text all the same
	name := r.Name1 + " " + r.Name2
	filers.add(name)
	filers.add(name, r.Mission)
	filers.add(append(append([]string{name, r.Mission}, r.Programs...), strings.Join(purposes, "; "))...)
	filers.add(r.Mission)
	filers.add(r.Activity)
	for _, p := range r.Programs {
		filers.add(p)
		for _, part := range passages(p) {
			filers.add(part)
		}
	}
	for _, part := range passages(r.Mission) {
		filers.add(part)
	}
}

// passages cuts a text into sentences, with short ones joined to what follows.
func passages(text string) (list []string) {
	part := ""
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ';' || r == '\n' }) {
		part = strings.TrimSpace(part + " " + strings.TrimSpace(sentence))
		if strings.Count(part, " ") >= 6 {
			list = append(list, part)
			part = ""
		}
	}
	return list
}

// readMasterFile adds the names that have a cause, with it.
func (c *corpus) readMasterFile(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv.gz"))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = bmf.Read(f, func(r *bmf.Record) error {
			if code, ok := ntee.Parse(r.NTEE); ok && code.Major() != 'Z' {
				c.add(r.Name, ntee.Title(code))
			}
			return nil
		})
		_ = f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
