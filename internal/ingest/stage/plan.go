package stage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// defaultShardBytes is how much XML one shard holds: enough that a shard's files are worth opening, little
// enough that the cores share a small corpus and a killed build loses seconds.
const defaultShardBytes = 32 << 20

// shard is the unit of staging: a run of members of one archive, or several small archives together. Its name follows from the
// content of the archives, never from the machine or the order of work, so a finished shard is good for every later build.
type shard struct {
	segments []segment
	members  int32
	bytes    int64
	key      string
}

// segment is a run of members of one archive. Members are numbered through the shard, beginning with first.
type segment struct {
	archive  int // into Plan.archives
	from, to int
	first    int32
}

// Plan says which archives there are to read, and how they are cut into shards.
type Plan struct {
	sources  string // the address of the shelf
	archives []plannedArchive
	shards   []shard
	bytes    int64
}

type plannedArchive struct {
	Path     string           `json:"path"`
	Bytes    int64            `json:"bytes"`
	SHA256   string           `json:"sha256,omitempty"`
	Tag      string           `json:"tag,omitempty"`     // of the store it is in
	Listing  string           `json:"listing,omitempty"` // archive.Listing
	Members  int              `json:"members"`
	Problems []plannedProblem `json:"problems,omitempty"`
	Refused  string           `json:"refused,omitempty"` // why none of it can be read, if so

	sizes []int64 // of the members, inflated; only until the plan is cut
}

// plannedProblem is an archive.Problem whose name need not be UTF-8.
type plannedProblem struct {
	Name   []byte `json:"name"`
	Reason string `json:"reason"`
}

type PlanOptions struct {
	Sources string // a folder of sources, or s3://bucket/prefix
	Workers int    // 0 means one per core
	Known   *Plan  // an earlier plan, whose archives need not be hashed again; may be nil
	// Returns are the archives, where the caller has listed them. The plan then fails if one of them cannot be read. Without
	// it, MakePlan lists the archives and sets aside those that it cannot read, so that workers go on with the others.
	Returns []string
	// Progress is told how many archives are listed, of how many. It may be nil.
	Progress func(done, total int64)
	// ShardBytes is how much XML a shard holds; 0 is the size that a build on one
	// machine takes. The build is the same for any size.
	ShardBytes int64
}

// MakePlan lists and hashes the archives of returns and cuts them into shards.
func MakePlan(ctx context.Context, opt PlanOptions) (*Plan, error) {
	from, err := openShelf(opt.Sources)
	if err != nil {
		return nil, err
	}
	n := planner{shelf: from, workers: cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), shardBytes: cmp.Or(opt.ShardBytes, defaultShardBytes),
		refuse: opt.Returns == nil, known: map[string]*plannedArchive{}}
	rels := opt.Returns
	if n.refuse {
		if rels, err = listArchives(ctx, from); err != nil {
			return nil, err
		}
	}
	if opt.Known != nil {
		for i := range opt.Known.archives {
			n.known[opt.Known.archives[i].Path] = &opt.Known.archives[i]
		}
	}
	p, err := n.plan(ctx, rels, opt.Progress)
	if err != nil {
		return nil, err
	}
	p.sources = opt.Sources
	if folder, ok := from.(*folderShelf); ok {
		// Workers may have another working directory.
		if p.sources, err = filepath.Abs(folder.root); err != nil {
			return nil, fault.Disk(folder.root, err)
		}
	}
	return p, nil
}

// listArchives lists the archives of a shelf, whose names must fit into a stored plan.
func listArchives(ctx context.Context, from shelf) ([]string, error) {
	rels, err := from.returns(ctx)
	if err != nil {
		return nil, err
	}
	for _, rel := range rels {
		if !utf8.ValidString(rel) {
			return nil, fault.New("bad_name", "the name of %q is not UTF-8", from.name(rel)).Try("rename it")
		}
	}
	return rels, nil
}

// planner hashes and lists archives and cuts them into shards.
type planner struct {
	shelf      shelf
	workers    int
	shardBytes int64
	// known are archives of an earlier plan, by path. An archive that the store says has not changed is not hashed again.
	known  map[string]*plannedArchive
	refuse bool // set aside an archive that cannot be read, instead of failing
}

func (n *planner) plan(ctx context.Context, rels []string, progress func(done, total int64)) (*Plan, error) {
	var (
		p      = &Plan{archives: make([]plannedArchive, len(rels))}
		denied = make([]error, len(rels))
		mu     sync.Mutex
		done   int64
	)
	show := func() {
		if progress != nil {
			progress(done, int64(len(rels)))
		}
	}
	show()
	err := parallel.Each(ctx, n.workers, len(rels), func(ctx context.Context, i int) error {
		a := &p.archives[i]
		a.Path = rels[i]
		err := n.examine(ctx, a)
		if f, ok := fault.Of(err); ok && n.refuse && n.alone(ctx, f) {
			if f.Slug == storeDenies {
				denied[i] = err
			}
			*a, err = plannedArchive{Path: rels[i], Refused: f.Message}, nil
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		show()
		return err
	})
	if err != nil {
		return nil, err
	}
	// A store that lists its archives and gives none denies access to all of them.
	if err := cmp.Or(denied...); err != nil && !slices.ContainsFunc(p.archives, func(a plannedArchive) bool { return a.Refused == "" }) {
		return nil, err
	}
	p.cut(n.shardBytes)
	return p, nil
}

// storeDenies is the slug of a store that does not let us read something, or anything.
const storeDenies = "store_credentials"

// alone says whether only this archive cannot be read, and not all of them.
func (n *planner) alone(ctx context.Context, f *fault.Fault) bool {
	switch f.Slug {
	case "wrong_format":
		return true
	case "no_permission", "io_error", storeDenies:
		return n.shelf.reach(ctx) == nil
	}
	return false
}

func (n *planner) examine(ctx context.Context, a *plannedArchive) error {
	v, err := n.shelf.open(ctx, a.Path)
	if err != nil {
		return err
	}
	defer v.Close()
	a.Bytes, a.Tag, a.Members = v.size, v.tag, len(v.Members)
	for _, problem := range v.Problems {
		a.Problems = append(a.Problems, plannedProblem{[]byte(problem.Name), problem.Reason})
	}
	if old := n.known[a.Path]; old != nil && old.Tag != "" && old.Tag == v.tag && old.Bytes == v.size {
		a.SHA256 = old.SHA256
	} else if a.SHA256, err = v.sum(ctx); err != nil {
		return err
	}
	if a.Listing, err = v.Listing(); err != nil {
		return unread(n.shelf.name(a.Path), err)
	}
	for i := range v.Members {
		a.sizes = append(a.sizes, int64(v.Members[i].Size)+1)
	}
	return v.unchanged(ctx)
}

// cut divides the members of all archives into shards, in the order of the archives' names. A shard ends when it is full, or
// when the archive that filled half of it ends: shards of earlier archives then stay the same when a later archive is added.
func (p *Plan) cut(shardBytes int64) {
	var s shard
	end := func() {
		if s.members == 0 {
			return
		}
		s.key = p.keyOf(&s)
		p.bytes += s.bytes
		p.shards = append(p.shards, s)
		s = shard{}
	}
	for i := range p.archives {
		g := segment{archive: i, first: s.members}
		for j, size := range p.archives[i].sizes {
			g.to = j + 1
			s.members++
			s.bytes += size
			if s.bytes >= shardBytes {
				s.segments = append(s.segments, g)
				end()
				g = segment{archive: i, from: j + 1, to: j + 1}
			}
		}
		if g.to > g.from {
			s.segments = append(s.segments, g)
		}
		p.archives[i].sizes = nil
		if s.bytes >= shardBytes/2 {
			end()
		}
	}
	end()
}

func (p *Plan) keyOf(s *shard) string {
	h := sha256.New()
	fmt.Fprintln(h, version)
	for _, g := range s.segments {
		fmt.Fprintln(h, p.archives[g.archive].SHA256, g.from, g.to)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func (p *Plan) Sources() string { return p.sources }

func (p *Plan) Bytes() int64 { return p.bytes }

// PlannedShard is a shard for people and for queues.
type PlannedShard struct {
	Key     string
	Archive string // the archive it is of, or the first of several
	Members int64
	Bytes   int64 // of XML
}

// Shards are the shards of a plan, in the order of the archives.
func (p *Plan) Shards() iter.Seq[PlannedShard] {
	return func(yield func(PlannedShard) bool) {
		for i := range p.shards {
			s := &p.shards[i]
			if !yield(PlannedShard{Key: s.key, Archive: p.title(s), Members: int64(s.members), Bytes: s.bytes}) {
				return
			}
		}
	}
}

func (p *Plan) title(s *shard) string {
	name := p.archives[s.segments[0].archive].Path
	if n := len(s.segments) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name
}

func (p *Plan) shardOf(key string) *shard {
	if i := slices.IndexFunc(p.shards, func(s shard) bool { return s.key == key }); i >= 0 {
		return &p.shards[i]
	}
	return nil
}

// Archives is how many archives are planned, with those that were refused.
func (p *Plan) Archives() int { return len(p.archives) }

type Refused struct {
	Archive string `json:"archive"`
	Reason  string `json:"reason"`
}

func (p *Plan) Refused() []Refused {
	var out []Refused
	for i := range p.archives {
		if a := &p.archives[i]; a.Refused != "" {
			out = append(out, Refused{a.Path, a.Refused})
		}
	}
	return out
}

// ReadArchives are the archives that shards are made of, as sources of a snapshot.
func (p *Plan) ReadArchives() (list []snapshot.Source) {
	for i := range p.archives {
		if a := &p.archives[i]; a.Refused == "" {
			list = append(list, snapshot.Source{Kind: "irs990", Path: a.Path, Bytes: a.Bytes, SHA256: a.SHA256, Rows: int64(a.Members)})
		}
	}
	return list
}

// Problems are the members that could not be taken out of damaged archives, each with the path of its archive.
func (p *Plan) Problems() iter.Seq2[string, archive.Problem] {
	return func(yield func(string, archive.Problem) bool) {
		for i := range p.archives {
			for _, problem := range p.archives[i].Problems {
				if !yield(p.archives[i].Path, archive.Problem{Name: string(problem.Name), Reason: problem.Reason}) {
					return
				}
			}
		}
	}
}

// planFile is a plan as it is stored. The keys of shards follow from the rest.
type planFile struct {
	Format   string           `json:"format"`
	Version  string           `json:"version"`
	Sources  string           `json:"sources"`
	Archives []plannedArchive `json:"archives"`
	Shards   []shardFile      `json:"shards"`
}

type shardFile struct {
	Bytes    int64    `json:"bytes"`
	Segments [][3]int `json:"segments"` // archive, from, to
}

const (
	planFormat  = "grantgraph plan 1"
	maxPlanFile = 512 << 20
)

func (p *Plan) Encode() ([]byte, error) {
	f := planFile{planFormat, version, p.sources, append([]plannedArchive{}, p.archives...), []shardFile{}}
	for i := range p.shards {
		s := &p.shards[i]
		x := shardFile{Bytes: s.bytes}
		for _, g := range s.segments {
			x.Segments = append(x.Segments, [3]int{g.archive, g.from, g.to})
		}
		f.Shards = append(f.Shards, x)
	}
	return json.Marshal(f)
}

func planID(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:12])
}

// ParsePlan reads a stored plan. Every number in a plan is used as an index, so ParsePlan accepts only what Encode writes.
func ParsePlan(body []byte) (*Plan, error) {
	var head struct{ Format, Version string }
	if err := json.Unmarshal(body, &head); err != nil || !strings.HasPrefix(head.Format, "grantgraph plan ") {
		return nil, badPlan("it is none")
	}
	if head.Format != planFormat || head.Version != version {
		return nil, fault.New("stage_version", "the plan was made by another version of this program (%s, version %s; here %s, version %s)",
			fault.Clip(head.Format, 40), fault.Clip(head.Version, 20), planFormat, version).
			Try("run the same version of grantgraph on all machines, then grantgraph ingest plan again")
	}
	var f planFile
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, badPlan(err.Error())
	}
	for i := range f.Archives {
		a := &f.Archives[i]
		if !fs.ValidPath(a.Path) || a.Bytes < 0 || a.Members < 0 || a.Refused == "" && (!hexSum(a.SHA256) || !hexSum(a.Listing)) {
			return nil, badPlan(fmt.Sprintf("its archive %d is none", i))
		}
	}
	p := &Plan{sources: f.Sources, archives: f.Archives}
	return p, p.addShards(f.Shards)
}

// addShards takes the shards of a stored plan, which must divide the members of the archives in their order.
func (p *Plan) addShards(list []shardFile) error {
	seen := map[string]bool{}
	next := make([]int, len(p.archives)) // the first member of each archive that no shard has
	for i, x := range list {
		s := shard{bytes: x.Bytes}
		for _, g := range x.Segments {
			at, from, to := g[0], g[1], g[2]
			if at < 0 || at >= len(p.archives) || from != next[at] || to <= from || to > p.archives[at].Members {
				return badPlan(fmt.Sprintf("its shard %d is none", i))
			}
			next[at] = to
			s.segments = append(s.segments, segment{archive: at, from: from, to: to, first: s.members})
			if to-from > math.MaxInt32-int(s.members) {
				return badPlan(fmt.Sprintf("its shard %d has too many members", i))
			}
			s.members += int32(to - from)
		}
		if s.key = p.keyOf(&s); s.members <= 0 || s.bytes < 0 || seen[s.key] {
			return badPlan(fmt.Sprintf("its shard %d is none", i))
		}
		seen[s.key] = true
		p.bytes += s.bytes
		p.shards = append(p.shards, s)
	}
	for i, n := range next {
		if n != p.archives[i].Members {
			return badPlan("it leaves members of " + fault.Clip(p.archives[i].Path, 200) + " out")
		}
	}
	return nil
}

func badPlan(why string) error {
	return fault.New("bad_plan", "the plan in the stage cannot be used: %s", why).Try("grantgraph ingest plan")
}

func hexSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}
