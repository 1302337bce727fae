// Package e2e has what the tests of the whole program share, which stand in the packages
// below it by what they test. Their binaries are the program: see [Main].
package e2e

import (
	"maps"
	"os"
	"runtime/debug"
	"testing"

	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/rogpeppe/go-internal/testscript"
)

// Main runs the tests of a package. Their binary is, by other names, the program, the one that can be told
// where to die, and what the package has of its own. The first two validate what they print with --json.
func Main(m *testing.M, own map[string]func()) {
	// Processes that live for milliseconds would spend an eighth of them collecting garbage. A memory limit still
	// holds, and GOGC in the environment takes precedence.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	programs := map[string]func(){
		"podtrack":        func() { os.Exit(mainOfTests()) },
		"podtrack-faults": func() { fault.Enable(); os.Exit(mainOfTests()) },
		"hostile-world":   hostileWorld,
		"serve-env":       serveEnv,
	}
	maps.Copy(programs, own)
	testscript.Main(m, programs)
}
