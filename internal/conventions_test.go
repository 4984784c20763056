package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a reader of the code may rely on. Data files and tests are not counted.
const (
	mostLineLength = 160     // characters; a tab counts as one
	mostLines      = 100     // of a function
	mostBranches   = 30      // cyclomatic complexity of a function
	mostAsking     = 15      // the same of a reader of questions: what is special there is a row of a table
	mostAllLines   = 169_999 // of Go code outside tests; lower it whenever code has gone
)

// keptWhole begins the sentence by which the comment of a longer function says why
// it is not split.
const keptWhole = "Kept whole:"

// TestConventions: lines and functions are short, and a type of the wire has one
// name, that of package client.
func TestConventions(t *testing.T) {
	t.Parallel()
	all := 0
	for _, root := range []string{".", "../client", "../cmd", "../docs.go"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			all += len(lines)
			for i, line := range lines {
				if n := utf8.RuneCountInString(line); n > mostLineLength {
					t.Errorf("%s:%d: a line of %d characters; at most %d are readable", path, i+1, n, mostLineLength)
				}
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, text, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				checkDeclaration(t, files, d)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all > mostAllLines {
		t.Errorf("%d lines of Go outside tests; at most %d", all, mostAllLines)
	}
}

// checkDeclaration looks at one function, or at the types of one declaration.
func checkDeclaration(t *testing.T, files *token.FileSet, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		at := files.Position(d.Pos())
		if d.Body == nil || d.Doc != nil && strings.Contains(d.Doc.Text(), keptWhole) {
			return
		}
		most := mostBranches
		if strings.Contains(filepath.ToSlash(at.Filename), "serve/ask/") {
			most = mostAsking
		}
		if n := files.Position(d.End()).Line - at.Line + 1; n > mostLines {
			t.Errorf("%s: %s has %d lines; split it, or say why not in its comment: %q", at, d.Name.Name, n, keptWhole)
		}
		if n := branches(d); n > most {
			t.Errorf("%s: %s has a complexity of %d; split it, use a table, or say why not in its comment: %q", at, d.Name.Name, n, keptWhole)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			alias, ok := spec.(*ast.TypeSpec)
			if !ok || !alias.Assign.IsValid() {
				continue
			}
			if of, ok := alias.Type.(*ast.SelectorExpr); ok && of.X.(*ast.Ident).Name == "client" {
				t.Errorf("%s: %s is another name for client.%s; use that one", files.Position(alias.Pos()), alias.Name.Name, of.Sel.Name)
			}
		}
	}
}

// branches is the cyclomatic complexity: one, and one for each way to go.
func branches(function ast.Node) int {
	n := 1
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
