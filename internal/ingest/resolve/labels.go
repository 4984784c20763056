package resolve

import (
	"cmp"
	"slices"

	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/table"
)

// unrelatedNames is the number of unrelated names for which one filer may use one EIN. From there on, the EIN only
// fills a box: a school district's EIN for each school, or 99-9999999.
const unrelatedNames = 10

// SetAside marks the labels of filers that put one EIN on ten or more unrelated names. Such labels do not tell which
// organization the line means.
func SetAside(labels []Label) (aside []bool, n int) {
	order := make([]int32, len(labels))
	for i := range order {
		order[i] = int32(i)
	}
	who := func(a, b int32) int {
		x, y := &labels[a], &labels[b]
		return cmp.Or(cmp.Compare(x.Funder, y.Funder), cmp.Compare(x.Truth, y.Truth))
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(who(a, b), cmp.Compare(a, b)) })
	aside = make([]bool, len(labels))
	for run := range radix.Runs(order, func(a, b int32) bool { return who(a, b) == 0 }) {
		if len(run) >= unrelatedNames && unrelated(labels, run) {
			for _, i := range run {
				aside[i] = true
			}
			n += len(run)
		}
	}
	return aside, n
}

// unrelated reports whether enough of the names are unrelated to each other.
func unrelated(labels []Label, which []int32) bool {
	var told [unrelatedNames]*orgname.Name
	n := 0
next:
	for _, i := range which {
		name := labels[i].Name
		for _, other := range told[:n] {
			if name.KX == other.KX || sharesOwnWord(name.K2, other.K2) {
				continue next
			}
		}
		told[n] = name
		if n++; n == unrelatedNames {
			return true
		}
	}
	return false
}

// sharesOwnWord reports whether two names share a word other than one for a kind of organization.
func sharesOwnWord(a, b string) bool {
	return sharesWord(a, b, func(w string) bool { return !commonWord(w) && !kindWords[w] })
}

// kindWords name a kind of organization. All schools of a district or all parishes of a diocese share them.
var kindWords = table.SetOf("SCHOOL SCHOOLS HIGH MIDDLE ELEMENTARY PRIMARY PREPARATORY ACADEMY COLLEGE UNIVERSITY CHURCH PARISH CATHOLIC SAINT HOLY " +
	"YOUTH TEEN SENIOR HOUSE HOME FOOD BANK PANTRY MEALS AIR FORCE BASE AFB FORT NAVAL STATION HOSPITAL CLINIC HEALTH COUNTY CITY NORTH SOUTH EAST WEST")
