package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"grantgraph/internal/fault"
)

// configFile is grantgraph.toml: values for flags that neither the command line nor the environment sets. A key at the top
// holds for every command that has the flag, one in a table named after a command for that command alone:
//
//	data = "/var/lib/grantgraph"
//	[serve]
//	addr = "0.0.0.0:8080"
type configFile struct {
	path   string
	values map[string]any
}

// configName is where the file is looked for, unless GRANTGRAPH_CONFIG names another.
const configName = "grantgraph.toml"

// readConfig reads the file; without one there are no values.
func readConfig() (*configFile, error) {
	path := os.Getenv("GRANTGRAPH_CONFIG")
	named := path != ""
	if !named {
		path = configName
	}
	c := &configFile{path: path, values: map[string]any{}}
	body, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return c, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New("not_found", "%s does not exist", path).Try("correct GRANTGRAPH_CONFIG, which names this file, or unset it")
	case err != nil:
		return nil, fault.Disk(path, err)
	}
	if err := toml.Unmarshal(body, &c.values); err != nil {
		return nil, fault.New("bad_config", "%s: %w", path, err).Try("correct it; see docs/operations-reference.md")
	}
	return c, nil
}

// Validate refuses keys that no command has. Whoever wrote such a key would believe that it has an effect.
func (c *configFile) Validate(app *kong.Application) error {
	flags := map[string][]string{} // of each command
	for _, command := range app.Children {
		_ = kong.Visit(command, func(node kong.Visitable, next kong.Next) error {
			if f, ok := node.(*kong.Flag); ok {
				flags[command.Name] = append(flags[command.Name], f.Name)
			}
			return next(nil)
		})
	}
	known := func(flag string) bool {
		return slices.Contains(slices.Concat(slices.Collect(maps.Values(flags))...), flag)
	}
	for key, value := range c.values {
		table, isTable := value.(map[string]any)
		if !isTable {
			if !known(key) {
				return fault.New("bad_config", "%s: no command has a flag --%s", c.path, key).Try("grantgraph COMMAND --help lists the flags")
			}
			continue
		}
		if _, ok := flags[key]; !ok {
			return fault.New("bad_config", "%s: there is no command %s", c.path, key).Try("grantgraph --help lists the commands")
		}
		for name, value := range table {
			if _, isTable := value.(map[string]any); isTable {
				return fault.New("bad_config", "%s: %s in [%s] is a table", c.path, name, key).
					Try("a text, a number, or a list of them; [%s] applies to every command that begins with grantgraph %s", key, key)
			}
			if !slices.Contains(flags[key], name) {
				return fault.New("bad_config", "%s: [%s] has no flag --%s", c.path, key, name).Try("grantgraph %s --help lists the flags", key)
			}
		}
	}
	return nil
}

// Resolve gives kong the value of a flag that was not on the command line.
func (c *configFile) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, env := range flag.Envs {
		if _, ok := os.LookupEnv(env); ok {
			return nil, nil
		}
	}
	value, ok := c.lookup(ctx, flag.Name)
	if !ok {
		return nil, nil
	}
	if list, ok := value.([]any); ok {
		return list, nil
	}
	return fmt.Sprint(value), nil
}

func (c *configFile) lookup(ctx *kong.Context, flag string) (any, bool) {
	if words := strings.Fields(ctx.Command()); len(words) > 0 {
		if table, ok := c.values[words[0]].(map[string]any); ok {
			if value, ok := table[flag]; ok {
				return value, true
			}
		}
	}
	value, ok := c.values[flag]
	return value, ok
}

type setting struct{ name, value, origin string }

func (c *configFile) settings(ctx *kong.Context) (list []setting) {
	given := map[string]bool{}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	for _, f := range ctx.Flags() {
		if f.Name == "help" || f.Name == "print-config" {
			continue
		}
		s := setting{name: f.Name, value: fmt.Sprint(ctx.FlagValue(f)), origin: "default"}
		if _, ok := c.lookup(ctx, f.Name); ok {
			s.origin = c.path
		}
		for _, env := range f.Envs {
			if _, ok := os.LookupEnv(env); ok {
				s.origin = env
			}
		}
		if given[f.Name] {
			s.origin = "flag"
		}
		list = append(list, s)
	}
	return list
}
