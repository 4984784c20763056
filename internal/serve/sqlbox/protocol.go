package sqlbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"grantgraph/internal/fault"
)

// The server and its workers exchange frames: a length and JSON of that length, and the rows of
// an answer after it. Each side refuses a frame longer than any honest one.
const (
	maxRequest = 4 << 20
	maxHead    = 512 << 10 // of an answer without its rows
)

// Held is the most bytes that the server holds for the answer to one query: the rows, the slices
// that point to them, and the columns before and after decoding.
const Held = maxBytes + (maxRows+1)*64 + 4*maxHead

// hello is the first frame to a worker and says which role it takes.
type hello struct {
	Role    string // roleGate or roleRunner
	Dir     string // the snapshot
	Pro     bool
	Memory  int64
	Threads int
}

const (
	roleGate   = "gate"
	roleRunner = "runner"
)

type ready struct {
	Err   string
	Notes []string // what the machine could not offer to confine the worker
}

type workerRequest struct {
	SQL     string
	Params  Params
	Pro     bool
	Timeout time.Duration
	Budget  time.Duration // of processor time; 0 for no limit
}

// workerReply is the reply to a workerRequest: a fault, an error of the worker
// itself, or a result. A gate that lets a statement pass replies with none of them.
type workerReply struct {
	Fault  *fault.Fault
	Err    string
	Result *Result
	Sizes  []int // of the rows, which follow the frame
	Broken bool  // the worker's engine must not be used again
}

// encode writes a value as JSON without escapes for HTML, which take six bytes for one.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func writeFrame(w io.Writer, body []byte) error {
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(body)))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

func readFrame(r io.Reader, limit uint32, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > limit {
		return fmt.Errorf("a frame of %d bytes", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

func writeReply(w io.Writer, a workerReply) error {
	var rows []json.RawMessage
	if a.Result != nil {
		rows = a.Result.Rows
		for _, row := range rows {
			a.Sizes = append(a.Sizes, len(row))
		}
	}
	head, err := encode(a)
	if err != nil {
		return err
	}
	if len(head) > maxHead {
		rows = nil
		tooLarge := fault.New(TooLarge, "the columns of the answer take more than %d KiB to name", maxHead>>10).
			Try("select fewer columns, or shorten their names")
		if head, err = encode(workerReply{Broken: a.Broken, Fault: tooLarge}); err != nil {
			return err
		}
	}
	if err := writeFrame(w, head); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// readReply reads what writeReply writes, with the rows in one piece of memory.
func readReply(r io.Reader, a *workerReply) error {
	if err := readFrame(r, maxHead, a); err != nil {
		return err
	}
	if a.Result == nil {
		return nil
	}
	total := 0
	for _, n := range a.Sizes {
		if n < 0 || n > maxBytes-total {
			return fmt.Errorf("rows of more than %d bytes", maxBytes)
		}
		total += n
	}
	all := make([]byte, total)
	if _, err := io.ReadFull(r, all); err != nil {
		return err
	}
	a.Result.Rows = make([]json.RawMessage, len(a.Sizes))
	for i, n := range a.Sizes {
		a.Result.Rows[i], all = all[:n:n], all[n:]
	}
	a.Sizes = nil
	return nil
}
