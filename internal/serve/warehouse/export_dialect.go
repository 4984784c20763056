package warehouse

import (
	"fmt"
	"slices"
	"strings"
)

type dialect struct {
	name  string
	head  string   // comment at the top
	types []string // the engine's names for types, in the same order
	table func(v *View, types map[string]string, location Location) string
}

// dialects are the engines that an export has definitions for.
var dialects = []dialect{
	{
		name: "clickhouse",
		head: "Tables for ClickHouse, and how to fill them from the Parquet files (in a folder, put them where file() reads; " +
			"in a bucket, s3() takes credentials behind the address).",
		types: []string{"String", "Int64", "Int32", "Bool", "Float64", "Date32", "DateTime64(6)"},
		table: createClickHouse,
	},
	{
		name:  "spark",
		head:  "Tables for Spark SQL over the Parquet files where they lie.",
		types: []string{"STRING", "BIGINT", "INT", "BOOLEAN", "DOUBLE", "DATE", "TIMESTAMP"},
		table: createSpark,
	},
	{
		name:  "trino",
		head:  "Tables for Trino's Hive connector over the Parquet files where they lie.",
		types: []string{"varchar", "bigint", "integer", "boolean", "double", "date", "timestamp(6)"},
		table: createTrino,
	},
	{
		name:  "postgres",
		head:  "Tables for PostgreSQL. It does not read Parquet itself: load them with any tool that reads Parquet and writes COPY.",
		types: []string{"text", "bigint", "integer", "boolean", "double precision", "date", "timestamp"},
		table: createPostgres,
	},
}

func (d *dialect) script(location Location, pro bool) string {
	var b strings.Builder
	b.WriteString("-- " + d.head + "\n")
	names := map[string]string{}
	for i, t := range types {
		names[t] = d.types[i]
	}
	for i := range views {
		if v := &views[i]; pro || !v.Pro {
			b.WriteString("\n-- " + v.Meaning + "\n" + d.table(v, names, location))
		}
	}
	return b.String()
}

// lines lists the columns, one per line, without the column named except.
func (v *View) lines(column func(Column) string, except string) string {
	var lines []string
	for _, c := range v.Columns {
		if c.Name != except {
			lines = append(lines, "  "+column(c))
		}
	}
	return strings.Join(lines, ",\n")
}

// keys lists the lookup columns that are never null.
func (v *View) keys() []string {
	var keys []string
	for _, k := range strings.Split(v.order, ", ") {
		k, _, _ = strings.Cut(k, " ")
		i := slices.IndexFunc(v.Columns, func(c Column) bool { return c.Name == k })
		if i < 0 || v.Columns[i].Nullable {
			break
		}
		keys = append(keys, k)
	}
	return keys
}

func createClickHouse(v *View, types map[string]string, location Location) string {
	columns := v.lines(func(c Column) string {
		t := types[c.Type]
		if c.Nullable {
			t = "Nullable(" + t + ")"
		}
		return fmt.Sprintf("%s %s COMMENT %s", c.Name, t, quote(c.Meaning))
	}, "")
	partition, files := "", v.Name+"/*.parquet"
	if v.year != "" {
		partition, files = "PARTITION BY "+v.year+"\n", v.Name+"/*/*.parquet"
	}
	var names []string // named, because a year from the folder name may come last
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	list := strings.Join(names, ", ")
	from := "file('" + files + "', Parquet)"
	if location.Web != "" {
		from = "s3(" + quote(location.Web+"/"+files) + ", Parquet)"
	}
	return fmt.Sprintf("CREATE TABLE %s (\n%s\n)\nENGINE = MergeTree\n%sORDER BY (%s)\nCOMMENT %s;\nINSERT INTO %s (%s) SELECT %s FROM %s;\n",
		v.Name, columns, partition, strings.Join(v.keys(), ", "), quote(v.Meaning), v.Name, list, list, from)
}

func createSpark(v *View, types map[string]string, location Location) string {
	columns := v.lines(func(c Column) string {
		return fmt.Sprintf("%s %s COMMENT %s", c.Name, types[c.Type], sparkQuote(c.Meaning))
	}, "")
	partition, repair := "", ""
	if v.year != "" {
		partition, repair = "PARTITIONED BY ("+v.year+")\n", "MSCK REPAIR TABLE "+v.Name+";\n"
	}
	at := location.URI
	if bucket, ok := strings.CutPrefix(at, "s3://"); ok {
		at = "s3a://" + bucket // Spark's scheme for buckets
	}
	return fmt.Sprintf("CREATE TABLE %s (\n%s\n)\nUSING parquet\n%sLOCATION %s;\n%s", v.Name, columns, partition, sparkQuote(at+"/"+v.Name), repair)
}

// sparkQuote makes a Spark literal, in which a backslash escapes.
func sparkQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func createTrino(v *View, types map[string]string, location Location) string {
	columns := v.lines(func(c Column) string {
		return fmt.Sprintf("%s %s COMMENT %s", c.Name, types[c.Type], quote(c.Meaning))
	}, v.year)
	partition, repair := "", ""
	if v.year != "" {
		// Hive requires partition columns to come last.
		columns += ",\n  " + v.year + " integer"
		partition = ", partitioned_by = ARRAY['" + v.year + "']"
		repair = fmt.Sprintf("CALL system.sync_partition_metadata(CURRENT_SCHEMA, '%s', 'FULL');\n", v.Name)
	}
	return fmt.Sprintf("CREATE TABLE %s (\n%s\n)\nWITH (format = 'PARQUET', external_location = %s%s);\n%s",
		v.Name, columns, quote(location.URI+"/"+v.Name), partition, repair)
}

func createPostgres(v *View, types map[string]string, _ Location) string {
	columns := v.lines(func(c Column) string {
		if c.Nullable {
			return c.Name + " " + types[c.Type]
		}
		return c.Name + " " + types[c.Type] + " NOT NULL"
	}, "")
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n%s\n);\n", v.Name, columns)
	fmt.Fprintf(&b, "CREATE INDEX ON %s (%s);\n", v.Name, strings.Join(v.keys(), ", "))
	fmt.Fprintf(&b, "COMMENT ON TABLE %s IS %s;\n", v.Name, quote(v.Meaning))
	for _, c := range v.Columns {
		fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", v.Name, c.Name, quote(c.Meaning))
	}
	return b.String()
}
