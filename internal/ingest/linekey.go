package ingest

import (
	"cmp"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
)

// Lines are kept as numbers, and their text as keys: the fields joined by a separator. Equal lines have equal
// keys, and each key is kept once. Only this file builds and splits keys.

// separator stands between the fields of a key. XML forbids this character, but
// a numeric character reference can still produce it; see cleanLine.
const separator = '\x1f'

type recipientKey string

// appendRecipientKey writes the key of a line that cleanLine has cleaned.
func appendRecipientKey(b []byte, l *stage.Line) []byte {
	for _, s := range [...]string{l.Name1, l.Name2, l.Person, l.Street, l.City, l.State, l.ZIP, l.Country} {
		b = append(b, s...)
		b = append(b, separator)
	}
	status := resolve.ReadTaxStatus(cmp.Or(l.Section, l.Status))
	b = append(strconv.AppendUint(b, uint64(status), 10), separator)
	filed, _ := ein.Filed(l.EIN)
	return filed.Append(b)
}

// split splits a key into its fields. The strings share the key's memory.
func (k recipientKey) split() (r resolve.Recipient) {
	rest := string(k)
	for _, f := range [...]*string{&r.Name1, &r.Name2, &r.Person, &r.Street, &r.City, &r.State, &r.ZIP, &r.Country} {
		i := strings.IndexByte(rest, separator)
		*f, rest = rest[:i], rest[i+1:]
	}
	said, filed, _ := strings.Cut(rest, string(separator))
	status, _ := strconv.ParseUint(said, 10, 8)
	r.TaxStatus = resolve.TaxStatus(status)
	r.Filed, _ = ein.Filed(filed)
	return r
}

// nameAndPlace are the three names joined as in the key, the city, the state and the ZIP code. It does not split the whole key.
func (k recipientKey) nameAndPlace() (names, city, state, zip string) {
	rest := string(k)
	next := func() (field string) {
		field, rest, _ = strings.Cut(rest, string(separator))
		return field
	}
	size := len(next()) + len(next()) + len(next()) + 2
	names = string(k[:size])
	next() // the street
	return names, next(), next(), next()
}

// foreign reports whether the recipient has a foreign address. It reads the key from the end: only the status
// and the EIN, which are short, follow the country.
func (k recipientKey) foreign() bool {
	rest := string(k)
	for range 2 {
		rest = rest[:strings.LastIndexByte(rest, separator)]
	}
	return rest[len(rest)-1] != separator
}

// relationKey holds what a line says about the recipient besides its identity:
// its relationship to the funder and its foundation status.
type relationKey string

func appendRelationKey(b []byte, l *stage.Line) []byte {
	b = append(b, l.Relationship...)
	b = append(b, separator)
	return append(b, l.Status...)
}

func (k relationKey) split() (relationship, status string) {
	relationship, status, _ = strings.Cut(string(k), string(separator))
	return relationship, status
}

func cleanLine(l *stage.Line) {
	for _, f := range [...]*string{&l.Name1, &l.Name2, &l.Person, &l.Street, &l.City, &l.State, &l.ZIP, &l.Country, &l.Relationship, &l.Status} {
		if strings.IndexByte(*f, separator) >= 0 {
			*f = strings.ReplaceAll(*f, string(separator), " ")
		}
	}
}
