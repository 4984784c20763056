package ingest

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/fault"
)

// maskList names single lines that are masked in every build, because somebody
// asked for it or is at risk. It is kept as CSV beside the other overrides. The
// columns stand in any order, and those that are not needed may be missing:
//
//	object_id,line,grant_key,reason
//
// A row selects a line by the return it stands in and its place in the list,
// counted from 1, or by its grant key, and says why.
type maskList struct {
	byLine map[returnLine]int // to the entry
	byKey  map[string]int
	mu     sync.Mutex
	used   []bool // by entry: whether a line of the returns matched
}

type returnLine struct {
	object uint64
	line   int32
}

const maxMasked = 1_000_000

// readMaskList reads the list. It refuses a file with any error, because a
// dropped entry would leave a person visible.
func readMaskList(r io.Reader) (*maskList, error) {
	text := bufio.NewReader(r)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" { // spreadsheets write this at the start of a file
		text.Discard(3)
	}
	c := csv.NewReader(text)
	c.ReuseRecord = true
	head, err := c.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("it is empty; it needs at least the header object_id,line,reason or grant_key,reason")
	}
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains([]string{"object_id", "line", "grant_key", "reason"}, name) {
			return nil, fmt.Errorf("the column %q is not one of object_id, line, grant_key and reason", fault.Clip(name, 40))
		}
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("the column %s is there twice", name)
		}
		at[name] = i
	}
	_, byObject := at["object_id"]
	_, byLine := at["line"]
	_, byKey := at["grant_key"]
	_, why := at["reason"]
	if byObject != byLine || !byObject && !byKey || !why {
		return nil, fmt.Errorf("the header is %q; expected object_id,line,reason or grant_key,reason", fault.Clip(strings.Join(head, ","), 80))
	}
	m := &maskList{byLine: map[returnLine]int{}, byKey: map[string]int{}}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		field := func(name string) string {
			if i, ok := at[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		if len(m.used) == maxMasked {
			return nil, fmt.Errorf("it has more than %d rows", maxMasked)
		}
		if err := m.add(field("object_id"), field("line"), field("grant_key"), field("reason")); err != nil {
			line, _ := c.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

func (m *maskList) add(object, line, key, reason string) error {
	switch {
	case reason == "":
		return fmt.Errorf("the reason is empty; say why, so that the entry can be reviewed")
	case key != "" && object == "" && line == "":
		if len(key) != grantKeySize {
			return fmt.Errorf("grant_key %q is not one of %d characters", fault.Clip(key, 40), grantKeySize)
		}
		m.byKey[strings.Clone(key)] = len(m.used)
	case key == "" && object != "" && line != "":
		o, err := strconv.ParseUint(object, 10, 64)
		if err != nil || len(object) != 18 {
			return fmt.Errorf("object_id %q is not a number of 18 digits", fault.Clip(object, 40))
		}
		n, err := strconv.ParseUint(line, 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("line %q is not the number of a line", fault.Clip(line, 40))
		}
		m.byLine[returnLine{o, int32(n)}] = len(m.used)
	default:
		return fmt.Errorf("an entry is an object_id and a line, or a grant_key")
	}
	m.used = append(m.used, false)
	return nil
}

func (m *maskList) len() int {
	if m == nil {
		return 0
	}
	return len(m.used)
}

// has reports whether a line of a return is on the list, and records that the
// entry matched. A nil list is empty.
func (m *maskList) has(f *filing, part uint8, line int32) bool {
	if m == nil {
		return false
	}
	var at int
	var found bool
	if f.object != 0 {
		at, found = m.byLine[returnLine{f.object, line}]
	}
	if !found && len(m.byKey) > 0 {
		at, found = m.byKey[string(appendGrantKey(nil, f.key(), partName(part), line))]
	}
	if found {
		m.mu.Lock()
		m.used[at] = true
		m.mu.Unlock()
	}
	return found
}

// unmet counts the entries that match no line that was read.
func (m *maskList) unmet() (n int64) {
	if m == nil {
		return 0
	}
	for _, met := range m.used {
		if !met {
			n++
		}
	}
	return n
}
