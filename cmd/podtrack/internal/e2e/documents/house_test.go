package documents

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// A room is small enough to be seen at once. A file of one system alone is not counted, nor are tests.
const (
	maxFiles = 40
	maxLines = 4500
	minFiles = 3
)

// smallRooms are the packages of fewer files, with the reason.
var smallRooms = map[string]string{
	"pod/rng":                               "all randomness, and nothing else",
	"cmd/podtrack/internal/help":            "two readers of the topics, which are beside them",
	"schema/schematest/envserver":           "one server, and the programs of tests that serve",
	"tracker/gc":                            "one removal, in steps",
	"tracker/fault":                         "the points, and the variables that choose one",
	"tracker/internal/fileinfo":             "one question to the system, which each answers in a file of its own",
	"tracker/internal/filelock":             "one lock, which each system has in a file of its own",
	"tracker/internal/process":              "one question to the system",
	"tracker/internal/newfile":              "made by the store, by backup and by repair, which do not import each other",
	"tracker/internal/portion":              "sizes, below all that works in portions",
	"tracker/internal/storeerr":             "errors, below all that return them",
	"tracker/internal/verify":               "one pipeline, of check and merge",
	"cmd/podtrack/internal/command/runview": "runs as commands of several groups print them",
	"replay/proof":                          "it stands above excerpt and why, and nothing else does",
	"cmd/podtrack/cli":                      "one function, for other people's programs",
	"cmd/podtrack":                          "the program's main",
}

// TestRooms limits the size of each package, and says which are for other people's programs: every other package that
// can be imported says in its first line that it is podtrack's own.
func TestRooms(t *testing.T) {
	t.Parallel()
	root := e2e.Repository(t, "")
	for _, folder := range floors {
		dir := filepath.Join(root, folder)
		files, lines, doc := measureRoom(t, dir)
		if files > maxFiles || lines > maxLines {
			t.Errorf("%s has %d files and %d lines, of at most %d and %d", folder, files, lines, maxFiles, maxLines)
		}
		_, hasReason := smallRooms[folder]
		if hasReason != (files < minFiles) {
			t.Errorf("%s has %d files, and a reason for fewer than %d: %t", folder, files, minFiles, hasReason)
		}
		canBeImported := !slices.Contains(strings.Split(folder, "/"), "internal") && folder != "cmd/podtrack"
		isOwn := strings.Contains(doc, "podtrack's own")
		if canBeImported && isOwn == slices.Contains(library, folder) {
			t.Errorf("the first line of %s says that it is podtrack's own: %t; it is for others: %t", folder, isOwn, !isOwn)
		}
	}
	for folder := range smallRooms {
		if !slices.Contains(floors, folder) {
			t.Errorf("there is no package %s", folder)
		}
	}
}

// measureRoom counts the files and the lines of a package, and returns the first line of its comment.
func measureRoom(t *testing.T, dir string) (files, lines int, doc string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	e2e.Must(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		data, err := os.ReadFile(path)
		e2e.Must(t, err)
		lines += strings.Count(string(data), "\n")
		if !isOfOneSystem(path) {
			files++
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.PackageClauseOnly|parser.ParseComments)
		e2e.Must(t, err)
		if file.Doc != nil && strings.HasPrefix(file.Doc.Text(), "Package ") {
			doc, _, _ = strings.Cut(file.Doc.Text(), "\n")
		}
	}
	return files, lines, doc
}

// isOfOneSystem reports whether a file is built for one system or processor, and stands beside its counterpart.
func isOfOneSystem(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".go")
	return slices.ContainsFunc([]string{"_unix", "_windows", "_other", "_linux", "_darwin", "_amd64"},
		func(system string) bool { return strings.HasSuffix(name, system) })
}
