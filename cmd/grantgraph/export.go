package main

import (
	"fmt"

	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

// exportCmd writes the warehouse for other engines.
type exportCmd struct {
	Out  string `required:"" help:"Folder to write; must be new or empty." placeholder:"DIR"`
	Data string `help:"Data directory with the snapshot." default:"data" placeholder:"DIR"`
	Open bool   `help:"Leave out the tables of the Pro plan."`
}

// Help is shown by export --help.
func (exportCmd) Help() string {
	return `Writes every table of the warehouse as Parquet, one folder each; those with a
year are partitioned by it, Hive style (grants/tax_year=2022/…). The folder ddl has
the table definitions for ClickHouse, Spark, Trino and PostgreSQL, and export.json
has the number of rows of each table.

Example:  grantgraph export --data data --out export`
}

func (c *exportCmd) Run(a *app) error {
	s, err := snapshot.Open(c.Data)
	if err != nil {
		return err
	}
	release, err := s.Hold()
	if err != nil {
		return err
	}
	defer release()
	t := newTable("table", ">rows", "files")
	e, err := warehouse.Export(a.Ctx, s, c.Out, !c.Open, func(x warehouse.ExportedTable) { t.add(x.Name, count(x.Rows), x.Files) })
	if err != nil {
		return err
	}
	t.print(a.Out)
	fmt.Fprintf(a.Out, "\nSnapshot %s: %d tables in %s\n", e.Version, len(e.Tables), c.Out)
	return nil
}
