package site

import (
	"archive/zip"
	"cmp"
	"encoding/csv"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/serve/listrun"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/serve/site/frame"
	workbook "grantgraph/internal/serve/site/sheet"
	"grantgraph/internal/table"
)

// outcomes are the outcomes of a result in words.
var outcomes = map[string]string{
	"closer_look": "Look closer", screen.NotScreened: "Not fully screened", "no_findings": "No findings", "not_found": "EIN not found",
	"name_only": "Name only: no sanctions match", "unreadable": "Could not be screened",
}

// rowOf words a result: what the lists say that is no good news.
func rowOf(r *client.ListResult) (resultRow, error) {
	record, _, _, err := listrun.RecordOf(r)
	row := resultRow{EIN: frame.Text(r.EIN), Name: displayName(r, record), Outcome: r.Outcome}
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
func (r resultRow) Words() string { return outcomes[r.Outcome] }

// fileHead is the first columns of a file of results; those of a spreadsheet screening follow.
var fileHead = []string{"ein", "name", "note", "outcome", "file"}

// cellsOf is a result as a row of a file, and the name of its report, empty without one.
func cellsOf(r *client.ListResult) (cells []string, name string, err error) {
	record, id, issued, err := listrun.RecordOf(r)
	result := sheet.Result{Record: record, ReportID: id, Problem: frame.Text(r.Error)}
	if record != nil {
		result.At, _ = time.Parse(time.RFC3339, issued)
		name = strconv.FormatInt(r.Position, 10) + "-" + cmp.Or(frame.Text(r.EIN), "name")
	}
	cells = []string{hyphened(frame.Text(r.EIN)), displayName(r, record), r.Note, outcomes[r.Outcome], name}
	for i := range cells {
		cells[i] = table.Harmless(cells[i])
	}
	return append(cells, result.Cells()...), name, err
}

// sendRun sends the results of a screening as a spreadsheet, or its reports as a ZIP. It
// reads the stored parts one by one, so that a file of any length takes the memory of one.
func (s *Site) sendRun(v *visit) error {
	p, err := s.ownRun(v)
	if err != nil {
		return err
	}
	kind, write := "", s.writeCSV
	switch v.r.PathValue("file") {
	case "results.csv":
		kind = "csv"
	case "results.xlsx":
		kind, write = "xlsx", s.writeWorkbook
	case "reports.zip":
		kind, write = "zip", s.writeZIP
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
	return s.written(v, write(v, p, out))
}

// eachResult reads all results of a run.
func (s *Site) eachResult(v *visit, p *listPage, fn func(*client.ListResult) error) error {
	for part := range p.Run.Parts {
		results, err := s.desk().Part(v.r.Context(), v.account.ID, p.List.ID, p.Run.ID, part)
		if err != nil {
			return err
		}
		for i := range results {
			if err := fn(&results[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Site) writeCSV(v *visit, p *listPage, to io.Writer) error {
	w := csv.NewWriter(to)
	err := w.Write(slices.Concat(fileHead, sheet.Headers()))
	if err == nil {
		err = s.eachResult(v, p, func(r *client.ListResult) error {
			cells, _, err := cellsOf(r)
			return cmp.Or(err, w.Write(cells))
		})
	}
	w.Flush()
	return cmp.Or(err, w.Error())
}

func (s *Site) writeWorkbook(v *visit, p *listPage, to io.Writer) error {
	book := workbook.New(to)
	columns := each.Of(slices.Concat(fileHead, sheet.Headers()), func(name string) workbook.Column { return workbook.Column{Name: name} })
	_ = book.Sheet("Screening", columns) // Close returns the error
	err := s.eachResult(v, p, func(r *client.ListResult) error {
		cells, _, err := cellsOf(r)
		return cmp.Or(err, book.Row(each.Of(cells, func(c string) any { return c })))
	})
	return cmp.Or(err, book.Close())
}

// writeZIP writes every report as JSON in the bytes that were signed and as a PDF, and then the index.
func (s *Site) writeZIP(v *visit, p *listPage, to io.Writer) error {
	z := zip.NewWriter(to)
	add := func(name string, data []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.Run.Started})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := s.eachResult(v, p, func(r *client.ListResult) error {
		_, name, err := cellsOf(r)
		if err != nil || name == "" {
			return err
		}
		document, err := jcs.Transform(r.Report)
		if err != nil {
			return err
		}
		page, err := report.PDF(document)
		if err != nil {
			return err
		}
		return cmp.Or(add("reports/"+name+".json", document), add("reports/"+name+".pdf", page))
	})
	if err == nil {
		var index io.Writer
		if index, err = z.Create("index.csv"); err == nil {
			err = s.writeCSV(v, p, index)
		}
	}
	return cmp.Or(err, z.Close())
}
