package warehouse

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

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
