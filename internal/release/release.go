// Package release says which release of the program this is.
package release

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// stamp is "VERSION COMMIT DATE". scripts/release and the Dockerfile have the linker set
// it, because they compile where there is no repository to ask.
var stamp string

// Info identifies a release. A commit or a date that is not known is empty.
type Info struct {
	Version string `json:"version"` // such as v1.0.0, or devel
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the commit
}

// Current returns the release of this program. Without a stamp it returns what the Go command noted in the program.
func Current() Info {
	if fields := strings.Fields(stamp); len(fields) == 3 {
		return Info{fields[0], fields[1], fields[2]}
	}
	known := Info{Version: "devel"}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return known
	}
	if v := build.Main.Version; v != "(devel)" {
		known.Version = cmp.Or(v, known.Version)
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			known.Commit = s.Value
		case "vcs.time":
			known.Date = s.Value
		}
	}
	return known
}
