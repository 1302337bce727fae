package provenance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// A Change is something that two sessions have in different forms. An empty text stands for nothing known.
type Change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	Now    string `json:"now"`

	// OfFiles is whether it is that of the files of a program that declares the same version in both.
	OfFiles bool `json:"-"`
}

// String returns what changed, on one line.
func (c Change) String() string {
	return textfmt.EscapeLine(fmt.Sprintf("%s %s, before %s", c.What, orNone(c.Now), orNone(c.Before)))
}

func orNone(text string) string { return cmp.Or(text, "none") }

// Compare returns what differs between the code of two sessions: the commit, and for programs of the same name
// their versions, files and packages. Where one of them is unknown, nothing is said to differ.
func Compare(before, now *tracker.Code) (changes []Change) {
	if before == nil || now == nil {
		return nil
	}
	add := func(what, a, b string) {
		if a != b {
			changes = append(changes, Change{What: what, Before: a, Now: b})
		}
	}
	if before.Commit != "" && now.Commit != "" {
		add("commit", CommitText(*before), CommitText(*now))
	}
	for _, a := range before.Programs {
		for _, b := range now.Programs {
			if a.Name == b.Name {
				changes = append(changes, comparePrograms(a, b)...)
			}
		}
	}
	return changes
}

// CommitText returns the beginning of the commit, and whether files differ from it; an empty text if it is not known.
func CommitText(c tracker.Code) string {
	switch {
	case c.Commit == "":
		return ""
	case c.Changed == nil:
		return shorten(c.Commit) + ", perhaps with changes"
	case *c.Changed:
		return shorten(c.Commit) + " with changes"
	}
	return shorten(c.Commit)
}

func shorten(commit string) string { return commit[:min(len(commit), 12)] }

// comparePrograms returns what differs between two programs. Where no files of one are known, none differ.
func comparePrograms(a, b tracker.Program) (changes []Change) {
	add := func(what, before, now string, ofFiles bool) {
		if before != now {
			changes = append(changes, Change{a.Name + " " + what, before, now, ofFiles})
		}
	}
	add("version", a.Version, b.Version, false)
	if a.Files != nil && b.Files != nil {
		add("files", FilesText(a), FilesText(b), a.Version == b.Version)
	}
	for _, name := range unionKeys(a.Packages, b.Packages) {
		add("package "+name, a.Packages[name], b.Packages[name], false)
	}
	return changes
}

// ChangedFiles returns those changes that are of the files of a program whose version is the same.
func ChangedFiles(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return !c.OfFiles })
}

// FilesText returns the beginning of the digest of a program's files; an empty text if none are known.
func FilesText(p tracker.Program) string {
	if p.Files == nil {
		return ""
	}
	return p.Files.String()[:12]
}

// unionKeys returns the keys of both maps, in ascending order.
func unionKeys(a, b map[string]string) []string {
	union := maps.Clone(a)
	if union == nil {
		union = map[string]string{}
	}
	maps.Copy(union, b)
	return slices.Sorted(maps.Keys(union))
}
