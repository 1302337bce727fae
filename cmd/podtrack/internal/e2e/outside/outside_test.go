// Package outside tests scripts of what a user types for environments in other processes. It is not one with the
// other scripts, so that each ends within Go's ten minutes on a busy machine.
package outside

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

func TestMain(m *testing.M) { e2e.Main(m, nil) }

// TestOutsideScripts runs what a user would type for environments in other processes, which are
// Python programs: CORRIDOR is the command of the one in testdata/env, PYTHONPATH has
// stand-ins for Gymnasium and others.
func TestOutsideScripts(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/scripts",
		Cmds: e2e.ScriptCommands, Condition: e2e.ScriptCondition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CORRIDOR", e2e.Corridor(t))
			e.Setenv("PYTHONPATH", e2e.Testdata(t, "standin"))
			e.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return nil
		},
	})
}
