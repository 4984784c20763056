package irscode

import (
	"slices"
	"testing"
)

func TestClassification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subsection, codes string
		want              []string
	}{
		{"03", "1000", []string{"Charitable organization"}},
		{"03", "2170", []string{"Educational organization", "Charitable organization", "Religious organization"}},
		{"03", "1100", []string{"Charitable organization"}},
		{"03", "9000", nil},
		{"03", "8", []string{"Scientific organization"}},
		{"03", "0000", nil},
		{"03", "", nil},
		{"03", "12345", nil},
		{"06", "3000", []string{"Chamber of commerce"}},
		{"91", "1000", nil},
		{"", "1000", nil},
		{"07", "x/:1", []string{"Pleasure, recreational or social club"}},
	} {
		if got := ClassificationLabels(c.subsection, c.codes); !slices.Equal(got, c.want) {
			t.Errorf("%s %s is %q, want %q", c.subsection, c.codes, got, c.want)
		}
	}
	for subsection, labels := range classifications {
		if SubsectionLabel(subsection) == "" || len(labels) > 9 {
			t.Errorf("subsection %q of the classifications is none", subsection)
		}
	}
}
