package cause

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
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
