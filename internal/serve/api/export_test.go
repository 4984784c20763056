package api

import "net/url"

// What the tests of this package look at from outside.
var (
	ContentTypes   = contentTypes
	HeaderWarnings = headerWarnings
	PlainWord      = plainWord
)

// Operations is the table.
func (s *Handler) Operations() []Operation { return s.table.ops }

// At is the path that an example is sent to.
func (op *Operation) At(e *Example) string { return op.Target(e) }

// Unhonored reports whether a name is one of the vocabulary that no data stands
// behind.
func Unhonored(name string) bool {
	for _, u := range unhonored {
		if u.name == name {
			return true
		}
	}
	return false
}

// Reads are the parameters that an operation reads of a query.
func (s *Handler) Reads(op *Operation, query url.Values) (map[string]bool, error) {
	c := &Call{table: s.table, op: op, warn: &Warnings{}, Data: s.config.Examples.Data, Base: s.config.BaseURL, format: "json", body: []byte(op.Examples[0].Body),
		Caller: Caller{Paid: true, Owner: "acc_EXAMPLE00001"}}
	_, err := c.prepare(query, op.Examples[0].Path)
	return c.Params.read, err
}

// Bounds that tests come up to.
const (
	Piece = piece
)
