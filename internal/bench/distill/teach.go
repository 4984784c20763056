package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"grantgraph/internal/meaning"
	"grantgraph/internal/parallel"
)

// lesson is one vector of the teacher in a file that keeps them. A vector takes the
// teacher milliseconds, and students are made more than once.
type lesson struct {
	Key    [sha256.Size]byte
	Vector meaning.Vector
}

// teach returns the teacher's vector of every text. It reads known vectors from the
// file, computes the others and adds them to the file.
func teach(m *meaning.Model, texts []string, path string) ([]meaning.Vector, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	places := make(map[[sha256.Size]byte]int, len(texts))
	for i, t := range texts {
		places[sha256.Sum256([]byte(t))] = i
	}
	vectors, known := make([]meaning.Vector, len(texts)), make([]bool, len(texts))
	in := bufio.NewReaderSize(f, 1<<20)
	for {
		var l lesson
		if err := binary.Read(in, binary.LittleEndian, &l); err != nil {
			if err == io.EOF {
				break
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if i, wanted := places[l.Key]; wanted {
			vectors[i], known[i] = l.Vector, true
		}
	}
	const batch = 1024
	var done atomic.Int64
	return vectors, parallel.Each(context.Background(), 0, (len(texts)+batch-1)/batch, func(_ context.Context, b int) error {
		var out []byte
		var err error
		for i := b * batch; i < min(len(texts), (b+1)*batch); i++ {
			if known[i] {
				continue
			}
			vectors[i] = m.Teach(texts[i])
			l := lesson{sha256.Sum256([]byte(texts[i])), vectors[i]}
			if out, err = binary.Append(out, binary.LittleEndian, &l); err != nil {
				return err
			}
		}
		if n := done.Add(1); n%8 == 0 {
			fmt.Printf("%d texts\n", n*batch)
		}
		_, err = f.Write(out)
		return err
	})
}
