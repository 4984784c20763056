package ofac

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/ingest/source/rows"
)

// endMark is the Ctrl-Z that closes each file, alone on its last line. Copies that went through an editor may have lost it.
const endMark = "\x1a"

// Limits on all files of one list together. Real lists have fifty thousand rows
// in eight megabytes; the limits guard against other files.
const (
	maxRows  = 2_000_000
	maxBytes = 256 << 20
	maxRow   = 64 << 10
)

type budget struct {
	rows  int
	bytes int64
}

var errTooLarge = fmt.Errorf("it is larger than any sanctions list (%d rows or %d MB in all its files)", maxRows, maxBytes>>20)

type listFile struct {
	name    string
	r       io.Reader
	columns int
	tally   *rows.Tally
	take    func(fields []string) (reason string)
}

// read passes on every row of the file. The first row decides whether this is the expected file. A later row
// with another number of columns is damaged and counted.
func (p listFile) read(b *budget) error {
	plain, err := rows.Inflate(p.r)
	if err != nil {
		return p.refuse(err)
	}
	s := rows.NewScanner(metered{plain, b}, rows.Layout{Separator: ',', Quotes: true, MaxRow: maxRow})
	for begun, ended := false, false; ; begun = true {
		fields, err := s.Fields()
		reason := (rows.RowError)("")
		switch {
		case err == io.EOF && !begun:
			return p.refuse(rows.ErrEmpty)
		case err == io.EOF:
			return nil
		case errors.Is(err, rows.ErrPage), errors.Is(err, errTooLarge):
			return p.refuse(err)
		case errors.As(err, &reason):
		case err != nil:
			return fmt.Errorf("reading the %s file of a sanctions list after row %d: %w", p.name, p.tally.Rows, err)
		}
		if ended {
			return p.refuse(errors.New("it goes on after its end mark, as if two files had been joined; fetch it again"))
		}
		if b.rows--; b.rows < 0 {
			return p.refuse(errTooLarge)
		}
		switch {
		case reason != "":
			p.tally.Reject(string(reason))
		case len(fields) == 1 && strings.Contains(fields[0], endMark) && strings.Trim(fields[0], " \t\r"+endMark) == "":
			ended = true
		case len(fields) != p.columns && !begun:
			return p.refuse(fmt.Errorf("its first row has %d columns where %d were expected", len(fields), p.columns))
		case len(fields) != p.columns:
			p.tally.Reject(rows.ReasonColumns)
		default:
			if why := p.take(fields); why != "" {
				p.tally.Reject(why)
			} else {
				p.tally.Rows++
			}
		}
	}
}

func (p listFile) refuse(err error) error {
	return fmt.Errorf("%w: the %s file: %w", ErrFormat, p.name, err)
}

type metered struct {
	r io.Reader
	b *budget
}

func (m metered) Read(p []byte) (int, error) {
	if m.b.bytes <= 0 {
		// The file is too large only if it has more bytes.
		var one [1]byte
		n, err := m.r.Read(one[:])
		if n > 0 {
			err = errTooLarge
		}
		return 0, err
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.b.bytes)])
	m.b.bytes -= int64(n)
	return n, err
}
