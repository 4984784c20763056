package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve/abroad"
)

// clusterKeysName is the file in the data directory that keeps the identities
// of recipients abroad from build to build, even as new spellings appear.
const clusterKeysName = "cluster_keys.tsv"

func isAbroad(identity string) bool { return strings.HasPrefix(identity, abroad.Prefix) }

// clusterAbroad finds the spellings that name one recipient abroad, and gives all its rows the same identity.
// identities holds one per row. foreign are the rows paid abroad; some of them may have been masked since.
func (b *builder) clusterAbroad(c *corpus, identities []string, foreign []uint32) error {
	foreign = slices.DeleteFunc(foreign, func(row uint32) bool { return !isAbroad(identities[row]) })
	spellings, recipients := c.spellingsAbroad(foreign)
	keys, err := readClusterKeys(filepath.Join(b.opt.Data, clusterKeysName))
	if err != nil {
		return err
	}
	clusters := abroad.Cluster(spellings, keys)
	b.clusters = clusters
	b.report.Abroad = AbroadCount{Spellings: int64(clusters.Spellings), Clusters: int64(clusters.Clusters), Several: int64(clusters.Multiple)}
	ids := make(map[uint32]string, len(recipients))
	for i, n := range recipients {
		if id, ok := clusters.Of(spellings[i].Country, spellings[i].Name.KX, abroad.Org); ok {
			ids[n] = id
		}
	}
	for _, row := range foreign {
		if id, ok := ids[c.lines.recipientNo[row]]; ok {
			identities[row] = id
		}
	}
	return nil
}

func (c *corpus) spellingsAbroad(rows []uint32) (spellings []abroad.Spelling, recipients []uint32) {
	type said struct{ recipient, relation uint32 }
	type named struct {
		recipient uint32
		kind      abroad.Kind
	}
	bySaid, byKind := map[said]int{}, map[named]int{}
	for _, row := range rows {
		n := c.lines.recipientNo[row]
		year := int(c.filingOf(row).year)
		line := said{n, c.lines.relationNo[row]}
		i, ok := bySaid[line]
		if !ok {
			t := c.lines.recipient(n)
			_, status := c.lines.relation(row)
			key := named{n, abroad.KindOf(t.Name(), status, false)}
			if i, ok = byKind[key]; !ok {
				i = len(spellings)
				byKind[key] = i
				spellings = append(spellings, abroad.Spelling{Country: t.Country, Raw: t.Name(), Name: t.ParseName(), City: t.City, Kind: key.kind, FirstYear: year})
				recipients = append(recipients, n)
			}
			bySaid[line] = i
		}
		s := &spellings[i]
		s.Rows++
		s.FirstYear = min(s.FirstYear, year)
	}
	return spellings, recipients
}

// isGovernment reports whether a recipient abroad is a government, judged by its name or by the status on most of its lines.
func (b *builder) isGovernment(id string) bool { return b.clusters.Kind(id) == abroad.Gov }

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

func (b *builder) keepClusterKeys() error {
	path := filepath.Join(b.opt.Data, clusterKeysName)
	return fault.Disk(path, disk.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := b.clusters.Keys().WriteTo(w)
		return err
	}))
}
