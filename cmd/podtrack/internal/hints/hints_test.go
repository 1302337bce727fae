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

// isAdvice matches the name of an advice.
var isAdvice = regexp.MustCompile("^Advice[A-Z]")

// verb matches a formatting verb.
var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-z]`)

// TestEachAdviceHasWords: each advice that the packages below export is in the table, with as many verbs, and the table
// has no other. Vet compares the verbs of an advice with the values that it is given.
func TestEachAdviceHasWords(t *testing.T) {
	s := sources{t: t, advice: map[string]bool{}}
	for _, folder := range []string{"schema", "pod", "tracker", "replay", "cmd/podtrack/internal"} {
		s.read(filepath.Join(root, folder))
	}
	for text := range s.advice {
		words, known := table[text]
		if !known {
			t.Errorf("advice %q has no words", text)
		}
		if a, b := verb.FindAllString(text, -1), verb.FindAllString(words, -1); len(a) != len(b) {
			t.Errorf("%q has %d values, %q has %d", text, len(a), words, len(b))
		}
	}
	if len(s.advice) != len(table) {
		t.Errorf("%d constants, %d in the table", len(s.advice), len(table))
	}
}

// sources are the packages below.
type sources struct {
	t      *testing.T
	advice map[string]bool
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
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 && isAdvice.MatchString(spec.Names[0].Name) {
			if _, alias := spec.Values[0].(*ast.SelectorExpr); !alias {
				s.advice[s.constant(spec.Values[0])] = true
			}
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

func TestOf(t *testing.T) {
	for want, err := range map[string]error{
		"":                                       fs.ErrExist,
		"wait":                                   fmt.Errorf("k: %w", schema.Hint(fs.ErrExist, "wait")),
		"podtrack show --spec RUN prints a spec": schema.Hint(fs.ErrExist, schema.AdvicePrintSpec),
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
