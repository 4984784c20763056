package ask

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Reworded reads another wording of a question, which somebody else chose: a language model. The plan says so.
func (a *Asker) Reworded(ctx context.Context, question, wording string) (*Plan, error) {
	if err := Faithful(question, wording); err != nil {
		return nil, err
	}
	p, u := a.Read(ctx, wording)
	if u != nil {
		return nil, errors.New("the wording is not understood")
	}
	p.Notes = append([]string{sentence("reworded", "wording", wording)}, p.Notes[:min(len(p.Notes), 7)]...)
	return p, nil
}

// Faithful reports why another wording may ask for something else than a question: it
// names something that the question does not name, or has other numbers.
func Faithful(question, wording string) error {
	asked, said := each(tokens(question), token.word), each(tokens(wording), token.word)
	for _, w := range said {
		if !slices.Contains(asked, w) && (!plain()[w] || strings.ContainsAny(w, "0123456789")) {
			return errors.New("the wording has a name or a number that the question does not have")
		}
	}
	for _, w := range asked {
		if strings.ContainsAny(w, "0123456789") && !slices.Contains(said, w) {
			return errors.New("the wording lacks a number of the question")
		}
	}
	if utf8.RuneCountInString(wording) > 300 {
		return errors.New("the wording is too long")
	}
	return nil
}

// plain are the words that ask, and that name no organization, place, cause or kind.
var plain = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for phrase, e := range lexicon().phrases {
		for w := range strings.FieldsSeq(phrase) {
			if knownPlaces()[w].Kind == "" && !is("naming", e.tag) {
				words[w] = true
			}
		}
	}
	return words
})
