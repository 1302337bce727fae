package documents

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var updateSurface = flag.Bool("update-surface", false, "write the declarations of what is stable in the library")

// library are the packages for other people's programs. Every other package is podtrack's own.
var library = []string{
	"schema", "pod", "replay", "replay/report", "replay/diff", "replay/why", "replay/explore", "replay/export",
	"replay/external", "cmd/podtrack/cli",
}

// TestSurface compares the declarations of what testdata/surface/stable.txt names with those recorded beside it, so
// that a change of them is seen in review, and checks that each name is exported and documented.
func TestSurface(t *testing.T) {
	t.Parallel()
	stable := stableNames(t)
	for _, folder := range library {
		compareSurface(t, strings.ReplaceAll(folder, "/", "-"), declaredStable(t, folder, stable))
	}
	var held []string
	for _, folder := range heldPackages(stable) {
		for _, line := range declaredStable(t, folder, stable) {
			held = append(held, folder+": "+line)
		}
	}
	compareSurface(t, "held", held)
}

// heldPackages returns the packages of podtrack's own of which stable types hold types.
func heldPackages(stable map[string]bool) []string {
	folders := map[string]bool{}
	for name := range stable {
		if folder, _ := splitStable(name); !slices.Contains(library, folder) {
			folders[folder] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}

// declaredStable returns the declarations of a package's stable names, each of which is to be there, with a comment.
func declaredStable(t *testing.T, folder string, stable map[string]bool) (lines []string) {
	t.Helper()
	declared := map[string]bool{}
	for _, d := range exported(t, e2e.Repository(t, folder)) {
		name := folder + "." + d.name
		if !stable[name] {
			continue
		}
		declared[name] = true
		lines = append(lines, d.text)
		if !d.documented {
			t.Errorf("%s is stable, and has no comment", name)
		}
	}
	for name := range stable {
		if own, _ := splitStable(name); own == folder && !declared[name] {
			t.Errorf("%s is stable, and not exported", name)
		}
	}
	return lines
}

// compareSurface compares lines with those recorded under a name, or records them.
func compareSurface(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join("testdata", "surface", name+".txt")
	got := strings.Join(lines, "\n") + "\n"
	if *updateSurface {
		e2e.Must(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	e2e.Must(t, err)
	for _, line := range missingLines(string(want), got) {
		t.Errorf("%s: what is stable is not declared any more:\n%s", name, line)
	}
	for _, line := range missingLines(got, string(want)) {
		t.Errorf("%s: what is stable is declared in a new way (go test ./cmd/podtrack/internal/e2e/documents "+
			"-run Surface -update-surface, and look at the difference):\n%s", name, line)
	}
}

// stableNames reads the names that are stable, each with the folder of its package.
func stableNames(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "surface", "stable.txt"))
	e2e.Must(t, err)
	names := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if name := strings.TrimSpace(line); name != "" && !strings.HasPrefix(name, "#") {
			names[name] = true
		}
	}
	return names
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

// A declaration is a line about an exported name: of a method with its type, of a field the type.
type declaration struct {
	name, text string
	documented bool
}

// exported returns the declarations of a package, in alphabetical order of their text. A type that is an alias has the
// fields and methods of the type that it stands for.
func exported(t *testing.T, folder string) (declarations []declaration) {
	t.Helper()
	set, p := parseDoc(t, folder)
	add := func(name, prefix string, node any, comment string) {
		var b bytes.Buffer
		e2e.Must(t, (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, set, node))
		text := prefix + strings.Join(strings.Fields(b.String()), " ")
		declarations = append(declarations, declaration{name, text, comment != ""})
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, s := range v.Decl.Specs {
				spec := s.(*ast.ValueSpec)
				for _, name := range spec.Names {
					if ast.IsExported(name.Name) {
						isDocumented := v.Doc != "" || spec.Doc.Text() != "" || spec.Comment.Text() != ""
						declarations = append(declarations,
							declaration{name.Name, v.Decl.Tok.String() + " " + name.Name, isDocumented})
					}
				}
			}
		}
	}
	functions := func(owner string, list []*doc.Func) {
		for _, f := range list {
			add(owner+f.Name, "", f.Decl, f.Doc)
		}
	}
	values(append(p.Consts, p.Vars...))
	functions("", p.Funcs)
	for _, d := range p.Types {
		values(append(d.Consts, d.Vars...))
		functions("", d.Funcs)
		functions(d.Name+".", d.Methods)
		for _, spec := range d.Decl.Specs {
			spec := spec.(*ast.TypeSpec)
			members := memberList(spec.Type)
			if members == nil {
				add(d.Name, "type ", spec, d.Doc)
				declarations = append(declarations, aliased(t, p.Imports, spec)...)
				continue
			}
			declarations = append(declarations, declaration{d.Name, "type " + d.Name, d.Doc != ""})
			for _, m := range members.List {
				names := m.Names
				m.Names, m.Tag = nil, nil
				for _, name := range names {
					add(d.Name, "type "+d.Name+": "+name.Name+" ", m.Type, d.Doc)
				}
				if len(names) == 0 {
					add(d.Name, "type "+d.Name+": ", m.Type, d.Doc)
				}
			}
		}
	}
	slices.SortFunc(declarations, func(a, b declaration) int { return strings.Compare(a.text, b.text) })
	return slices.Compact(declarations)
}

// aliased returns the fields and methods of the type of another package of this module for which spec is an alias.
func aliased(t *testing.T, imports []string, spec *ast.TypeSpec) (declarations []declaration) {
	e := spec.Type
	if generic, ok := e.(*ast.IndexExpr); ok {
		e = generic.X
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || !spec.Assign.IsValid() {
		return nil
	}
	owner := "/" + selector.X.(*ast.Ident).Name
	i := slices.IndexFunc(imports, func(path string) bool {
		return strings.HasPrefix(path, module) && strings.HasSuffix(path, owner)
	})
	if i < 0 {
		return nil
	}
	for _, d := range exported(t, filepath.Join(e2e.Repository(t, ""), strings.TrimPrefix(imports[i], module))) {
		name, method, isMethod := strings.Cut(d.name, ".")
		if name != selector.Sel.Name {
			continue
		}
		if d.name = spec.Name.Name; isMethod {
			d.name += "." + method
		}
		declarations = append(declarations, d)
	}
	return declarations
}

// parseDoc reads the files of a package as its documentation does.
func parseDoc(t *testing.T, folder string) (*token.FileSet, *doc.Package) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	e2e.Must(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		e2e.Must(t, err)
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(set, files, folder)
	e2e.Must(t, err)
	return set, p
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

// splitStable splits a name of the list into the folder of its package and the rest.
func splitStable(name string) (folder, rest string) {
	i := strings.LastIndexByte(name, '/') + 1
	base, rest, _ := strings.Cut(name[i:], ".")
	return name[:i] + base, rest
}
