package sqlbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"grantgraph/internal/fault"
)

// What passes between the server and its workers: JSON with its length before
// it. Each side refuses a frame that is longer than anything the other would
// honestly send.
const (
	maxAsk    = 4 << 20
	maxAnswer = maxBytes + 4<<20
)

// hello is the first frame to a worker: what it is to be.
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

// ready is the answer to hello.
type ready struct {
	Err   string
	Notes []string // what the machine could not offer to confine the worker
}

// ask is one statement.
type ask struct {
	SQL     string
	Params  Params
	Pro     bool
	Timeout time.Duration
}

// answer is the answer to ask: a fault, an error of the worker's own, or a
// result. A gate that lets a statement pass answers with nothing.
type answer struct {
	Fault  *fault.Fault
	Err    string
	Result *Result
	Broken bool // the worker's engine is of no more use
}

func writeFrame(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	_, err = w.Write(append(frame, body...))
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
