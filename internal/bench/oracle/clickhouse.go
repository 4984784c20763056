package oracle

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"grantgraph/internal/snapshot"
)

// clickhouse is ClickHouse over the coded tables, in a folder that is gone after Close.
type clickhouse struct {
	*codebook
	dir string
}

//go:embed clickhouse.sql
var clickhouseTables string

// OpenClickHouse loads a snapshot into ClickHouse, which npm installed into the folder modules as the package chdb.
func OpenClickHouse(ctx context.Context, s *snapshot.Snapshot, modules string) (_ Engine, err error) {
	dir, err := os.MkdirTemp("", "grantgraph-clickhouse-")
	if err != nil {
		return nil, err
	}
	c := &clickhouse{dir: dir, codebook: &codebook{holds: holdsWords}}
	w, err := startWorker(ctx, modules, filepath.Join(dir, "data"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	db := sql.OpenDB(w)
	db.SetMaxOpenConns(1)
	if err = c.load(ctx, db, s); err == nil {
		err = c.read(ctx, db, s)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("loading the snapshot into ClickHouse: %w", err), db.Close(), os.RemoveAll(dir))
	}
	return c, nil
}

func (*clickhouse) Name() string { return "ClickHouse" }

func (c *clickhouse) Close() error { return errors.Join(c.db.Close(), os.RemoveAll(c.dir)) }

// holdsWords asks the index of words. Its words have no order, so the texts decide where there are several.
func holdsWords(words string, stems []string) string {
	where := "hasAllTokens(g.words, ['" + strings.Join(stems, "', '") + "'])"
	if len(stems) > 1 {
		where += " AND position(g.words, '" + words + "') > 0"
	}
	return "(" + where + ")"
}

// load carries the coded tables over as Parquet files, which both engines write and read at speed.
func (c *clickhouse) load(ctx context.Context, to *sql.DB, s *snapshot.Snapshot) error {
	db, err := exportCoded(ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements(strings.ReplaceAll(clickhouseTables, "{folder}", db.dir)) {
		if _, err := to.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w in %.200s", err, statement)
		}
	}
	return nil
}

// exportCoded writes the tables that PostgreSQL holds as Parquet files into the folder of a new database. Each grant has the
// words of all its texts as well.
func exportCoded(ctx context.Context, s *snapshot.Snapshot) (*database, error) {
	db, err := openDuck(ctx, slices.Concat(staged(s), codedSQL)...)
	if err != nil {
		return nil, err
	}
	for _, t := range postgresTables {
		name, from := t.Text("name"), t.Text("from")
		if name == "coded" {
			from = "(SELECT g.*, concat(p.words, '|', w.words, '|', r.words) AS words FROM coded g JOIN filed_text p ON p.id = g.purpose " +
				"JOIN filed_text w ON w.id = g.raw JOIN recipient r ON r.id = g.recipient)"
		}
		if err := db.run(ctx, "COPY (FROM "+from+") TO "+quote(filepath.Join(db.dir, name+".parquet"))); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}
