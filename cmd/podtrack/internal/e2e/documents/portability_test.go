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
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// build compiles the program for another machine and returns its path.
func build(t *testing.T, env ...string) string {
	t.Helper()
	return buildPackage(t, mainPackage, env...)
}

// buildPackage compiles a package and returns the path of the program, or of the
// archive.
func buildPackage(t *testing.T, pkg string, env ...string) string {
	t.Helper()
	schematest.NeedsPrograms(t, "go")
	path := filepath.Join(t.TempDir(), "podtrack")
	c := exec.Command("go", "build", "-o", path, pkg)
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build with %v: %v\n%s", env, err, out)
	}
	return path
}

// portable runs two settings of the paper with one program and lets another
// replay them and reach the same heads from nothing.
func portable(t *testing.T, one, other []string) {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
	for _, setting := range [][]string{{"--reading", "as-written"}, {"--reading", "as-published", "--hide", "3"}} {
		run := append([]string{"run", "--store", first}, setting...)
		e2e.MustRun(t, append(one, run...)...)
		run[2] = second
		e2e.MustRun(t, append(other, run...)...)
	}
	list := []string{"ls", "--columns", "run,head,status", "--sort", "run", "--store"}
	a, b := e2e.MustRun(t, append(one, append(list, first)...)...), e2e.MustRun(t, append(one, append(list, second)...)...)
	if a != b || strings.Count(a, "complete") != 2 {
		t.Errorf("one program has\n%sthe other\n%s", a, b)
	}
	e2e.MustRun(t, append(other, "replay", "bits=12", "--store", first)...)
	e2e.MustRun(t, append(one, "replay", "bits=12", "--store", second)...)
}

// TestArm64 exchanges stores with a build for arm64, which runs under an
// emulator.
func TestArm64(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	const emulator = "qemu-aarch64-static"
	schematest.NeedsPrograms(t, emulator)
	portable(t, []string{build(t)}, []string{emulator, build(t, "GOOS=linux", "GOARCH=arm64")})
}

// TestX8664v3 exchanges stores between builds for the first and the third level
// of x86-64; only the third has fused multiply-add.
func TestX8664v3(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("this machine is no linux/amd64")
	}
	flags, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"avx2", "bmi2", "fma"} {
		if !regexp.MustCompile(`\b` + flag + `\b`).Match(flags) {
			t.Skipf("this processor has no %s", flag) // nothing can be installed to mend it
		}
	}
	portable(t, []string{build(t, "GOAMD64=v1")}, []string{build(t, "GOAMD64=v3")})
}

// TestOtherPlatforms checks the types of the program, and of all that it is built of, for platforms that no test
// runs on. Builds would find no more in our sources, and take minutes.
func TestOtherPlatforms(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	schematest.NeedsPrograms(t, "go")
	for _, platform := range []string{"darwin/arm64", "windows/amd64", "linux/386"} {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			c := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard", mainPackage)
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
	Standard   bool
}

// checkedPackages are packages whose types are known, by their paths.
type checkedPackages map[string]*types.Package

func (c checkedPackages) Import(path string) (*types.Package, error) {
	if p := c[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not known yet", path)
}

// add checks the types of a package; of the standard library it reads declarations alone.
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
		IgnoreFuncBodies: p.Standard,
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
	"pod/linalg.reflectBothSides",
	"pod/linalg.(*tridiagonal).stepQL",
	"pod/linalg.turnSlices",
	"pod/linalg.reflectColumns",
	"pod/matrix.(*adjacency).Dataset",
	"pod/matrix.(*successor).Observe",
	"pod/selection.(*Similarity).Image",
	"pod/selection.(*directionSelector).applyThreshold",
	"pod/task.(*qAgent).runChoice",
	"pod/task.(*qAgent).update",
	"pod/linalg.SolveDominant",
	"schema.Factors.Encode",
	"pod/linalg.FactorCholesky",
	"pod/linalg.IndependentColumns",
	"pod/learn.(*eliminatedSystem).build",
	"pod/linalg.SolveGradients",
	"pod/linalg.(*Envelope).Factor",
	"pod/learn.(*gradientSystem).transform",
	"pod/envs.StateTerms.dotFour",
	"pod/learn.(*qLearning).runPass",
	"pod/learn.(*sweeper).iterate",
	"pod/envs.(*ObservedStates).difference",
	"pod/envs.(*External).ExtendPolicies",
	"pod/linalg.Dataset.RootMeanSquares",
	"pod/linalg.ScaleBack",
	"pod/selection.isotropicDirection",
	"pod/collect.(*TransitionStats).VisitContrast",
	"pod/selection.(*directionSelector).ChooseSigns",
	"pod/rng.(*Stream).Chance",
}

// TestNoFusedInstructions disassembles what feeds digests in the builds whose
// compilers may fuse a product and a sum into one rounding.
func TestNoFusedInstructions(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	tests := []struct {
		env   []string
		fused string
	}{
		{[]string{"GOOS=linux", "GOARCH=arm64"}, `\bFN?M(ADD|SUB)`},
		{[]string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}, `\bVFN?M(ADD|SUB)`},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.env, " "), func(t *testing.T) {
			code := ""
			for _, pkg := range []string{"pod/rng", "pod/linalg", "pod/envs", "pod/experience", "pod/matrix", "pod/collect",
				"pod/selection", "pod/learn", "pod/task", "pod", "schema"} {
				code += e2e.MustRun(t, "go", "tool", "objdump", buildPackage(t, module+pkg, tt.env...))
			}
			for _, function := range digested {
				if !strings.Contains(code, function) {
					t.Errorf("%s is not in the disassembly", function)
				}
			}
			if found := regexp.MustCompile(`(?m)^.*`+tt.fused+`.*$`).FindAllString(code, 3); found != nil {
				t.Errorf("fused instructions:\n%s", strings.Join(found, "\n"))
			}
		})
	}
}
