// Package terminal is what the commands in cmd share: the command line and its exit codes, progress bars, tables, and the files
// that a user names. Only cmd imports it.
package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"grantgraph/internal/fault"
	"grantgraph/internal/table"
)

// App is what a subcommand may touch of the outside world. The method Run of a
// subcommand takes an *App and may also take the *kong.Context that was parsed.
type App struct {
	Ctx context.Context
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Program is a command line with subcommands.
type Program struct {
	Name        string
	Description string
	Commands    any           // pointer to a struct that kong reads
	Help        fs.FS         // with the folder help; see addHelp
	Options     []kong.Option // in addition to those that every program has
}

// Main ends the process with the exit code of run, whose context ends with the
// first interrupt. A second interrupt ends the process at once.
func Main(run func(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Interrupted is the exit code of a command that was stopped before it finished, as shells have it.
const Interrupted = 130

// ExitCode is the error of a command that has already printed what there is to say. It also carries an exit code out of kong,
// which would otherwise end the process itself after printing help.
type ExitCode int

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Run parses args, runs the subcommand they name and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			c, ok := r.(ExitCode)
			if !ok {
				panic(r)
			}
			code = int(c)
		}
	}()
	parser, err := kong.New(p.Commands, append([]kong.Option{
		kong.Name(p.Name),
		kong.Description(p.Description),
		kong.Writers(out, errw),
		kong.Exit(func(code int) { panic(ExitCode(code)) }),
		kong.DefaultEnvars("GRANTGRAPH"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ValueFormatter(flagHelp),
	}, p.Options...)...)
	if err != nil {
		panic(err) // a mistake in the struct tags of the commands, caught by any test
	}
	addHelp(parser.Model.Node, p.Help)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return p.parseError(errw, err)
	}
	if err := kctx.Run(&App{Ctx: ctx, In: in, Out: out, Err: errw}, kctx); err != nil {
		if stoppedBy(ctx, err) {
			p.printStopped(errw, err)
			return Interrupted
		}
		if code := ExitCode(0); errors.As(err, &code) {
			return int(code)
		}
		return p.Fail(errw, err)
	}
	return 0
}

// parseError prints why the command line was refused and which help to read.
func (p *Program) parseError(errw io.Writer, err error) int {
	if _, ok := fault.Of(err); ok {
		return p.Fail(errw, err)
	}
	help := p.Name
	if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		help = wrong.Context.Selected().FullPath()
	}
	fmt.Fprintf(errw, "%s: %v\nTry: %s --help\n", p.Name, err, help)
	return 2
}

// Fail prints what went wrong and what to do about it, and returns the exit code.
func (p *Program) Fail(errw io.Writer, err error) int {
	fmt.Fprintf(errw, "%s: %v\n", p.Name, err)
	if f, ok := fault.Of(err); ok && f.Hint != "" {
		fmt.Fprintf(errw, "Try: %s\n", f.Hint)
	}
	return 1
}

// resumable is the slug of a stop after which the work can be resumed; its hint says how.
const resumable = "stopped"

// printStopped says that the command was stopped. It leaves out where the work was
// at that moment, because that place is not at fault.
func (p *Program) printStopped(errw io.Writer, err error) {
	if f, ok := errw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintln(errw) // the line may hold half a bar, or ^C
	}
	fmt.Fprintln(errw, p.Name+": stopped before it was finished")
	if f, ok := fault.Of(err); ok && f.Slug == resumable {
		fmt.Fprintf(errw, "To resume: %s\n", f.Hint)
	}
}

// stoppedBy reports whether a command ended because it was told to.
func stoppedBy(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)))
}

// ResumeWith adds to the error of work that was told to stop how to resume it.
func (a *App) ResumeWith(err error, hint string, args ...any) error {
	if !stoppedBy(a.Ctx, err) {
		return err
	}
	return fault.New(resumable, "%w", err).Try(hint, args...)
}

// flagHelp adds the default to the help of a flag that has a placeholder. Kong leaves it out there.
func flagHelp(value *kong.Value) string {
	v := *value
	if v.Tag.PlaceHolder != "" && v.Default != "" {
		v.Help = strings.TrimSuffix(v.Help, ".") + "; default " + v.Default + "."
	}
	return kong.DefaultHelpValueFormatter(&v)
}

// ProcessorTime is the processor time that this process has used so far.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// HostLoad is the load of the machine where the system tells it. A measurement
// prints it because other programs on a busy machine slow the measured one.
func HostLoad() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}

// ReadFile opens a file that the user named. If read refuses it, the error says what the file should have been.
func ReadFile(path, what string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fault.New("wrong_format", "%s is not %s: %w", path, what, err).Try("check the file, or leave it out")
	}
	return nil
}

// WriteFile creates a file that the user named and fills it.
func WriteFile(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// PrintJSON writes v to standard output as indented JSON.
func (a *App) PrintJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

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
