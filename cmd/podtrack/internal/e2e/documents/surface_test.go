package documents

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

var updateSurface = flag.Bool("update-surface", false, "write what the packages of the library export")

// library are the packages for users of podtrack from Go.
var library = []string{
	"schema", "pod", "tracker", "replay", "replay/report", "replay/diff", "replay/why", "replay/explore", "replay/export",
	"replay/external",
}

// TestSurface compares what the packages of the library export with the lists in testdata/surface, so
// that a change of it is seen in review. Comments and function bodies do not count.
func TestSurface(t *testing.T) {
	t.Parallel()
	root := e2e.Repository(t)
	for _, folder := range library {
		path := filepath.Join("testdata", "surface", strings.ReplaceAll(folder, "/", "-")+".txt")
		got := strings.Join(exported(t, filepath.Join(root, folder)), "\n") + "\n"
		if *updateSurface {
			e2e.Must(t, os.MkdirAll(filepath.Dir(path), 0o777))
			e2e.Must(t, os.WriteFile(path, []byte(got), 0o666))
			continue
		}
		want, err := os.ReadFile(path)
		e2e.Must(t, err)
		for _, line := range missingLines(string(want), got) {
			t.Errorf("package %s does not export any more:\n%s", folder, line)
		}
		for _, line := range missingLines(got, string(want)) {
			t.Errorf("package %s exports what is new (go test ./cmd/podtrack/internal/e2e/documents "+
				"-run Surface -update-surface, "+
				"and look at the difference):\n%s", folder, line)
		}
	}
}

// missingLines returns the lines of a text that another one does not have.
func missingLines(text, other string) (missing []string) {
	have := map[string]bool{}
	for line := range strings.Lines(other) {
		have[line] = true
	}
	for line := range strings.Lines(text) {
		if !have[line] {
			missing = append(missing, strings.TrimSuffix(line, "\n"))
		}
	}
	return missing
}

// exported returns the declarations that a package exports, one a line, in alphabetical order.
func exported(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	e2e.Must(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		e2e.Must(t, err)
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, folder)
	e2e.Must(t, err)
	var lines []string
	add := func(prefix string, node any) {
		var b bytes.Buffer
		e2e.Must(t, (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, set, node))
		lines = append(lines, prefix+strings.Join(strings.Fields(b.String()), " "))
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					lines = append(lines, v.Decl.Tok.String()+" "+name)
				}
			}
		}
	}
	functions := func(list []*doc.Func) {
		for _, f := range list {
			add("", f.Decl)
		}
	}
	values(append(p.Consts, p.Vars...))
	functions(p.Funcs)
	for _, d := range p.Types {
		values(append(d.Consts, d.Vars...))
		functions(append(d.Funcs, d.Methods...))
		for _, spec := range d.Decl.Specs {
			spec := spec.(*ast.TypeSpec)
			members := memberList(spec.Type)
			if members == nil {
				add("type ", spec)
				continue
			}
			lines = append(lines, "type "+spec.Name.Name)
			for _, m := range members.List {
				names := m.Names
				m.Names, m.Tag = nil, nil
				for _, name := range names {
					add("type "+spec.Name.Name+": "+name.Name+" ", m.Type)
				}
				if len(names) == 0 {
					add("type "+spec.Name.Name+": ", m.Type)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// memberList returns the fields of a struct or the methods of an interface, nil for other types. Package doc has
// removed those that are not exported.
func memberList(e ast.Expr) *ast.FieldList {
	switch e := e.(type) {
	case *ast.StructType:
		return e.Fields
	case *ast.InterfaceType:
		return e.Methods
	}
	return nil
}
