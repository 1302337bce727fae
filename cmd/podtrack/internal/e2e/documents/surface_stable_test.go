package documents

import (
	"bytes"
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

// TestStableSurface checks that the list of what is stable, testdata/surface/stable.txt, is complete. It has what the
// examples and the topic "go" use, and for each function, method, value and type also the types that these take, return
// and hold. Other names of the library are there because a person put them there; of podtrack's own packages there are
// no others.
func TestStableSurface(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "go")
	stable := stableNames(t)
	files := token.NewFileSet()
	programs := examplePrograms(t, files)
	imports := importer.ForCompiler(files, "gc", exportData(t, programs))
	packages := map[string]*types.Package{}
	for _, folder := range library {
		p, err := imports.Import(module + folder)
		e2e.Must(t, err)
		packages[folder] = p
	}
	needed := newSurface(packages)
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
		if folder, rest := splitStable(name); packages[folder] != nil {
			if o := lookUp(packages[folder], rest); o != nil { // TestSurface complains of the others
				needed.addObject(o)
			}
		}
	}
	topic := readTopic(t)
	for _, name := range namesInText(t, topic) {
		needed.names[name] = true
	}
	checkTable(t, topic, stable)
	for _, name := range slices.Sorted(maps.Keys(needed.names)) {
		if !stable[name] {
			t.Errorf("%s is used by what is stable, by an example or by the topic \"go\", and is not in the list", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stable)) {
		if folder, _ := splitStable(name); packages[folder] == nil && !needed.names[name] {
			t.Errorf("%s is podtrack's own, and nothing stable holds it", name)
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

// readTopic returns the topic "go".
func readTopic(t *testing.T) string {
	t.Helper()
	topic, err := os.ReadFile(filepath.Join(e2e.Repository(t), "cmd/podtrack/internal/help/topics/go.md"))
	e2e.Must(t, err)
	return string(topic)
}

// namesInText returns the names of the library in the text of the topic "go", such as `replay.ErrMissing`.
func namesInText(t *testing.T, topic string) (names []string) {
	t.Helper()
	text := goProgram.ReplaceAllString(topic, "")
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

// checkTable compares the topic's table of packages with the library, and the names in it with what is stable.
func checkTable(t *testing.T, topic string, stable map[string]bool) {
	t.Helper()
	var folders []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|(.*)$").FindAllStringSubmatch(topic, -1) {
		folders = append(folders, row[1])
		for _, m := range regexp.MustCompile("`([A-Z][A-Za-z]*)`").FindAllStringSubmatch(row[2], -1) {
			isNamed := func(name string) bool {
				return strings.HasPrefix(name, row[1]+".") && strings.HasSuffix(name, "."+m[1])
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(stable)), isNamed) {
				t.Errorf("the topic \"go\" says that %s has %s, which is not stable", row[1], m[1])
			}
		}
	}
	slices.Sort(folders)
	if want := slices.Sorted(slices.Values(library)); !slices.Equal(folders, want) {
		t.Errorf("the topic \"go\" has a table of the packages %q, not of %q", folders, want)
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
		source, err := os.ReadFile(filepath.Join(root, folder, "example_test.go"))
		e2e.Must(t, err)
		if !bytes.Contains(source, []byte("// Output:\n")) {
			t.Errorf("package %s has no example that is executed", folder)
		}
		parse(filepath.Join(root, folder, "example_test.go"), source)
	}
	for _, m := range goProgram.FindAllStringSubmatch(readTopic(t), -1) {
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
			if folder, ours := strings.CutPrefix(path, module); ours && !slices.Contains(library, folder) {
				t.Errorf("an example imports %s, which is podtrack's own", folder)
			}
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

// A surface is a set of exported names of this module, each with the folder of its package. A type of podtrack's own
// that the library names has the library's name.
type surface struct {
	names   map[string]bool
	aliases map[*types.TypeName]string
}

func newSurface(library map[string]*types.Package) surface {
	s := surface{map[string]bool{}, map[*types.TypeName]string{}}
	for folder, p := range library {
		for _, name := range p.Scope().Names() {
			alias, ok := p.Scope().Lookup(name).Type().(*types.Alias)
			if !ok {
				continue
			}
			if named, ok := types.Unalias(alias).(*types.Named); ok && named.Obj().Pkg() != p && isOfModule(named.Obj()) {
				s.aliases[named.Obj()] = folder + "." + name
			}
		}
	}
	return s
}

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
				s.names[s.nameOf(namedType(receiver.Type()).Obj())+"."+o.Name()] = true
			}
		} else {
			s.names[s.nameOf(o)] = true
		}
	case *types.Const, *types.Var:
		if v, ok := o.(*types.Var); !ok || !v.IsField() {
			s.names[s.nameOf(o)] = true
		}
	}
	s.addType(o.Type())
}

// nameOf returns the name of what a package exports.
func (s surface) nameOf(o types.Object) string {
	if t, ok := o.(*types.TypeName); ok && s.aliases[t] != "" {
		return s.aliases[t]
	}
	return strings.TrimPrefix(o.Pkg().Path(), module) + "." + o.Name()
}

// addName adds a type's name, and reports whether it is new.
func (s surface) addName(o *types.TypeName) bool {
	name := s.nameOf(o)
	isNew := !s.names[name]
	s.names[name] = true
	return isNew
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
		if o := t.Obj(); isOfModule(o) && s.addName(o) {
			s.addType(t.Underlying())
		}
	case *types.Alias:
		named, ok := types.Unalias(t).(*types.Named)
		if o := t.Obj(); isOfModule(o) && !(ok && s.aliases[named.Obj()] != "") {
			s.addName(o)
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
