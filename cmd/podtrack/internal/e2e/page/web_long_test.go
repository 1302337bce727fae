package page

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPageLong looks at a run of 120 iterations and 12,000,000 steps: not more options are drawn than were asked for,
// no number of the walk's axis is cut off, and the first visits are drawn.
func TestPageLong(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--bits", "6", "--steps", "100000", "--iterations", "120", "--name", "long", "--store", store)
	b := newBrowser(t, store)
	b.look(1280, "light")
	b.open("/run/long")
	b.sees("States visited", "12,000,000", "live")

	const small = `document.querySelectorAll(".options canvas").length`
	b.until(small + " === 200")
	b.press("[data-more]")
	b.until(small + " === 400")

	b.until(`document.querySelector("#visits img")?.naturalWidth > 0`)

	b.eval(script(t, "cut.js"))
	b.look(1280, "dark") // all charts are drawn again
	b.until("window.written > 20")
	b.settle()
	if cut := b.eval(`window.cut.join("\n")`); cut != "" {
		t.Errorf("cut off at the edge:\n%s", cut)
	}
}
