package documents

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

const module = "github.com/podtrack/podtrack/"

// mainPackage is the program, for the go command.
const mainPackage = module + "cmd/podtrack"

// floors are the packages of the module, the lowest first. A package may import those that stand before it, and no
// other.
var floors = []string{
	"schema/textfmt", "schema/wire", "schema/schematest", "schema",
	"schema/runset",

	"pod/rng", "pod/linalg", "pod/envs", "pod/matrix", "pod/collect", "pod/selection", "pod/learn",
	"pod/task", "pod", "schema/schematest/envserver",

	"tracker/fault", "tracker/memory", "tracker/internal/storeerr", "tracker/codec",
	"tracker/internal/fileinfo", "tracker/internal/filelock", "tracker/internal/portion", "tracker/internal/process",
	"tracker/pages", "tracker/tempfile", "tracker/rows", "tracker/internal/newfile",
	"tracker", "tracker/gc", "tracker/groupcommit", "tracker/internal/storetest", "tracker/internal/verify",
	"tracker/check", "tracker/merge", "tracker/excerpt", "tracker/repair", "tracker/backup",

	"replay/programs", "replay/provenance", "replay/recorded", "replay/stages", "replay",
	"replay/explore", "replay/warnings", "replay/report", "replay/stats",
	"replay/internal/behaviours", "replay/diff",
	"replay/evaluate", "replay/why", "replay/external", "replay/importer", "replay/export", "replay/proof",

	"cmd/podtrack/internal/palette", "cmd/podtrack/internal/chart",
	"cmd/podtrack/internal/group",
	"cmd/podtrack/internal/sweep",
	"cmd/podtrack/internal/table1", "cmd/podtrack/internal/figure", "cmd/podtrack/internal/hints",
	"cmd/podtrack/internal/table", "cmd/podtrack/internal/document", "cmd/podtrack/internal/cmdline",
	"cmd/podtrack/internal/runner",
	"cmd/podtrack/internal/command/runview", "cmd/podtrack/internal/command/groupview",
	"cmd/podtrack/internal/web", "cmd/podtrack/internal/help",
	"cmd/podtrack/internal/command/diffview",
	"cmd/podtrack/internal/command/audit",
	"cmd/podtrack/internal/command/run", "cmd/podtrack/internal/command/run/sweep",
	"cmd/podtrack/internal/command/inspect",
	"cmd/podtrack/internal/command/show", "cmd/podtrack/internal/command/compare", "cmd/podtrack/internal/command/share",
	"cmd/podtrack/internal/command/store",
	"cmd/podtrack/internal/command", "cmd/podtrack/cli", "cmd/podtrack",

	"schema/schematest/e2e",
}

// strangers are pairs that never meet: what is below the one imports nothing below the other.
var strangers = [][2]string{
	{"pod", "tracker"},
	{"replay/why", "replay/diff"}, // an audit reads one run, and opens it once
}

// forTests are the packages that only tests import, and each other.
var forTests = []string{"schema/schematest", "tracker/internal/storetest"}

// libraries are the modules that the program is made of, and the folders with packages that use them.
var libraries = map[string][]string{
	"github.com/fxamacker/cbor/":         {"schema/wire"},
	"github.com/go-json-experiment/json": {"schema/wire", "cmd/podtrack/internal/cmdline"},
	"go.etcd.io/bbolt":                   {"tracker"},
	"github.com/klauspost/compress/": {"tracker/codec", "tracker/excerpt", "replay/export",
		"cmd/podtrack/internal/web"},
	"golang.org/x/sys/":                          {"pod", "tracker", "replay/external"},
	"golang.org/x/sync/":                         {"replay", "cmd/podtrack/internal"},
	"golang.org/x/term":                          {"cmd/podtrack/internal"},
	"gonum.org/v1/gonum/":                        {"replay", "cmd/podtrack/internal/table1"},
	"gonum.org/v1/plot":                          {"cmd/podtrack/internal/chart"},
	"golang.org/x/image/":                        {"cmd/podtrack/internal/chart"},
	"codeberg.org/go-fonts/liberation/":          {"cmd/podtrack/internal/chart"},
	"codeberg.org/go-pdf/fpdf":                   {"cmd/podtrack/internal/chart"},
	"github.com/BurntSushi/toml":                 {"cmd/podtrack/internal"},
	"github.com/urfave/cli/v2":                   {"cmd/podtrack/internal"},
	"github.com/jedib0t/go-pretty/v6/":           {"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/table"},
	"github.com/rogpeppe/go-internal/testscript": {"schema/schematest/e2e"},
	"github.com/google/jsonschema-go/jsonschema": {"cmd/podtrack/internal/command", "schema/schematest/e2e"},
}

// TestLayering checks the import arrows: none runs upwards, pod and tracker never meet, what is for tests stays with
// them, and a library is used where it is meant to be. Packages that have tests alone have no place.
func TestLayering(t *testing.T) {
	schematest.NeedsPrograms(t, "go")
	const form = "{{if .GoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	out, err := exec.Command("go", "list", "-f", form, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		folder := strings.TrimPrefix(path, module)
		listed[folder] = true
		for _, problem := range wrongImports(folder, importsOf(t, dir)) {
			t.Errorf("%s %s", folder, problem)
		}
	}
	for _, folder := range floors {
		if !listed[folder] {
			t.Errorf("there is no package %s", folder)
		}
	}
}

// TestLayeringFinds: each kind of import that is not allowed is found.
func TestLayeringFinds(t *testing.T) {
	used := []string{"fmt", module + "schema", module + "tracker", module + "replay", module + "schema/schematest",
		"gonum.org/v1/gonum/mat", "example.com/new"}
	want := []string{"imports tracker, which never meets pod", "imports replay, which stands above it",
		"imports schema/schematest, which is for tests", "imports gonum.org/v1/gonum/mat, which is not for it",
		"imports example.com/new, which is not for it"}
	if got := wrongImports("pod", used); !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	if got := wrongImports("pod/unknown", nil); len(got) != 1 {
		t.Errorf("found %q of a package that has no place", got)
	}
}

// wrongImports returns what is wrong with the imports of the package in a folder.
func wrongImports(folder string, used []string) (problems []string) {
	floor := slices.Index(floors, folder)
	isForTests := slices.ContainsFunc(forTests, func(f string) bool { return isBelow(folder, f) })
	if floor < 0 && !isForTests {
		return []string{"has no place in the list of floors"}
	}
	for _, path := range used {
		other, isOurs := strings.CutPrefix(path, module)
		switch isStandard := !strings.Contains(strings.SplitN(path, "/", 2)[0], "."); {
		case isStandard:
		case !isOurs:
			if !slices.ContainsFunc(usersOf(path), func(user string) bool { return isBelow(folder, user) }) {
				problems = append(problems, "imports "+path+", which is not for it")
			}
		case areStrangers(folder, other):
			problems = append(problems, "imports "+other+", which never meets "+folder)
		case isForTests:
		case slices.ContainsFunc(forTests, func(f string) bool { return isBelow(other, f) }):
			problems = append(problems, "imports "+other+", which is for tests")
		case slices.Index(floors, other) >= floor || !slices.Contains(floors, other):
			problems = append(problems, "imports "+other+", which stands above it")
		}
	}
	return problems
}

func areStrangers(a, b string) bool {
	return slices.ContainsFunc(strangers, func(pair [2]string) bool {
		return isBelow(a, pair[0]) && isBelow(b, pair[1]) || isBelow(a, pair[1]) && isBelow(b, pair[0])
	})
}

// usersOf returns the folders that may use a package of another module.
func usersOf(path string) []string {
	for library, users := range libraries {
		if isBelow(path, library) {
			return users
		}
	}
	return nil
}

// importsOf returns what the files of a folder import that are no tests, for whatever system they are.
func importsOf(t *testing.T, dir string) (paths []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	e2e.Must(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly)
		e2e.Must(t, err)
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			e2e.Must(t, err)
			paths = append(paths, path)
		}
	}
	return paths
}

func isBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
