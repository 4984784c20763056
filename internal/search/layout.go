package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// The index is one file: a header, a table of sections, and the sections, each
// padded with zeros to a multiple of eight bytes. Every byte is under a checksum
// (CRC-32C) that is verified when the file is opened. Numbers are little-endian.
//
//	0   magic, 8 bytes
//	8   size of the file, uint64
//	16  checksum of the header without this field, and of the table, uint32
//	20  zero, uint32
//	24  table of sections: offset, length uint64, checksum uint32, zero uint32
const (
	magic      = "GGnames3"
	headSize   = 24
	entrySize  = 24
	headerSize = headSize + sections*entrySize
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headSum is the checksum of the header and the table.
func headSum(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:16], castagnoli), castagnoli, head[20:headerSize])
}

// The sections.
const (
	secOrgs      = iota // orgSize bytes for each organization, in EIN order
	secText             // names and cities
	secForms            // formSize bytes for each form, most prominent first
	secFormStart        // where the words of each form begin, and where the last ends
	secFormWords        // the words of the forms
	secWordStart        // where each word of the vocabulary begins
	secWordText         // the vocabulary, in byte order
	secListStart        // where the list of each word begins
	secListCount        // how many forms have the word
	secLists            // the lists: forms in rising order, as differences
	secKeyHash          // hashes of the keys of the forms, in order
	secKeyForm          // and the forms
	secInitHash         // hashes of the initials of the forms, in order
	secInitForm         // and the forms
	secReverse          // the vocabulary in the order of its words read backwards
	sections
)

const (
	orgSize  = 32
	formSize = 8
)

// cityMark begins a word that is part of a city and not of a name. It sorts
// before every letter.
const cityMark = '@'

// arranged is an index ready to be written.
type arranged struct{ parts [sections][]byte }

// arrange makes the index. The entries must be in EIN order.
func arrange(entries []entry) *arranged {
	a := new(arranged)
	a.orgs(entries)
	forms := formsOf(entries)
	a.heads(forms)
	words := a.vocabulary(forms)
	a.lists(forms, words)
	a.keys(forms)
	return a
}

// orgs writes the organizations.
func (a *arranged) orgs(entries []entry) {
	orgs := make([]byte, 0, len(entries)*orgSize)
	var text []byte
	for i := range entries {
		e := &entries[i]
		name, city := firstBytes(e.name, math.MaxUint16), firstBytes(e.city, math.MaxUint8)
		var r [orgSize]byte
		binary.LittleEndian.PutUint32(r[0:], uint32(e.ein))
		copy(r[4:6], e.state)
		r[6] = e.typ
		copy(r[8:12], e.ntee)
		binary.LittleEndian.PutUint32(r[12:], math.Float32bits(e.prominence))
		if e.revenue != nil {
			r[7] = 1
			binary.LittleEndian.PutUint64(r[16:], uint64(*e.revenue))
		}
		binary.LittleEndian.PutUint32(r[24:], uint32(len(text)))
		binary.LittleEndian.PutUint16(r[28:], uint16(len(name)))
		r[30] = uint8(len(city))
		orgs = append(orgs, r[:]...)
		text = append(append(text, name...), city...)
	}
	a.parts[secOrgs], a.parts[secText] = orgs, text
}

// heads writes what the forms are, without their words.
func (a *arranged) heads(forms []form) {
	for i := range forms {
		f := &forms[i]
		b := binary.LittleEndian.AppendUint32(a.parts[secForms], f.org)
		b = append(b, f.kind, 0)
		var state [2]byte
		copy(state[:], f.state)
		a.parts[secForms] = append(b, state[:]...)
	}
}

// firstBytes is at most the first n bytes of s.
func firstBytes(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return s
}

// vocabulary writes the words of all names and returns their numbers.
func (a *arranged) vocabulary(forms []form) map[string]uint32 {
	ids := make(map[string]uint32, len(forms))
	var list []string
	add := func(w string) {
		if _, ok := ids[w]; !ok {
			ids[w] = 0
			list = append(list, w)
		}
	}
	for i := range forms {
		f := &forms[i]
		for _, w := range f.words {
			add(w)
		}
		for j, w := range f.city {
			f.city[j] = string(cityMark) + w
			add(f.city[j])
		}
	}
	slices.Sort(list)
	var text, start []byte
	for i, w := range list {
		ids[w] = uint32(i)
		start = binary.LittleEndian.AppendUint32(start, uint32(len(text)))
		text = append(text, w...)
	}
	back := make([]uint32, len(list))
	for i := range back {
		back[i] = uint32(i)
	}
	slices.SortFunc(back, func(x, y uint32) int { return compareBackwards(list[x], list[y]) })
	for _, w := range back {
		a.parts[secReverse] = binary.LittleEndian.AppendUint32(a.parts[secReverse], w)
	}
	a.parts[secWordText] = text
	a.parts[secWordStart] = binary.LittleEndian.AppendUint32(start, uint32(len(text)))
	return ids
}

// compareBackwards orders words by their last letter, then the one before it.
func compareBackwards(a, b string) int {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// lists writes the words of every form and the forms of every word.
func (a *arranged) lists(forms []form, ids map[string]uint32) {
	var starts, words []byte
	lists := make([][]uint32, len(ids))
	put := func(w, f uint32) {
		if l := lists[w]; len(l) == 0 || l[len(l)-1] != f {
			lists[w] = append(l, f)
		}
	}
	for i := range forms {
		f := &forms[i]
		starts = binary.LittleEndian.AppendUint32(starts, uint32(len(words)/4))
		for _, w := range f.words {
			id := ids[w]
			words = binary.LittleEndian.AppendUint32(words, id)
			put(id, uint32(i))
		}
		for _, w := range f.city {
			put(ids[w], uint32(i))
		}
	}
	a.parts[secFormStart] = binary.LittleEndian.AppendUint32(starts, uint32(len(words)/4))
	a.parts[secFormWords] = words

	var at, count, out []byte
	for _, l := range lists {
		at = binary.LittleEndian.AppendUint32(at, uint32(len(out)))
		count = binary.LittleEndian.AppendUint32(count, uint32(len(l)))
		var last uint32
		for _, f := range l {
			out = binary.AppendUvarint(out, uint64(f-last))
			last = f
		}
	}
	a.parts[secListStart] = binary.LittleEndian.AppendUint32(at, uint32(len(out)))
	a.parts[secListCount], a.parts[secLists] = count, out
}

// keys writes the tables in which a whole name and its initials are looked up.
func (a *arranged) keys(forms []form) {
	type hashed struct {
		hash uint64
		form uint32
	}
	table := func(hash, number int, keys func(*form) []string) {
		var list []hashed
		for i := range forms {
			for _, k := range keys(&forms[i]) {
				list = append(list, hashed{hashOf(k), uint32(i)})
			}
		}
		slices.SortFunc(list, func(x, y hashed) int {
			return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.form, y.form))
		})
		for _, h := range list {
			a.parts[hash] = binary.LittleEndian.AppendUint64(a.parts[hash], h.hash)
			a.parts[number] = binary.LittleEndian.AppendUint32(a.parts[number], h.form)
		}
	}
	table(secKeyHash, secKeyForm, func(f *form) []string { return []string{f.key} })
	table(secInitHash, secInitForm, func(f *form) []string { return f.initials })
}

// hashOf is FNV-1a with a last mixing step, because tables are looked up by
// its leading bits.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// write writes the file.
func (a *arranged) write(w io.Writer) error {
	head := make([]byte, headerSize)
	copy(head, magic)
	at := uint64(headerSize)
	for i, p := range a.parts {
		if uint64(len(p)) > math.MaxUint32 {
			return fmt.Errorf("section %d of the name index takes more than 4 GiB, which its numbers cannot tell", i)
		}
		e := head[headSize+i*entrySize:]
		binary.LittleEndian.PutUint64(e, at)
		binary.LittleEndian.PutUint64(e[8:], uint64(len(p)))
		binary.LittleEndian.PutUint32(e[16:], crc32.Update(crc32.Checksum(p, castagnoli), castagnoli, padding(len(p))))
		at += uint64(len(p) + len(padding(len(p))))
	}
	binary.LittleEndian.PutUint64(head[8:], at)
	binary.LittleEndian.PutUint32(head[16:], headSum(head))
	for _, p := range append([][]byte{head}, a.parts[:]...) {
		if _, err := w.Write(p); err != nil {
			return err
		}
		if _, err := w.Write(padding(len(p))); err != nil {
			return err
		}
	}
	return nil
}

// padding is what follows n bytes up to a multiple of eight.
func padding(n int) []byte { return make([]byte, (8-n%8)%8) }
