package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestProgramsAreStartedInOnePlace: of all that the program is built of, our packages
// and others, only package programs can start another program.
func TestProgramsAreStartedInOnePlace(t *testing.T) {
	schematest.NeedsPrograms(t, "go")
	out, err := exec.Command("go", "list", "-deps", "-f",
		`{{if not .Standard}}{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}}{{end}}`, mainPackage).Output()
	e2e.Must(t, err)
	packages := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), " ")
		if len(fields) < 3 || fields[0] == module+"replay/programs" || strings.HasPrefix(fields[0], "golang.org/x/sys/") {
			continue // x/sys only hands on what the standard library has
		}
		packages++
		i := slices.IndexFunc(fields, func(f string) bool { return strings.HasSuffix(f, ".go") })
		if i < 0 {
			continue // assembly alone
		}
		for _, name := range fields[i:] {
			checkStartsNothing(t, filepath.Join(strings.Join(fields[1:i], " "), name))
		}
	}
	if packages < len(floors) {
		t.Errorf("only %d packages", packages)
	}
}

// starters are the functions of the standard library, and of x/sys, that start
// programs or become them.
var starters = map[string][]string{
	"os":      {"StartProcess"},
	"syscall": {"Exec", "ForkExec", "StartProcess"},
	"unix":    {"Exec", "ForkExec", "StartProcess"},
}

func checkStartsNothing(t *testing.T, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	e2e.Must(t, err)
	for _, i := range file.Imports {
		if imported, _ := strconv.Unquote(i.Path.Value); imported == "os/exec" || imported == "plugin" {
			t.Errorf("%s imports %s: package programs starts programs", path, imported)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := selector.X.(*ast.Ident); ok && slices.Contains(starters[from.Name], selector.Sel.Name) {
			t.Errorf("%s uses %s.%s: package programs starts programs", path, from.Name, selector.Sel.Name)
		}
		return true
	})
}

// TestProgramsAreDocumented: the help topic trust says of each purpose what is executed,
// and what a user types for it.
func TestProgramsAreDocumented(t *testing.T) {
	text, err := help.Text("trust")
	e2e.Must(t, err)
	_, section, found := strings.Cut(text, "## What podtrack executes\n")
	if !found {
		t.Fatal("the help topic trust does not say what podtrack executes")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	typed := map[string][]string{ // by purpose
		programs.Environment.Name: {"--env", "run check"},
		programs.Commit.Name:      {"run", "resume", "sweep"},
		programs.Browser.Name:     {"serve --open"},
	}
	for _, p := range programs.Uses() {
		if typed[p.Name] == nil {
			t.Errorf("%s: what a user types for it is missing here", p.Name)
		}
		for _, word := range slices.Concat([]string{p.Name}, p.Programs, typed[p.Name]) {
			if !strings.Contains(section, word) {
				t.Errorf("the help topic trust does not have %q among what podtrack executes", word)
			}
		}
	}
}
