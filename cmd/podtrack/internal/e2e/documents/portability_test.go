package documents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestOtherPlatforms checks the types of the program, and of all that it is built of, for platforms that no test
// runs on. Builds would find no more in our sources, and take minutes.
func TestOtherPlatforms(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	schematest.NeedsPrograms(t, "go")
	for _, platform := range []string{"darwin/arm64", "windows/amd64", "linux/386"} {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			c := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap", mainPackage)
			c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
			out, err := c.Output()
			e2e.Must(t, err)
			checked := checkedPackages{"unsafe": types.Unsafe}
			for list := json.NewDecoder(bytes.NewReader(out)); list.More(); { // imported packages are first
				var p listed
				e2e.Must(t, list.Decode(&p))
				if p.ImportPath != "unsafe" {
					checked.add(t, p, arch)
				}
			}
			if checked[mainPackage] == nil {
				t.Errorf("%s is not among the packages", mainPackage)
			}
		})
	}
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
}

// checkedPackages are packages whose types are known, by their paths.
type checkedPackages map[string]*types.Package

func (c checkedPackages) Import(path string) (*types.Package, error) {
	if p := c[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not known yet", path)
}

// add checks the types of a package; of others than podtrack's it reads declarations alone.
func (c checkedPackages) add(t *testing.T, p listed, arch string) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		e2e.Must(t, err)
		files = append(files, file)
	}
	visible := maps.Clone(c)
	for written, path := range p.ImportMap {
		visible[written] = c[path]
	}
	config := types.Config{
		Importer:         visible,
		Sizes:            types.SizesFor("gc", arch),
		IgnoreFuncBodies: !strings.HasPrefix(p.ImportPath, module),
		Error:            func(err error) { t.Error(err) },
	}
	c[p.ImportPath], _ = config.Check(p.ImportPath, set, files, nil)
}

// digested are functions that feed digests, one of each kind at least.
var digested = []string{
	"pod/learn.backupLines",
	"pod/learn.(*sweeper).chooseGreedy",
	"pod/learn.(*labelSetting).relaxPredecessors",
	"pod/linalg.(*jacobi).sweep",
	"pod/linalg.reflection.follow",
	"pod/linalg.(*tridiagonal).stepQL",
	"pod/linalg.(*tridiagonal).stepBidiagonal",
	"pod/linalg.reduceToBidiagonal",
	"pod/linalg.turnSlices",
	"pod/linalg.reflectColumns",
	"pod/matrix.(*adjacency).Dataset",
	"pod/matrix.(*successor).Observe",
	"pod/selection.(*Similarity).Image",
	"pod/selection.(*edgeRoot).add",
	"pod/selection.(*edgeRoot).similarity",
	"pod/selection.selectionEntry.thresholdStatistic",
	"pod/task.(*qAgent).runChoice",
	"pod/task.(*qAgent).update",
	"schema.Factors.Encode",
	"pod/linalg.SolveDominant",
	"pod/linalg.FactorCholesky",
	"pod/linalg.IndependentColumns",
	"pod/learn.(*eliminatedSystem).build",
	"pod/linalg.SolveGradients",
	"pod/linalg.(*Envelope).Factor",
	"pod/learn.(*gradientSystem).transform",
	"pod/envs.StateTerms.dotFour",
	"pod/learn.(*qLearning).runPass",
	"pod/learn.(*sweeper).runExpected",
	"pod/envs.(*ObservedStates).difference",
	"pod/envs.(*External).ExtendPolicies",
	"pod/linalg.Dataset.RootMeanSquares",
	"pod/linalg.ScaleBack",
	"pod/selection.IsotropicDirection",
	"pod/collect.(*TransitionStats).VisitContrast",
	"pod/selection.(*directionSelector).ChooseSigns",
	"pod/rng.(*Stream).Chance",
}

// TestArm64 compiles what feeds digests for arm64, whose compiler may fuse a product and a sum into one rounding:
// nothing of it is fused. What keeps this compiler from fusing, a conversion of the product, keeps those of other
// processors from it, too. An emulator reaches the pinned heads. All of that is at full length, since it compiles Go's
// library for another processor.
func TestArm64(t *testing.T) {
	t.Parallel()
	const emulator = "qemu-aarch64-static"
	if !schematest.Long() {
		t.Skip("compiles Go's library for arm64: set PODTRACK_LONG_TESTS=1")
	}
	schematest.NeedsPrograms(t, "go", emulator)
	dir := t.TempDir()
	compile := func(pkg string, command ...string) string {
		path := filepath.Join(dir, "compiled")
		c := exec.Command("go", append(command, "-o", path, pkg)...)
		c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return path
	}
	var code strings.Builder
	for _, pkg := range strings.Fields(mustRun(t, "go", "list", module+"pod/...", module+"schema")) {
		code.WriteString(mustRun(t, "go", "tool", "objdump", compile(pkg, "build")))
	}
	for _, function := range digested {
		if !strings.Contains(code.String(), function) {
			t.Errorf("%s is not in the disassembly", function)
		}
	}
	if fused := regexp.MustCompile(`(?m)^.*\bFN?M(ADD|SUB).*$`).FindAllString(code.String(), 3); fused != nil {
		t.Errorf("fused instructions:\n%s", strings.Join(fused, "\n"))
	}
	program := compile(module+"replay", "test", "-c", "-vet=off")
	c := exec.Command(emulator, program, "-test.v", "-test.run", "^TestPinnedHeads$")
	c.Dir = filepath.Join("..", "..", "..", "..", "..", "replay")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPinnedHeads/") {
		t.Errorf("%v\n%s", err, out)
	}
}
