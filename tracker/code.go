package tracker

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
)

// Code identifies the code that worked on a run beside this program, as it was when the work began. It is part of
// no digest, and nothing of it is ever executed.
type Code struct {
	Args      []string  `cbor:"args" json:"args"`           // command line of the process
	Directory string    `cbor:"directory" json:"directory"` // in which it was started
	Programs  []Program `cbor:"programs,omitempty" json:"programs,omitempty"`

	// Commit is what git has checked out in the directory, empty if that is unknown. Changed is whether
	// files that git tracks differed from it, nil if that is unknown.
	Commit  string `cbor:"commit,omitempty" json:"commit,omitempty"`
	Changed *bool  `cbor:"changed,omitempty" json:"changed,omitempty"`
}

// A Program is another program that takes part in a run, such as its environment.
type Program struct {
	Name     string            `cbor:"name" json:"name"` // that it declares
	Version  string            `cbor:"version" json:"version"`
	Files    *schema.Digest    `cbor:"files,omitempty" json:"files,omitempty"`       // one over all; nil if none is known
	Packages map[string]string `cbor:"packages,omitempty" json:"packages,omitempty"` // versions, as it tells
}

// Limits of what is recorded of the code of a session, whose row is written again with each commit.
const (
	maxCodeText     = 1000 // bytes of a text
	maxCodeWords    = 100
	maxCodePrograms = 8
	maxCodePackages = 200
)

// Bounded returns a copy that a session's row can have: valid UTF-8, with long texts and long lists cut.
func (c Code) Bounded() *Code {
	c.Args = boundEach(c.Args, maxCodeWords, boundText)
	c.Directory, c.Commit = boundText(c.Directory), boundText(c.Commit)
	c.Programs = boundEach(c.Programs, maxCodePrograms, Program.bounded)
	return &c
}

func (p Program) bounded() Program {
	p.Name, p.Version = boundText(p.Name), boundText(p.Version)
	packages := map[string]string{} // those first by name
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		if len(packages) < maxCodePackages {
			packages[boundText(name)] = boundText(p.Packages[name])
		}
	}
	p.Packages = packages
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

// boundText returns a text as valid UTF-8 of limited length.
func boundText(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= maxCodeText {
		return text
	}
	const cut = "…"
	end := maxCodeText - len(cut)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}
