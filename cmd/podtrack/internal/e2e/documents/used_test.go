package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// A packageScope has the exported declarations of a package, by name, and the methods of each type.
type packageScope struct {
	declared map[string]ast.Node
	methods  map[string][]*ast.FuncDecl
	values   map[string]bool // constants of an exported type
}

// TestExportedIsUsed: each exported name is used by another package, which may be one of tests, or by what is stable.
// Types in the declarations of used names are used too. It reads names and checks no types: a method or a field is not
// looked for, and a local variable that is called like a package counts as the package. Two kinds of names may be used
// by their package alone: errors, which are there for others to tell apart, and constants of an exported type, which
// belong to its values.
func TestExportedIsUsed(t *testing.T) {
	t.Parallel()
	scopes, used := map[string]*packageScope{}, map[string]map[string]bool{}
	for path, file := range sources(t) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if !strings.HasSuffix(path, "_test.go") {
			addDeclarations(scopes, folder, file)
		}
		addUses(used, folder, file)
	}
	for name := range stableNames(t) {
		folder, rest := splitStable(name)
		rest, _, _ = strings.Cut(rest, ".")
		markUsed(used, folder, rest)
	}
	names := 0
	for folder, scope := range scopes {
		scope.reach(used[folder])
		for _, name := range slices.Sorted(maps.Keys(scope.declared)) {
			names++
			if !used[folder][name] && !strings.HasPrefix(name, "Err") && !scope.values[name] {
				t.Errorf("%s exports %s, which no other package uses", folder, name)
			}
		}
	}
	if names < 1000 {
		t.Errorf("only %d names", names)
	}
}

func markUsed(used map[string]map[string]bool, folder, name string) {
	if used[folder] == nil {
		used[folder] = map[string]bool{}
	}
	used[folder][name] = true
}

// addDeclarations adds a file's exported declarations to those of its package.
func addDeclarations(scopes map[string]*packageScope, folder string, file *ast.File) {
	if scopes[folder] == nil {
		scopes[folder] = &packageScope{map[string]ast.Node{}, map[string][]*ast.FuncDecl{}, map[string]bool{}}
	}
	s := scopes[folder]
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			owner, _, isMethod := strings.Cut(functionName(d), ".")
			switch {
			case isMethod && d.Name.IsExported():
				s.methods[owner] = append(s.methods[owner], d)
			case d.Name.IsExported():
				s.declared[d.Name.Name] = d.Type
			}
		case *ast.GenDecl:
			inType := false
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						s.declared[spec.Name.Name] = spec
					}
				case *ast.ValueSpec:
					if spec.Type != nil || len(spec.Values) > 0 { // otherwise it has the type of the one before
						owner, ok := spec.Type.(*ast.Ident)
						inType = ok && owner.IsExported() && d.Tok == token.CONST
					}
					for _, name := range spec.Names {
						if name.IsExported() {
							s.declared[name.Name], s.values[name.Name] = spec, inType
						}
					}
				}
			}
		}
	}
}

// addUses marks what a file uses of other packages of this module. A package of tests is another than the one in whose
// folder it is.
func addUses(used map[string]map[string]bool, folder string, file *ast.File) {
	folders := map[string]string{}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		imported, isOurs := strings.CutPrefix(path, module)
		if err != nil || !isOurs {
			continue
		}
		name := imported[strings.LastIndexByte(imported, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if folders[name] = imported; name == "." {
			for _, name := range identifiers(file) {
				markUsed(used, imported, name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if p, ok := s.X.(*ast.Ident); ok && folders[p.Name] != "" {
				markUsed(used, folders[p.Name], s.Sel.Name)
			}
		}
		return true
	})
}

// reach marks what the declarations of used names consist of, and so on.
func (s *packageScope) reach(used map[string]bool) {
	todo := slices.Collect(maps.Keys(used))
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		nodes := []ast.Node{s.declared[name]}
		for _, m := range s.methods[name] {
			nodes = append(nodes, m.Type)
		}
		for _, n := range nodes {
			if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil {
				n = spec.Type
			}
			for _, found := range identifiers(n) {
				if s.declared[found] != nil && !used[found] {
					used[found] = true
					todo = append(todo, found)
				}
			}
		}
	}
}

// identifiers returns the exported identifiers in a node, which may be nil.
func identifiers(n ast.Node) (names []string) {
	if n == nil {
		return nil
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok && i.IsExported() {
			names = append(names, i.Name)
		}
		return true
	})
	return names
}

// sources parses the module's files, those of tests too, by their paths in the repository.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	root, files := e2e.Repository(t, ""), map[string]*ast.File{}
	for _, folder := range []string{"cmd", "tracker", "pod", "replay", "schema"} {
		e2e.Must(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			name, err := filepath.Rel(root, path)
			e2e.Must(t, err)
			files[name], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			return err
		}))
	}
	return files
}

// functionName returns the name of a function, of a method with that of its type.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	e := f.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	switch g := e.(type) {
	case *ast.IndexExpr:
		e = g.X
	case *ast.IndexListExpr:
		e = g.X
	}
	if owner, ok := e.(*ast.Ident); ok {
		return owner.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
