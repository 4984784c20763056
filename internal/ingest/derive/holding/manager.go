package holding

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
)

// product are the words that begin a fund's description after the manager's name.
var product = wordSets.Of("product")

// managerWords are the words of a fund's name before its description, at most three.
func managerWords(words []string) []string {
	n := 0
	for n < len(words) && n < 3 && !product[words[n]] && strings.Trim(words[n], "0123456789") != "" {
		n++
	}
	if n == 0 || n == len(words) || !canNameManager(words[:1]) && n == 1 {
		return nil
	}
	return words[:n]
}

// canNameManager reports whether words are enough to name a manager: a single word must be more than an initial or an
// adjective.
func canNameManager(words []string) bool {
	return len(words) > 1 || len(words[0]) > 2 && !vague[words[0]]
}

var vague = wordSets.Of("vague")

// managers finds the manager of each fund: the longest words before its description that are shared by funds of
// enough foundations.
func (b *Builder) managers(merged []position) []string {
	holders := make(map[string][]ein.EIN)
	funds := make([]bool, len(b.entities))
	for i := range merged {
		p := &merged[i]
		if p.entityType != fund || b.entities[p.entity].generic {
			continue
		}
		funds[p.entity] = true
		words := managerWords(b.entities[p.entity].words)
		for n := range words {
			key := strings.Join(words[:n+1], " ")
			if list := holders[key]; len(list) < managedBy && !slices.Contains(list, p.ein) {
				holders[key] = append(list, p.ein)
			}
		}
	}
	managers := make([]string, len(b.entities))
	for i := range b.entities {
		if !funds[i] {
			continue
		}
		words := managerWords(b.entities[i].words)
		for n := len(words); n > 0 && managers[i] == "" && canNameManager(words[:n]); n-- {
			if key := strings.Join(words[:n], " "); len(holders[key]) >= managedBy {
				managers[i] = key
			}
		}
	}
	return managers
}
