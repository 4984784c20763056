package stage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"grantgraph/internal/fault"
)

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
