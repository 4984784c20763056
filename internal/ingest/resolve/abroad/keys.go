package abroad

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/fault"
)

// Keys remembers to which cluster each name belongs. The key of a cluster is the name that founded it, and
// the id of the cluster is made of that. The zero value knows no names. As text it is a table with a line for
// every name, sorted, the key left out where it is the name itself:
//
//	cc	kx	key
//	UK	EXAMPLERELIEF
//	UK	EXAMPLERELIEFF	EXAMPLERELIEF
type Keys struct{ founders map[nameInCountry]string }

const (
	maxKeys    = 20_000_000
	maxKeyLine = 2*maxName + 8
	keysHeader = "cc\tkx\tkey"
)

// ErrKeys is wrapped by every error in a table of keys.
var ErrKeys = errors.New("not a table of cluster keys")

// grow copies k with room for more names.
func (k Keys) grow(n int) Keys {
	founders := make(map[nameInCountry]string, max(n, len(k.founders)))
	maps.Copy(founders, k.founders)
	return Keys{founders}
}

func (k Keys) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	write := func(parts ...string) {
		for _, s := range parts {
			m, _ := b.WriteString(s) // the error stays until Flush
			n += int64(m)
		}
	}
	write(keysHeader, "\n")
	for _, p := range slices.SortedFunc(maps.Keys(k.founders), nameInCountry.compare) {
		write(string(p.cc[:]), "\t", p.kx)
		if key := k.founders[p]; key != p.kx {
			write("\t", key)
		}
		write("\n")
	}
	return n, b.Flush()
}

// ReadKeys reads what WriteTo wrote. Any error rejects the whole table, because a name that lost its key would change its id.
func ReadKeys(r io.Reader) (Keys, error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 0, maxKeyLine), maxKeyLine)
	line := 0
	refuse := func(format string, args ...any) (Keys, error) {
		args = append(append([]any{line}, args...), ErrKeys)
		return Keys{}, fault.New("cluster_keys", "line %d of the cluster keys: "+format+": %w", args...).
			Try("restore it from a backup, or remove it: names abroad are then clustered anew, and some ids change")
	}
	k := Keys{make(map[nameInCountry]string)}
	var last nameInCountry
	type merge struct {
		nameInCountry
		line int
	}
	var merges []merge
	for scan.Scan() {
		line++
		text := scan.Bytes()
		if line == 1 {
			if string(text) != keysHeader {
				return refuse("expected the columns cc, kx and key")
			}
			continue
		}
		cc, rest, ok := bytes.Cut(text, []byte{'\t'})
		kx, key, merged := bytes.Cut(rest, []byte{'\t'})
		p, known := newNameInCountry(string(cc), string(kx))
		switch {
		case !ok || !known || string(cc) != string(p.cc[:]):
			return refuse("expected a country code and the key of a name")
		case merged && (!isKey(key) || len(key) > maxName || bytes.Equal(key, kx)):
			return refuse("expected the key of another name in the third column")
		case line > 2 && p.compare(last) <= 0:
			return refuse("it is out of order or there twice")
		case len(k.founders) == maxKeys:
			return refuse("there are more than %d names", maxKeys)
		}
		founder := p.kx
		if merged {
			founder = string(key)
			merges = append(merges, merge{p, line})
		}
		k.founders[p] = founder
		last = p
	}
	if err := scan.Err(); err != nil {
		line++
		if errors.Is(err, bufio.ErrTooLong) {
			return refuse("it is too long")
		}
		return Keys{}, err
	}
	if line == 0 {
		return refuse("it is empty")
	}
	for _, m := range merges {
		key := k.founders[m.nameInCountry]
		if line = m.line; k.founders[nameInCountry{m.cc, key}] != key {
			return refuse("its key is that of no cluster")
		}
	}
	return k, nil
}

// isKey reports whether b can be the comparison key of a name: capital letters and digits.
func isKey[T string | []byte](b T) bool {
	for i := range len(b) {
		c := b[i]
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(b) > 0
}

// lower32 spells digests in lower-case base32, which survives any case folding.
var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Prefix begins the id of a recipient abroad; the rest names its cluster.
const Prefix = "intl-"

// ID is the recipient id of a cluster's key, which is the comparison key of one of its names. The key of an unmerged
// name is its own comparison key.
func ID(country, key string) string {
	cc := strings.ToLower(country)
	h := sha256.New()
	for _, part := range [...]string{cc, key} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // so that no two lists of parts can be confused
	}
	return Prefix + cc + "-" + lower32.EncodeToString(h.Sum(nil))[:10]
}
