package graph

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// canonical appends a form of the filter that is the same for every way to
// write the same condition, as far as order and repetition go. Everything is
// preceded by its length, so no two filters share it.
func (f *Filter) canonical(b []byte) []byte {
	num := func(n int64) { b = binary.AppendVarint(b, n) }
	str := func(s string) { num(int64(len(s))); b = append(b, s...) }
	strs := func(list []string) {
		list = slices.Compact(slices.Sorted(slices.Values(list)))
		num(int64(len(list)))
		for _, s := range list {
			str(s)
		}
	}
	opt := func(p *int64) {
		if p == nil {
			b = append(b, 0)
			return
		}
		b = append(b, 1)
		num(*p)
	}
	b = appendSorted(b, f.Funders)
	b = appendSorted(b, f.Recipients)
	f.canonicalYears(&b)
	subject := make([]string, 0, len(f.Subject.Items))
	for _, it := range f.Subject.Items {
		subject = append(subject, string(binary.AppendUvarint([]byte(string(it.Prefix)+sep), uint64(it.Majors))))
	}
	strs(subject)
	f.Place.canonical(&b)
	strs(f.Countries)
	for _, terms := range [...][]Term{f.Query.Must, f.Query.MustNot} {
		list := make([]string, 0, len(terms))
		for _, t := range terms {
			list = append(list, strings.Join(t.stems(), " "))
		}
		strs(list)
	}
	num(int64(f.Support))
	str(f.FunderKind)
	num(int64(f.Exclude))
	opt(f.MinAmount)
	opt(f.MaxAmount)
	if f.MinProb == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(*f.MinProb))
	}
	return appendSorted(b, f.Sources)
}

func (f *Filter) canonicalYears(b *[]byte) {
	years := slices.Clone(f.Years)
	slices.SortFunc(years, func(x, y Span) int { return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To)) })
	years = slices.Compact(years)
	*b = binary.AppendVarint(*b, int64(len(years)))
	for _, s := range years {
		*b = binary.AppendVarint(binary.AppendVarint(*b, int64(s.From)), int64(s.To))
	}
}

func (p *Place) canonical(b *[]byte) {
	if len(p.Values) == 0 {
		*b = append(*b, 0)
		return
	}
	values := slices.Clone(p.Values)
	slices.SortFunc(values, func(x, y PlaceValue) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.State, y.State))
	})
	values = slices.Compact(values)
	*b = append(*b, 1, byte(p.Of), byte(p.Kind))
	*b = binary.AppendVarint(*b, int64(len(values)))
	for _, v := range values {
		for _, s := range [...]string{v.Name, v.State} {
			*b = binary.AppendVarint(*b, int64(len(s)))
			*b = append(*b, s...)
		}
	}
}

func appendSorted[T ~uint8 | ~uint32](b []byte, list []T) []byte {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	b = binary.AppendVarint(b, int64(len(list)))
	for _, v := range list {
		b = binary.AppendVarint(b, int64(v))
	}
	return b
}

// cacheKey names an answer: the endpoint, how it is ordered and cut, and the
// filter.
func cacheKey(endpoint byte, f *Filter, s Sort, p Page) string {
	b := []byte{endpoint, byte(s.By), 0}
	if s.Asc {
		b[2] = 1
	}
	b = binary.AppendVarint(b, int64(p.Offset))
	b = binary.AppendVarint(b, int64(p.Limit))
	return string(f.canonical(b))
}
