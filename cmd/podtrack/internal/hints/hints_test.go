package hints

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

const root = "../../../.."

// verb matches a formatting verb.
var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-z]`)

// TestEachAdviceHasWords: each advice that the packages below export is in the table, with a verb
// for each value that they attach, and the table has no other.
func TestEachAdviceHasWords(t *testing.T) {
	s := sources{t: t, advice: map[string]string{}}
	for _, folder := range []string{"schema", "pod", "tracker", "replay", "cmd/podtrack/internal"} {
		s.read(filepath.Join(root, folder))
	}
	for _, text := range s.advice {
		if _, known := table[schema.Advice(text)]; !known {
			t.Errorf("advice %q has no words", text)
		}
	}
	if len(s.advice) != len(table) {
		t.Errorf("%d constants, %d in the table", len(s.advice), len(table))
	}
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && name(call.Fun) == "Advise" {
				s.checkValues(file.Name.Name, call)
			}
			return true
		})
	}
}

// sources are the packages below.
type sources struct {
	t      *testing.T
	files  []*ast.File
	advice map[string]string // texts by package and name
}

func (s *sources) read(folder string) {
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "Advi") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err == nil {
			s.files = append(s.files, file)
			s.readConstants(file)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *sources) readConstants(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && spec.Type != nil && name(spec.Type) == "Advice" && len(spec.Values) == 1 {
			s.advice[file.Name.Name+"."+spec.Names[0].Name] = s.constant(spec.Values[0])
		}
		return true
	})
}

// constant returns the text of a literal, or of several joined by plus signs.
func (s *sources) constant(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return s.constant(sum.X) + s.constant(sum.Y)
	}
	text, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// checkValues compares the values of a call of Advise in a package with the words.
func (s *sources) checkValues(where string, call *ast.CallExpr) {
	if of, ok := call.Args[1].(*ast.SelectorExpr); ok {
		where = name(of.X)
	}
	text, constant := s.advice[where+"."+name(call.Args[1])]
	if !constant || call.Ellipsis.IsValid() {
		return // a function hands them on
	}
	words := table[schema.Advice(text)]
	if verbs, values := len(verb.FindAllString(words, -1)), len(call.Args)-2; verbs != values {
		s.t.Errorf("%s is given %d values: %s", text, values, words)
	}
}

// name returns the last part of a name.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func TestOf(t *testing.T) {
	for want, err := range map[string]error{
		"":                                       fs.ErrExist,
		"wait":                                   fmt.Errorf("k: %w", schema.Hint(fs.ErrExist, "wait")),
		"podtrack show --spec RUN prints a spec": schema.Advise(fs.ErrExist, schema.AdvicePrintSpec),
	} {
		if got := Of(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
	got := fmt.Sprintf("%s %q %+q %.3s", word("a b"), word("a b"), word("-f"), word("12345"))
	if want := "a b 'a b' ./-f 123"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
