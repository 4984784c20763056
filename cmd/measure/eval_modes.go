package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/terminal"
)

type evalMode struct {
	flag string
	with []string // the flags that go with it
	run  func(*evalCmd, *terminal.App) error
}

var evalModes = []evalMode{
	{"support", strings.Fields("into json"), (*evalCmd).evalJudged},
	{"holdings", strings.Fields("into json"), (*evalCmd).evalJudged},
	{"reconcile", strings.Fields("labelled bmf gates into json"), (*evalCmd).evalReconcile},
	{"names", strings.Fields("data judged gates into json"), (*evalCmd).evalNames},
	{"questions", strings.Fields("data gates into json"), (*evalCmd).evalQuestions},
	{"prospects", strings.Fields("data year organizations fit into json"), (*evalCmd).evalProspects},
	{"causes", strings.Fields("bmf sources into json"), (*evalCmd).evalCauses},
	{"semantic", strings.Fields("queries documents data judged wrong gates into json"), (*evalCmd).evalSemantic},
	{"rankings", strings.Fields("data sources world into json"), (*evalCmd).evalSnapshot},
	{"hardness", strings.Fields("data sources world into json"), (*evalCmd).evalSnapshot},
	{"links", strings.Fields("data sources world seed into json"), (*evalCmd).evalSnapshot},
	{"stated", strings.Fields("data sources world gates into json"), (*evalCmd).evalSnapshot},
	{"screening", strings.Fields("list data bmf cases seed each speed into json"), (*evalCmd).evalScreening},
}

// given lists the flags that are set, except those that every mode takes and those that have a default.
func (c *evalCmd) given() (flags []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[evalCmd]()) {
		name := cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
		if name == "more" {
			name = "bmf"
		}
		if f.Anonymous || !f.IsExported() || f.Tag.Get("default") != "" || slices.Contains([]string{"into", "json", "gates", "year"}, name) ||
			reflect.ValueOf(c).Elem().FieldByIndex(f.Index).IsZero() {
			continue
		}
		flags = append(flags, name)
	}
	return flags
}

// mode is the mode that the flags choose, nil for none. It refuses flags that do not go with the mode.
func (c *evalCmd) mode() (*evalMode, error) {
	given := c.given()
	for i := range evalModes {
		m := &evalModes[i]
		if !slices.Contains(given, m.flag) {
			continue
		}
		for _, flag := range given {
			if flag != m.flag && !slices.Contains(m.with, flag) {
				last := len(m.with) - 1
				return nil, fault.New("bad_flag", "--%s goes with --%s and --%s alone", m.flag, strings.Join(m.with[:last], ", --"), m.with[last]).
					Try("measure eval --help")
			}
		}
		return m, nil
	}
	return nil, nil
}
