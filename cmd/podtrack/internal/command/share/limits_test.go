package share

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestIterationsLimit: 2^20 iterations are accepted, and one more is refused by an error that names the limit.
func TestIterationsLimit(t *testing.T) {
	for list, n := range map[string]int{
		"0-1048575": 1 << 20, "0-1048576": 0, "0-1048574,1048575": 1 << 20, "0-1048574,1048575,1": 0, "3-3": 1, "3-2": 0,
	} {
		all, err := parseIterations(list)
		if len(all) != n || (err == nil) != (n > 0) {
			t.Errorf("%s: %d iterations, %v", list, len(all), err)
		}
		text := fmt.Sprintf("%v (%s)", err, schema.Remedy(err))
		if n == 0 && list != "3-2" && !strings.Contains(text, "too many (list up to 1048576") ||
			list == "3-2" && !strings.Contains(text, `--iterations: invalid value "3-2" (write`) {
			t.Errorf("%s: %s", list, text)
		}
	}
}

// TestNoteLimit: a dropped note of 200 characters is printed whole; for a longer one, the command that prints it.
func TestNoteLimit(t *testing.T) {
	note := func(n int) string {
		var r mergedRun
		r.Dropped = merge.Dropped{TheirNote: strings.Repeat("a", n)}
		return strings.Join(r.droppedLines("podtrack.db"), "\n")
	}
	if at, beyond := note(200), note(201); strings.Contains(at, " prints it whole") ||
		!strings.Contains(beyond, " prints it whole") {
		t.Errorf("200 characters: %s\n201: %s", at, beyond)
	}
}
