package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/snapshot/remote"
)

// Shared is a stage that machines share, in a store:
//
//	stage/plan                     which plan counts
//	stage/plans/<id>.json          a plan, named by its content
//	stage/shards/<key>             a shard in one object, named by the content it is made of
//	stage/quarantine/<key>.json    why a shard cannot be made
//
// A shard is stored whole or not at all, and every machine makes the same bytes of
// it. So it does not matter how many machines make it, or are killed.
type Shared struct{ store remote.Store }

const (
	stagePointer    = "stage/plan"
	stagePlans      = "stage/plans/"
	stageShards     = "stage/shards/"
	stageQuarantine = "stage/quarantine/"
)

func OpenShared(s remote.Store) *Shared { return &Shared{s} }

func (s *Shared) String() string { return s.store.String() }

type planPointer struct {
	Plan string `json:"plan"`
}

var planName = regexp.MustCompile(`^[0-9a-f]{24}$`)

// maxSmall bounds pointers and notes.
const maxSmall = 64 << 10

// Current is the id of the plan that counts, empty if there is none, and the tag of the pointer to it.
func (s *Shared) Current(ctx context.Context) (id, tag string, err error) {
	info, err := s.store.Head(ctx, stagePointer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	body, err := s.small(ctx, stagePointer)
	if err != nil {
		return "", "", err
	}
	var to planPointer
	if err := json.Unmarshal(body, &to); err != nil || !planName.MatchString(to.Plan) {
		return "", "", badPlan("the pointer to it cannot be read")
	}
	return to.Plan, info.Tag, nil
}

func (s *Shared) small(ctx context.Context, key string) ([]byte, error) {
	return remote.Read(ctx, s.store, key, maxSmall)
}

func (s *Shared) Plan(ctx context.Context, id string) (*Plan, error) {
	if !planName.MatchString(id) {
		return nil, badPlan("its name is none")
	}
	o, err := remote.OpenObject(ctx, s.store, stagePlans+id+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("stage_mismatch", "the stage %s does not have the plan %s", s, id).
			Try("give the --stage that the plan was made for, or run grantgraph ingest plan again")
	}
	if err != nil {
		return nil, err
	}
	if o.Info().Size > maxPlanFile {
		return nil, badPlan("it is too long")
	}
	body := make([]byte, o.Info().Size)
	if _, err := o.ReadAt(body, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if planID(body) != id {
		return nil, badPlan("it does not match its checksum")
	}
	return ParsePlan(body)
}

// PutPlan stores a plan and returns its id. The plan counts when PointTo is called.
func (s *Shared) PutPlan(ctx context.Context, p *Plan) (id string, err error) {
	body, err := p.Encode()
	if err != nil {
		return "", err
	}
	id = planID(body)
	return id, s.store.Put(ctx, stagePlans+id+".json", bytes.NewReader(body), int64(len(body)))
}

// PointTo makes a plan the one that counts, if the pointer still has the tag.
func (s *Shared) PointTo(ctx context.Context, id, tag string) error {
	body, err := json.Marshal(planPointer{id})
	if err != nil {
		return err
	}
	_, err = s.store.PutIf(ctx, stagePointer, append(body, '\n'), tag)
	if errors.Is(err, remote.ErrChanged) {
		return fault.New("plan_conflict", "somebody else planned into %s at the same time", s).Try("run it again; give every database a stage of its own")
	}
	return err
}

func (s *Shared) Shards(ctx context.Context) (map[string]bool, error) {
	found, err := s.list(ctx, stageShards)
	keys := make(map[string]bool, len(found))
	for _, key := range found {
		keys[strings.TrimPrefix(key, stageShards)] = true
	}
	return keys, err
}

// Has says whether a shard is staged, and how long its object is.
func (s *Shared) Has(ctx context.Context, key string) (size int64, ok bool, err error) {
	info, err := s.store.Head(ctx, stageShards+key)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	return info.Size, err == nil, err
}

func (s *Shared) Prune(ctx context.Context, id string, p *Plan) (removed int, err error) {
	used := map[string]bool{stagePlans + id + ".json": true, stagePointer: true}
	for i := range p.shards {
		used[stageShards+p.shards[i].key] = true
		used[stageQuarantine+p.shards[i].key+".json"] = true
	}
	keys, err := s.list(ctx, "stage/")
	for _, key := range keys {
		if err == nil && !used[key] {
			err = s.store.Delete(ctx, key)
			removed++
		}
	}
	if err != nil {
		return removed, err
	}
	// Killed workers may have sent parts of shards. The plan was stored just now, so
	// its time is that of the clock of the store.
	plan, err := s.store.Head(ctx, stagePlans+id+".json")
	if err != nil {
		return removed, err
	}
	return removed, s.store.Forget(ctx, "stage/", plan.Modified.Add(-remote.Abandoned))
}

// Quarantine notes for the build why a shard cannot be made.
func (s *Shared) Quarantine(ctx context.Context, key string, q Refused) error {
	q.Reason = fault.Clip(q.Reason, 4000) // a stack may be longer than a build reads
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return s.store.Put(ctx, stageQuarantine+key+".json", bytes.NewReader(body), int64(len(body)))
}

// ReleaseAll takes all shards out of quarantine: they are to be tried again.
func (s *Shared) ReleaseAll(ctx context.Context) error {
	keys, err := s.list(ctx, stageQuarantine)
	for _, key := range keys {
		if err == nil {
			err = s.store.Delete(ctx, key)
		}
	}
	return err
}

func (s *Shared) list(ctx context.Context, prefix string) (keys []string, err error) {
	err = s.store.List(ctx, prefix, func(o remote.Info) error {
		keys = append(keys, o.Key)
		return nil
	})
	return keys, err
}

func (s *Shared) quarantined(ctx context.Context) (map[string]Refused, error) {
	out := map[string]Refused{}
	keys, err := s.list(ctx, stageQuarantine)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		body, err := s.small(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var q Refused
		if err := json.Unmarshal(body, &q); err != nil {
			q.Reason = "no reason can be read"
		}
		out[strings.TrimSuffix(strings.TrimPrefix(key, stageQuarantine), ".json")] = q
	}
	return out, nil
}

// Reader makes shards for a shared stage, on any machine.
type Reader struct {
	stager *stager
}

// NewReader opens the archives at an address. Shards are made in a folder, which
// must be there, and sent from there. It reads until the context ends.
func NewReader(ctx context.Context, sources, scratch string) (*Reader, error) {
	from, err := openShelf(sources)
	return &Reader{stager: newStager(ctx, from, scratch, func(int64) {})}, err
}

// Reach is an error if the archives cannot be reached at all from here.
func (r *Reader) Reach(ctx context.Context) error { return r.stager.volumes.shelf.reach(ctx) }

func (r *Reader) Close() { r.stager.close() }

func (r *Reader) Stage(ctx context.Context, p *Plan, key string, to *Shared) (size int64, err error) {
	s := p.shardOf(key)
	if s == nil {
		return 0, badPlan("it has no shard " + key)
	}
	if err := r.stager.stage(ctx, p, s); err != nil {
		return 0, err
	}
	dir := filepath.Join(r.stager.dir, key)
	defer disk.RemoveAll(dir)
	return to.put(ctx, key, dir)
}

// put stores the shard in a folder as one object: its checksums, an empty line, and its files one after the other.
func (s *Shared) put(ctx context.Context, key, dir string) (size int64, err error) {
	head, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return 0, fault.Disk(dir, err)
	}
	parts := concatenation{{at: bytes.NewReader(append(head, '\n')), size: int64(len(head)) + 1}}
	for _, table := range tableNames {
		path := tablePath(dir, table)
		f, err := os.Open(path)
		if err != nil {
			return 0, fault.Disk(path, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return 0, fault.Disk(path, err)
		}
		parts = append(parts, piece{f, info.Size()})
	}
	for _, p := range parts {
		size += p.size
	}
	return size, s.store.Put(ctx, stageShards+key, parts, size)
}

type concatenation []piece

type piece struct {
	at   io.ReaderAt
	size int64
}

func (c concatenation) ReadAt(p []byte, off int64) (n int, err error) {
	for _, f := range c {
		if off >= f.size {
			off -= f.size
			continue
		}
		m, err := f.at.ReadAt(p[n:min(int64(len(p)), int64(n)+f.size-off)], off)
		n += m
		if n == len(p) {
			return n, nil
		}
		if err != nil && err != io.EOF {
			return n, err
		}
		if int64(m) < f.size-off {
			return n, io.ErrUnexpectedEOF
		}
		off = 0
	}
	return n, io.EOF
}

type packedTable struct {
	sum  string
	size int64
}

// maxShardTable bounds a file of a shard, which the largest documents do not reach.
const maxShardTable = 64 << 30

// parseSums reads the checksums of a shard, which are exactly those of its tables in their order.
func parseSums(text []byte) (tables [len(tableNames)]packedTable, err error) {
	bad := errors.New("its checksums cannot be read")
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != len(tableNames) {
		return tables, bad
	}
	for i, line := range lines {
		fields := strings.Split(line, " ")
		if len(fields) != 3 || !hexSum(fields[0]) || fields[2] != tableNames[i] {
			return tables, bad
		}
		size, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || size < 0 || size > maxShardTable || strconv.FormatInt(size, 10) != fields[1] {
			return tables, bad
		}
		tables[i] = packedTable{fields[0], size}
	}
	return tables, nil
}

// unpack writes the files of a stored shard into a folder.
func unpack(ctx context.Context, in io.Reader, dir string) error {
	r := bufio.NewReaderSize(disk.Until(ctx, in), 256<<10)
	var sums []byte
	for {
		line, err := r.ReadSlice('\n')
		if err != nil || len(sums)+len(line) > maxSmall {
			return errors.New("its checksums cannot be read")
		}
		if len(line) == 1 {
			break
		}
		sums = append(sums, line...)
	}
	tables, err := parseSums(sums)
	if err != nil {
		return err
	}
	for i, t := range tables {
		path := tablePath(dir, tableNames[i])
		f, err := disk.Create(path)
		if err != nil {
			return fault.Disk(path, err)
		}
		n, err := io.Copy(f, io.LimitReader(r, t.size))
		if cerr := f.Close(); err == nil {
			err = fault.Disk(path, cerr)
		}
		if err != nil {
			return err
		}
		if n != t.size || f.Sum() != t.sum {
			return errors.New("it does not match its checksums")
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return errors.New("it is longer than it says")
	}
	return writeSums(dir, sums)
}

func (s *Shared) fetch(ctx context.Context, key, into string) error {
	o, err := remote.OpenObject(ctx, s.store, stageShards+key)
	if errors.Is(err, fs.ErrNotExist) {
		return s.incomplete(1, 1)
	}
	if err != nil {
		return err
	}
	return publish(into, key, func(tmp string) error {
		err := unpack(ctx, io.NewSectionReader(o, 0, o.Info().Size), tmp)
		if _, ok := fault.Of(err); err == nil || ok || ctx.Err() != nil {
			return discover.Stopped(ctx, err)
		}
		return fault.New("stage_damaged", "the shard %s in %s is damaged: %w", key, s, err).
			Try("remove %s%s from the store, then run grantgraph ingest plan and work again", stageShards, key)
	})
}

func (s *Shared) incomplete(missing, all int) error {
	return fault.New("stage_incomplete", "%d of %d shards are not in the stage %s", missing, all, s).
		Try("grantgraph ingest status shows what is left; run grantgraph ingest work until nothing is, " +
			"and grantgraph ingest plan first if nothing is left but shards are missing")
}

// Complete is the plan that counts, if all of its shards are there. Parts of the archives that could not be
// read are an error, or are left out and returned if without is set.
func (s *Shared) Complete(ctx context.Context, sources *discover.Sources, without bool) (p *Plan, leftOut []Refused, err error) {
	id, _, err := s.Current(ctx)
	if err != nil {
		return nil, nil, err
	}
	if id == "" {
		return nil, nil, fault.New("stage_empty", "there is no plan in the stage %s", s).Try("grantgraph ingest plan, then grantgraph ingest work")
	}
	if p, err = s.Plan(ctx, id); err != nil {
		return nil, nil, err
	}
	if err := s.sameArchives(p, sources); err != nil {
		return nil, nil, err
	}
	staged, err := s.Shards(ctx)
	if err != nil {
		return nil, nil, err
	}
	quarantined, err := s.quarantined(ctx)
	if err != nil {
		return nil, nil, err
	}
	leftOut = p.Refused()
	all, missing := len(p.shards), 0
	p.shards = slices.DeleteFunc(p.shards, func(of shard) bool {
		if staged[of.key] {
			return false
		}
		if q, ok := quarantined[of.key]; ok {
			leftOut = append(leftOut, Refused{p.title(&of), q.Reason})
			p.bytes -= of.bytes
		} else {
			missing++
		}
		return true
	})
	if missing > 0 {
		return nil, nil, s.incomplete(missing, all)
	}
	if len(leftOut) > 0 && !without {
		first := leftOut[0]
		return nil, nil, fault.New("stage_quarantined", "%d parts of the archives could not be read, such as %s: %s",
			len(leftOut), first.Archive, fault.Clip(first.Reason, 300)).
			Try("grantgraph ingest status lists them; fetch them again and plan again, or build --without-quarantined to leave them out")
	}
	return p, leftOut, nil
}

// sameArchives is an error if the sources have archives that were not planned: a
// build would leave them out without saying so. The sources need not have any.
func (s *Shared) sameArchives(p *Plan, sources *discover.Sources) error {
	planned := map[string]*plannedArchive{}
	for i := range p.archives {
		planned[p.archives[i].Path] = &p.archives[i]
	}
	for _, rel := range sources.Files[discover.Returns] {
		path := sources.Abs(rel)
		info, err := os.Stat(path)
		if err != nil {
			return fault.Disk(path, err)
		}
		if a := planned[rel]; a == nil || a.Refused == "" && a.Bytes != info.Size() {
			return fault.New("stage_other_sources", "%s is not what was planned into %s", path, s).
				Try("grantgraph ingest plan again, or take the archives out of the sources folder: their shards come from the stage")
		}
	}
	return nil
}
