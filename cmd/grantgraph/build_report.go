package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/grant"
	"grantgraph/internal/ingest"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

func printBuild(w io.Writer, result *ingest.Result, took time.Duration) {
	m, r := &result.Snapshot.Manifest, result.Report
	c := m.Counts
	fmt.Fprintf(w, "\nSnapshot %s\n\n", m.Version)
	if m.Invented {
		fmt.Fprint(w, "Invented data: its sources include a world made by grantgraph synth.\n\n")
	}
	t := terminal.NewTable("", ">", "")
	t.Add("grants", c.Grants, money.Dollars(c.TotalAmount))
	t.Add("funders", c.Funders, "")
	t.Add("recipients", c.Recipients, "")
	t.Add("linked to an EIN", c.Linked,
		fmt.Sprintf("%s of grants, %s of dollars", terminal.Percent(c.Linked, c.Grants), terminal.Percent(c.LinkedAmount, c.TotalAmount)))
	t.Add("organizations known", c.Organizations, "")
	t.Add("returns", c.Returns, formList(r))
	if k := &r.Derived.Causes; k.Note == "" {
		t.Add("causes inferred", k.Inferred, fmt.Sprintf("of %s organizations without a code", terminal.Count(k.Missing)))
	} else {
		t.Add("causes inferred", 0, "too few organizations have a code")
	}
	t.Print(w)

	fmt.Fprintf(w, "\nBy fiscal year\n\n")
	var most int64
	for _, y := range r.Years {
		most = max(most, y.TotalAmount)
	}
	t = terminal.NewTable("year", ">grants", ">dollars", ">funders", ">filers", "")
	for _, y := range r.Years {
		year := fmt.Sprint(y.FiscalYear)
		if y.Partial {
			year += " partial"
		}
		t.Add(year, y.Grants, money.Dollars(y.TotalAmount), y.Funders, y.Filers, terminal.BarChart(y.TotalAmount, most, 30))
	}
	t.Print(w)

	fmt.Fprintf(w, "\nHow the recipient was found\n\n")
	printShares(w, r.Rules, c)
	fmt.Fprintf(w, "\nWho gave\n\n")
	t = terminal.NewTable("kind of funder", ">funders", ">grants", ">dollars", ">of dollars")
	for _, k := range r.Kinds {
		t.Add(k.Name, k.Funders, k.Grants, money.Dollars(k.TotalAmount), terminal.Percent(k.TotalAmount, c.TotalAmount))
	}
	t.Print(w)
	fmt.Fprintf(w, "\nClasses of grants\n\n")
	printShares(w, append(slices.Clip(r.Classes), r.Unnamed), c)
	if k := &r.Masked; k.Individuals == snapshot.IndividualsMasked || k.Listed > 0 {
		fmt.Fprintf(w, "\nMasked: %s grants, %s", terminal.Count(k.Grants), money.Dollars(k.TotalAmount))
		if k.Listed > 0 {
			fmt.Fprintf(w, "; %s of %s entries of overrides/masked.csv were found", terminal.Count(k.Listed-k.Unmet), terminal.Count(k.Listed))
		}
		fmt.Fprintln(w, ".")
	}

	printAccount(w, r)
	printLists(w, r.Lists)
	printAwards(w, &r.Awards)
	printRegister(w, &r.UK)
	printUntaken(w, r.Untaken, r.UntakenCount, 20)
	if names, bytes, err := identify.Learned(result.Snapshot); err == nil {
		fmt.Fprintf(w, "\nNames learned from grants: %s (%s).\n", terminal.Count(names), terminal.Bytes(bytes))
	}
	fmt.Fprintf(w, "\nPublished in %s to %s (%s in %d files", took.Round(100*time.Millisecond), result.Snapshot.Dir, terminal.Bytes(totalBytes(m)), len(m.Files))
	if result.Reused > 0 {
		fmt.Fprintf(w, "; %d of %d shards were staged already", result.Reused, result.Staged)
	}
	if result.Remade > 0 {
		fmt.Fprintf(w, "; %d were damaged and rebuilt", result.Remade)
	}
	fmt.Fprintln(w, ").")
}

func printShares(w io.Writer, list []ingest.Count, c snapshot.Counts) {
	t := terminal.NewTable("", ">grants", ">of grants", ">dollars", ">of dollars", "")
	for _, r := range list {
		t.Add(r.Name, r.Grants, terminal.Percent(r.Grants, c.Grants),
			money.Dollars(r.TotalAmount), terminal.Percent(r.TotalAmount, c.TotalAmount), terminal.BarChart(r.Grants, c.Grants, 20))
	}
	t.Print(w)
}

func printAccount(w io.Writer, r *ingest.Report) {
	fmt.Fprintf(w, "\nWhat became of everything read\n\n")
	t := terminal.NewTable("", ">", "")
	n := r.Returns
	t.Add("returns read", n.Read, fmt.Sprintf("%s amended", terminal.Count(n.Amended)))
	t.Add("  replaced by a later version", n.Superseded, "")
	t.Add("  seen twice", n.Duplicate, "")
	t.Add("  amendments whose list was left out", n.LinesKept, "the earlier list is used")
	t.Add("set aside, unreadable", n.Quarantined+n.ArchiveFault, reasonList(r.QuarantineReasons))
	l := r.Lines
	t.Add("grant lines read", l.Read, "")
	t.Add("  kept as grants", l.Rows, "")
	t.Add("  non-cash only", l.NonCash, "")
	t.Add("  zero or empty", l.Zero+l.Empty, "")
	t.Add("  negative", l.Negative, money.Dollars(l.NegativeSum)+" kept in a table of their own")
	t.Add("  totals and repeated lists", l.Totals+l.Repeated, "")
	t.Add("  implausibly large", l.TooLarge, "over $50,000,000,000")
	t.Add("  filed EIN of another name", r.FiledNameConflicts,
		fmt.Sprintf("kept and marked; %s more name a member and state the EIN of its group", terminal.Count(r.FiledGroupConflicts)))
	for _, c := range r.Account {
		if a, known := grant.AmountOf(c.Name); known && c.TotalAmount != 0 {
			t.Add("account: "+strings.ToLower(a.Label), c.Grants, money.Dollars(c.TotalAmount))
		}
	}
	t.Add("sums equal to the declared total", "", agreement("990-PF", r.Declared.PF)+"; "+agreement("990", r.Declared.F90))
	if r.Index.Rows > 0 {
		t.Add("returns the IRS lists", r.Index.Rows, fmt.Sprintf("%s of them in no archive", terminal.Count(r.Index.Missing)))
	}
	t.Print(w)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", warning)
	}
}

func printLists(w io.Writer, list []ingest.ListCount) {
	fmt.Fprintf(w, "\nCompliance lists\n\n")
	t := terminal.NewTable("", ">rows", ">left out", "revised", "")
	for _, l := range list {
		var lost int64
		for _, r := range l.Rejected {
			lost += r.Count
		}
		switch {
		case !l.Loaded:
			t.Add(l.Name, "", "", "", "not loaded: "+l.Problem)
		case l.Problem != "":
			t.Add(l.Name, l.Rows, lost, l.Revised, "last good version kept: "+l.Problem)
		default:
			t.Add(l.Name, l.Rows, lost, l.Revised, "")
		}
	}
	t.Print(w)
}

// printAwards prints how much governments paid and how much of it was joined to an
// organization. It prints nothing if there were no files of awards.
func printAwards(w io.Writer, r *ingest.AwardReport) {
	if r.Federal.Files == 0 && len(r.States) == 0 {
		return
	}
	fmt.Fprintf(w, "\nGovernment awards\n\n")
	t := terminal.NewTable("", ">placed", ">dollars", ">not placed", ">dollars")
	add := func(name string, placed, lost ingest.AwardFlow) {
		t.Add(name, placed.Rows, money.Dollars(int64(placed.Amount)), lost.Rows, money.Dollars(int64(lost.Amount)))
	}
	add("federal grants", r.Federal.Grants.Placed, r.Federal.Grants.Unknown)
	add("federal contracts", r.Federal.Contracts.Placed, r.Federal.Contracts.Unknown)
	for _, s := range r.States {
		add(s.State, ingest.AwardFlow{Rows: s.Stated.Rows + s.Named.Rows, Amount: s.Stated.Amount + s.Named.Amount}, s.Unknown)
	}
	t.Print(w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", note)
	}
}

func printRegister(w io.Writer, r *ingest.UKReport) {
	if len(r.Tables) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRegister of charities of England and Wales\n\n")
	t := terminal.NewTable("", ">rows", "of")
	for _, u := range r.Tables {
		t.Add(u.Name, u.Rows, u.Extracted)
	}
	for _, k := range r.Ties {
		t.Add("board ties, "+k.Name, k.Count, "")
	}
	t.Print(w)
}

func agreement(form string, a ingest.Agreement) string {
	return fmt.Sprintf("%s: %s of %s", form, terminal.Count(a.Exact), terminal.Count(a.Compared))
}

func formList(r *ingest.Report) string {
	var parts []string
	for _, f := range r.Forms {
		parts = append(parts, f.Name+" "+terminal.Count(f.Count))
	}
	return strings.Join(parts, ", ")
}

func reasonList(list []ingest.NamedInt) string {
	var parts []string
	for _, r := range list {
		parts = append(parts, fmt.Sprintf("%s %s", terminal.Count(r.Count), r.Name))
	}
	return strings.Join(parts, ", ")
}

func totalBytes(m *snapshot.Manifest) (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}
