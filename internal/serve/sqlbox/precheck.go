package sqlbox

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

const (
	maxText  = 64 << 10 // bytes of a statement
	maxDepth = 64       // brackets within brackets
)

// precheck refuses without parsing, in one pass over at most maxText bytes, a text that is too
// long, nested too deeply, or does not begin as a query does.
func precheck(sql string) *fault.Fault {
	if len(sql) > maxText {
		return reject("the statement has %d bytes; at most %d are read", len(sql), maxText)
	}
	if !utf8.ValidString(sql) {
		return reject("the statement is not valid UTF-8")
	}
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return reject("the statement contains a NUL character%s", positionIn(sql, i))
	}
	word, depth := "", 0
	for i := 0; i < len(sql); {
		n, c := skip(sql, i), sql[i]
		switch {
		case n > 0: // a comment, a literal or a quoted name
			i += n
			if c != '-' && c != '/' && word == "" {
				word = "?"
			}
			continue
		case c == '(' || c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return reject("brackets are nested more than %d deep%s", maxDepth, positionIn(sql, i))
			}
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if word == "" && !strings.ContainsRune(" \t\r\n\f\v", rune(c)) {
			end := i
			for end < len(sql) && letter(sql[end]) && sql[end] < utf8.RuneSelf { // a byte beyond ASCII may be part of a space
				end++
			}
			word = sql[i:max(end, i+1)]
		}
		i++
	}
	const example = "SELECT name, total_out FROM funder_kind ORDER BY total_out DESC LIMIT 10"
	switch strings.ToUpper(word) {
	case "SELECT", "WITH", "DESCRIBE":
		return nil
	case "":
		return reject("the statement is empty").Try(example)
	}
	return reject("a statement begins with SELECT, WITH or DESCRIBE").Try(example)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// skip returns the length of the comment, literal or quoted name that begins at i,
// or 0. If it has no end, the length reaches to the end of the text.
func skip(sql string, i int) int {
	rest := sql[i:]
	until := func(from int, end string) int {
		if j := strings.Index(rest[from:], end); j >= 0 {
			return from + j + len(end)
		}
		return len(rest)
	}
	switch {
	case strings.HasPrefix(rest, "--"):
		return until(2, "\n")
	case strings.HasPrefix(rest, "/*"):
		return comment(rest)
	case rest[0] == '\'' && i > 0 && (sql[i-1] == 'e' || sql[i-1] == 'E') && (i == 1 || !letter(sql[i-2])):
		for j := 1; j < len(rest); j++ {
			switch rest[j] {
			case '\\':
				j++
			case '\'':
				return j + 1
			}
		}
		return len(rest)
	case rest[0] == '\'', rest[0] == '"':
		// A doubled quote reads as two adjacent literals of the same total length.
		return until(1, rest[:1])
	case rest[0] == '$' && (i == 0 || !letter(sql[i-1])):
		end := 1
		for end < len(rest) && letter(rest[end]) {
			end++
		}
		if end < len(rest) && rest[end] == '$' && (end == 1 || rest[1] < '0' || rest[1] > '9') {
			return until(end+1, rest[:end+1])
		}
	}
	return 0
}

// comment returns the length of a comment, which may contain comments.
func comment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// body returns the statement without its final semicolon and the text after it.
// The gate must have found that the text holds one statement.
func body(sql string) string {
	for i := 0; i < len(sql); {
		if n := skip(sql, i); n > 0 {
			i += n
			continue
		}
		if sql[i] == ';' {
			return sql[:i]
		}
		i++
	}
	return sql
}

const maxParams = 1000

// Params are the values bound to a statement: a list for ? and $1, or names for $name. The engine never reads
// a text among them as SQL. In JSON they are an array, an object, or null.
type Params struct {
	List  []any
	Named map[string]any
}

// UnmarshalJSON reads an array or an object of simple values.
func (p *Params) UnmarshalJSON(b []byte) error {
	*p = Params{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	open, err := d.Token()
	if err != nil || open == nil {
		return err
	}
	named := open == json.Delim('{')
	if named {
		p.Named = map[string]any{}
	} else if open == json.Delim('[') {
		p.List = []any{}
	} else {
		return reject("params is an array of values, or an object of names and values")
	}
	// It stops at the first refused value: numbers would take thirty times the body in memory.
	for n := 0; d.More(); n++ {
		if n == maxParams {
			return reject("there are more than %d parameters", maxParams)
		}
		var name json.Token
		if named {
			if name, err = d.Token(); err != nil {
				return err
			}
		}
		value, err := d.Token()
		if err != nil {
			return err
		}
		if _, nested := value.(json.Delim); nested {
			return reject("a parameter is a text, a number, true, false or null")
		}
		if named {
			p.Named[name.(string)] = value
		} else {
			p.List = append(p.List, value)
		}
	}
	return nil
}

func (p Params) MarshalJSON() ([]byte, error) {
	if p.Named != nil {
		return encode(p.Named)
	}
	return encode(p.List)
}

// withoutValues returns what the gate needs of the parameters.
func (p Params) withoutValues() Params {
	if p.Named != nil {
		names := make(map[string]any, len(p.Named))
		for n := range p.Named {
			names[n] = nil
		}
		return Params{Named: names}
	}
	return Params{List: make([]any, len(p.List))}
}

func (p Params) checkAgainst(names []string) *fault.Fault {
	most := 0
	for _, n := range names {
		if i, err := strconv.Atoi(n); err == nil {
			most = max(most, i)
		} else if _, ok := p.Named[n]; !ok {
			return reject("the statement has a parameter $%s that params does not name", fault.Clip(n, maxQuoted)).
				Try(`"params": {"%s": …}`, fault.Clip(n, maxQuoted))
		}
	}
	if most > 0 && most != len(p.List) || most == 0 && len(p.List) > 0 {
		return reject("the statement has %d parameters and params has %d values", most, len(p.List))
	}
	for _, n := range slices.Sorted(maps.Keys(p.Named)) {
		if !slices.Contains(names, n) {
			return reject("params names %q, which the statement does not use", fault.Clip(n, maxQuoted))
		}
	}
	return nil
}

// args returns the values in the form that the driver takes.
func (p Params) args() []any {
	args := each.Append(nil, p.List, keepWhole)
	args = each.Append(args, slices.Sorted(maps.Keys(p.Named)), func(k string) any { return sql.Named(k, keepWhole(p.Named[k])) })
	return args
}

// keepWhole returns a whole number as an integer, so that it keeps all digits.
func keepWhole(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	if i, ok := new(big.Int).SetString(n.String(), 10); ok && i.BitLen() < 128 {
		return i
	}
	// A number that is too large is infinite, as it is in the statement itself.
	f, err := n.Float64()
	if err != nil && !math.IsInf(f, 0) {
		return n.String()
	}
	return f
}
