package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/abroad"
)

// clusterKeysName is the file in the data directory by which a recipient abroad
// keeps its identity from build to build, whatever spellings turn up later.
const clusterKeysName = "cluster_keys.tsv"

// clusterAbroad finds the spellings that name one recipient abroad, and gives
// the rows of each the same identity. identities holds one per row.
func (b *builder) clusterAbroad(c *corpus, identities []string) error {
	type named struct {
		recipient uint32
		kind      abroad.Kind
	}
	index := map[named]int{}
	var spellings []abroad.Spelling
	parsed := map[uint32]resolve.Recipient{}
	for row, id := range identities {
		if !strings.HasPrefix(id, abroad.Prefix) {
			continue
		}
		n := c.lines.recipientNo[row]
		t, ok := parsed[n]
		if !ok {
			t = c.lines.recipient(n)
			parsed[n] = t
		}
		_, status := c.lines.relation(uint32(row))
		key := named{n, abroad.KindOf(t.Name(), status, false)}
		year := int(c.filingOf(uint32(row)).year)
		i, ok := index[key]
		if !ok {
			i = len(spellings)
			index[key] = i
			spellings = append(spellings, abroad.Spelling{Country: t.Country, Raw: t.Name(), Name: t.ParseName(), City: t.City, Kind: key.kind, FirstYear: year})
		}
		s := &spellings[i]
		s.Rows++
		s.FirstYear = min(s.FirstYear, year)
	}
	keys, err := readClusterKeys(filepath.Join(b.opt.Data, clusterKeysName))
	if err != nil {
		return err
	}
	clusters := abroad.Cluster(spellings, keys)
	b.clusters = clusters
	b.report.Abroad = AbroadCount{Spellings: int64(clusters.Spellings), Clusters: int64(clusters.Clusters), Several: int64(clusters.Multiple)}
	ids := make(map[uint32]string, len(parsed))
	for n, t := range parsed {
		name := t.ParseName()
		if id, ok := clusters.Of(t.Country, name.KX, abroad.Org); ok {
			ids[n] = id
		}
	}
	for row, id := range identities {
		if strings.HasPrefix(id, abroad.Prefix) {
			if id, ok := ids[c.lines.recipientNo[row]]; ok {
				identities[row] = id
			}
		}
	}
	return nil
}

// isGovernment reports whether a recipient abroad is a government, by its name
// or by the status that most of its lines give it.
func (b *builder) isGovernment(id string) bool { return b.clusters.Kind(id) == abroad.Gov }

// AbroadCount says how many recipients abroad there are.
type AbroadCount struct {
	Spellings int64 `json:"spellings"`
	Clusters  int64 `json:"clusters"`
	Several   int64 `json:"clusters_with_several_spellings"`
}

func readClusterKeys(path string) (abroad.Keys, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return abroad.Keys{}, nil
	}
	if err != nil {
		return abroad.Keys{}, fault.Disk(path, err)
	}
	defer f.Close()
	keys, err := abroad.ReadKeys(f)
	if f, ok := fault.Of(err); ok {
		return keys, fault.New(f.Slug, "%s: %w", path, err).Try("%s", f.Hint)
	}
	return keys, fault.Disk(path, err)
}

// keepClusterKeys writes the keys in one step.
func (b *builder) keepClusterKeys() error {
	path := filepath.Join(b.opt.Data, clusterKeysName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := b.clusters.Keys().WriteTo(w)
		return err
	}))
}
