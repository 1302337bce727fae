package e2e

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/internal/textform"
)

// TestOutsideScripts is [TestScripts] on environments in other processes, which are
// Python programs: CORRIDOR is the command of the one in testdata/env, PYTHONPATH has
// stand-ins for Gymnasium and others, GYM1 is the folder of the one with which the runs of
// the adapter's first version were made that are in STORES.
func TestOutsideScripts(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/outside",
		Cmds: scriptCommands,
		Setup: func(e *testscript.Env) error {
			testdata, err := filepath.Abs("testdata")
			e.Setenv("CORRIDOR", corridor(t))
			e.Setenv("PYTHONPATH", filepath.Join(testdata, "standin"))
			e.Setenv("GYM1", filepath.Join(testdata, "gym"))
			e.Setenv("STORES", filepath.Join(testdata, "stores"))
			e.Setenv("PYTHONDONTWRITEBYTECODE", "1")
			return err
		},
	})
}

// corridor returns the command of the environment in testdata/env.
func corridor(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/env/corridor.py")
	if err != nil {
		t.Fatal(err)
	}
	return "exec:python3 " + textform.ShellQuote(path)
}
