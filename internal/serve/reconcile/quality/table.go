package quality

import (
	"fmt"
	"io"
	"strings"

	"grantgraph/internal/money"
)

// WriteTable writes the result as Markdown.
func (r *Result) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s organizations in the register.\n", money.Grouped(int64(r.Organizations)))
	table := func(title string, list []Figures) {
		fmt.Fprintf(&b, "\n%s\n\n", title)
		b.WriteString("| Given | names | in the register | first answers right | precision of the first answer | recall | matches | precision of matches | " +
			"recall of matches |\n")
		b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		for _, f := range list {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.3f | %.3f | %s | %.3f | %.3f |\n", f.Given, money.Grouped(int64(f.Names)), money.Grouped(int64(f.Known)),
				money.Grouped(int64(f.Right)), f.Precision, f.Recall, money.Grouped(int64(f.Matches)), f.MatchPrecision, f.MatchRecall)
		}
	}
	table("Names of states whose register was loaded. The precision of first answers is that of names whose organization is in the register; the precision "+
		"of matches is that of all, so a match for a name whose organization is not there is wrong.", r.Covered)
	table("The same without names that share no word with the registered name of their EIN: other names, sponsors and mistakes of the filer, which nobody "+
		"finds by name.", r.Kindred)
	table("Of the first table, the half of the names, by EIN, that no weight was fitted to.", r.HeldOut)
	b.WriteString("\nNames of other states, whose organizations are not in the register: every match is wrong.\n\n")
	b.WriteString("| Given | names | matches | share |\n| --- | ---: | ---: | ---: |\n")
	for _, f := range r.Elsewhere {
		share := 0.0
		if f.Names > 0 {
			share = 100 * float64(f.Matches) / float64(f.Names)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f %% |\n", f.Given, money.Grouped(int64(f.Names)), money.Grouped(int64(f.Matches)), share)
	}
	b.WriteString("\nWhat scores are worth: first answers by score, with state, city and ZIP code, of the first table.\n\n")
	b.WriteString("| Score | answers | mean score | right |\n| --- | ---: | ---: | ---: |\n")
	for _, n := range r.Bins {
		if n.Answers > 0 {
			fmt.Fprintf(&b, "| %d to %d | %s | %.1f | %.1f %% |\n", n.From, n.To, money.Grouped(int64(n.Answers)), n.Claimed, n.Right)
		}
	}
	if r.Seconds > 0 {
		fmt.Fprintf(&b, "\n%s names with state and city took %.1f s on one core; comparing each with every name of the register, letter by letter, would take "+
			"%s s, %.0f times as long.\n",
			money.Grouped(int64(r.Names)), r.Seconds, money.Grouped(int64(r.Plain)), r.Plain/r.Seconds)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
