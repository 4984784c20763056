package cause

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/table"
)

type Org struct {
	EIN    ein.EIN
	Name   string
	Others []string // other names
	Texts  []string // mission, programs, purposes of grants received
	// Codes of the master file, empty where it has none.
	Subsection, Foundation, Affiliation, Group, FilingReq string
	// Activity is up to three concatenated three-digit activity codes, which the IRS used before the NTEE.
	Activity string
}

func (o *Org) inGroup() bool { return strings.Trim(o.Group, "0") != "" }

// feature is a hash of one piece of evidence. Collisions are rare and harmless.
type feature uint32

// Kinds of features. Their values are part of the hash of a feature.
const (
	kindCode         = 'c' // subsection and foundation code
	kindFiling       = 'r' // filing requirement and subsection
	kindGroupRole    = 'g' // affiliation code of a group member
	kindAffiliation  = 'a' // affiliation code outside a group
	kindActivity     = 'y' // activity code
	kindNameWord     = 'w' // word of a name
	kindNameWordCode = 'k' // word of a name, with the code
	kindNamePair     = 'b' // two adjacent words of a name
	kindWordStart    = 'p' // beginning of a word of a name
	kindWordEnd      = 'q' // ending of a word of a name
	kindFirstWord    = 'f' // first word of a name
	kindLastWord     = 'l' // last word of a name
	kindLastWordCode = 'm' // last word of a name, with the code
	kindTextWord     = 't' // word of a text
	kindTextPair     = 'u' // two adjacent words of a text
)

const (
	maxNames     = 4
	maxNameWords = 24
	maxTextBytes = 4 << 10
	maxTextWords = 160
)

// evidence collects the features of one organization at a time. Names and texts are weighted separately, so that a
// long mission does not drown out a clear name.
type evidence struct {
	names, texts []feature
	words        []string
}

// read replaces the collected features with those of o.
func (e *evidence) read(o *Org) {
	e.names, e.texts = e.names[:0], e.texts[:0]
	code := o.Subsection + "/" + o.Foundation
	e.names = append(e.names, featureOf(kindCode, code), featureOf(kindFiling, o.FilingReq, o.Subsection))
	if o.inGroup() {
		e.names = append(e.names, featureOf(kindGroupRole, o.Affiliation))
	} else {
		e.names = append(e.names, featureOf(kindAffiliation, o.Affiliation))
	}
	for a := o.Activity; len(a) >= 3; a = a[3:] {
		if a[:3] != "000" {
			e.names = append(e.names, featureOf(kindActivity, a[:3]))
		}
		if len(a) > 9 {
			break
		}
	}
	e.name(o.Name, code)
	for _, other := range o.Others[:min(len(o.Others), maxNames)] {
		e.name(other, code)
	}
	unique(&e.names)
	left := maxTextBytes
	for _, text := range o.Texts {
		if len(text) > left {
			text = text[:left]
		}
		left -= len(text)
		e.text(text)
		if left <= 0 || len(e.texts) >= maxTextWords {
			break
		}
	}
	unique(&e.texts)
}

// Evidence is the evidence for the cause of one organization, in a few hundred bytes. It is kept until a model is trained.
type Evidence struct {
	EIN          ein.EIN
	families     [2]uint64
	names, texts []feature
}

type Collector struct {
	ev   evidence
	room []feature // preallocated room for the next features
}

const collectorRoom = 1 << 18

func (c *Collector) Read(o *Org) Evidence {
	c.ev.read(o)
	return Evidence{o.EIN, families(o), c.keep(c.ev.names), c.keep(c.ev.texts)}
}

func (c *Collector) keep(list []feature) []feature {
	if len(list) > cap(c.room)-len(c.room) {
		c.room = make([]feature, 0, max(collectorRoom, len(list)))
	}
	from := len(c.room)
	c.room = append(c.room, list...)
	return c.room[from:len(c.room):len(c.room)]
}

// name adds the words of a name, its pairs of adjacent words, its first and last word, and the beginnings and endings
// of its longer words.
func (e *evidence) name(s, code string) {
	e.cut(s)
	w := e.words[:min(len(e.words), maxNameWords)]
	if len(w) == 0 {
		return
	}
	for i, word := range w {
		e.names = append(e.names, featureOf(kindNameWord, word), featureOf(kindNameWordCode, word, code))
		if i > 0 {
			e.names = append(e.names, featureOf(kindNamePair, w[i-1], word))
		}
		for _, n := range [...]int{4, 6} {
			if len(word) > n {
				e.names = append(e.names, featureOf(kindWordStart, word[:n]), featureOf(kindWordEnd, word[len(word)-n:]))
			}
		}
	}
	last := w[len(w)-1]
	e.names = append(e.names, featureOf(kindFirstWord, w[0]), featureOf(kindLastWord, last), featureOf(kindLastWordCode, last, code))
}

func (e *evidence) text(s string) {
	e.cut(s)
	before := ""
	for _, word := range e.words {
		if len(e.texts) >= maxTextWords {
			return
		}
		if len(word) < 3 || fillers[word] {
			continue
		}
		e.texts = append(e.texts, featureOf(kindTextWord, word))
		if before != "" {
			e.texts = append(e.texts, featureOf(kindTextPair, before, word))
		}
		before = word
	}
}

// cut splits a text into stems. Every run of digits becomes the same stem, because the numbers of posts, lodges and
// troops are endless.
func (e *evidence) cut(s string) {
	e.words = e.words[:0]
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(orgname.Fold(s), "'", ""), apart) {
		if word[0] >= '0' && word[0] <= '9' {
			word = "0"
		} else {
			word = stem(word)
		}
		switch word {
		case "INC", "THE", "OF", "A":
			continue
		}
		e.words = append(e.words, word)
	}
}

func apart(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }

func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "IES"):
		return w[:len(w)-3] + "Y"
	case len(w) > 4 && (strings.HasSuffix(w, "SHES") || strings.HasSuffix(w, "CHES")):
		return w[:len(w)-2]
	case len(w) > 3 && w[len(w)-1] == 'S' && w[len(w)-2] != 'S' && w[len(w)-2] != 'U':
		return w[:len(w)-1]
	}
	return w
}

// fillers are words that say nothing about a cause.
var fillers = table.SetOf("AND FOR WITH THAT FROM THEIR THIS WHICH ARE WAS WERE HAS HAVE BEEN ALL ITS OUR WHO NOT BUT ANY SUCH OTHER THROUGH " +
	"PROVIDE PROVIDED ORGANIZATION NONE SEE SCHEDULE GENERAL PURPOSE CHARITABLE UNRESTRICTED SUPPORT")

func featureOf(kind byte, parts ...string) feature {
	h := hash.Parts(hash.Byte(hash.Start, kind), parts...)
	return feature(h ^ h>>32)
}

func unique(list *[]feature) {
	kept := (*list)[:0]
	for _, f := range *list {
		if !slices.Contains(kept, f) {
			kept = append(kept, f)
		}
	}
	*list = kept
}

// The master file has thousands of legion posts, lodges and parent-teacher associations that share a name or a group. Some have
// a code and most do not. If nearly all members with a code have the same cause, we infer that cause for the others.

// kinTarget is the least share of a family that must have one cause, as a lower confidence bound.
const kinTarget = 0.93

// relative is one organization with a code, as a member of a family.
type relative struct {
	family uint64
	cause  uint8
}

type family struct {
	cause uint8
	share float32
}

type Measured struct{ Inferred, Right int }

// kindred returns the name's key and the group (0 for none) of an organization. Organizations that share either must
// stay on one side of a measurement.
func kindred(o *Org) (name, group uint64) {
	name = hash64("n", orgname.Key(o.Name))
	if o.inGroup() {
		group = hash64("g", o.Group)
	}
	return name, group
}

// families are the families of an organization, 0 for none: by group and by name, each among organizations of the same kind.
func families(o *Org) [2]uint64 {
	var list [2]uint64
	if o.inGroup() {
		list[0] = hash64("G", o.Group, o.Subsection, o.Foundation)
	}
	if key := orgname.Key(o.Name); key != "" {
		list[1] = hash64("N", key, o.Subsection)
	}
	return list
}

// kinOf finds the families with one cause. It measures them by leaving out one member at a time and predicting its
// cause from the others. It sorts the list.
func kinOf(list []relative) (kin map[uint64]family, m Measured) {
	slices.SortFunc(list, func(a, b relative) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.cause, b.cause))
	})
	kin = make(map[uint64]family)
	for members := range radix.Runs(list, func(a, b relative) bool { return a.family == b.family }) {
		n := len(members)
		var counts [causes]int
		for _, m := range members {
			counts[m.cause]++
		}
		if best, ok := verdict(&counts, n); ok {
			kin[members[0].family] = family{best, float32(counts[best]) / float32(n)}
		}
		for c, members := range counts {
			if members == 0 {
				continue
			}
			counts[c]--
			if best, ok := verdict(&counts, n-1); ok {
				m.Inferred += members
				if int(best) == c {
					m.Right += members
				}
			}
			counts[c]++
		}
	}
	return kin, m
}

// verdict is the cause of a family of n members; ok is false if no cause is frequent enough.
func verdict(counts *[causes]int, n int) (best uint8, ok bool) {
	for c := range counts {
		if counts[c] > counts[best] {
			best = uint8(c)
		}
	}
	return best, n > 0 && lowerBound(float64(counts[best])/float64(n), n) >= kinTarget
}

// hash64 is a well-mixed hash of texts. It is never 0.
func hash64(parts ...string) uint64 { return spread(hash.Parts(hash.Start, parts...)) | 1 }

// spread makes every bit depend on every other.
func spread(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
