package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/ingest"
	"grantgraph/internal/money"
	"grantgraph/internal/snapshot"
)

// printBuild prints what a build came to.
func printBuild(w io.Writer, result *ingest.Result, took time.Duration) {
	m, r := &result.Snapshot.Manifest, result.Report
	c := m.Counts
	fmt.Fprintf(w, "\nSnapshot %s\n\n", m.Version)
	if m.Invented {
		fmt.Fprint(w, "Invented data: its sources include a world made by grantgraph synth.\n\n")
	}
	t := newTable("", ">", "")
	t.add("grants", count(c.Grants), money.Dollars(c.TotalAmount))
	t.add("funders", count(c.Funders), "")
	t.add("recipients", count(c.Recipients), "")
	t.add("linked to an EIN", count(c.Linked), fmt.Sprintf("%s of grants, %s of dollars", percent(c.Linked, c.Grants), percent(c.LinkedAmount, c.TotalAmount)))
	t.add("organizations known", count(c.Organizations), "")
	t.add("returns", count(c.Returns), formList(r))
	if k := &r.Derived.Causes; k.Note == "" {
		t.add("causes inferred", count(k.Inferred), fmt.Sprintf("of %s organizations without a code", count(k.Missing)))
	} else {
		t.add("causes inferred", count(0), "too few organizations have a code")
	}
	t.print(w)

	fmt.Fprintf(w, "\nBy fiscal year\n\n")
	var most int64
	for _, y := range r.Years {
		most = max(most, y.TotalAmount)
	}
	t = newTable("year", ">grants", ">dollars", ">funders", ">filers", "")
	for _, y := range r.Years {
		year := fmt.Sprint(y.FiscalYear)
		if y.Partial {
			year += " partial"
		}
		t.add(year, count(y.Grants), money.Dollars(y.TotalAmount), count(y.Funders), count(y.Filers), barChart(y.TotalAmount, most, 30))
	}
	t.print(w)

	fmt.Fprintf(w, "\nHow the recipient was found\n\n")
	printShares(w, r.Rules, c)
	fmt.Fprintf(w, "\nWho gave\n\n")
	t = newTable("kind of funder", ">funders", ">grants", ">dollars", ">of dollars")
	for _, k := range r.Kinds {
		t.add(k.Name, count(k.Funders), count(k.Grants), money.Dollars(k.TotalAmount), percent(k.TotalAmount, c.TotalAmount))
	}
	t.print(w)
	fmt.Fprintf(w, "\nClasses of grants\n\n")
	printShares(w, append(slices.Clip(r.Classes), r.Unnamed), c)
	if k := &r.Masked; k.Individuals == snapshot.IndividualsMasked || k.Listed > 0 {
		fmt.Fprintf(w, "\nMasked: %s grants, %s", count(k.Grants), money.Dollars(k.TotalAmount))
		if k.Listed > 0 {
			fmt.Fprintf(w, "; %s of %s entries of overrides/masked.csv were found", count(k.Listed-k.Unmet), count(k.Listed))
		}
		fmt.Fprintln(w, ".")
	}

	printAccount(w, r)
	printLists(w, r.Lists)
	printAwards(w, &r.Awards)
	printRegister(w, &r.UK)
	printUntaken(w, r.Untaken, r.UntakenCount, 20)
	fmt.Fprintf(w, "\nPublished in %s to %s (%s in %d files", took.Round(100*time.Millisecond), result.Snapshot.Dir, bytesize(totalBytes(m)), len(m.Files))
	if result.Reused > 0 {
		fmt.Fprintf(w, "; %d of %d shards were staged already", result.Reused, result.Staged)
	}
	if result.Remade > 0 {
		fmt.Fprintf(w, "; %d were damaged and rebuilt", result.Remade)
	}
	fmt.Fprintln(w, ").")
}

func printShares(w io.Writer, list []ingest.Count, c snapshot.Counts) {
	t := newTable("", ">grants", ">of grants", ">dollars", ">of dollars", "")
	for _, r := range list {
		t.add(r.Name, count(r.Grants), percent(r.Grants, c.Grants), money.Dollars(r.TotalAmount), percent(r.TotalAmount, c.TotalAmount), barChart(r.Grants, c.Grants, 20))
	}
	t.print(w)
}

// printAccount prints what did not become a grant, and why.
func printAccount(w io.Writer, r *ingest.Report) {
	fmt.Fprintf(w, "\nWhat became of everything read\n\n")
	t := newTable("", ">", "")
	n := r.Returns
	t.add("returns read", count(n.Read), fmt.Sprintf("%s amended", count(n.Amended)))
	t.add("  replaced by a later version", count(n.Superseded), "")
	t.add("  seen twice", count(n.Duplicate), "")
	t.add("  amendments whose list was left out", count(n.LinesKept), "the earlier list is used")
	t.add("set aside, unreadable", count(n.Quarantined+n.ArchiveFault), reasonList(r.QuarantineReasons))
	l := r.Lines
	t.add("grant lines read", count(l.Read), "")
	t.add("  kept as grants", count(l.Rows), "")
	t.add("  non-cash only", count(l.NonCash), "")
	t.add("  zero or empty", count(l.Zero+l.Empty), "")
	t.add("  negative", count(l.Negative), money.Dollars(l.NegativeSum)+" kept in a table of their own")
	t.add("  totals and repeated lists", count(l.Totals+l.Repeated), "")
	t.add("  implausibly large", count(l.TooLarge), "over $50,000,000,000")
	t.add("  filed EIN of another name", count(r.FiledNameConflicts), fmt.Sprintf("kept and marked; %s more name a member and state the EIN of its group", count(r.FiledGroupConflicts)))
	t.add("not grants paid: future", count(r.NotRows.Future), money.Dollars(r.NotRows.FutureSum))
	t.add("not grants paid: aid to individuals", count(r.NotRows.Individuals), money.Dollars(r.NotRows.IndividualSum))
	t.add("not grants paid: abroad by region", count(r.NotRows.Foreign), money.Dollars(r.NotRows.ForeignSum))
	t.add("sums equal to the declared total", "", agreement("990-PF", r.Declared.PF)+"; "+agreement("990", r.Declared.F90))
	if r.Index.Rows > 0 {
		t.add("returns the IRS lists", count(r.Index.Rows), fmt.Sprintf("%s of them in no archive", count(r.Index.Missing)))
	}
	t.print(w)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", warning)
	}
}

// printLists prints which compliance lists are loaded.
func printLists(w io.Writer, list []ingest.ListCount) {
	fmt.Fprintf(w, "\nCompliance lists\n\n")
	t := newTable("", ">rows", ">left out", "revised", "")
	for _, l := range list {
		var lost int64
		for _, r := range l.Rejected {
			lost += r.Count
		}
		switch {
		case !l.Loaded:
			t.add(l.Name, "", "", "", "not loaded: "+l.Problem)
		case l.Problem != "":
			t.add(l.Name, count(l.Rows), count(lost), l.Revised, "last good version kept: "+l.Problem)
		default:
			t.add(l.Name, count(l.Rows), count(lost), l.Revised, "")
		}
	}
	t.print(w)
}

// printAwards prints what governments paid and how much of it found its
// organization; nothing when there were no files.
func printAwards(w io.Writer, r *ingest.AwardReport) {
	if r.Federal.Files == 0 && len(r.States) == 0 {
		return
	}
	fmt.Fprintf(w, "\nGovernment awards\n\n")
	t := newTable("", ">placed", ">dollars", ">not placed", ">dollars")
	add := func(name string, placed, lost ingest.AwardFlow) {
		t.add(name, count(placed.Rows), money.Dollars(int64(placed.Amount)), count(lost.Rows), money.Dollars(int64(lost.Amount)))
	}
	add("federal grants", r.Federal.Grants.Placed, r.Federal.Grants.Unknown)
	add("federal contracts", r.Federal.Contracts.Placed, r.Federal.Contracts.Unknown)
	for _, s := range r.States {
		add(s.State, ingest.AwardFlow{Rows: s.Stated.Rows + s.Named.Rows, Amount: s.Stated.Amount + s.Named.Amount}, s.Unknown)
	}
	t.print(w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", note)
	}
}

// printRegister prints the tables of the UK register; nothing when it is not
// there.
func printRegister(w io.Writer, r *ingest.UKReport) {
	if len(r.Tables) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRegister of charities of England and Wales\n\n")
	t := newTable("", ">rows", "of")
	for _, u := range r.Tables {
		t.add(u.Name, count(u.Rows), u.Extracted)
	}
	for _, k := range r.Ties {
		t.add("board ties, "+k.Name, count(k.Count), "")
	}
	t.print(w)
}

func agreement(form string, a ingest.Agreement) string {
	return fmt.Sprintf("%s: %s of %s", form, count(a.Exact), count(a.Compared))
}

func formList(r *ingest.Report) string {
	var parts []string
	for _, f := range r.Forms {
		parts = append(parts, f.Name+" "+count(f.Count))
	}
	return strings.Join(parts, ", ")
}

func reasonList(list []ingest.NamedInt) string {
	var parts []string
	for _, r := range list {
		parts = append(parts, fmt.Sprintf("%s %s", count(r.Count), r.Name))
	}
	return strings.Join(parts, ", ")
}

func totalBytes(m *snapshot.Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
