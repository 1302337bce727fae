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

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

const module = "github.com/podtrack/podtrack/"

// mainPackage is the program, for the go command.
const mainPackage = module + "cmd/podtrack"

// layer is a folder, and what the packages in it and below may import.
type layer struct {
	folder  string
	imports []string
}

// layers says what each package may import: of this module by its folder, of
// others by the beginning of the path. Sub-packages inherit their parent's, and
// may import it. The standard library and internal/textform are free to all.
var layers = []layer{
	{"internal/testenv/envserver", below("schema", "pod")}, // which only tests import, as the next
	{"internal/testenv", below("internal/testenv/arcade")},
	{"internal/fault", nil},
	{"internal/textform", []string{"github.com/xrash/smetrics"}},
	{"schema", []string{"github.com/fxamacker/cbor/"}},
	{"pod", []string{module + "schema", "golang.org/x/sys/cpu"}},
	{"tracker/backup", below("internal/fault", "schema", "tracker")},
	{"tracker/check", below("schema", "tracker")},
	{"tracker/excerpt", append(below("schema", "tracker"), "github.com/klauspost/compress/zstd")},
	{"tracker/merge", below("schema", "tracker")},
	{"tracker/internal/storetest", below("schema", "tracker")}, // which only tests import
	{"tracker", append(below("internal/fault", "schema", "tracker/internal", "tracker/memory", "tracker/pages",
		"tracker/tempfile"), "go.etcd.io/bbolt", "github.com/klauspost/compress/", "golang.org/x/sys/")},
	{"replay/programs", []string{module + "schema"}},
	{"replay/provenance", below("schema", "tracker", "replay/programs")},
	{"replay/external", append(below("schema", "pod", "tracker", "replay/programs", "replay/provenance"),
		"golang.org/x/sys/unix")},
	{"replay/study", append(below("schema", "pod", "tracker", "replay"), "github.com/BurntSushi/toml")},
	{"replay/report", below("schema", "pod", "tracker", "replay")},
	{"replay", []string{
		module + "schema", module + "pod", module + "tracker", module + "replay", "gonum.org/v1/gonum/",
		"golang.org/x/sync/",
		"gonum.org/v1/plot", "golang.org/x/image/", "codeberg.org/go-fonts/liberation/"}},
	{"cmd/podtrack/web", below("schema", "pod", "tracker", "replay", "cmd/podtrack/internal/remedies")},
	{"cmd/podtrack/internal/e2e", append(below("schema", "pod", "tracker", "replay/report",
		"internal/testenv", "internal/fault",
		"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/command", "cmd/podtrack/internal/help"),
		"github.com/rogpeppe/go-internal/testscript", "github.com/urfave/cli/v2", "go.etcd.io/bbolt")},
	// which only tests import
	{"cmd/podtrack/internal/help", nil},
	{"cmd/podtrack/internal/mutate", nil}, // a tool, which reads the program as text
	{"cmd/podtrack/internal/remedies", below("schema", "pod", "tracker", "replay")},
	{"cmd/podtrack/internal/table", append(below("schema"), "github.com/jedib0t/go-pretty/v6/",
		"github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/cmdline", append(below("schema", "pod", "tracker", "replay", "cmd/podtrack/internal/table",
		"cmd/podtrack/internal/remedies"),
		"github.com/jedib0t/go-pretty/v6/", "github.com/urfave/cli/v2", "golang.org/x/term")},
	{"cmd/podtrack/internal/runner", append(below("schema", "pod", "tracker", "replay", "cmd/podtrack/internal/cmdline",
		"cmd/podtrack/internal/remedies"), "github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/command/audit", below("tracker", "replay", "cmd/podtrack/internal/table")},
	{"cmd/podtrack/internal/command/compare", append(below("schema", "tracker", "replay", "cmd/podtrack/internal/cmdline",
		"cmd/podtrack/internal/table"), "github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/command/diff", append(below("schema", "tracker", "replay", "cmd/podtrack/internal/cmdline",
		"cmd/podtrack/internal/table"), "github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/command/sweep", append(below("schema", "pod", "tracker", "replay",
		"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/remedies", "cmd/podtrack/internal/runner",
		"cmd/podtrack/internal/table"), "github.com/BurntSushi/toml", "github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/command/plot", append(below("schema", "tracker", "replay", "cmd/podtrack/web",
		"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/runner", "cmd/podtrack/internal/command/compare",
		"cmd/podtrack/internal/command/diff"), "github.com/urfave/cli/v2", "golang.org/x/term")},
	{"cmd/podtrack/internal/command", append(below("schema", "pod", "tracker", "replay", "cmd/podtrack/web",
		"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/remedies", "cmd/podtrack/internal/runner",
		"cmd/podtrack/internal/table", "cmd/podtrack/internal/command", "cmd/podtrack/internal/help"),
		"github.com/urfave/cli/v2", "golang.org/x/sync/", "golang.org/x/term")},
	{"cmd/podtrack/cli", []string{module + "cmd/podtrack/internal/command"}},
	{"cmd/podtrack", []string{module + "cmd/podtrack/cli"}},
}

// below returns folders of this module, as import paths.
func below(folders ...string) (paths []string) {
	for _, f := range folders {
		paths = append(paths, module+f)
	}
	return slices.Clip(paths)
}

// TestLayering holds the import arrows to the design: none runs upwards, pod and tracker never meet,
// and no layer is allowed what none of its files uses, on whatever system.
func TestLayering(t *testing.T) {
	testenv.NeedsPrograms(t, "go")
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}\t{{.Dir}}", module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	imports := map[string][]string{} // of the packages of a layer, by its folder
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		folder := strings.TrimPrefix(path, module)
		i := slices.IndexFunc(layers, func(l layer) bool { return isBelow(folder, l.folder) })
		if i < 0 {
			t.Errorf("package %s belongs to no layer", folder)
			continue
		}
		used := importsOf(t, dir)
		imports[layers[i].folder] = append(imports[layers[i].folder], used...)
		for _, problem := range layers[i].misses(used) {
			t.Errorf("%s %s", folder, problem)
		}
	}
	for _, l := range layers {
		for _, problem := range l.unused(imports[l.folder]) {
			t.Errorf("%s %s", l.folder, problem)
		}
	}
}

// TestLayeringFinds: what a layer may not import is found, and what it may but does not.
func TestLayeringFinds(t *testing.T) {
	l := layer{"pod", []string{module + "schema", "gonum.org/v1/gonum/"}}
	used := []string{"fmt", module + "schema", module + "tracker", module + "internal/textform"}
	if got := l.misses(used); len(got) != 1 || got[0] != "imports "+module+"tracker" {
		t.Errorf("misses %v", got)
	}
	if got := l.unused(used); len(got) != 1 || got[0] != "may import gonum.org/v1/gonum/, but does not" {
		t.Errorf("unused %v", got)
	}
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

// misses returns the imports that are not allowed.
func (l layer) misses(used []string) (problems []string) {
	for _, path := range used {
		isFree := !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") || path == module+"internal/textform"
		if !isFree && !slices.ContainsFunc(l.imports, func(allowed string) bool { return isBelow(path, allowed) }) {
			problems = append(problems, "imports "+path)
		}
	}
	return problems
}

// unused returns the allowed imports that no file needs.
func (l layer) unused(used []string) (problems []string) {
	for _, allowed := range l.imports {
		if !slices.ContainsFunc(used, func(path string) bool { return isBelow(path, allowed) }) {
			problems = append(problems, "may import "+allowed+", but does not")
		}
	}
	return problems
}

func isBelow(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
