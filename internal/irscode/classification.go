package irscode

import (
	_ "embed"

	"grantgraph/internal/table"
)

//go:embed classification.tsv
var classificationText string

// classifications are the labels of the one-digit CLASSIFICATION codes within a
// SUBSECTION: the first label is that of code 1.
var classifications = func() map[string][]string {
	m := map[string][]string{}
	for _, r := range table.Read("classification.tsv", classificationText, "subsection", "code", "label") {
		subsection := r.Text("subsection")
		if m[subsection] = append(m[subsection], r.Text("label")); r.Int("code") != len(m[subsection]) {
			r.Fail("code %s does not follow", r.Text("code"))
		}
	}
	return m
}()

// ClassificationLabels says what the CLASSIFICATION of an organization means
// under its SUBSECTION. The column holds up to four codes of one digit each,
// filled up with zeros. The labels come in that order, each once; codes that no
// document explains have no label.
func ClassificationLabels(subsection, classification string) []string {
	known := classifications[subsection]
	if len(classification) > 4 {
		return nil
	}
	var labels []string
	var seen [10]bool
	for i := range len(classification) {
		code := int(classification[i]) - '0'
		if code < 1 || code > len(known) || seen[code] {
			continue
		}
		seen[code] = true
		labels = append(labels, known[code-1])
	}
	return labels
}
