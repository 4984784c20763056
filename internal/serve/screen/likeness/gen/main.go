// Gen makes the table of word frequencies that package likeness ships.
//
//	go run ./internal/serve/screen/likeness/gen -out internal/serve/screen/likeness/frequency.gz FOLDER-OR-FILE…
//
// It reads parts of the business master file, CSV with a header that has the column NAME, plain or gzipped, and counts in how
// many names each word occurs. It leaves out words of fewer than five names: they weigh as much as unknown words, and belong to
// an organization more than to the language.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/serve/screen/likeness"
)

func main() {
	out := flag.String("out", "frequency.gz", "file to write")
	flag.Parse()
	if err := run(flag.Args(), *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, out string, log io.Writer) error {
	files, err := expand(args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("name the parts of the master file, or their folder")
	}
	counts, names := map[string]int{}, 0
	for _, path := range files {
		n, err := count(path, counts)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		names += n
	}
	words, size, err := write(out, counts, names)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "%d names, %d words of %d; %d bytes\n", names, words, len(counts), size)
	return nil
}

// expand replaces folders by the CSV files in them.
func expand(args []string) (files []string, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			files = append(files, arg)
			continue
		}
		for _, pattern := range []string{"*.csv", "*.csv.gz"} {
			found, err := filepath.Glob(filepath.Join(arg, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func count(path string, counts map[string]int) (names int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b := bufio.NewReader(f)
	var r io.Reader = b
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		if r, err = gzip.NewReader(b); err != nil {
			return 0, err
		}
	}
	c := csv.NewReader(r)
	c.ReuseRecord, c.LazyQuotes, c.FieldsPerRecord = true, true, -1
	header, err := c.Read()
	if err != nil {
		return 0, err
	}
	column := slices.Index(header, "NAME")
	if column < 0 {
		return 0, errors.New("no column NAME")
	}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return names, err
		}
		if column >= len(row) {
			continue
		}
		names++
		words := likeness.Words(row[column])
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			counts[w]++
		}
	}
}

// least is the least number of names in which a word of the table occurs.
const least = 5

// write encodes the table in the form that package likeness documents.
func write(path string, counts map[string]int, names int) (words, size int, err error) {
	by := map[int][]string{}
	for w, n := range counts {
		if n >= least && len(w) <= 40 {
			step := likeness.Step(n, names)
			by[step] = append(by[step], w)
			words++
		}
	}
	var text bytes.Buffer
	for _, s := range slices.Sorted(maps.Keys(by)) {
		slices.Sort(by[s])
		fmt.Fprintf(&text, "%d %s\n", s, strings.Join(by[s], " "))
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	if _, err = z.Write(text.Bytes()); err == nil {
		err = z.Close()
	}
	if err != nil {
		return 0, 0, err
	}
	return words, packed.Len(), os.WriteFile(path, packed.Bytes(), 0o644)
}
