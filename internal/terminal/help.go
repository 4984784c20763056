package terminal

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"grantgraph/internal/table"
)

// addHelp adds the texts of a folder to the commands of a program: build.txt is shown by "build --help", keys-create.txt by
// "keys create --help". The table flags.tsv has the help of flags that is too long for a struct tag. A text without its command
// or flag is a mistake of the program, and any test catches it.
func addHelp(program *kong.Node, folder fs.FS) {
	texts, err := fs.Glob(folder, "help/*")
	if err != nil || len(texts) == 0 {
		panic(fmt.Sprintf("the program has no texts of help: %v", err))
	}
	nodes := map[string]*kong.Node{}
	var visit func(node *kong.Node, names string)
	visit = func(node *kong.Node, names string) {
		nodes[names] = node
		for _, child := range node.Children {
			visit(child, strings.TrimSpace(names+" "+child.Name))
		}
	}
	visit(program, "")
	read := func(file string) string {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	const flags = "help/flags.tsv"
	for _, row := range table.Read(flags, read(flags), "command", "flag", "help") {
		flag := findFlag(nodes[row.Text("command")], row.Text("flag"))
		if flag == nil {
			row.Fail("no such flag")
		}
		flag.Help = row.Text("help")
	}
	files := map[string]string{}
	for names := range nodes {
		files[path.Join("help", strings.ReplaceAll(names, " ", "-")+".txt")] = names
	}
	for _, file := range texts {
		names, ok := files[file]
		if !ok && file != flags {
			panic(file + " is the help of no command")
		}
		if ok {
			nodes[names].Detail = strings.TrimSuffix(read(file), "\n")
		}
	}
}

func findFlag(node *kong.Node, name string) *kong.Flag {
	if node == nil {
		return nil
	}
	if i := slices.IndexFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == name }); i >= 0 {
		return node.Flags[i]
	}
	return nil
}
