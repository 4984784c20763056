package ask_test

import (
	"log/slog"
	"os"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/ask"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// open is an asker over a world.
func open(t testing.TB, w world.World) *ask.Asker {
	t.Helper()
	data := t.TempDir()
	w.Publish(t, data)
	return at(t, data)
}

func at(t testing.TB, data string) *ask.Asker {
	t.Helper()
	s, err := serve.Open(serve.Options{Data: data, BaseURL: "http://localhost", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	a, release := s.Asker()
	t.Cleanup(release)
	return a
}
