package documents

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestStableSurface compares the stable part of the library with the list in testdata/surface/stable.txt: the
// functions, methods and values that the examples and the programs of the topic "go" use, and the types that these
// take, return and hold. A type is stable with its exported fields.
func TestStableSurface(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "go")
	files := token.NewFileSet()
	surface := stableSurface{}
	programs := examplePrograms(t, files)
	imports := importer.ForCompiler(files, "gc", exportData(t, programs))
	for _, program := range programs {
		info := types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check("program", files, []*ast.File{program}, &info); err != nil {
			t.Fatal(err)
		}
		for _, used := range info.Uses {
			surface.addObject(used)
		}
	}
	got := strings.Join(surface.sortedLines(), "\n") + "\n"
	path := filepath.Join("testdata", "surface", "stable.txt")
	if *updateSurface {
		e2e.Must(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	e2e.Must(t, err)
	for _, line := range missingLines(string(want), got) {
		t.Errorf("not stable any more, since no example uses it: %s", line)
	}
	for _, line := range missingLines(got, string(want)) {
		t.Errorf("stable from now on, since an example uses it (-update-surface): %s", line)
	}
}

// examplePrograms returns the files with examples of the library, and the programs of the topic "go".
func examplePrograms(t *testing.T, files *token.FileSet) (programs []*ast.File) {
	t.Helper()
	root := e2e.Repository(t)
	parse := func(name string, source any) {
		program, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		e2e.Must(t, err)
		programs = append(programs, program)
	}
	for _, folder := range library {
		path := filepath.Join(root, folder, "example_test.go")
		if _, err := os.Stat(path); err == nil {
			parse(path, nil)
		}
	}
	topic, err := os.ReadFile(filepath.Join(root, "cmd/podtrack/internal/help/topics/go.md"))
	e2e.Must(t, err)
	for _, m := range goProgram.FindAllStringSubmatch(string(topic), -1) {
		parse(m[1]+".go", strings.TrimSuffix(strings.TrimPrefix(m[0], "\n```go\n"), "```\n"))
	}
	return programs
}

// exportData returns a function that opens what the compiler knows of a package that the programs import.
func exportData(t *testing.T, programs []*ast.File) importer.Lookup {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, program := range programs {
		for _, spec := range program.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			e2e.Must(t, err)
			args = append(args, path)
		}
	}
	list := exec.Command("go", args...)
	list.Dir = e2e.Repository(t)
	out, err := list.Output()
	e2e.Must(t, err)
	paths := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		paths[name] = path
	}
	return func(name string) (io.ReadCloser, error) { return os.Open(paths[name]) }
}

// A stableSurface is a set of exported names of this module, as lines.
type stableSurface map[string]bool

func (s stableSurface) sortedLines() []string { return slices.Sorted(maps.Keys(s)) }

// isOfModule reports whether this module exports a name.
func isOfModule(o types.Object) bool {
	return o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module) && o.Exported()
}

// addObject adds what a program names, and the types in it.
func (s stableSurface) addObject(o types.Object) {
	if !isOfModule(o) {
		return
	}
	switch o := o.(type) {
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			s.addType(receiver.Type())
			s.add("method ", o.Pkg(), namedType(receiver.Type()).Obj().Name()+"."+o.Name())
		} else {
			s.add("func ", o.Pkg(), o.Name())
		}
	case *types.Const, *types.Var:
		if v, ok := o.(*types.Var); !ok || !v.IsField() {
			s.add("value ", o.Pkg(), o.Name())
		}
	}
	s.addType(o.Type())
}

// add adds a name, and reports whether it is new.
func (s stableSurface) add(kind string, p *types.Package, name string) bool {
	line := kind + strings.TrimPrefix(p.Path(), module) + "." + name
	if s[line] {
		return false
	}
	s[line] = true
	return true
}

// namedType returns the type of a method's receiver.
func namedType(t types.Type) *types.Named {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.(*types.Named)
}

// addType adds the exported types of this module that a type consists of: elements, parameters, results, exported
// fields, and the methods of interfaces.
func (s stableSurface) addType(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			s.addType(arg)
		}
		if o := t.Obj(); isOfModule(o) && s.add("type ", o.Pkg(), o.Name()) {
			s.addType(t.Underlying())
		}
	case *types.Alias:
		if o := t.Obj(); isOfModule(o) {
			s.add("type ", o.Pkg(), o.Name())
		}
		s.addType(t.Rhs())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, maps, channels
		if m, ok := t.(*types.Map); ok {
			s.addType(m.Key())
		}
		s.addType(t.Elem())
	case *types.Signature:
		s.addType(t.Params())
		s.addType(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			s.addType(v.Type())
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				s.addType(field.Type())
			}
		}
	case *types.Interface:
		for method := range t.Methods() {
			s.addType(method.Type())
		}
	}
}
