package schematest

import (
	"os/exec"
	"testing"
)

// NumPy returns a Python that has NumPy, or skips the test.
func NumPy(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "NumPy", "import numpy")
}

// SciPy returns a Python that has NumPy and SciPy, or skips the test.
func SciPy(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "SciPy", "import numpy, scipy")
}

// PyTest returns a Python that has NumPy, pip and pytest, or skips the test.
func PyTest(t testing.TB) string {
	t.Helper()
	return pythonWith(t, "NumPy, pip and pytest", "import numpy, pip, pytest")
}

func pythonWith(t testing.TB, what, statement string) string {
	t.Helper()
	NeedsPrograms(t, "python3")
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", statement).Run() == nil {
			return python
		}
	}
	SkipLacking(t, "there is no Python with %s", what)
	return ""
}
