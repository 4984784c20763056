package account

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed migrations
var migrations embed.FS

var errLater = errors.New("it was written by a later version of the program")

// migrationsFrom returns the texts that bring a database from layout have to the
// present layout, and the number of the present layout.
func migrationsFrom(engine string, have int) (texts []string, want int, err error) {
	dir := "migrations/" + engine
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return nil, 0, err
	}
	if have > len(entries) {
		return nil, 0, fmt.Errorf("%w (layout %d, this one knows %d)", errLater, have, len(entries))
	}
	for _, e := range entries[have:] {
		text, err := migrations.ReadFile(dir + "/" + e.Name())
		if err != nil {
			return nil, 0, err
		}
		texts = append(texts, string(text))
	}
	return texts, len(entries), nil
}
