package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
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
	testenv.NeedsPrograms(t, "go")
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
	testenv.SkipUnlessLong(t)
	const emulator = "qemu-aarch64-static"
	testenv.NeedsPrograms(t, emulator)
	portable(t, []string{build(t)}, []string{emulator, build(t, "GOOS=linux", "GOARCH=arm64")})
}

// TestX8664v3 exchanges stores between builds for the first and the third level
// of x86-64; only the third has fused multiply-add.
func TestX8664v3(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessLong(t)
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

// digested are functions that feed digests, one of each kind at least.
var digested = []string{
	"pod.backupLines",
	"pod.(*sweeper).chooseGreedy",
	"pod.(*labelSetting).relaxPredecessors",
	"pod.(*jacobi).sweep",
	"pod.reflectBothSides",
	"pod.(*tridiagonal).stepQL",
	"pod.turnSlices",
	"pod.reflectColumns",
	"pod.(*adjacency).dataset",
	"pod.(*successor).observe",
	"pod.(*Similarity).Image",
	"pod.(*directionSelector).applyThreshold",
	"pod.(*qAgent).runChoice",
	"pod.(*qAgent).update",
	"pod.solveDominant",
	"schema.Factors.Encode",
	"pod.factorCholesky",
	"pod.independent",
	"pod.(*eliminatedSystem).build",
	"pod.solveGradients",
	"pod.(*envelope).factor",
	"pod.(*gradientSystem).transform",
	"pod.stateTerms.dotFour",
	"pod.(*qLearning).runPass",
	"pod.(*sweeper).iterate",
	"pod.(*ObservedStates).difference",
	"pod.(*External).ExtendPolicies",
	"pod.Dataset.RootMeanSquares",
	"pod.scaleBack",
	"pod.isotropicDirection",
	"pod.(*TransitionStats).VisitContrast",
	"pod.(*directionSelector).chooseSigns",
	"pod.(*Stream).Chance",
}

// TestNoFusedInstructions disassembles what feeds digests in the builds whose
// compilers may fuse a product and a sum into one rounding.
func TestNoFusedInstructions(t *testing.T) {
	t.Parallel()
	testenv.SkipUnlessLong(t)
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
			for _, pkg := range []string{"pod", "schema"} {
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
