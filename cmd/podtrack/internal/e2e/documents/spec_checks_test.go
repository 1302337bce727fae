package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// specChecks are the functions that check a spec. A spec is checked once where it enters and once when it is read back:
// each way into the engine passes one of the first two groups, and what is made of a checked spec is not checked again
// ([replay.Job.CheckData], [sweep.Plan.Check], [schema.Spec.CheckData]).
var specChecks = map[string]string{
	"cmd/podtrack/internal/runner MakeSpec":                  "enters by flags or --spec",
	"cmd/podtrack/internal/command/run forking.forkedSpec":   "enters by fork --set",
	"replay Store.RunAll":                                    "enters from a program in Go, or is read back by it",
	"cmd/podtrack/internal/command/run resuming.resume":      "read back from a store",
	"replay RepairedRun.rebuild":                             "read back from a store that is repaired",
	"tracker Ancestor.validate":                              "read back by check and merge, and from an excerpt",
	"replay Job.CheckSpec":                                   "the check of what is read back",
	"replay CheckSpec":                                       "the check of what enters",
	"cmd/podtrack/internal/command/compare evaluating.parse": "of an evaluation: enters by flags",
	"replay/evaluate Subject.prepare":                        "of an evaluation: from flags",
}

// TestSpecChecks: a function that checks specs has its reason in the list above. Whoever adds one sees there whether
// the spec was checked before.
func TestSpecChecks(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for path, file := range sources(t, false) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && checksSpec(f) {
				found[filepath.ToSlash(filepath.Dir(path))+" "+functionName(f)] = true
			}
		}
	}
	for name := range found {
		if specChecks[name] == "" {
			t.Errorf("%s checks a spec: is it the one check of a spec that enters or is read back?", name)
		}
	}
	for name := range specChecks {
		if !found[name] {
			t.Errorf("%s checks no spec", name)
		}
	}
}

// sources parses the module's files, by their paths in the repository, with those of tests or without.
func sources(t *testing.T, withTests bool) map[string]*ast.File {
	t.Helper()
	root, files := e2e.Repository(t), map[string]*ast.File{}
	for _, folder := range []string{"cmd", "tracker", "pod", "replay", "schema"} {
		e2e.Must(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || !withTests && strings.HasSuffix(path, "_test.go") {
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

// checksSpec reports whether a function calls or hands on CheckSpec, or calls the method Validate of a spec, which
// alone has no arguments.
func checksSpec(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "CheckSpec"
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.Ident:
				found = found || called.Name == "CheckSpec"
			case *ast.SelectorExpr:
				found = found || called.Sel.Name == "Validate" && len(n.Args) == 0
			}
		}
		return true
	})
	return found
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
