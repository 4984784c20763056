package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
)

// Headers that name the column of EINs, reduced to letters and digits.
var (
	einHeaders = []string{
		"ein", "eins", "fein", "feins", "einnumber", "feinnumber", "federalein", "taxid", "taxids", "federaltaxid", "federaltaxidnumber", "taxidnumber",
		"taxidno", "taxidein", "eintaxid", "tin", "taxpayerid", "taxpayeridnumber", "taxpayeridentificationnumber", "taxidentificationnumber",
		"employeridentificationnumber", "employeridentificationnumberein", "employeridnumber", "employerid", "irsnumber", "irsein", "fedid", "federalid",
		"feid", "einno", "taxnumber",
	}
	// Headers of the EIN of one party do not decide between columns.
	partyHeaders = []string{"orgein", "organizationein", "recipientein", "granteeein"}
	// Words and phrases that say so within a longer header.
	einWords   = []string{"ein", "fein", "tin"}
	einPhrases = []string{"tax id", "taxid", "tax identification", "employer id", "federal id", "taxpayer id"}
)

// Headers that name the column of names, reduced to letters and digits.
var nameHeaders = []string{
	"name", "organization", "organisation", "organizationname", "orgname", "grantee", "granteename", "recipient", "recipientname", "charity", "charityname",
	"nonprofit", "nonprofitname", "legalname",
}

func isNameHeader(header string) bool {
	return slices.Contains(nameHeaders, strings.ReplaceAll(words(header), " ", ""))
}

// nameColumn finds the column of names: by its header, or as the only column beside the EINs.
func (s *Sheet) nameColumn() int {
	for i, header := range s.Columns {
		if i != s.Column && isNameHeader(header) {
			return i
		}
	}
	if s.Column < 0 && len(s.Columns) == 1 {
		return 0
	}
	if s.Column >= 0 && len(s.Columns) == 2 {
		return 1 - s.Column
	}
	return -1
}

// words returns a header in lower case, with single spaces for all other characters than letters and digits.
func words(header string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(header), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ")
}

func headerNames(header string) (plainly, perhaps bool) {
	w := words(header)
	return slices.Contains(einHeaders, strings.ReplaceAll(w, " ", "")),
		slices.ContainsFunc(strings.Fields(w), func(word string) bool { return slices.Contains(einWords, word) }) ||
			slices.ContainsFunc(einPhrases, func(p string) bool { return strings.Contains(w, p) })
}

// IsEINHeader reports whether a text is the header of a column of EINs and nothing else.
func IsEINHeader(text string) bool {
	name := strings.ReplaceAll(words(text), " ", "")
	return slices.Contains(einHeaders, name) || slices.Contains(partyHeaders, name)
}

// isHeader reports whether the first row is a header: it has words and no EIN.
func isHeader(r *records) bool {
	letters := false
	for i := range r.ends {
		c := r.cell(i)
		if looksLikeEIN(c) {
			return false
		}
		letters = letters || slices.ContainsFunc(c, func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 })
	}
	return letters
}

// looksLikeEIN reports whether a cell is written like an EIN: nine digits, with or without a
// hyphen after the second. Fewer digits are no sign of an EIN, nor is a ZIP code of nine.
func looksLikeEIN(cell []byte) bool {
	s := Clean(toUTF8(cell))
	if len(s) == 10 && s[2] == '-' {
		s = s[:2] + s[3:]
	}
	if len(s) != 9 || strings.Trim(s, "0123456789") != "" {
		return false
	}
	_, err := ein.Parse(s)
	return err == nil
}

// columnStats counts the cells of columns that are filled and that look like EINs.
type columnStats struct{ filled, alike []int64 }

func (s *columnStats) add(r *records) {
	for i := range r.ends {
		if i == len(s.filled) {
			s.filled, s.alike = append(s.filled, 0), append(s.alike, 0)
		}
		if c := r.cell(i); len(c) > 0 {
			s.filled[i]++
			if looksLikeEIN(c) {
				s.alike[i]++
			}
		}
	}
}

// mostly reports whether most of a column looks like EINs.
func (s *columnStats) mostly(i int) bool {
	return i < len(s.filled) && s.alike[i] > 0 && s.alike[i]*10 >= s.filled[i]*8
}

// guess finds the column of EINs: by its header, else by its content.
func (s *Sheet) guess(found columnStats) (column int, byContent bool, err error) {
	var plain, perhaps, content []int
	for i, name := range s.Columns {
		switch plainly, maybe := headerNames(name); {
		case plainly:
			plain = append(plain, i)
		case maybe:
			perhaps = append(perhaps, i)
		}
		if found.mostly(i) && !strings.Contains(words(name), "zip") && !strings.Contains(words(name), "postal") {
			content = append(content, i)
		}
	}
	named := plain
	if len(named) == 0 {
		named = perhaps
	}
	if len(named) > 1 {
		// Of several columns with such a name, those with EINs count.
		if with := slices.DeleteFunc(slices.Clone(named), func(i int) bool { return !found.mostly(i) }); len(with) > 0 {
			named = with
		}
	}
	switch {
	case len(named) == 1:
		return named[0], false, nil
	case len(named) == 0 && len(content) == 1:
		return content[0], true, nil
	case len(named) == 0:
		named = content
	}
	if len(named) == 0 {
		return 0, false, fault.New("no_ein_column", "no column of the file looks like EINs; it has %s", s.list(nil)).
			Try("name the column with --column NAME, or --column 1 for the first; rows above the header must go")
	}
	return 0, false, fault.New("which_column", "%d columns could hold the EINs: %s", len(named), s.list(named)).
		Try("--column %d for the first of them, or another by its name or number", named[0]+1)
}

func (s *Sheet) named(asked string) (int, error) {
	var same []int
	for i, name := range s.Columns {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(asked)) {
			same = append(same, i)
		}
	}
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(same) > 1:
		return 0, fault.New("which_column", "%d columns have the name %q: %s", len(same), fault.Clip(asked, 80), s.list(same)).
			Try("--column %d, by its number", same[0]+1)
	}
	if n, err := strconv.Atoi(asked); err == nil && n >= 1 && n <= len(s.Columns) {
		return n - 1, nil
	}
	return 0, fault.New("no_such_column", "the file has no column %q; it has %s", fault.Clip(asked, 80), s.list(nil)).
		Try("--column with one of these names, or a number from 1 to %d", len(s.Columns))
}

// list names columns with their numbers; all columns if which is nil.
func (s *Sheet) list(which []int) string {
	const most = 12
	if which == nil {
		for i := range s.Columns {
			which = append(which, i)
		}
	}
	var b strings.Builder
	for n, i := range which {
		if n > 0 {
			b.WriteString(", ")
		}
		if n == most {
			fmt.Fprintf(&b, "and %d more", len(which)-most)
			break
		}
		fmt.Fprintf(&b, "%d", i+1)
		if s.Headed {
			fmt.Fprintf(&b, " %q", fault.Clip(s.Columns[i], 40))
		}
	}
	return b.String()
}

// typographic replaces characters that people and programs write instead of those of an EIN.
var typographic = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-",
	"\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u200b", "", "\ufeff", "")

// Clean removes what spreadsheets put around a number: the apostrophe or formula that makes
// the number a text, and decimal places of zero.
func Clean(cell string) string {
	s := strings.TrimSpace(typographic.Replace(cell))
	if inner, ok := strings.CutPrefix(s, `="`); ok && strings.HasSuffix(inner, `"`) {
		s = strings.TrimSuffix(inner, `"`)
	}
	s = strings.TrimPrefix(s, "'")
	if whole, places, ok := strings.Cut(s, "."); ok && places != "" && strings.Trim(places, "0") == "" && whole != "" && strings.Trim(whole, "0123456789") == "" {
		s = whole
	}
	return strings.TrimSpace(s)
}

// Parse reads the EIN of a cell, and restores leading zeros that a spreadsheet dropped.
func Parse(cell string) (ein.EIN, error) {
	s := Clean(cell)
	if s == "" {
		return ein.None, fmt.Errorf("no EIN in this row")
	}
	e, err := ein.Parse(s)
	if err != nil && strings.Trim(s, "0123456789.,+eE") == "" && strings.ContainsAny(s, "eE") {
		return ein.None, fmt.Errorf("%q was rounded by the spreadsheet; export the column as text", fault.Clip(s, 40))
	}
	return e, err
}
