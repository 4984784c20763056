package irb

import (
	"io"
)

// Read reads the page of a bulletin, as HTML or as text.
func Read(r io.Reader) (Bulletin, error) { return ReadNamed(r, "") }
