package warehouse

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/snapshot"
)

// DataPackage lists the files of a release of the tables, by the Frictionless Data Package standard.
type DataPackage struct {
	Profile   string     `json:"profile"`
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Text      string     `json:"description"`
	Version   string     `json:"version"` // of the snapshot
	Created   time.Time  `json:"created"`
	Invented  bool       `json:"invented,omitempty"`
	Resources []Resource `json:"resources"`
}

// Resource is a file with all rows of a table, or with those of a year or state.
type Resource struct {
	Profile     string       `json:"profile"`
	Name        string       `json:"name"`
	Path        string       `json:"path"`
	Text        string       `json:"description"`
	Format      string       `json:"format"`
	MediaType   string       `json:"mediatype"`
	Encoding    string       `json:"encoding"`
	Compression string       `json:"compression,omitempty"` // of a CSV file
	Bytes       int64        `json:"bytes"`
	Hash        string       `json:"hash"` // sha256: and the sum in hex
	Schema      string       `json:"schema"`
	Table       string       `json:"table"`
	Part        string       `json:"part"` // all, a year, a state, or other
	Rows        int64        `json:"rows"`
	Plan        account.Plan `json:"plan"` // the least that may download it
}

// Names of files in a release.
const (
	PackageName = "datapackage.json"
	SumsName    = "SHA256SUMS" // as sha256sum -c reads it
)

// The ways to cut a table. A table with a year is cut by it, and has no file with everything.
const (
	everything = "all"
	elsewhere  = "other" // rows without one of our states
)

const (
	parquetFile = "FORMAT parquet, COMPRESSION zstd"
	csvFile     = "FORMAT csv, HEADER true, COMPRESSION gzip, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ'"
)

// Package writes a release of the tables into a new folder: as Parquet and as CSV, by year and by state, with a description.
func Package(ctx context.Context, s *snapshot.Snapshot, dir string) (*DataPackage, error) {
	p := &DataPackage{
		Profile: "data-package", Name: "grantgraph", Title: "Grantgraph: grants of US foundations and charities, from their tax filings", Version: s.Manifest.Version,
		Text:    "Every table of the SQL warehouse. EINs and ZIP codes are text, with leading zeros. In CSV, an empty field is an unknown value.",
		Created: s.Manifest.GeneratedAt.UTC().Truncate(time.Second), Invented: s.Manifest.Invented, Resources: []Resource{},
	}
	conn, finish, err := attach(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	defer finish()
	var sums bytes.Buffer
	for i := range views {
		v := &views[i]
		files, err := v.files(ctx, conn, dir)
		if err != nil {
			return nil, fmt.Errorf("writing the files of %s: %w", v.Name, err)
		}
		for _, f := range files {
			fmt.Fprintf(&sums, "%s  %s\n", strings.TrimPrefix(f.Hash, "sha256:"), f.Path)
		}
		p.Resources = append(p.Resources, files...)
	}
	body, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return nil, err
	}
	for name, body := range map[string][]byte{PackageName: append(body, '\n'), SumsName: sums.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
			return nil, fault.Disk(dir, err)
		}
	}
	return p, fault.Disk(dir, os.RemoveAll(filepath.Join(dir, spill)))
}

// files writes the files of a table and its schema.
func (v *View) files(ctx context.Context, conn *sql.Conn, dir string) (list []Resource, err error) {
	to := filepath.Join(dir, v.Name)
	if err := os.Mkdir(to, 0o755); err != nil {
		return nil, fault.Disk(to, err)
	}
	if err := v.writeSchema(to); err != nil {
		return nil, err
	}
	for _, part := range v.cuts() {
		if list, err = v.cut(ctx, conn, dir, part, list); err != nil {
			return nil, err
		}
	}
	if v.year == "" || len(list) == 0 { // a table without rows has a file too
		return v.write(ctx, conn, dir, "SELECT * FROM "+v.attached(), everything, list)
	}
	return list, nil
}

// cuts are expressions for the part that a row is in.
func (v *View) cuts() (list []string) {
	if v.year != "" {
		list = append(list, v.year+"::VARCHAR")
	}
	if v.state != "" {
		codes := each.Of(place.Regions(), func(r place.Region) string { return quote(r.Code) })
		list = append(list, "CASE WHEN "+v.state+" IN ("+strings.Join(codes, ", ")+") THEN "+v.state+" ELSE '"+elsewhere+"' END")
	}
	return list
}

// cut writes a file for each value of an expression. One pass over the table sorts the rows into folders, and each folder then becomes
// files whose rows are in the order of the table.
func (v *View) cut(ctx context.Context, conn *sql.Conn, dir, part string, list []Resource) ([]Resource, error) {
	sorted := filepath.Join(dir, spill, "parts")
	if err := os.MkdirAll(sorted, 0o755); err != nil {
		return nil, fault.Disk(sorted, err)
	}
	defer os.RemoveAll(sorted)
	query := "COPY (SELECT *, rowid AS row_order, " + part + " AS cut_by FROM " + v.attached() + ") TO " + quote(sorted) +
		" (FORMAT parquet, PARTITION_BY (cut_by), OVERWRITE_OR_IGNORE true)"
	if _, err := conn.ExecContext(ctx, query); err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(sorted) // by name
	if err != nil {
		return nil, fault.Disk(sorted, err)
	}
	for _, f := range folders {
		from := "SELECT * EXCLUDE (row_order) FROM read_parquet(" + quote(filepath.Join(sorted, f.Name(), "*.parquet")) +
			", hive_partitioning = false) ORDER BY row_order"
		if list, err = v.write(ctx, conn, dir, from, strings.TrimPrefix(f.Name(), "cut_by="), list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// write writes the rows of a part in both formats.
func (v *View) write(ctx context.Context, conn *sql.Conn, dir, rows, part string, list []Resource) ([]Resource, error) {
	name := v.Name + "-" + part
	parquet := Resource{Text: v.Meaning, Profile: "data-resource", Format: "parquet", MediaType: "application/vnd.apache.parquet", Encoding: "utf-8",
		Path: path.Join(v.Name, name+".parquet"), Schema: path.Join(v.Name, "schema.json"), Table: v.Name, Part: part, Plan: account.Plus}
	if v.Pro {
		parquet.Plan = account.Pro
	}
	csv := parquet
	csv.Profile, csv.Format, csv.MediaType, csv.Compression, csv.Path = "tabular-data-resource", "csv", "text/csv", "gz", path.Join(v.Name, name+".csv.gz")
	for _, x := range []struct {
		Resource
		options string
	}{{parquet, parquetFile}, {csv, csvFile}} {
		to := filepath.Join(dir, filepath.FromSlash(x.Path))
		res, err := conn.ExecContext(ctx, "COPY ("+rows+") TO "+quote(to)+" ("+x.options+")")
		if err != nil {
			return nil, err
		}
		if x.Rows, err = res.RowsAffected(); err != nil {
			return nil, err
		}
		if x.Hash, x.Bytes, err = disk.Hash(ctx, to); err != nil {
			return nil, fault.Disk(to, err)
		}
		x.Hash = "sha256:" + x.Hash
		x.Name = strings.ToLower(name) + "-" + x.Format
		list = append(list, x.Resource)
	}
	return list, nil
}

// fieldTypes are the types of the Table Schema standard for those of columns.
var fieldTypes = map[string]string{
	text: "string", bigint: "integer", integer: "integer", boolean: "boolean", double: "number", date: "date", timestamp: "datetime",
}

// writeSchema describes the columns of a table by the Table Schema standard.
func (v *View) writeSchema(dir string) error {
	type field struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Text string `json:"description"`
	}
	var schema struct {
		Fields []field `json:"fields"`
	}
	for _, c := range v.Columns {
		schema.Fields = append(schema.Fields, field{c.Name, fieldTypes[c.Type], c.Meaning})
	}
	body, err := json.MarshalIndent(schema, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "schema.json"), append(body, '\n'), 0o644)
	}
	return fault.Disk(dir, err)
}
