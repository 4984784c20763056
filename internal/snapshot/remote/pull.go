package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// chunk is the size of one request for a part of a file.
const chunk = 8 << 20

// spare is how much disk space stays free besides the files fetched.
const spare = 64 << 20

// pull is one attempt to fetch a version into a data directory.
type pull struct {
	store    Store
	area     Area
	data     string
	parallel int
	chunk    int64
	free     func(dir string) (int64, error)
	came     func(bytes int64)       // called with each number of bytes fetched
	progress func(done, total int64) // may be nil
	tidy     func() (err error)      // makes room
	receiver *snapshot.Receiver
	journal  *journal
}

// run fetches the version that a pointer names and makes it current. It reuses files
// from an interrupted attempt and from earlier versions in the directory.
func (p *pull) run(ctx context.Context, to Pointer) error {
	if s, err := snapshot.OpenVersion(p.data, to.Version); err == nil {
		body, err := s.Body()
		if err != nil {
			return err
		}
		if digest(body) != to.Manifest {
			return fault.New("pull_conflict", "%s holds another %s with the version %s than %s", p.data, p.area.noun(), to.Version, p.store).
				Try("choose another --data: one that is filled from a store is filled from there alone")
		}
		return snapshot.PointTo(p.data, to.Version)
	}
	m, body, err := readManifest(ctx, p.store, p.area, to.Version)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New("no_such_snapshot", "%s points at the %s %s, which is not there", p.store, p.area.noun(), to.Version).
			Try("publish it again, or grantgraph publish --rollback to another")
	}
	if err != nil {
		return err
	}
	if digest(body) != to.Manifest {
		return fault.New(snapshot.Damaged, "the manifest of %s in %s is not the one that the pointer names", to.Version, p.store).
			Try("grantgraph publish --resend from the machine that built it")
	}
	if p.receiver, err = snapshot.Receive(p.data, to.Manifest[:16], m, body); err != nil {
		return err
	}
	if err := snapshot.DiscardReceived(p.data, p.receiver); err != nil {
		return err
	}
	if p.journal, err = openJournal(p.receiver.Journal); err != nil {
		return err
	}
	defer p.journal.close()
	p.link()
	if err := p.room(); err != nil {
		return err
	}
	files := make([]int, len(m.Files))
	for i := range files {
		files[i] = i
	}
	// Longest first, so that no long file is left for the end.
	slices.SortStableFunc(files, func(a, b int) int { return cmp.Compare(m.Files[b].Bytes, m.Files[a].Bytes) })
	// A file may be wrong after the first round because a power cut lost data that the journal lists, or
	// because of the disk it was linked from. It is fetched again. If it is still wrong, the store's copy is.
	wrong := files
	for round := 0; round < 2 && len(wrong) > 0; round++ {
		if wrong, err = p.fetch(ctx, wrong); err != nil {
			return err
		}
		for _, i := range wrong {
			if err := p.drop(i); err != nil {
				return err
			}
		}
	}
	if len(wrong) > 0 {
		return p.damaged("%s of %s in %s does not match its checksum", m.Files[wrong[0]])
	}
	if err := p.journal.close(); err != nil {
		return err
	}
	_, err = p.receiver.Publish()
	return err
}

// damaged is the error of a file in the store. The format names the file, the version and the store.
func (p *pull) damaged(format string, f snapshot.File) error {
	return fault.New(snapshot.Damaged, format, f.Path, p.receiver.Manifest.Version, p.store).
		Try("grantgraph publish --resend from the machine that built it, or --rollback to another version")
}

func (p *pull) path(i int) string {
	return filepath.Join(p.receiver.Dir, filepath.FromSlash(p.receiver.Manifest.Files[i].Path))
}

func (p *pull) chunks(i int) int {
	return int((p.receiver.Manifest.Files[i].Bytes + p.chunk - 1) / p.chunk)
}

// link takes files of the same content from versions in the directory. They are checked later, with all other files.
func (p *pull) link() {
	versions, err := snapshot.Versions(p.data)
	if err != nil {
		return // then all files are fetched
	}
	have := map[string]string{}
	for _, v := range versions {
		s, err := snapshot.OpenVersion(p.data, v)
		if err != nil {
			continue
		}
		for _, f := range s.Manifest.Files {
			have[f.SHA256] = filepath.Join(s.Dir, filepath.FromSlash(f.Path))
		}
	}
	for i, f := range p.receiver.Manifest.Files {
		from, ok := have[f.SHA256]
		if !ok || p.journal.all[i] || len(p.journal.have[i]) > 0 {
			continue
		}
		if disk.Remove(p.path(i)) == nil && disk.Link(from, p.path(i)) == nil {
			p.journal.whole(i)
		}
	}
}

func (p *pull) room() error {
	var need int64
	for i, f := range p.receiver.Manifest.Files {
		if !p.journal.all[i] {
			need += f.Bytes - min(f.Bytes, int64(len(p.journal.have[i]))*p.chunk)
		}
	}
	if need == 0 {
		return nil
	}
	free, err := p.free(p.receiver.Dir)
	if err == nil && free < need+spare && p.tidy != nil {
		if err := p.tidy(); err != nil {
			return err
		}
		free, err = p.free(p.receiver.Dir)
	}
	if err != nil {
		return fault.Disk(p.receiver.Dir, err)
	}
	if free < need+spare {
		return fault.New("no_space", "%s %s needs %d MB more on the disk of %s, and %d MB are free", p.area.noun(), p.receiver.Manifest.Version,
			(need+spare)>>20, p.data, free>>20).
			Try("free some space, or choose another disk with --data: there must be room for two versions; what was served before is untouched")
	}
	return nil
}

func (p *pull) drop(i int) error {
	p.journal.forget(i)
	return fault.Disk(p.path(i), disk.Remove(p.path(i)))
}

// make creates a file of its full length, or keeps the one that was begun. A file that the journal does not
// list may be a link to a served file, so it is not written to.
func (p *pull) make(i int, size int64) error {
	flags := os.O_WRONLY | os.O_CREATE
	if len(p.journal.have[i]) == 0 {
		if err := disk.Remove(p.path(i)); err != nil {
			return err
		}
		flags |= os.O_EXCL
	}
	file, err := os.OpenFile(p.path(i), flags, 0o644)
	if err != nil {
		return err
	}
	err = file.Truncate(size)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}

// fetch fetches the missing parts of some files, several ranges at a time, and
// returns the files that do not match their checksums.
func (p *pull) fetch(ctx context.Context, files []int) (wrong []int, err error) {
	type piece struct{ file, number int }
	var (
		pieces []piece
		mu     sync.Mutex
		left   = map[int]int{} // missing pieces by file
		done   int64
		total  int64
		check  []int
	)
	for _, i := range files {
		f := p.receiver.Manifest.Files[i]
		total += f.Bytes
		if p.journal.all[i] {
			done += f.Bytes
			check = append(check, i)
			continue
		}
		if err := p.make(i, f.Bytes); err != nil {
			return nil, fault.Disk(p.path(i), err)
		}
		for n := range p.chunks(i) {
			if p.journal.have[i][n] {
				done += min(p.chunk, f.Bytes-int64(n)*p.chunk)
				continue
			}
			pieces = append(pieces, piece{i, n})
			left[i]++
		}
		if left[i] == 0 {
			check = append(check, i)
		}
	}
	verify := func(ctx context.Context, i int) error {
		f := p.receiver.Manifest.Files[i]
		sum, size, err := disk.Hash(ctx, p.path(i))
		if err != nil {
			return fault.Disk(p.path(i), err)
		}
		if sum != f.SHA256 || size != f.Bytes {
			mu.Lock()
			wrong = append(wrong, i)
			mu.Unlock()
		}
		return nil
	}
	err = parallel.Each(ctx, 2, len(check), func(ctx context.Context, i int) error { return verify(ctx, check[i]) })
	if err != nil {
		return nil, err
	}
	if p.progress != nil && len(pieces) > 0 {
		p.progress(done, total)
	}
	err = parallel.Each(ctx, p.parallel, len(pieces), func(ctx context.Context, at int) error {
		c := pieces[at]
		n, err := p.piece(ctx, c.file, c.number)
		if err != nil {
			return err
		}
		mu.Lock()
		p.journal.add(c.file, c.number)
		left[c.file]--
		last := left[c.file] == 0
		done += n
		if p.progress != nil {
			p.progress(done, total)
		}
		mu.Unlock()
		if last {
			return verify(ctx, c.file)
		}
		return nil
	})
	return wrong, err
}

const tries = 4

func (p *pull) piece(ctx context.Context, i, number int) (n int64, err error) {
	f := p.receiver.Manifest.Files[i]
	off := int64(number) * p.chunk
	n = min(p.chunk, f.Bytes-off)
	file, err := os.OpenFile(p.path(i), os.O_WRONLY, 0)
	if err != nil {
		return 0, fault.Disk(p.path(i), err)
	}
	defer file.Close()
	for try := range tries {
		if try > 0 {
			if err := parallel.Pause(ctx, time.Duration(try*try)*300*time.Millisecond); err != nil {
				return 0, err
			}
		}
		err = p.copyRange(ctx, file, f, off, n)
		var broken *fs.PathError
		switch {
		case err == nil:
			return n, file.Close()
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return 0, p.damaged("%s of %s is missing in %s", f)
		case errors.As(err, &broken):
			return 0, fault.Disk(p.path(i), err)
		}
		if f, ok := fault.Of(err); ok && f.Slug != "store_unreachable" && f.Slug != "store_failing" {
			return 0, err
		}
	}
	return 0, err
}

func (p *pull) copyRange(ctx context.Context, file *os.File, f snapshot.File, off, n int64) error {
	body, err := p.store.Get(ctx, p.area.objectKey(f.SHA256), off, n)
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := io.CopyBuffer(onlyWriter{io.NewOffsetWriter(file, off)}, io.LimitReader(disk.Until(ctx, body), n), make([]byte, 256<<10))
	p.came(got)
	if err == nil && got != n {
		return p.damaged("%s of %s is shorter in %s than its manifest says", f)
	}
	return err
}

// onlyWriter hides the other methods of a writer, so that it is written in pieces.
type onlyWriter struct{ io.Writer }

// journal notes which ranges of which files have been fetched. Lines are only
// appended. Checksums reveal data that a power cut lost.
type journal struct {
	file *os.File
	have map[int]map[int]bool
	all  map[int]bool // complete files
}

const maxJournal = 10_000_000

func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	j := &journal{file: file, have: map[int]map[int]bool{}, all: map[int]bool{}}
	lines := bufio.NewScanner(file)
	for n := 0; lines.Scan() && n < maxJournal; n++ {
		j.apply(lines.Text())
	}
	return j, fault.Disk(path, lines.Err())
}

// apply reads one line of the journal. It ignores a line that is incomplete or malformed.
func (j *journal) apply(line string) {
	kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "."), " ")
	if !strings.HasSuffix(line, ".") {
		return
	}
	first, second, _ := strings.Cut(rest, " ")
	i, err := strconv.Atoi(first)
	if err != nil || i < 0 {
		return
	}
	switch kind {
	case "part":
		if n, err := strconv.Atoi(second); err == nil && n >= 0 {
			if j.have[i] == nil {
				j.have[i] = map[int]bool{}
			}
			j.have[i][n] = true
		}
	case "whole":
		j.all[i] = true
	case "forget":
		delete(j.have, i)
		delete(j.all, i)
	}
}

// write appends a line. If it fails, a range is fetched twice.
func (j *journal) write(format string, args ...any) {
	line := fmt.Sprintf(format, args...) + "."
	j.apply(line)
	_, _ = j.file.WriteString(line + "\n")
}

func (j *journal) add(i, n int) { j.write("part %d %d", i, n) }
func (j *journal) whole(i int)  { j.write("whole %d", i) }
func (j *journal) forget(i int) { j.write("forget %d", i) }

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// Mirror makes a directory hold exactly the version that a store points at, as a base for further work. It
// removes everything else. If nothing was ever published, the error is fs.ErrNotExist.
func Mirror(ctx context.Context, s Store, a Area, data string) error {
	to, err := Current(ctx, s, a)
	if err != nil {
		return err
	}
	if there, err := snapshot.Open(data); err == nil && there.Manifest.Version == to.Version {
		if body, err := there.Body(); err == nil && digest(body) == to.Manifest {
			return nil
		}
	}
	if err := os.RemoveAll(data); err != nil {
		return fault.Disk(data, err)
	}
	_, _, stop, err := lease(ctx, s, a, leaseNode, to.Version)
	if err != nil {
		return err
	}
	defer stop()
	release, err := snapshot.LockReceiving(data)
	if err != nil {
		return err
	}
	defer release()
	p := &pull{store: s, area: a, data: data, parallel: defaultParallel, chunk: chunk, free: disk.Free, came: func(int64) {}}
	return p.run(ctx, to)
}
