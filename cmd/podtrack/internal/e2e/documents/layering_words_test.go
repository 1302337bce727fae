package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// otherPrograms are the texts below cmd with flags of other programs, or variables
// that no user sets.
var otherPrograms = []string{
	"--parsable",         // of sbatch
	"#SBATCH --",         // of sbatch
	"as sbatch --mem or", // of Slurm and Docker
	// of git
	"--no-optional-locks", "--no-pager", "--verify", "--quiet", "--local", "--includes", "--get-regexp",
	"PODTRACK_STARTED_",  // by which the processes of an environment are found
	"PODTRACK_GYM_FOUND", // by which an adapter learns what was found before
}

// TestCommandsAreNamedByCmd: no text below cmd names a command, a flag or a variable of
// the program. Package hints does, for what the packages below advise.
func TestCommandsAreNamedByCmd(t *testing.T) {
	var names []string
	for _, c := range command.NewApp(io.Discard, io.Discard).Commands {
		names = append(names, c.Name)
	}
	named := regexp.MustCompile(`podtrack (` + strings.Join(names, "|") + `)\b|--[a-z]|PODTRACK_`)
	literals := 0
	for _, folder := range []string{"schema", "pod", "tracker", "replay"} {
		e2e.Must(t, filepath.WalkDir(e2e.Repository(t, folder), func(path string, _ fs.DirEntry,
			err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "schematest") || strings.Contains(path, filepath.Join("tracker", "fault")) {
				return err // the last two are about variables of the tests
			}
			for _, text := range stringLiterals(t, path) {
				literals++
				if named.MatchString(text) && !containsAny(text, otherPrograms) {
					t.Errorf("%s: %q names a command, a flag or a variable of the program", path, text)
				}
			}
			return nil
		}))
	}
	if literals < 1000 {
		t.Errorf("only %d literals", literals)
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// stringLiterals returns the strings in a source file.
func stringLiterals(t *testing.T, path string) (texts []string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	e2e.Must(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			e2e.Must(t, err)
			texts = append(texts, text)
		}
		return true
	})
	return texts
}
