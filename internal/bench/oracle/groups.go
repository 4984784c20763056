package oracle

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
)

// groupSQL is a grouping in SQL. totals selects every group as key, total and grants, where no value is an empty key; names
// joins what a group is called, as name, ein and classes, to the groups that are listed, called v.
type groupSQL struct {
	with, totals, names, order string
	last                       string // condition of groups that come last
}

// query lists the groups with the most dollars, each with the number and the sum of
// all groups, and then the group of rows without a value.
func (q *groupSQL) query(top int) string {
	names, columns := "", "'', '', 0"
	if q.names != "" {
		names, columns = " JOIN "+q.names, "f.name, f.ein, f.classes"
	}
	order := cmp.Or(q.order, "key")
	last := q.last
	if last != "" {
		last += ", "
	}
	return "WITH " + q.with + "t AS MATERIALIZED (" + q.totals + `), v AS (
			SELECT *, count(*) OVER () AS n, (sum(total) OVER ())::BIGINT AS whole, (sum(grants) OVER ())::BIGINT AS all_grants
			FROM t WHERE key <> '' ORDER BY ` + last + `total DESC, ` + order + fmt.Sprintf(" LIMIT %d)", top) + `
		SELECT n, whole, all_grants, v.key, total, grants, ` + columns + " FROM v" + names + `
		UNION ALL SELECT 0, 0, 0, '', total, grants, '', '', 0 FROM t WHERE key = ''`
}

func scanGroups(ctx context.Context, db *sql.DB, by graph.Grouping, top int, q *groupSQL) (graph.Grouped, error) {
	rows, err := db.QueryContext(ctx, q.query(top))
	if err != nil {
		return graph.Grouped{}, err
	}
	defer rows.Close()
	out := graph.Grouped{By: by, Groups: []graph.Group{}}
	var rest graph.Cost
	for rows.Next() {
		var g graph.Group
		var n int64
		var whole graph.Cost
		var id string
		if err := rows.Scan(&n, &whole.Amount, &whole.Grants, &g.Key, &g.Amount, &g.Grants, &g.Name, &id, &g.Classes); err != nil {
			return graph.Grouped{}, err
		}
		if g.Key == "" {
			if g.Grants > 0 {
				out.None = &graph.Cost{Amount: g.Amount, Grants: g.Grants}
			}
			continue
		}
		if len(out.Groups) == 0 {
			out.Count, rest = n, whole
		}
		g.EIN = einOf(id)
		rest.Amount, rest.Grants = rest.Amount-g.Amount, rest.Grants-g.Grants
		out.Groups = append(out.Groups, g)
	}
	sortGroups(by, out.Groups)
	if rest.Grants > 0 {
		out.Rest = &rest
	}
	return out, rows.Err()
}

func sortGroups(by graph.Grouping, list []graph.Group) {
	slices.SortFunc(list, func(a, b graph.Group) int {
		if by == graph.GroupYear {
			return strings.Compare(a.Key, b.Key)
		}
		if x, y := nameless(by, &a), nameless(by, &b); x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), strings.Compare(a.Key, b.Key))
	})
}

func nameless(by graph.Grouping, g *graph.Group) bool {
	return by == graph.GroupRecipient && g.EIN == ein.None && g.Classes != 0
}

const namelessKey = "key IN (SELECT recip_id FROM recipient WHERE ein = '' AND classes <> 0)"

// groupSupport asks for the strategies, in which a grant may be more than once.
func (b *codebook) groupSupport(ctx context.Context, top int, with, from string) (graph.Grouped, error) {
	var columns []string
	sums := make([]graph.Cost, grant.Strategies+1)
	to := make([]any, 0, 2*len(sums))
	for i := range sums {
		having := b.masked("support", 1<<i) + " <> 0"
		if i == grant.Strategies {
			having = b.masked("support", 1<<grant.Strategies-1) + " = 0"
		}
		columns = append(columns, fmt.Sprintf("coalesce(sum(amount) FILTER (WHERE %s), 0)::BIGINT, count(*) FILTER (WHERE %[1]s)", having))
		to = append(to, &sums[i].Amount, &sums[i].Grants)
	}
	if err := b.db.QueryRowContext(ctx, with+"SELECT "+strings.Join(columns, ", ")+" FROM "+from).Scan(to...); err != nil {
		return graph.Grouped{}, err
	}
	out := graph.Grouped{By: graph.GroupSupport, Groups: []graph.Group{}}
	if none := sums[grant.Strategies]; none.Grants > 0 {
		out.None = &none
	}
	for i, s := range grant.Supports() {
		if sums[i].Grants > 0 {
			out.Groups = append(out.Groups, graph.Group{Key: s.IDs()[0], Cost: sums[i]})
		}
	}
	out.Count = int64(len(out.Groups))
	sortGroups(graph.GroupSupport, out.Groups)
	if len(out.Groups) <= top {
		return out, nil
	}
	var others grant.Support
	for _, g := range out.Groups[top:] {
		s, _ := grant.ParseSupport(g.Key)
		others |= s
	}
	out.Groups, out.Rest = out.Groups[:top], new(graph.Cost)
	rest := fmt.Sprintf("SELECT sum(amount)::BIGINT, count(*) FROM %s AND %s <> 0", from, b.masked("support", others))
	err := b.db.QueryRowContext(ctx, with+rest).Scan(&out.Rest.Amount, &out.Rest.Grants)
	return out, err
}

// Groups are the matching rows by one grouping. Rows are grouped by their codes, and these groups by the meaning of the codes.
func (b *codebook) Groups(ctx context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	recipients := by == graph.GroupRecipient
	c := b.clause(f, recipients)
	from := b.table(f, recipients) + " g WHERE " + c.where
	if by == graph.GroupSupport {
		return b.groupSupport(ctx, top, c.alone(), from)
	}
	q := groupSQL{with: c.with}
	codes, key, joins := "", "", ""
	join := func(side, column string) {
		codes, key, joins = side, "u."+column, " JOIN "+b.named(side)+" u ON u."+b.id(side)+" = i."+side
	}
	dim := func(name string) {
		switch side := sides[name]; {
		case !b.plain:
			codes, key, joins = name, "d.value", " JOIN "+b.named(name)+" d ON d.id = i."+name
		case side != "":
			join(side, name)
		default:
			codes, key = name, "i."+name
		}
	}
	switch by {
	case graph.GroupSubject:
		codes, joins = "ntee, inferred", " JOIN "+b.named("ntee")+" n ON n.id = i.ntee JOIN "+b.named("inferred")+" x ON x.id = i.inferred"
		code, letter := "n.value", "x.value"
		if b.plain {
			join("recipient", "ntee")
			code, letter = "u.ntee", "u.inferred"
		}
		if key = "left(" + code + ", 1)"; f.SubjectBasis == ntee.Any {
			key = "left(CASE WHEN " + code + " <> '' THEN " + code + " ELSE " + letter + " END, 1)"
		}
	case graph.GroupState:
		dim("state")
	case graph.GroupCounty:
		dim("county")
	case graph.GroupFunderType:
		dim("kind")
	case graph.GroupFunder:
		join("funder", "ein")
		q.names = "(SELECT ein, name, 0 AS classes FROM funder) f ON f.ein = v.key"
	case graph.GroupRecipient:
		join("recipient", "recip_id")
		q.names, q.last = "recipient f ON f.recip_id = v.key", namelessKey
	case graph.GroupYear:
		codes, key = "year", "CAST(i.year AS VARCHAR)"
	}
	q.totals = "SELECT " + key + " AS key, sum(total)::BIGINT AS total, sum(grants)::BIGINT AS grants FROM (SELECT " + codes +
		", sum(amount)::BIGINT AS total, count(*) AS grants FROM " + from + " GROUP BY " + codes + ") i" + joins + " GROUP BY 1"
	return scanGroups(ctx, b.db, by, top, &q)
}
