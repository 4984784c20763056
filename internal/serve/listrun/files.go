package listrun

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/gowebpki/jcs"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/table"
)

// Outcomes are the outcomes of a result in words.
var Outcomes = map[string]string{
	"closer_look": "Look closer", screen.NotScreened: "Not fully screened", "no_findings": "No findings", "not_found": "EIN not found",
	"name_only": "Name only: no sanctions match", "unreadable": "Could not be screened",
}

// NameOf is the name of a member: as its owner wrote it, else as the lists write it.
func NameOf(r *client.ListResult, record *client.ScreeningRecord) string {
	if r.Name != "" || record == nil || record.Organization.OrganizationName == nil {
		return r.Name
	}
	return orgname.Display(*record.Organization.OrganizationName)
}

// Each is all results that a file has. It calls fn for each of them, and reads them part by part, so that a file of any length
// takes the memory of one part.
type Each func(fn func(*client.ListResult) error) error

// All is all results of a run.
func (d *Desk) All(ctx context.Context, owner, list string, run account.ListRun) Each {
	return func(fn func(*client.ListResult) error) error {
		for part := range run.Parts {
			results, err := d.Part(ctx, owner, list, run.ID, part)
			if err != nil {
				return err
			}
			if err := Some(results)(fn); err != nil {
				return err
			}
		}
		return nil
	}
}

// Some is results that are at hand.
func Some(results []client.ListResult) Each {
	return func(fn func(*client.ListResult) error) error {
		for i := range results {
			if err := fn(&results[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// Head is the columns of a file of results; those of a spreadsheet screening come after the first five.
func Head() []string {
	return slices.Concat([]string{"ein", "name", "note", "outcome", "file"}, sheet.Headers())
}

// Cells is a result as a row of a file, and the name of its report, empty without one.
func Cells(r *client.ListResult) (cells []string, name string, err error) {
	record, id, issued, err := RecordOf(r)
	result := sheet.Result{Record: record, ReportID: id}
	number, last := "", "name"
	if r.EIN != nil {
		number, last = ein.Stored(*r.EIN).Hyphenated(), *r.EIN
	}
	if r.Error != nil {
		result.Problem = *r.Error
	}
	if record != nil {
		result.At, _ = time.Parse(time.RFC3339, issued)
		name = strconv.FormatInt(r.Position, 10) + "-" + last
	}
	cells = []string{number, NameOf(r, record), r.Note, Outcomes[r.Outcome], name}
	for i := range cells {
		cells[i] = table.Harmless(cells[i])
	}
	return append(cells, result.Cells()...), name, err
}

// WriteCSV writes results as a spreadsheet.
func WriteCSV(to io.Writer, each Each) error {
	w := csv.NewWriter(to)
	err := w.Write(Head())
	if err == nil {
		err = each(func(r *client.ListResult) error {
			cells, _, err := Cells(r)
			return cmp.Or(err, w.Write(cells))
		})
	}
	w.Flush()
	return cmp.Or(err, w.Error())
}

// WriteZIP writes every report as JSON in the bytes that were signed and as a PDF, and then the index.
func WriteZIP(to io.Writer, each Each, made time.Time) error {
	z := zip.NewWriter(to)
	add := func(name string, data []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: made})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	err := each(func(r *client.ListResult) error {
		_, name, err := Cells(r)
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
			err = WriteCSV(index, each)
		}
	}
	return cmp.Or(err, z.Close())
}
