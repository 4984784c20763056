package ingest

import (
	"bytes"
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
	"strings"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/archive"
)

// PlanOptions say what to plan.
type PlanOptions struct {
	Sources string // a folder of sources, or s3://bucket/prefix
	Workers int    // 0 means one per core
	Known   *Plan  // an earlier plan, whose archives need not be hashed again; may be nil
	// Progress is told how many archives are listed, of how many. It may be nil.
	Progress func(done, total int64)
	// ShardBytes is how much XML a shard holds; 0 is what a build on one machine
	// takes, so that both make the same shards. What is built of them is the same
	// for any.
	ShardBytes int64
}

// MakePlan lists and hashes the archives of returns and cuts them into shards, for
// workers to stage. An archive that is no readable zip is set aside.
func MakePlan(ctx context.Context, opt PlanOptions) (*Plan, error) {
	from, err := openShelf(opt.Sources)
	if err != nil {
		return nil, err
	}
	rels, err := from.returns(ctx)
	if err != nil {
		return nil, err
	}
	for _, rel := range rels {
		if !utf8.ValidString(rel) {
			return nil, fault.New("bad_name", "the name of %q is not UTF-8", from.name(rel)).Try("rename it")
		}
	}
	n := planner{shelf: from, workers: opt.Workers, shardBytes: opt.ShardBytes, refuse: true, known: map[string]*plannedArchive{}}
	if n.workers <= 0 {
		n.workers = runtime.GOMAXPROCS(0)
	}
	if n.shardBytes <= 0 {
		n.shardBytes = defaultShardBytes
	}
	if opt.Known != nil {
		for i := range opt.Known.archives {
			a := &opt.Known.archives[i]
			n.known[a.rel] = a
		}
	}
	told := progress{show: func(_ string, done, total int64) {
		if opt.Progress != nil {
			opt.Progress(done, total)
		}
	}}
	told.phase("hash", int64(len(rels)))
	p, err := n.plan(ctx, rels, func() { told.step(1) })
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

// Sources is the address that was planned.
func (p *Plan) Sources() string { return p.sources }

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

// title names the archives of a shard.
func (p *Plan) title(s *shard) string {
	name := p.archives[s.segments[0].archive].rel
	if n := len(s.segments) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name
}

// Archives is how many archives are planned, with those that were refused.
func (p *Plan) Archives() int { return len(p.archives) }

// Refused is an archive that no shard is made of.
type Refused struct {
	Archive string `json:"archive"`
	Reason  string `json:"reason"`
}

// Refused are the archives that are no readable zips.
func (p *Plan) Refused() []Refused {
	var out []Refused
	for i := range p.archives {
		if a := &p.archives[i]; a.refused != "" {
			out = append(out, Refused{a.rel, a.refused})
		}
	}
	return out
}

// shardOf finds a shard by its key.
func (p *Plan) shardOf(key string) *shard {
	for i := range p.shards {
		if p.shards[i].key == key {
			return &p.shards[i]
		}
	}
	return nil
}

// planFile is a plan as it is stored. The keys of shards follow from the rest.
type planFile struct {
	Format   string        `json:"format"`
	Version  string        `json:"version"`
	Sources  string        `json:"sources"`
	Archives []archiveFile `json:"archives"`
	Shards   []shardFile   `json:"shards"`
}

type archiveFile struct {
	Path     string        `json:"path"`
	Bytes    int64         `json:"bytes"`
	SHA256   string        `json:"sha256,omitempty"`
	Tag      string        `json:"tag,omitempty"`
	Listing  string        `json:"listing,omitempty"`
	Members  int           `json:"members"`
	Problems []problemFile `json:"problems,omitempty"`
	Refused  string        `json:"refused,omitempty"`
}

type problemFile struct {
	Name   []byte `json:"name"` // names in a zip need not be UTF-8
	Reason string `json:"reason"`
}

type shardFile struct {
	Bytes    int64    `json:"bytes"`
	Segments [][3]int `json:"segments"` // archive, from, to
}

const (
	planFormat  = "grantgraph plan 1"
	maxPlanFile = 512 << 20
)

// Encode is the plan as it is stored.
func (p *Plan) Encode() ([]byte, error) {
	f := planFile{Format: planFormat, Version: stageVersion, Sources: p.sources, Archives: []archiveFile{}, Shards: []shardFile{}}
	for i := range p.archives {
		a := &p.archives[i]
		x := archiveFile{Path: a.rel, Bytes: a.bytes, SHA256: a.sha256, Tag: a.tag, Listing: a.listing, Members: a.members, Refused: a.refused}
		for _, problem := range a.problems {
			x.Problems = append(x.Problems, problemFile{[]byte(problem.Name), problem.Reason})
		}
		f.Archives = append(f.Archives, x)
	}
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

// planID names a plan by its content.
func planID(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:12])
}

// ParsePlan reads a stored plan. It is held to what Encode writes: every number
// in it is used to reach into something.
func ParsePlan(body []byte) (*Plan, error) {
	var head struct{ Format, Version string }
	if err := json.Unmarshal(body, &head); err != nil || !strings.HasPrefix(head.Format, "grantgraph plan ") {
		return nil, badPlan("it is none")
	}
	if head.Format != planFormat || head.Version != stageVersion {
		return nil, fault.New("stage_version", "the plan was made by another version of this program (%s, version %s; here %s, version %s)",
			fault.Clip(head.Format, 40), fault.Clip(head.Version, 20), planFormat, stageVersion).
			Try("run the same version of grantgraph on all machines, then grantgraph ingest plan again")
	}
	var f planFile
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, badPlan(err.Error())
	}
	p := &Plan{sources: f.Sources}
	for i := range f.Archives {
		x := &f.Archives[i]
		if !fs.ValidPath(x.Path) || x.Bytes < 0 || x.Members < 0 || x.Refused == "" && (!hexSum(x.SHA256) || !hexSum(x.Listing)) {
			return nil, badPlan(fmt.Sprintf("its archive %d is none", i))
		}
		a := plannedArchive{rel: x.Path, bytes: x.Bytes, sha256: x.SHA256, tag: x.Tag, listing: x.Listing, members: x.Members, refused: x.Refused}
		for _, problem := range x.Problems {
			a.problems = append(a.problems, archive.Problem{Name: string(problem.Name), Reason: problem.Reason})
		}
		p.archives = append(p.archives, a)
	}
	seen := map[string]bool{}
	next := make([]int, len(p.archives)) // the first member of each archive that no shard has
	for i := range f.Shards {
		x := &f.Shards[i]
		s := shard{bytes: x.Bytes}
		for _, g := range x.Segments {
			at, from, to := g[0], g[1], g[2]
			if at < 0 || at >= len(p.archives) || from != next[at] || to <= from || to > p.archives[at].members {
				return nil, badPlan(fmt.Sprintf("its shard %d is none", i))
			}
			next[at] = to
			s.segments = append(s.segments, segment{archive: at, from: from, to: to, first: s.members})
			if to-from > math.MaxInt32-int(s.members) {
				return nil, badPlan(fmt.Sprintf("its shard %d has too many members", i))
			}
			s.members += int32(to - from)
		}
		if s.key = p.keyOf(&s); s.members <= 0 || s.bytes < 0 || seen[s.key] {
			return nil, badPlan(fmt.Sprintf("its shard %d is none", i))
		}
		seen[s.key] = true
		p.bytes += s.bytes
		p.shards = append(p.shards, s)
	}
	for i, n := range next {
		if n != p.archives[i].members {
			return nil, badPlan("it leaves members of " + fault.Clip(p.archives[i].rel, 200) + " out")
		}
	}
	return p, nil
}

func badPlan(why string) error {
	return fault.New("bad_plan", "the plan in the stage cannot be used: %s", why).Try("grantgraph ingest plan")
}

func hexSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}
