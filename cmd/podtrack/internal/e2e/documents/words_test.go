package documents

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestWords: podtrack help WORD says what a word of the glossary means, also where the word is a command or a topic.
func TestWords(t *testing.T) {
	t.Parallel()
	commands, tried := allCommands(), 0
	for _, s := range help.Glossary() {
		for i, e := range s.Entries {
			for _, name := range e.Names() {
				_, err := help.Text(name)
				if i > 0 && commands[name] == nil && err != nil {
					continue // one of each section is enough
				}
				tried++
				printed := strings.Join(strings.Fields(e2e.Perform(t, "help", "--", name)), " ")
				if !strings.Contains(printed, e.Word+": "+e.Meaning) && !strings.Contains(printed, "VALUE: "+e.Meaning) {
					t.Errorf("help %q lacks %q: %.300s", name, e.Meaning, printed)
				}
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d words", tried)
	}
}
