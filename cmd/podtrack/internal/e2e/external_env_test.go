package e2e

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/schema"
)

// TestOutsideScripts is [TestScripts] on environments in other processes, which are
// Python programs: CORRIDOR is the command of the one in testdata/env, and PYTHONPATH
// has a stand-in for gymnasium, STORES is the folder of stores that older versions wrote.
func TestOutsideScripts(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/outside",
		Cmds: scriptCommands,
		Setup: func(e *testscript.Env) error {
			gym, err := filepath.Abs("testdata/gym")
			e.Setenv("CORRIDOR", corridor(t))
			e.Setenv("PYTHONPATH", gym)
			e.Setenv("STORES", filepath.Join(filepath.Dir(gym), "stores"))
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
	return "exec:python3 " + schema.ShellQuote(path)
}
