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

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

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
