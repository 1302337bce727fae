package documents

import (
	"os"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestVersion: files that are not Go repeat the version.
func TestVersion(t *testing.T) {
	t.Parallel()
	python := strings.Replace(schema.Version, "-dev", ".dev0", 1) // PEP 440
	for path, line := range map[string]string{
		"CHANGELOG.md":                             "## " + schema.Version,
		"CITATION.cff":                             "version: " + schema.Version,
		"cmd/podtrack/python/pyproject.toml":       `version = "` + python + `"`,
		"cmd/podtrack/python/podtrack/__init__.py": `__version__ = "` + python + `"`,
	} {
		text, err := os.ReadFile(e2e.Repository(t, path))
		e2e.Must(t, err)
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("%s does not have the line %s", path, line)
		}
	}
}
