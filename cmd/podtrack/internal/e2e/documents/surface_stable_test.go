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
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestStableSurface holds the list of what is stable, testdata/surface/stable.txt, to be whole. It has what the
// examples and the topic "go" use, and with a function, a method, a value or a type also the types that these take,
// return and hold. What else is in it, somebody decided.
func TestStableSurface(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "go")
	stable := stableNames(t)
	files := token.NewFileSet()
	programs := examplePrograms(t, files)
	imports := importer.ForCompiler(files, "gc", exportData(t, programs))
	needed := surface{}
	for _, program := range programs {
		info := types.Info{Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check("program", files, []*ast.File{program}, &info); err != nil {
			t.Fatal(err)
		}
		for _, used := range info.Uses {
			needed.addObject(used)
		}
	}
	for name := range stable {
		folder, rest := splitStable(name)
		p, err := imports.Import(module + folder)
		e2e.Must(t, err)
		if o := lookUp(p, rest); o != nil { // TestSurface complains of the others
			needed.addObject(o)
		}
	}
	for _, name := range topicNames(t) {
		needed[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if !stable[name] {
			t.Errorf("%s is used by what is stable, by an example or by the topic \"go\", and is not in the list", name)
		}
	}
}

// splitStable splits a name of the list into the folder of its package and the rest.
func splitStable(name string) (folder, rest string) {
	i := strings.LastIndexByte(name, '/') + 1
	base, rest, _ := strings.Cut(name[i:], ".")
	return name[:i] + base, rest
}

// lookUp returns what a package exports under a name, or a method of a type; nil if there is none.
func lookUp(p *types.Package, name string) types.Object {
	owner, method, isMethod := strings.Cut(name, ".")
	o := p.Scope().Lookup(owner)
	if o == nil || !isMethod {
		return o
	}
	found, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, method)
	return found
}

// topicNames returns the names of the library that the text of the topic "go" has, such as `replay.ErrMissing`.
func topicNames(t *testing.T) (names []string) {
	t.Helper()
	topic, err := os.ReadFile(filepath.Join(e2e.Repository(t), "cmd/podtrack/internal/help/topics/go.md"))
	e2e.Must(t, err)
	text := goProgram.ReplaceAllString(string(topic), "")
	for _, m := range regexp.MustCompile("`\\*?([a-z]+)\\.([A-Z][A-Za-z]*)").FindAllStringSubmatch(text, -1) {
		for _, folder := range library {
			if path.Base(folder) == m[1] {
				names = append(names, folder+"."+m[2])
			}
		}
	}
	if len(names) == 0 {
		t.Error("the topic names nothing of the library")
	}
	return names
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
	for _, folder := range library {
		args = append(args, module+folder)
	}
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

// A surface is a set of exported names of this module, each with the folder of its package.
type surface map[string]bool

// isOfModule reports whether this module exports a name.
func isOfModule(o types.Object) bool {
	return o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module) && o.Exported()
}

// addObject adds what a program names, and the types in it.
func (s surface) addObject(o types.Object) {
	if !isOfModule(o) {
		return
	}
	switch o := o.(type) {
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			s.addType(receiver.Type())
			if !types.IsInterface(receiver.Type()) { // whose methods come with it
				s.add(o.Pkg(), namedType(receiver.Type()).Obj().Name()+"."+o.Name())
			}
		} else {
			s.add(o.Pkg(), o.Name())
		}
	case *types.Const, *types.Var:
		if v, ok := o.(*types.Var); !ok || !v.IsField() {
			s.add(o.Pkg(), o.Name())
		}
	}
	s.addType(o.Type())
}

// add adds a name, and reports whether it is new.
func (s surface) add(p *types.Package, name string) bool {
	line := strings.TrimPrefix(p.Path(), module) + "." + name
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
func (s surface) addType(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			s.addType(arg)
		}
		if o := t.Obj(); isOfModule(o) && s.add(o.Pkg(), o.Name()) {
			s.addType(t.Underlying())
		}
	case *types.Alias:
		if o := t.Obj(); isOfModule(o) {
			s.add(o.Pkg(), o.Name())
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
