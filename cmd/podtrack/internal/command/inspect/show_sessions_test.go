package inspect

import (
	"bytes"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// TestManySessions: of many sessions the last are shown, and text from elsewhere stays
// on its line.
func TestManySessions(t *testing.T) {
	var all []report.Session
	for pid := range 13 {
		all = append(all, report.Session{PID: 1000 + pid, Go: "go1", Platform: "linux/amd64", State: tracker.SessionComplete,
			To: 2})
	}
	all[12].State, all[12].Error = tracker.SessionFailed, "first\x1b[31m\nsecond"
	var out bytes.Buffer
	printSessions(table.Text{Writer: &out}, all)
	text := out.String()
	if strings.Contains(text, "1002") || strings.Count(text, "complete") != 9 {
		t.Errorf("not the last ten:\n%s", text)
	}
	for _, part := range []string{"3 sessions before these", "1003", "iterations 0 to 1",
		`PID 1012 failed: first\u001b[31m\nsecond`, "built with go1 for linux/amd64\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("not said: %q\n%s", part, text)
		}
	}
}
