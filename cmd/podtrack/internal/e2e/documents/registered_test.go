package documents

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestRegisteredDocuments compares what documents list of the environments with what these declare.
func TestRegisteredDocuments(t *testing.T) {
	states := "| environment | index of a state |\n|---|---|\n"
	all := "| `--env` | what it is | index of a state |\n|---|---|---|\n"
	for _, env := range envs.RegisteredEnvs() {
		all += fmt.Sprintf("| `%s` | %s | %s |\n", env.Name, env.Usage, env.States)
		states += fmt.Sprintf("| `%s` | %s |\n", env.Name, env.States)
	}
	compareList(t, "schema/FORMAT.md", `(?m)^\| environment \| index of a state \|\n(\|.*\n)*`, states)
	compareList(t, "cmd/podtrack/internal/help/topics/environments.md", `(?m)^\| .--env. \|.*\n(\|.*\n)*`, all)
}

// compareList compares the part of a document that matches a pattern with what it should be, which
// -update-documents writes.
func compareList(t *testing.T, document, pattern, want string) {
	t.Helper()
	path := e2e.Repository(t, document)
	text, err := os.ReadFile(path)
	e2e.Must(t, err)
	at := regexp.MustCompile(pattern).FindStringIndex(string(text))
	switch {
	case at == nil:
		t.Errorf("%s has nothing of the form %s", document, pattern)
	case string(text[at[0]:at[1]]) == want:
	case *updateDocuments:
		e2e.Must(t, os.WriteFile(path, []byte(string(text[:at[0]])+want+string(text[at[1]:])), 0o666))
	default:
		t.Errorf("%s has (go test -run Documents -update-documents renews it)\n%s\nwant\n%s", document, text[at[0]:at[1]],
			want)
	}
}
