package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/api/organizations"
)

const organizationsPage = "../../docs/organizations.md"

// TestOrganizationsCommands runs every command of docs/organizations.md against a
// service: the question that the page begins with finds the one charity of the
// invented world that it describes.
func TestOrganizationsCommands(t *testing.T) {
	t.Parallel()
	needs(t, "sh", "curl", "jq")
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	url, key := serveForTest(t, data)
	dir := t.TempDir()
	out, err := shell(t, dir, "set -e\n"+commandsOf(t, organizationsPage, "api"), "BASE="+url, "KEY="+key)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"name": "JUNIPER HOMES FOR VETERANS INC"`, `"revoked": false`, `"match": "weak"`} {
		if !strings.Contains(out, want) || !strings.Contains(textOf(t, organizationsPage), want) {
			t.Errorf("%s is not what both the command and the page show: %s", want, out)
		}
	}
	for _, name := range []string{"found.json", "candid.json"} {
		var found organizations.OrganizationList
		if err := json.Unmarshal([]byte(textOf(t, filepath.Join(dir, name))), &found); err != nil || len(found.Results) == 0 || len(found.Service.Warnings) != 0 {
			t.Errorf("%s: %v, %d rows, %+v", name, err, len(found.Results), found.Service.Warnings)
			continue
		}
		for _, r := range found.Results {
			if r.State == nil || *r.State != "OH" || r.TotalRevenue == nil || *r.TotalRevenue < 1e6 || *r.TotalRevenue > 1e7 || r.Revoked == nil || *r.Revoked {
				t.Errorf("%s has %+v", name, r)
			}
		}
	}
	if sheet := textOf(t, filepath.Join(dir, "ohio.csv")); !strings.HasPrefix(sheet, "ein,name,") || !strings.Contains(sheet, "JUNIPER HOMES FOR VETERANS INC") {
		t.Errorf("the sheet is %.300s", sheet)
	}
}
