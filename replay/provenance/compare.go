package provenance

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// A Change is a difference between the code of two sessions. An empty text means unknown.
type Change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	Now    string `json:"now"`

	// OfFiles is true if the files of a program differ although it declares the same version in both sessions.
	OfFiles bool `json:"-"`
}

// String returns what changed, on one line.
func (c Change) String() string {
	return textfmt.EscapeLine(fmt.Sprintf("%s %s, before %s", c.What, cmp.Or(c.Now, "none"),
		cmp.Or(c.Before, "none")))
}

// Compare returns the differences between the code of two sessions: of the commit and, for programs of the same name,
// of their versions, files and packages. An unknown value differs from none.
func Compare(before, now *tracker.Code) (changes []Change) {
	if before == nil || now == nil {
		return nil
	}
	if a, b := CommitText(*before), CommitText(*now); before.Commit != "" && now.Commit != "" && a != b {
		changes = append(changes, Change{What: "commit", Before: a, Now: b})
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

// CommitText returns the beginning of the commit, and whether files differ from it; "" if the commit is unknown.
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

// comparePrograms returns the differences between two programs. Unknown files do not differ.
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
	union := map[string]string{}
	maps.Copy(union, a.Packages)
	maps.Copy(union, b.Packages)
	for _, name := range slices.Sorted(maps.Keys(union)) {
		if name == "PYTHONHASHSEED" { // no code; an object's interpreter has another one than a program that we start
			continue
		}
		kind := "package "
		if strings.Contains(name, "/") || strings.HasSuffix(name, ".py") {
			kind = "file "
		}
		add(kind+name, a.Packages[name], b.Packages[name], false)
	}
	return changes
}

// Known returns the changes without packages that only one of the sessions imported, since their versions may be the
// same.
func Known(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Before == "" || c.Now == "" })
}

// ChangedFiles returns the changes of files of programs whose version is the same.
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
