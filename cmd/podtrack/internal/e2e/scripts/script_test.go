package scripts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs what a user would type, on the real program. Beside the scripts' own commands there are
// [e2e.ScriptCommands], and the conditions program:NAME, for a program of the machine, and long, for tests at full
// length.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/scripts",
		Cmds:      e2e.ScriptCommands,
		Condition: scriptCondition,
	})
}

// TestScriptsSkipInSight: a script that lacks a program is skipped from there on. It does not leave out lines
// without a word, since CI runs again what was skipped, where all programs are.
func TestScriptsSkipInSight(t *testing.T) {
	conditional := regexp.MustCompile(`^\[.*program:`)
	inSight := regexp.MustCompile(`^\[!program:[a-z0-9]+\] skip `)
	paths, err := filepath.Glob("testdata/scripts/*.txtar")
	e2e.Must(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		e2e.Must(t, err)
		for line := range strings.Lines(string(text)) {
			if conditional.MatchString(line) && !inSight.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}

// scriptCondition reports whether a program is here. It fails the script where one
// is lacking that must be.
func scriptCondition(condition string) (bool, error) {
	if condition == "long" {
		return testenv.Long(), nil
	}
	name, ok := strings.CutPrefix(condition, "program:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	if _, err := exec.LookPath(name); err != nil {
		return false, testenv.Lacking(name + " is not on PATH")
	}
	return true, nil
}
