package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/terminal"
)

type verifyCmd struct {
	Files []string `arg:"" name:"file" help:"Reports: JSON, the response that holds one, or PDF; - is standard input."`
	// GRANTGRAPH_KEY holds an API key, for other commands.
	Key          []string `env:"-" sep:"none" placeholder:"FILE"`
	signingStore `embed:""`
	JSON         bool `name:"json" help:"Print JSON."`
}

// defaultData is the data directory that is looked into when none is named. It need not be there.
const defaultData = "data"

type verification struct {
	File    string          `json:"file"`
	Status  report.Status   `json:"status"`
	Reason  *string         `json:"reason"`  // why it is not valid; null when it is
	Verdict *report.Verdict `json:"verdict"` // null when it is no report
}

func (c *verifyCmd) Run(a *terminal.App) error {
	keys, err := c.keys(a)
	if f, ok := fault.Of(err); ok && f.Slug == keyring.BadKeyFile {
		// With damaged keys a signature is neither valid nor invalid, and that is the verdict. The keys of other files are not
		// used either, because the damaged file may be the one that marks a key as compromised.
		fmt.Fprintf(a.Err, "grantgraph: %v\n", err)
		keys, err = nil, nil
	}
	if err != nil {
		return err
	}
	results := []verification{}
	unread := 0
	for _, name := range c.Files {
		document, err := readReport(a, name)
		if err != nil {
			unread++
			fmt.Fprintf(a.Err, "grantgraph: %v\n", err)
			continue
		}
		result := verification{File: name, Status: report.Unverifiable}
		v, err := report.Verify(a.Ctx, document, keys)
		if f, ok := fault.Of(err); ok {
			result.Reason = &f.Message
		} else if err != nil {
			return err
		} else {
			result.Status, result.Reason, result.Verdict = v.Status(), v.Reason, v
		}
		results = append(results, result)
		if c.JSON {
			continue
		}
		if err := result.print(a.Out); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := a.PrintJSON(results); err != nil {
			return err
		}
	}
	if unread > 0 {
		return fault.New("not_read", "%d of %d files could not be read", unread, len(c.Files)).Try("check the paths and permissions")
	}
	code := 0
	for _, r := range results {
		switch {
		case r.Status == report.NotValid:
			return terminal.ExitCode(1)
		case r.Status == report.Unverifiable:
			code = 2
		}
	}
	if code != 0 {
		if len(keys) == 0 && !c.JSON {
			fmt.Fprintln(a.Err, "Try: curl -o keys.json https://HOST/.well-known/jwks.json gets the keys of the service; then grantgraph verify --key keys.json")
		}
		return terminal.ExitCode(code)
	}
	return nil
}

// keys are the public keys to verify with: those that were given or else those of the data directory. There may be none.
func (c *verifyCmd) keys(a *terminal.App) (keys []report.PublicKey, err error) {
	for _, name := range c.Key {
		document, err := readBounded(name, keyring.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			// What was given is not repeated: it may be an API key, from a file of settings that gives one to every command.
			return nil, fault.New("not_found", "--key names a file that does not exist").
				Try("--key takes the path of a file with public keys; a key in grantgraph.toml belongs in the table of its command")
		}
		if err != nil {
			return nil, fault.Disk(name, err)
		}
		list, err := keyring.ParseKeys(document)
		if err != nil {
			return nil, err
		}
		keys = append(keys, list...)
	}
	if len(c.Key) > 0 {
		return keys, nil
	}
	if _, err := os.Stat(c.Data); err != nil && c.Data != defaultData && c.Database.Empty() {
		return nil, fault.Disk(c.Data, err)
	}
	if _, err := os.Stat(serve.Accounts(c.Data)); c.Database.Empty() && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // whoever verifies a report need not run a service
	}
	err = c.withRing(func(_ *account.Store, ring *keyring.Ring) error {
		list, err := ring.Keys(a.Ctx)
		keys = append(keys, list...)
		return err
	})
	return keys, err
}

func readReport(a *terminal.App, name string) ([]byte, error) {
	if name == "-" {
		document, err := io.ReadAll(io.LimitReader(a.In, report.MaxDocument+1))
		return document, fault.Disk("standard input", err)
	}
	document, err := readBounded(name, report.MaxDocument)
	return document, fault.Disk(name, err)
}

// readBounded reads a file up to one byte more than its bound, so that the caller can tell that the file is too large.
func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// print writes the result for a person. Unless the report is valid, its content is marked as the claim of the document.
func (r *verification) print(w io.Writer) error {
	said := map[report.Status]string{report.Valid: "valid", report.NotValid: "NOT valid", report.Unverifiable: "cannot be verified"}[r.Status]
	if r.Reason != nil {
		said += ": " + *r.Reason
	}
	return pages.Print(w, "verification", struct {
		*verification
		Said string
	}{r, said})
}

// oneLine puts a text of a report on one line. A name with a line break could otherwise look like the result of another file.
func oneLine(text string) string {
	return strings.ReplaceAll(printable(fault.Clip(text, 600)), "\n", " ")
}

func subjectLine(s *client.ReportSubject) string {
	var said []string
	if s.Name != nil {
		said = append(said, *s.Name)
	}
	if s.EIN != nil {
		number := *s.EIN
		if e, err := ein.Parse(number); err == nil {
			number = e.Hyphenated()
		}
		said = append(said, "EIN "+number)
	}
	return strings.Join(said, ", ")
}

func listsLine(lists []client.ReportList) string {
	said := make([]string, len(lists))
	for i, l := range lists {
		switch {
		case !l.Screened:
			said[i] = l.Source + " not screened"
		case l.Revised == nil:
			said[i] = l.Source + " of unknown date"
		default:
			said[i] = l.Source + " " + *l.Revised
		}
	}
	return strings.Join(said, ", ")
}
