package orgname

import (
	_ "embed"

	"grantgraph/internal/table"
)

//go:embed abbreviations.tsv
var abbreviationsText string

// Classes of words. The steps of normalization look each word up once and then test its classes.
const (
	legal     uint32 = 1 << iota // a legal form, dropped from the end
	stop                         // dropped from K2
	context                      // a number word or a roman numeral may follow
	numeral                      // ONE to TWENTY: a number after context
	roman                        // II to IX without V: a number when last or after context
	romanV                       // V and X: a number only after context
	inner                        // expanded only when it is not the last word
	saintly                      // ST and its kin: inner, and not after a number
	nomark                       // NO, NUMBER: dropped before a number
	marker                       // may begin one of the phrases that cut a name
	later                        // expanded only when it is not the first word
	holder                       // may be part of a phrase that names a sponsor
	organized                    // ORG behind it stands for organization
)

// word is an entry of the vocabulary. to is the long form, or nil if the word has none.
type word struct {
	to    []byte
	class uint32
}

//go:embed classes.tsv
var classesText string

// classNames are the classes by the names that the tables give them.
var classNames = map[string]uint32{"legal": legal, "stop": stop, "context": context, "numeral": numeral, "roman": roman, "romanV": romanV,
	"inner": inner, "saintly": saintly | inner, "nomark": nomark, "marker": marker, "later": later, "holder": holder, "organized": organized}

// words is the vocabulary of normalization. It is short on purpose: more abbreviations
// match few more names and confuse more of them.
var words = func() map[string]word {
	m := make(map[string]word, 256)
	add := func(r table.Row, class, list, long string) {
		c, ok := classNames[class]
		if !ok && class != "" {
			r.Fail("no such class as %q", class)
		}
		for _, s := range r.Fields(list) {
			w := m[s]
			if w.class |= c; long != "" {
				w.to = []byte(long)
			}
			m[s] = w
		}
	}
	for _, r := range table.Read("classes.tsv", classesText, "class", "words") {
		add(r, r.Text("class"), "words", "")
	}
	for _, r := range table.Read("abbreviations.tsv", abbreviationsText, "long", "short", "when") {
		add(r, r.Text("when"), "short", r.Text("long"))
	}
	return m
}()

// contextOf reports whether a number may be spelled out after w.
func contextOf(w []byte) bool { return words[string(w)].class&context != 0 }

// The long forms that steps test for or put in place of several words.
var (
	saint         = []byte("SAINT")
	boys          = []byte("BOYS")
	girls         = []byte("GIRLS")
	club          = []byte("CLUB")
	ymca          = []byte("YMCA")
	ywca          = []byte("YWCA")
	university    = []byte("UNIVERSITY")
	us            = []byte("US")
	state         = []byte("STATE")
	international = []byte("INTERNATIONAL")
	wordAnd       = []byte("AND")
	wordAt        = []byte("AT")
)
