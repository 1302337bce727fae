// Package scripts tests scripts of what a user types.
package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
)

// TestScripts runs what a user would type, on the real program. Beside the scripts' own commands there are
// [scriptCommands] and the conditions of [scriptCondition].
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:       "testdata/scripts",
		Cmds:      scriptCommands,
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

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, map[string]func(){
		"podtrack-own": ownPodtrack, "serve-env": envserver.Main, "hostile-world": envserver.HostileWorld,
	})
}
