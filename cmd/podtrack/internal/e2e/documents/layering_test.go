package documents

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
)

const module = "github.com/podtrack/podtrack/"

// mainPackage is the program, for the go command.
const mainPackage = module + "cmd/podtrack"

// layers says what each package may import: of this module by its folder, of
// others by the beginning of the path. Sub-packages inherit their parent's, and
// may import it. The standard library and internal/textform are free to all.
var layers = []struct {
	folder  string
	imports []string
}{
	{"internal/testenv", below("internal/testenv/arcade")}, // which only tests import
	{"internal/fault", nil},
	{"internal/textform", []string{"github.com/xrash/smetrics"}},
	{"schema", []string{"github.com/fxamacker/cbor/"}},
	{"pod", []string{module + "schema", "gonum.org/v1/gonum/", "golang.org/x/sys/cpu"}},
	{"tracker/backup", below("internal/fault", "schema", "tracker")},
	{"tracker/check", below("schema", "tracker")},
	{"tracker/excerpt", append(below("schema", "tracker"), "github.com/klauspost/compress/zstd")},
	{"tracker/merge", below("schema", "tracker")},
	{"tracker/internal/storetest", append(below("schema", "tracker"), "go.etcd.io/bbolt")}, // which only tests import
	{"tracker", append(below("internal/fault", "schema", "tracker/internal", "tracker/memory", "tracker/pages",
		"tracker/tempfile"), "go.etcd.io/bbolt", "github.com/klauspost/compress/", "golang.org/x/sys/")},
	{"replay/programs", []string{module + "schema"}},
	{"replay/provenance", below("schema", "tracker", "replay/programs")},
	{"replay/external", append(below("schema", "pod", "tracker", "replay/programs", "replay/provenance"),
		"golang.org/x/sys/unix")},
	{"replay/study", append(below("schema", "pod", "tracker", "replay"), "github.com/BurntSushi/toml")},
	{"replay/report", append(below("schema", "pod", "tracker", "replay"), "golang.org/x/sync/")},
	{"replay", []string{
		module + "schema", module + "pod", module + "tracker", module + "replay", "gonum.org/v1/gonum/",
		"golang.org/x/sync/",
		"gonum.org/v1/plot", "golang.org/x/image/", "codeberg.org/go-fonts/liberation/"}},
	{"cmd/podtrack/web", below("schema", "pod", "tracker", "replay", "cmd/podtrack/internal/remedies")},
	{"cmd/podtrack/internal/e2e", append(below("schema", "tracker", "replay/report", "internal/fault", "internal/testenv",
		"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/command", "cmd/podtrack/internal/help"),
		"github.com/rogpeppe/go-internal/testscript", "github.com/urfave/cli/v2", "go.etcd.io/bbolt")},
	// which only tests import
	{"cmd/podtrack/internal/help", nil},
	{"cmd/podtrack/internal/mutate", nil}, // a tool, which reads the program as text
	{"cmd/podtrack/internal/remedies", below("schema", "pod", "tracker", "replay")},
	{"cmd/podtrack/internal/table", append(below("schema", "replay/report"), "github.com/jedib0t/go-pretty/v6/",
		"github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/cmdline", append(below("schema", "pod", "tracker", "replay",
		"cmd/podtrack/internal/remedies"),
		"github.com/jedib0t/go-pretty/v6/", "github.com/urfave/cli/v2", "golang.org/x/term")},
	{"cmd/podtrack/internal/runner", append(below("schema", "pod", "tracker", "replay", "cmd/podtrack/internal/cmdline",
		"cmd/podtrack/internal/remedies"), "github.com/urfave/cli/v2")},
	{"cmd/podtrack/internal/command/audit", subcommand},
	{"cmd/podtrack/internal/command/compare", subcommand},
	{"cmd/podtrack/internal/command/diff", subcommand},
	{"cmd/podtrack/internal/command/sweep", append(subcommand, "github.com/BurntSushi/toml")},
	{"cmd/podtrack/internal/command/plot", append(subcommand, module+"cmd/podtrack/internal/command/compare",
		module+"cmd/podtrack/internal/command/diff", "golang.org/x/term", "gonum.org/v1/plot")},
	{"cmd/podtrack/internal/command", append(subcommand, module+"cmd/podtrack/internal/command",
		module+"cmd/podtrack/internal/help", "github.com/jedib0t/go-pretty/v6/", "golang.org/x/sync/", "golang.org/x/term")},
	{"cmd/podtrack/cli", []string{module + "cmd/podtrack/internal/command"}},
	{"cmd/podtrack", []string{module + "cmd/podtrack/cli"}},
}

// subcommand is what a command's package may import.
var subcommand = slices.Clip(append(below("schema", "pod", "tracker", "replay", "cmd/podtrack/web",
	"cmd/podtrack/internal/cmdline", "cmd/podtrack/internal/remedies", "cmd/podtrack/internal/runner",
	"cmd/podtrack/internal/table"), "github.com/urfave/cli/v2"))

// below returns folders of this module, as import paths.
func below(folders ...string) (paths []string) {
	for _, f := range folders {
		paths = append(paths, module+f)
	}
	return slices.Clip(paths)
}

// TestLayering holds the import arrows to the design: none runs upwards, and pod
// and tracker never meet.
func TestLayering(t *testing.T) {
	testenv.NeedsPrograms(t, "go")
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < len(layers) {
		t.Fatalf("only %d packages listed", len(lines))
	}
	for _, line := range lines {
		fields := strings.Fields(line)
		checkLayer(t, strings.TrimPrefix(fields[0], module), fields[1:])
	}
}

func checkLayer(t *testing.T, folder string, imports []string) {
	for _, layer := range layers {
		if folder != layer.folder && !strings.HasPrefix(folder, layer.folder+"/") {
			continue
		}
		for _, path := range imports {
			isFree := !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") || path == module+"internal/textform"
			if !isFree && !allowed(layer.imports, path) {
				t.Errorf("%s imports %s", folder, path)
			}
		}
		return
	}
	t.Errorf("package %s belongs to no layer", folder)
}

func allowed(layer []string, path string) bool {
	return slices.ContainsFunc(layer, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/")
	})
}
