package site

import (
	"cmp"
	"io"
	"net/http"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/listrun"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/frame"
	workbook "grantgraph/internal/serve/site/sheet"
)

// rowOf words a result: what the lists say that is no good news.
func rowOf(r *client.ListResult) (resultRow, error) {
	record, _, _, err := listrun.RecordOf(r)
	row := resultRow{EIN: frame.Text(r.EIN), Name: listrun.NameOf(r, record), Outcome: r.Outcome}
	if r.Error != nil {
		row.Findings = []string{*r.Error}
	}
	if record != nil && r.Outcome != "name_only" {
		for _, x := range screen.Verdicts(record) {
			if x.Mark == screen.MarkLook || x.Mark == screen.MarkNotScreened && r.EIN != nil {
				row.Findings = append(row.Findings, x.Title+": "+x.Short)
			}
		}
	}
	return row, err
}

// Words is the outcome in words.
func (r resultRow) Words() string { return listrun.Outcomes[r.Outcome] }

// sendRun sends the results of a screening as a spreadsheet, or its reports as a ZIP. It
// reads the stored parts one by one, so that a file of any length takes the memory of one.
func (s *Site) sendRun(v *visit) error {
	p, err := s.ownRun(v)
	if err != nil {
		return err
	}
	kind, write := "", listrun.WriteCSV
	switch v.r.PathValue("file") {
	case "results.csv":
		kind = "csv"
	case "results.xlsx":
		kind, write = "xlsx", writeWorkbook
	case "reports.zip":
		kind, write = "zip", func(to io.Writer, each listrun.Each) error { return listrun.WriteZIP(to, each, p.Run.Started) }
	default:
		return frame.Missing
	}
	end, err := s.beginDownload(v)
	if err != nil {
		return err
	}
	defer end()
	hold, err := s.Budget.Take(v.r.Context(), listrun.Weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	v.attach("screening-"+frame.Date(p.Run.Started), kind)
	out := &patient{w: v.w, control: http.NewResponseController(v.w), until: time.Now().Add(downloadTimeout)}
	return s.written(v, write(out, s.desk().All(v.r.Context(), v.account.ID, p.List.ID, p.Run.ListRun)))
}

func writeWorkbook(to io.Writer, all listrun.Each) error {
	book := workbook.New(to)
	columns := each.Of(listrun.Head(), func(name string) workbook.Column { return workbook.Column{Name: name} })
	_ = book.Sheet("Screening", columns) // Close returns the error
	err := all(func(r *client.ListResult) error {
		cells, _, err := listrun.Cells(r)
		return cmp.Or(err, book.Row(each.Of(cells, func(c string) any { return c })))
	})
	return cmp.Or(err, book.Close())
}
