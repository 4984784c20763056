package source

import (
	"fmt"
	"io"
	"strings"
)

// MarkdownTable writes the catalog as a table in Markdown, for the page about
// sources.
func MarkdownTable(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| Source | What is taken | Address | Published, asked for | Licence | Reader | Verified on |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for i := range catalog {
		s := &catalog[i]
		address := s.Base
		if address == "" {
			address = "of each portal, see the reader"
		} else {
			address = "`" + address + "`"
		}
		fmt.Fprintf(&b, "| `%s`: [%s](%s), %s | %s | %s | %s, %s | %s | `%s` | %s |\n",
			s.Name, cell(s.Title), s.Page, cell(s.Publisher), cell(s.Takes), address, s.Publishes, s.Polled, cell(s.Licence), s.reader(), cell(s.Verified))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reader is the folder of the package that reads the source.
func (s *Source) reader() string {
	if s.Name == "census" {
		return "internal/place" // the gazetteer reads it
	}
	return "internal/ingest/source/" + s.Name
}

// cell escapes a text so that it does not end its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
