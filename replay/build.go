package replay

import (
	"runtime"
	"runtime/debug"

	"github.com/podtrack/podtrack/schema"
)

// Build describes this program and the machine it runs on. It is recorded beside a run and enters
// no digest.
type Build struct {
	Version  string            `json:"version"`
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Level    string            `json:"level"` // GOAMD64, GOARM64
	Revision string            `json:"revision"`
	Dirty    bool              `json:"dirty"`
	Modules  map[string]string `json:"modules"`
}

// readBuild returns podtrack's version and what the Go toolchain recorded in the binary. That includes a version of the
// main module, which may be another program.
func readBuild() Build {
	b := Build{Version: schema.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Modules: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, m := range info.Deps {
		b.Modules[m.Path] = m.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOAMD64", "GOARM64":
			b.Level = s.Value
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
}

// Versions holds the versions of the program, its store format and its numerics.
type Versions struct {
	Build
	Format   int `json:"format"`   // newest store format that it reads and writes
	Numerics int `json:"numerics"` // the numerics version that it computes
}

// CurrentVersions returns the versions of this program.
func CurrentVersions() Versions {
	return Versions{Build: readBuild(), Format: schema.FormatVersion, Numerics: schema.NumericsVersion}
}
