package ask

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSentences finds every sentence that the program and its tables name, and no
// sentence that nothing names.
func TestSentences(t *testing.T) {
	t.Parallel()
	named := map[string]string{}
	for key := range strings.FieldsSeq("last_year last_years members branches nearest nearest_one unknown unknown_name sums hardly_known known_cause coded coded_none " +
		"other other_has_more others related unnamed parts unlinked rank_unlinked rank_parts compare_same compare_two compare_many change change_none " +
		"change_from_none none none_named none_exists none_unfiled organizations_unfiled trend first last fact_unknown " +
		"caveat_uncoded caveat_unlinked caveat_parts") {
		named[key] = "a variable of the program"
	}
	calls := regexp.MustCompile(`\b(sentence|fail|unclear|refused|note|tell|tellShare|warn)\("([a-z_]+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range calls.FindAllStringSubmatch(string(body), -1) {
			named[strings.TrimPrefix(map[bool]string{true: "caveat_"}[m[1] == "warn"]+m[2], "caveat_caveat_")] = f
		}
	}
	for name, row := range kinds {
		named[row.Text("say")], named[row.Text("none")], named["caveat_"+row.Text("warn")] = name, name, name
	}
	for of, row := range groups {
		named[row.Text("count")] = "groups of " + of
	}
	for _, key := range []string{"", "caveat_"} {
		delete(named, key)
	}
	for key := range sentences {
		for pattern, where := range named {
			if before, after, open := strings.Cut(pattern, "{"); open && strings.HasPrefix(key, before) && strings.HasSuffix(pattern, "}") && after != "" {
				named[key] = where
			}
		}
		if strings.HasPrefix(key, "awards_") {
			named[key] = "kinds.tsv"
		}
	}
	for pattern := range named {
		if strings.Contains(pattern, "{") {
			delete(named, pattern)
		}
	}
	for stage, list := range grammar() {
		for _, p := range list {
			for _, then := range p.then {
				if name, key, ok := strings.Cut(then, "="); ok && (name == "refuse" || name == "note") {
					named[key] = "patterns.tsv, stage " + stage
				}
			}
		}
	}
	for _, r := range refusals() {
		named[r.tag] = "refusals.tsv"
	}
	for key := range wordLists()["misread"] {
		named[key] = "word_lists.tsv"
	}
	for key, where := range named {
		if _, ok := sentences[key]; !ok && !strings.HasSuffix(key, "_") {
			t.Errorf("%s names the sentence %s, which is not there", where, key)
		}
	}
	for key := range sentences {
		if named[key] == "" {
			t.Errorf("nothing says %s", key)
		}
	}
}
