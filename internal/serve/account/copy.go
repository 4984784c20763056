package account

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// copiedTables are the tables of a store in the order in which rows can be written: a table comes after those that it refers
// to. The marks of transactions (commits) and the number of the layout belong to one database and stay there.
var copiedTables = []string{
	"pepper", "accounts", "keys", "agents", "spent", "usage", "account_usage", "sessions", "tokens",
	"tries", "nonces", "screens", "questions", "events", "signing_keys", "lists", "list_members", "list_runs", "list_reports",
	"watches", "watch_members", "alerts", "watch_channels", "corrections",
}

// CopiedTable says what a table held when it was copied. The digest does not depend on the order of rows or the database.
type CopiedTable struct {
	Name   string `json:"table"`
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"`
}

// contents is the number of rows and the sum of their SHA-256.
type contents struct {
	rows int64
	sum  [4]uint64
}

func (c *contents) add(row []any) error {
	h := sha256.New()
	for _, value := range row {
		var kind byte
		var text string
		switch v := value.(type) {
		case nil:
			kind = 'n'
		case int64:
			kind, text = 'i', fmt.Sprint(v)
		case string:
			kind, text = 't', v
		case []byte:
			kind, text = 'b', string(v)
		default:
			return fmt.Errorf("a column of type %T", value)
		}
		fmt.Fprintf(h, "%c%d:%s", kind, len(text), text)
	}
	digest := h.Sum(nil)
	for i := range c.sum {
		c.sum[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
	c.rows++
	return nil
}

func (c *contents) table(name string) CopiedTable {
	return CopiedTable{Name: name, Rows: c.rows, Digest: fmt.Sprintf("%016x%016x%016x%016x", c.sum[0], c.sum[1], c.sum[2], c.sum[3])}
}

// copyRules say how an engine reads a whole store at one moment, and what it needs around the rows of another store.
type copyRules struct {
	read   *sql.TxOptions
	begin  []string // before the first row is read or written: a copy may take longer than other transactions
	alone  []string // before the first row is written
	values string   // between the columns and the rows
	// end follows the last row; %[1]s is a table that numbers its rows, in a column seq.
	end string
}

func (sqliteEngine) copyRules() copyRules { return copyRules{read: new(sql.TxOptions)} }

func (*postgresEngine) copyRules() copyRules {
	return copyRules{
		read:  &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		begin: []string{"SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"},
		// A server that starts now waits until the pepper is that of the source.
		alone:  []string{"LOCK TABLE pepper IN ACCESS EXCLUSIVE MODE"},
		values: " OVERRIDING SYSTEM VALUE",
		end:    "SELECT setval(pg_get_serial_sequence('%[1]s', 'seq'), (SELECT COALESCE(MAX(seq), 0) + 1 FROM %[1]s), false)",
	}
}

const copiedAtOnce = 200

// Copy copies everything into an empty store in one transaction. A target that holds the same rows already is left as it is,
// and again is true. No server may use either store meanwhile.
func Copy(ctx context.Context, source, target *Store) (tables []CopiedTable, again bool, err error) {
	from, rules := source.engine.copyRules(), target.engine.copyRules()
	reading, err := beginCopy(ctx, source.read.db, from.read, from.begin)
	if err != nil {
		return nil, false, err
	}
	defer reading.Rollback()
	writing, err := beginCopy(ctx, target.write.db, nil, slices.Concat(rules.begin, rules.alone))
	if err != nil {
		return nil, false, err
	}
	defer writing.Rollback()
	empty := true
	var before []CopiedTable
	for _, name := range copiedTables {
		has, err := readTable(ctx, writing, name, nil)
		if err != nil {
			return nil, false, err
		}
		empty = empty && (has.rows == 0 || name == "pepper")
		before = append(before, has.table(name))
	}
	if !empty {
		return compareStores(ctx, reading, before)
	}
	if _, err := writing.ExecContext(ctx, "DELETE FROM pepper"); err != nil {
		return nil, false, unavailable(err)
	}
	for _, name := range copiedTables {
		copied, err := copyTable(ctx, reading, writing, name, rules)
		if err != nil {
			return nil, false, fmt.Errorf("copying the table %s: %w", name, err)
		}
		tables = append(tables, copied)
	}
	if err := writing.Commit(); err != nil {
		return nil, false, unavailable(err)
	}
	return tables, false, nil
}

func beginCopy(ctx context.Context, db *sql.DB, opt *sql.TxOptions, begin []string) (*sql.Tx, error) {
	tx, err := db.BeginTx(ctx, opt)
	if err != nil {
		return nil, unavailable(err)
	}
	for _, text := range begin {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return nil, errors.Join(unavailable(err), tx.Rollback())
		}
	}
	return tx, nil
}

func compareStores(ctx context.Context, reading *sql.Tx, target []CopiedTable) ([]CopiedTable, bool, error) {
	for _, want := range target {
		has, err := readTable(ctx, reading, want.Name, nil)
		if err != nil {
			return nil, false, err
		}
		if has.table(want.Name) != want {
			return nil, false, refuse(nil, "target_not_empty")
		}
	}
	return target, true, nil
}

func copyTable(ctx context.Context, reading, writing *sql.Tx, name string, rules copyRules) (CopiedTable, error) {
	var args []any
	var into string // the statement without its rows
	var width int
	flush := func() error {
		if len(args) == 0 {
			return nil
		}
		var text strings.Builder
		text.WriteString(into)
		for i := range args {
			sep := ", "
			switch {
			case i == 0:
				sep = "("
			case i%width == 0:
				sep = "), ("
			}
			fmt.Fprintf(&text, "%s$%d", sep, i+1)
		}
		_, err := writing.ExecContext(ctx, text.String()+")", args...)
		args = args[:0]
		return err
	}
	numbered := false
	want, err := readTable(ctx, reading, name, func(columns []string, row []any) error {
		if into == "" {
			into, width = "INSERT INTO "+name+" ("+strings.Join(columns, ", ")+")"+rules.values+" VALUES ", len(columns)
			numbered = slices.Contains(columns, "seq")
		}
		if args = append(args, row...); len(args) == copiedAtOnce*width {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err == nil && numbered && rules.end != "" {
		_, err = writing.ExecContext(ctx, fmt.Sprintf(rules.end, name))
	}
	if err != nil {
		return CopiedTable{}, err
	}
	has, err := readTable(ctx, writing, name, nil)
	if err != nil {
		return CopiedTable{}, err
	}
	if has != want {
		return CopiedTable{}, fmt.Errorf("%d rows were read and %d written, or they differ", want.rows, has.rows)
	}
	return has.table(name), nil
}

// readTable reads a whole table, its columns by name: the databases may order them differently.
func readTable(ctx context.Context, tx *sql.Tx, name string, each func(columns []string, row []any) error) (c contents, err error) {
	columns, err := columnsOf(ctx, tx, name)
	if err != nil {
		return c, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+name)
	if err != nil {
		return c, unavailable(err)
	}
	defer rows.Close()
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return c, err
		}
		for i, value := range row {
			if b, ok := value.([]byte); ok && b == nil {
				row[i] = []byte{} // nil would be written as NULL
			}
		}
		if err := c.add(row); err != nil {
			return c, err
		}
		if each != nil {
			if err := each(columns, row); err != nil {
				return c, err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return c, unavailable(err)
	}
	return c, nil
}

func columnsOf(ctx context.Context, tx *sql.Tx, name string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, "SELECT * FROM "+name+" WHERE 1 = 0")
	if err != nil {
		return nil, unavailable(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	slices.Sort(columns)
	return columns, err
}
