package tracker

import (
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// A Code identifies the code that worked on a run beside this program, as of the beginning of the work. It is
// part of no digest, and nothing of it is ever executed.
type Code struct {
	Args      []string  `cbor:"args" json:"args"`           // command line of the process
	Directory string    `cbor:"directory" json:"directory"` // working directory at the start
	Programs  []Program `cbor:"programs,omitempty" json:"programs,omitempty"`

	// Commit is the git commit checked out in the directory, empty if unknown. Changed is true if tracked files
	// differed from it, nil if unknown.
	Commit  string `cbor:"commit,omitempty" json:"commit,omitempty"`
	Changed *bool  `cbor:"changed,omitempty" json:"changed,omitempty"`
}

// A Program is another program that takes part in a run, such as its environment.
type Program struct {
	Name     string            `cbor:"name" json:"name"` // declared by the program
	Version  string            `cbor:"version" json:"version"`
	Files    *schema.Digest    `cbor:"files,omitempty" json:"files,omitempty"`       // digest of all, nil if unknown
	Packages map[string]string `cbor:"packages,omitempty" json:"packages,omitempty"` // versions, as declared

	// Recheck is what was found when its first steps were taken again in a second process, nil if they were not.
	Recheck *Recheck `cbor:"recheck,omitempty" json:"recheck,omitempty"`
}

// A Recheck says whether an environment took the same steps in two processes.
type Recheck struct {
	Steps   int    `cbor:"steps" json:"steps"`                         // in the first process
	Differs string `cbor:"differs,omitempty" json:"differs,omitempty"` // the first difference, empty if there is none
}

// isSame reports whether both are the same program, as far as is known.
func (p Program) isSame(other Program) bool {
	return p.Name == other.Name && p.Version == other.Version &&
		(p.Files == nil || other.Files == nil || *p.Files == *other.Files)
}

// Limits of the recorded code of a session. They are low because the session's row is written with each commit.
const (
	maxCodeText     = 1000 // bytes of a text
	maxCodeWords    = 100
	maxCodePrograms = 8
	maxCodePackages = 200
)

// Bounded returns a copy that fits a session's row: valid UTF-8, with long texts and long lists truncated.
func (c Code) Bounded() *Code {
	c.Args = boundEach(c.Args, maxCodeWords, boundText)
	c.Directory, c.Commit = boundText(c.Directory), boundText(c.Commit)
	c.Programs = boundEach(c.Programs, maxCodePrograms, Program.bounded)
	return &c
}

func (p Program) bounded() Program {
	p.Name, p.Version = boundText(p.Name), boundText(p.Version)
	packages := map[string]string{} // the first by name
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		if len(packages) < maxCodePackages {
			packages[boundText(name)] = boundText(p.Packages[name])
		}
	}
	p.Packages = packages
	if p.Recheck != nil {
		p.Recheck = &Recheck{p.Recheck.Steps, boundText(p.Recheck.Differs)}
	}
	return p
}

// boundEach returns the first most values, each bounded.
func boundEach[T any](all []T, most int, bound func(T) T) []T {
	all = slices.Clone(all[:min(len(all), most)])
	for i, x := range all {
		all[i] = bound(x)
	}
	return all
}

func boundText(text string) string { return ClipText(text, maxCodeText) }

// ClipText returns a text as valid UTF-8 of at most n bytes, and ends a truncated one with an ellipsis.
func ClipText(text string, n int) string {
	const cut = "…"
	if text = strings.ToValidUTF8(text, "�"); len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-len(cut)], "") + cut
}
