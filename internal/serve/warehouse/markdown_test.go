package warehouse

import (
	"fmt"
	"strings"
)

// Markdown is the page of the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# The warehouse\n\n")
	fmt.Fprintf(&b, "`POST /sql` reads %d tables in the dialect of DuckDB. Tables marked Pro need the Pro plan. "+
		"This page is generated from the definition that the files themselves are made from.\n\n", len(views))
	b.WriteString("## Rules\n\n")
	for _, r := range rules {
		b.WriteString("- " + r + "\n")
	}
	b.WriteString("\n## find_org\n\n" + FindOrg + "\n")
	group := ""
	for i := range views {
		v := &views[i]
		if v.Group != group {
			group = v.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		v.markdown(&b)
	}
	return b.String()
}

func (v *View) markdown(b *strings.Builder) {
	plan := ""
	if v.Pro {
		plan = " (Pro)"
	}
	fmt.Fprintf(b, "\n### %s%s\n\n%s\n\n| Column | Type | Null | Meaning |\n|---|---|---|---|\n", v.Name, plan, cell.Replace(v.Meaning))
	for _, c := range v.Columns {
		null := ""
		if c.Nullable {
			null = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", c.Name, c.Type, null, cell.Replace(c.Meaning))
	}
	b.WriteString("\n")
	for _, t := range v.Traps {
		b.WriteString("- " + cell.Replace(t) + "\n")
	}
	for _, e := range v.Examples {
		fmt.Fprintf(b, "\n%s\n\n```sql\n%s\n```\n", e.Question, e.SQL)
	}
}

// cell escapes text that Markdown would read as markup.
var cell = strings.NewReplacer("<", "&lt;", ">", "&gt;", "|", `\|`)
