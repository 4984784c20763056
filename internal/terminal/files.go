package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"grantgraph/internal/fault"
)

// ReadFile opens a file that the user named. If read refuses it, the error says what the file should have been.
func ReadFile(path, what string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fault.New("wrong_format", "%s is not %s: %w", path, what, err).Try("check the file, or leave it out")
	}
	return nil
}

// WriteFile creates a file that the user named and fills it.
func WriteFile(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fault.Disk(path, err)
	}
	if err := errors.Join(fill(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// PrintJSON writes v to standard output as indented JSON.
func (a *App) PrintJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
