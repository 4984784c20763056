package snapshot

import (
	"reflect"
	"testing"
)

func TestAwardCoverage(t *testing.T) {
	t.Parallel()
	for report, want := range map[string]AwardCoverage{
		"": {StatesRead: []string{}},
		`{"awards":{"federal":{"through":""},"states":[]}}`: {StatesRead: []string{}},
		`{"awards":{"federal":{"through":"2025-09-30"},"states":[{"state":"NJ","files":2},{"state":"OK","files":0},{"state":"VT","files":1}]}}`: {
			FederalThrough: "2025-09-30", StatesRead: []string{"NJ", "VT"}},
	} {
		m := Manifest{Report: []byte(report)}
		if got, err := m.AwardCoverage(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", report, got, err, want)
		}
	}
	m := Manifest{Report: []byte("[")}
	if _, err := m.AwardCoverage(); err == nil {
		t.Error("a damaged report was read")
	}
}
