package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"grantgraph/client"
	"grantgraph/internal/fault"
)

// A cursor is a place in the result of one question to one build: base64url of marks of the build and of the question, and the
// number of rows before. It gives no access, so it is not signed.
const markSize = 6

const maxOffset = 1 << 40

func mark[T string | []byte](text T) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:markSize]
}

// Cursor is the place in the result of a question after so many rows.
func (c *Call) Cursor(question []byte, offset int64) string {
	return encodeCursor(c.cursorVersion(), c.op.ID, question, offset)
}

// cursorVersion is the build that cursors of the operation belong to, empty where rows do not come from the dataset.
func (c *Call) cursorVersion() string {
	if c.op.Anew {
		return ""
	}
	return c.Data.Snapshot().Version
}

func (c *Call) ReadCursor(question []byte) (offset int64, given bool, err error) {
	cursor, given := c.Params.Text("cursor")
	if !given {
		return 0, false, nil
	}
	offset, readable, err := decodeCursor(cursor, c.cursorVersion(), c.op.ID, question)
	if err == nil && !readable {
		c.Params.Problem(c.Params.Param("cursor"), -1, "cursor_parsing", cursor, nil, "the value is not a cursor; send next_cursor as it was returned")
	}
	return offset, true, err
}

// ReadBodyCursor does the same for a field of the body.
func (c *Call) ReadBodyCursor(f *Form, question []byte) (offset int64, given bool, err error) {
	raw, given := f.Value("cursor")
	if !given {
		return 0, false, nil
	}
	var cursor string
	readable := false
	if json.Unmarshal(raw, &cursor) == nil && len(cursor) <= 100 {
		offset, readable, err = decodeCursor(cursor, c.Data.Snapshot().Version, c.op.ID, question)
	}
	if err == nil && !readable {
		f.Problem("cursor", -1, "cursor_parsing", string(raw), nil, "the value is not a cursor; send next_cursor as it was returned")
	}
	return offset, true, err
}

func encodeCursor(version, operation string, question []byte, offset int64) string {
	b := append(mark(version), mark(operation+string(question))...)
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(b, uint64(offset)))
}

// decodeCursor reads a cursor. readable is false for another text; the error is that of another build or question.
func decodeCursor(cursor, version, operation string, question []byte) (offset int64, readable bool, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) <= 2*markSize {
		return 0, false, nil
	}
	n, size := binary.Uvarint(b[2*markSize:])
	if size <= 0 || size != len(b)-2*markSize || n > maxOffset {
		return 0, false, nil
	}
	if string(b[:markSize]) != string(mark(version)) {
		return 0, true, fault.New(client.SlugCursorStale, "The cursor belongs to another build of the dataset; the rows may have moved since.").
			Try("start again without cursor")
	}
	if string(b[markSize:2*markSize]) != string(mark(operation+string(question))) {
		return 0, true, fault.New(client.SlugCursorMismatch, "The cursor belongs to another endpoint, filter or order.").
			Try("send a cursor with the same parameters as the request that returned it; only limit, fields and format may change")
	}
	return int64(n), true, nil
}
