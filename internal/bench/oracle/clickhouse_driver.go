package oracle

import (
	"bytes"
	"context"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoClickHouse is wrapped when ClickHouse cannot be started here.
var ErrNoClickHouse = errors.New("ClickHouse is not installed")

//go:embed clickhouse.cjs
var clickhouseWorker string

// worker is a process that runs ClickHouse and answers one query at a time. It is a connector of database/sql and its only
// connection. ClickHouse and DuckDB cannot share a process: both bring their own allocator and the same symbols.
type worker struct {
	process *exec.Cmd
	in      io.WriteCloser
	queries *json.Encoder
	answers *json.Decoder
	log     bytes.Buffer
}

// startWorker starts ClickHouse from the folder into which npm installed chdb, with an empty database in another folder.
func startWorker(ctx context.Context, modules, folder string) (*worker, error) {
	if _, err := os.Stat(filepath.Join(modules, "node_modules", "chdb")); modules == "" || err != nil {
		return nil, fmt.Errorf("%w: no folder with node_modules/chdb was given", ErrNoClickHouse)
	}
	modules, err := filepath.Abs(modules)
	if err != nil {
		return nil, err
	}
	w := &worker{process: exec.CommandContext(ctx, "node", "-e", clickhouseWorker, modules, folder)}
	w.process.Stderr = &w.log
	if w.in, err = w.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.queries, w.answers = json.NewEncoder(w.in), json.NewDecoder(out)
	if err := w.process.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoClickHouse, err)
	}
	return w, nil
}

// ask returns the rows of an answer, with the names of the columns before them.
func (w *worker) ask(query string) ([][]string, error) {
	var answer struct {
		Rows  [][]string
		Error string
	}
	err := w.queries.Encode(query)
	if err == nil {
		err = w.answers.Decode(&answer)
	}
	switch {
	case err != nil:
		err = errors.Join(err, w.Close())
		return nil, fmt.Errorf("ClickHouse ended: %w: %.1000s", err, w.log.Bytes())
	case answer.Error != "":
		return nil, fmt.Errorf("ClickHouse: %.1000s", answer.Error)
	}
	return answer.Rows, nil
}

func (w *worker) Connect(context.Context) (driver.Conn, error) { return w, nil }
func (w *worker) Driver() driver.Driver                        { return nil }
func (w *worker) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (w *worker) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }

// Close ends the process, which ends when it has no more queries to read.
func (w *worker) Close() error {
	_ = w.in.Close()
	return w.process.Wait()
}

func (w *worker) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	_, err := w.ask(query)
	return driver.ResultNoRows, err
}

func (w *worker) QueryContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	rows, err := w.ask(query)
	if err == nil {
		err = ctx.Err() // a query in ClickHouse's hands is not interrupted
	}
	if err != nil {
		return nil, err
	}
	return &textRows{names: rows[0], rows: rows[1:]}, nil
}

// textRows are the rows of an answer. Every value is a text, which database/sql converts.
type textRows struct {
	names []string
	rows  [][]string
}

func (r *textRows) Columns() []string { return r.names }
func (r *textRows) Close() error      { return nil }

func (r *textRows) Next(to []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	for i, text := range r.rows[0] {
		to[i] = text
	}
	r.rows = r.rows[1:]
	return nil
}
