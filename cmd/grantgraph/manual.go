package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"grantgraph/internal/release"
	"grantgraph/internal/terminal"
)

// eachCommand calls fn for each command that people use, with its words after the name of
// the program. The program itself comes first, without words.
func eachCommand(node *kong.Node, words []string, fn func(words []string, node *kong.Node)) {
	fn(words, node)
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			eachCommand(child, append(words[:len(words):len(words)], child.Name), fn)
		}
	}
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (c *completionCmd) Run(a *terminal.App, parsed *kong.Context) error {
	var cases strings.Builder
	eachCommand(parsed.Model.Node, nil, func(words []string, node *kong.Node) {
		var next []string
		for _, child := range node.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				next = append(next, child.Name)
			}
		}
		for _, flag := range node.Flags {
			if !flag.Hidden {
				next = append(next, "--"+flag.Name)
			}
		}
		if len(words) > 0 {
			next = append(next, "--help")
		}
		path := strings.Join(words, " ")
		if c.Shell == "fish" {
			// The word being typed is the last of the words before the cursor.
			fmt.Fprintf(&cases, "complete -c grantgraph -f -n 'test (string match -rv -- \"^-\" (commandline -opc)[2..] | string join \" \") = %q' -a %q\n",
				path, strings.Join(next, " "))
			return
		}
		fmt.Fprintf(&cases, "    %q) next=%q ;;\n", path, strings.Join(next, " "))
	})
	if c.Shell == "fish" {
		_, err := io.WriteString(a.Out, cases.String())
		return err
	}
	if c.Shell == "zsh" {
		fmt.Fprintln(a.Out, "autoload -U +X bashcompinit && bashcompinit")
	}
	_, err := fmt.Fprintf(a.Out, `_grantgraph() {
  local word path= next=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="${path:+$path }$word"
  done
  case $path in
%s  esac
  COMPREPLY=($(compgen -W "$next" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _grantgraph grantgraph
`, cases.String())
	return err
}

type manCmd struct{}

// Run prints the manual page grantgraph(1), from the commands and their help.
func (manCmd) Run(a *terminal.App, parsed *kong.Context) error {
	type command struct {
		*kong.Node
		Path string
	}
	var commands []command
	eachCommand(parsed.Model.Node, nil, func(words []string, node *kong.Node) {
		if len(words) > 0 {
			commands = append(commands, command{node, strings.Join(words, " ")})
		}
	})
	return pages.Print(a.Out, "man", map[string]any{"Version": release.Current().Version, "Description": description, "Commands": commands})
}
