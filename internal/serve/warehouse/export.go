package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
)

// Exported describes an export. It is written beside the data.
type Exported struct {
	Version string          `json:"version"` // of the snapshot
	Tables  []ExportedTable `json:"tables"`
}

type ExportedTable struct {
	Name        string `json:"name"`
	Rows        int64  `json:"rows"`
	PartitionBy string `json:"partition_by,omitempty"`
	Files       string `json:"files"` // pattern, relative to the export
}

// ExportName is the file that describes an export, written last.
const ExportName = "export.json"

// ExportOptions say what to export, and where other engines will find it.
type ExportOptions struct {
	Open bool // leave the Pro tables out
	// Location is where other engines will find the files. Zero is the export folder.
	Location Location
	Done     func(ExportedTable) // called after each table; may be nil
}

// Location is the place of an export, in the terms of other engines.
type Location struct {
	URI string // file:///folder or s3://bucket/prefix
	Web string // the web address of a bucket
}

// Export writes every view of a snapshot as Parquet into its own folder below a new one, with
// Hive partitions by year, and table definitions for other engines.
func Export(ctx context.Context, s *snapshot.Snapshot, dir string, opt ExportOptions) (*Exported, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Disk(dir, err)
	}
	conn, done, err := attach(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	defer done()
	out := &Exported{Version: s.Manifest.Version, Tables: []ExportedTable{}}
	for i := range views {
		v := &views[i]
		if v.Pro && opt.Open {
			continue
		}
		t, err := v.export(ctx, conn, dir)
		if err != nil {
			return nil, fmt.Errorf("exporting %s: %w", v.Name, err)
		}
		out.Tables = append(out.Tables, t)
		if opt.Done != nil {
			opt.Done(t)
		}
	}
	opt.Location.URI = cmp.Or(opt.Location.URI, "file://"+filepath.ToSlash(dir))
	return out, out.write(dir, opt)
}

// spill is the folder of the engine below that of an export.
const spill = ".spill"

// attach opens the warehouse of a snapshot for an export into an empty folder.
func attach(ctx context.Context, s *snapshot.Snapshot, dir string) (conn *sql.Conn, done func(), err error) {
	if err := emptyFolder(dir); err != nil {
		return nil, nil, err
	}
	var statements []string
	for _, f := range []string{OpenFile, ProFile} {
		path := filepath.Join(s.Dir, f)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fault.New("no_warehouse", "snapshot %s has no %s", s.Manifest.Version, f).Try("build it again with this program")
		}
		statements = append(statements, "ATTACH "+quote(path)+" AS "+strings.TrimSuffix(f, ".duckdb")+" (READ_ONLY)")
	}
	return connect(ctx, "", filepath.Join(dir, spill), statements)
}

// attached is the name of the table in the engine of attach.
func (v *View) attached() string { return strings.TrimSuffix(v.File(), ".duckdb") + ".main." + v.Name }

func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fault.Disk(dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fault.Disk(dir, err)
	}
	if len(entries) > 0 {
		return fault.New("not_empty", "%s is not empty", dir).Try("choose a new folder; an export never writes over anything")
	}
	return nil
}

func (v *View) export(ctx context.Context, conn *sql.Conn, dir string) (ExportedTable, error) {
	t := ExportedTable{Name: v.Name, PartitionBy: v.year, Files: v.Name + "/*.parquet"}
	to, options := filepath.Join(dir, v.Name), "FORMAT parquet, COMPRESSION zstd"
	if v.year == "" {
		if err := os.Mkdir(to, 0o755); err != nil {
			return t, fault.Disk(to, err)
		}
		to = filepath.Join(to, "data_0.parquet")
	} else {
		t.Files = v.Name + "/*/*.parquet"
		// The files contain the year too, for readers that ignore folder names.
		options += ", PARTITION_BY (" + v.year + "), WRITE_PARTITION_COLUMNS true"
	}
	res, err := conn.ExecContext(ctx, "COPY (SELECT * FROM "+v.attached()+") TO "+quote(to)+" ("+options+")")
	if err != nil {
		return t, err
	}
	t.Rows, err = res.RowsAffected()
	return t, err
}

func (e *Exported) write(dir string, opt ExportOptions) error {
	ddl := filepath.Join(dir, "ddl")
	if err := os.MkdirAll(ddl, 0o755); err != nil {
		return fault.Disk(ddl, err)
	}
	for _, d := range dialects {
		path := filepath.Join(ddl, d.name+".sql")
		if err := os.WriteFile(path, []byte(d.script(opt.Location, !opt.Open)), 0o644); err != nil {
			return fault.Disk(path, err)
		}
	}
	body, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, ExportName)
	if err := os.WriteFile(path, append(body, '\n'), 0o644); err != nil {
		return fault.Disk(path, err)
	}
	return fault.Disk(dir, os.RemoveAll(filepath.Join(dir, spill)))
}

// ddlFile has a template for each dialect: the statements that define the tables.
//
//go:embed ddl.tmpl
var ddlFile string

var ddl = template.Must(template.New("ddl.tmpl").Funcs(template.FuncMap{"quote": quote, "spark": sparkQuote}).Parse(ddlFile))

type dialect struct {
	name  string
	types []string // the engine's names for types, in the same order
}

var dialects = []dialect{
	{"clickhouse", []string{"String", "Int64", "Int32", "Bool", "Float64", "Date32", "DateTime64(6)"}},
	{"spark", []string{"STRING", "BIGINT", "INT", "BOOLEAN", "DOUBLE", "DATE", "TIMESTAMP"}},
	{"trino", []string{"varchar", "bigint", "integer", "boolean", "double", "date", "timestamp(6)"}},
	{"postgres", []string{"text", "bigint", "integer", "boolean", "double precision", "date", "timestamp"}},
}

type exportedView struct {
	*View
	Undated     []Column // without the year, because Hive requires partition columns to come last
	Keys, Names string   // of columns
	Files       string   // pattern
}

func (d *dialect) script(location Location, pro bool) string {
	names := map[string]string{}
	for i, t := range types {
		names[t] = d.types[i]
	}
	var list []exportedView
	for i := range views {
		if v := &views[i]; pro || !v.Pro {
			list = append(list, v.exported())
		}
	}
	sparkURI := location.URI
	if bucket, ok := strings.CutPrefix(sparkURI, "s3://"); ok {
		sparkURI = "s3a://" + bucket // Spark's scheme for buckets
	}
	var b strings.Builder
	err := ddl.ExecuteTemplate(&b, d.name, struct {
		Location
		SparkURI string
		Types    map[string]string
		Views    []exportedView
	}{location, sparkURI, names, list})
	if err != nil {
		panic(fmt.Sprintf("warehouse/ddl.tmpl: %v", err)) // the templates are part of the program
	}
	return b.String()
}

func (v *View) exported() exportedView {
	out := exportedView{View: v, Files: v.Name + "/*.parquet"}
	if v.year != "" {
		out.Files = v.Name + "/*/*.parquet"
	}
	var names, keys []string
	for _, c := range v.Columns {
		names = append(names, c.Name) // named, because a year from the folder name may come last
		if c.Name != v.year {
			out.Undated = append(out.Undated, c)
		}
	}
	for k := range strings.SplitSeq(v.order, ", ") { // the lookup columns that are never null
		k, _, _ = strings.Cut(k, " ")
		i := slices.Index(names, k)
		if i < 0 || v.Columns[i].Nullable {
			break
		}
		keys = append(keys, k)
	}
	out.Names, out.Keys = strings.Join(names, ", "), strings.Join(keys, ", ")
	return out
}

// sparkQuote makes a Spark literal, in which a backslash escapes.
func sparkQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
