package schematest

import (
	"os/exec"
	"strings"
	"testing"
)

// Python returns a Python that has the modules, or skips the test.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	NeedsPrograms(t, "python3")
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return python
		}
	}
	SkipLacking(t, "there is no Python with %s", strings.Join(modules, ", "))
	return ""
}
