package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/ntee"
)

// cacheKey names an answer: the endpoint, how it is ordered and cut, and the
// filter. It is the same for every way to write the same condition, as far as
// order and repetition go. Everything of no fixed length is preceded by it, so
// no two questions share a key.
func cacheKey(endpoint byte, f *Filter, s Sort, p Page) string {
	k := key{endpoint, byte(s.By)}
	k.flag(s.Asc)
	k.number(int64(p.Offset))
	k.number(int64(p.Limit))
	addSet(&k, f.Funders)
	addSet(&k, f.Recipients)
	addEach(&k, f.Years, func(k *key, s Span) { k.number(int64(s.From)); k.number(int64(s.To)) })
	addEach(&k, f.Subject.Items, func(k *key, it ntee.Item) { k.text(string(it.Prefix)); k.number(int64(it.Majors)) })
	k.flag(len(f.Place.Values) > 0)
	if len(f.Place.Values) > 0 {
		k = append(k, byte(f.Place.Of), byte(f.Place.Kind))
		addEach(&k, f.Place.Values, func(k *key, v PlaceValue) { k.text(v.Name); k.text(v.State) })
	}
	addEach(&k, f.Countries, (*key).text)
	for _, terms := range [...][]Term{f.Query.Must, f.Query.MustNot} {
		addEach(&k, terms, func(k *key, t Term) { k.text(strings.Join(t.stems(), " ")) })
	}
	k.number(int64(f.Support))
	k.text(f.FunderKind)
	k.number(int64(f.Exclude))
	for _, amount := range [...]*int64{f.MinAmount, f.MaxAmount} {
		k.flag(amount != nil)
		if amount != nil {
			k.number(*amount)
		}
	}
	k.flag(f.MinProb != nil)
	if f.MinProb != nil {
		k = binary.BigEndian.AppendUint64(k, math.Float64bits(*f.MinProb))
	}
	addSet(&k, f.Sources)
	return string(k)
}

// key is the name of an answer as it grows.
type key []byte

func (k *key) number(n int64) { *k = binary.AppendVarint(*k, n) }

func (k *key) text(s string) {
	k.number(int64(len(s)))
	*k = append(*k, s...)
}

func (k *key) flag(on bool) {
	b := byte(0)
	if on {
		b = 1
	}
	*k = append(*k, b)
}

// addSet adds numbers of which neither order nor repetition matters.
func addSet[T ~uint8 | ~uint32](k *key, list []T) {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	k.number(int64(len(list)))
	for _, v := range list {
		k.number(int64(v))
	}
}

// addEach is addSet for what add writes.
func addEach[T any](k *key, list []T, add func(*key, T)) {
	written := make([]string, len(list))
	for i, v := range list {
		var one key
		add(&one, v)
		written[i] = string(one)
	}
	slices.Sort(written)
	written = slices.Compact(written)
	k.number(int64(len(written)))
	for _, s := range written {
		k.text(s)
	}
}
