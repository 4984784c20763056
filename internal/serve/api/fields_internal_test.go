package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFieldTable holds fields.tsv against the tags of package client: a row for
// every tag that ends with an ellipsis, and no other.
func TestFieldTable(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../client/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	cut := map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			ast.Inspect(spec.Type, func(n ast.Node) bool {
				f, ok := n.(*ast.Field)
				if !ok || f.Tag == nil {
					return true
				}
				text, err := strconv.Unquote(f.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				tag := reflect.StructTag(text)
				wire, _, _ := strings.Cut(tag.Get("json"), ",")
				for key := range fieldTexts {
					if strings.HasSuffix(tag.Get(key), ellipsis) {
						cut[key] = append(cut[key], spec.Name.Name+"."+wire)
					}
				}
				return true
			})
			return true
		})
	}
	for key, texts := range fieldTexts {
		if got := slices.Sorted(maps.Keys(texts)); !slices.Equal(got, slices.Sorted(slices.Values(cut[key]))) {
			t.Errorf("%s: the table has %q, the tags %q", key, got, cut[key])
		}
	}
}
