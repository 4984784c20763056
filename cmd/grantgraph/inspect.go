package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/terminal"
)

type inspectCmd struct {
	Files   []string `arg:"" name:"file" help:"Returns (.xml, .xml.gz), zips of them, or one member of a zip as ZIP!MEMBER."`
	JSON    bool     `name:"json" help:"Print one JSON object per return, one per line, in the order of the files."`
	Grants  bool     `help:"With --json: include every grant line, under \"grants\"."`
	Workers int      `help:"Returns read in parallel; 0 is one per core." default:"0" placeholder:"N"`
}

// inspection is one return to be read, and the result. The channel is closed when the return is read. Results
// are printed in the order of the files, in whatever order the workers finish.
type inspection struct {
	file   string // zip!member as printed
	member *archive.Member
	page   bool  // a page of its own, rather than a line of the table
	err    error // known before reading, or found while
	done   chan struct{}
	last   *archive.Archive // to be closed after this one, the last of its file

	ret    *irs990.Return // while it waits to be printed: a batch has a hundred thousand
	digest string
	lines  *grantBuffer // grant lines as JSON, or nil
	best   highlights
}

func (c *inspectCmd) Run(a *terminal.App) error {
	if c.Grants && !c.JSON {
		return fault.New("grants_without_json", "--grants lists every grant line and needs --json").
			Try("grantgraph inspect --json --grants FILE")
	}
	workers := c.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var out printer = &textPrinter{w: a.Out}
	if c.JSON {
		out = &jsonPrinter{a.Out}
	}

	ctx, stop := context.WithCancel(a.Ctx)
	defer stop()
	unopened := 0
	read, failed := 0, 0
	var err error
	for i := range c.inspect(ctx, workers, &unopened) {
		<-i.done
		if err == nil {
			if i.err != nil {
				failed++
				fmt.Fprintf(a.Err, "grantgraph: %s: %v\n", i.file, i.err)
			} else {
				read++
			}
			if err = out.print(i); err == nil {
				err = a.Ctx.Err()
			}
			if err != nil {
				stop()
			}
		}
		i.lines.close()
		i.ret, i.best, i.lines = nil, highlights{}, nil
		if i.last != nil {
			i.last.Close()
		}
	}
	switch err = cmp.Or(err, a.Ctx.Err()); {
	case err != nil:
		return err
	case unopened > 0:
		return fault.New("not_opened", "%d of %d files could not be opened", unopened, len(c.Files)).
			Try("check the paths; a damaged zip can be fetched again")
	case read == 0:
		return fault.New("nothing_read", "no return could be read").
			Try("see the reasons above; are these e-filed returns of the 990 series?")
	}
	if failed > 0 {
		fmt.Fprintf(a.Err, "grantgraph: %s read, %s could not be read\n", terminal.Count(read), terminal.Count(failed))
	}
	return out.end()
}

// inspect reads the returns until the context ends, on several workers, and hands them
// on in the order of the files. unopened is final when the channel is closed.
func (c *inspectCmd) inspect(ctx context.Context, workers int, unopened *int) <-chan *inspection {
	// As many inspections are in flight as this channel holds, and each holds at most a spill's worth of memory.
	ordered := make(chan *inspection, 2*workers)
	readers := make(chan *irs990.Reader, workers)
	for range workers {
		readers <- irs990.NewReader()
	}
	go func() {
		defer close(ordered)
		for _, name := range c.Files {
			list, opened, err := list(name)
			if err != nil {
				*unopened++
				list = []*inspection{{file: filepath.Base(name), err: err, page: true}}
			} else {
				list[len(list)-1].last = opened
			}
			for _, i := range list {
				i.done = make(chan struct{})
				select {
				case ordered <- i:
				case <-ctx.Done():
					return
				}
				go func() {
					defer close(i.done)
					if i.err == nil {
						rd := <-readers
						i.read(rd, c.JSON, c.Grants)
						readers <- rd
					}
				}()
			}
		}
	}()
	return ordered
}

func list(name string) ([]*inspection, *archive.Archive, error) {
	path, chosen, one := name, "", false
	a, err := archive.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if path, chosen, one = strings.Cut(name, "!"); one {
			a, err = archive.Open(path)
		}
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, nil, fault.Disk(path, err)
	}
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(path)
	if len(a.Members) == 1 && len(a.Problems) == 0 && !one && !strings.HasSuffix(strings.ToLower(path), ".zip") {
		return []*inspection{{file: a.Members[0].Name, member: &a.Members[0], page: true}}, a, nil
	}
	var out []*inspection
	for i := range a.Members {
		m := &a.Members[i]
		if !one || m.Name == chosen || m.Name[strings.LastIndexByte(m.Name, '/')+1:] == chosen {
			out = append(out, &inspection{file: base + "!" + m.Name, member: m, page: one || len(a.Members) == 1})
		}
	}
	for _, p := range a.Problems {
		if !one || p.Name == chosen {
			out = append(out, &inspection{file: base + "!" + p.Name, err: errors.New(p.Reason), page: one})
		}
	}
	if len(out) == 0 {
		a.Close()
		if one {
			return nil, nil, fault.New("no_such_member", "%s has no member %q", base, chosen).Try("grantgraph inspect %s", path)
		}
		return nil, nil, fault.New("no_members", "%s has no .xml files", base)
	}
	return out, a, nil
}

// read reads the return. With digest it hashes the document, with grants it keeps the lines as JSON.
func (i *inspection) read(rd *irs990.Reader, digest, grants bool) {
	r, err := i.member.Open()
	if err != nil {
		i.err = err
		return
	}
	defer r.Close()
	var src io.Reader = r
	var sum hash.Hash
	if digest {
		sum = sha256.New()
		src = io.TeeReader(r, sum)
	}
	sink := &irs990.Sink{}
	switch {
	case grants:
		i.lines = &grantBuffer{}
		sink.Grant = i.lines.grant
	case i.page:
		i.best.attach(sink)
	}
	i.ret = &irs990.Return{}
	i.err = rd.Read(src, i.ret, sink)
	if i.err == nil && sum != nil {
		i.digest = hex.EncodeToString(sum.Sum(nil))
	}
}

type printer interface {
	print(*inspection) error
	end() error
}
