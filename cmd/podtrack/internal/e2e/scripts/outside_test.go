package scripts

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestOutsideScripts runs what a user would type for environments in other processes, which are
// Python programs: CORRIDOR is the command of the one in testdata/env, PYTHONPATH has
// stand-ins for Gymnasium and others.
func TestOutsideScripts(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/outside",
		Cmds: scriptCommands, Condition: scriptCondition,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CORRIDOR", e2e.Corridor(t))
			e.Setenv("PYTHONPATH", e2e.Testdata(t, "standin"))
			e.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return nil
		},
	})
}
