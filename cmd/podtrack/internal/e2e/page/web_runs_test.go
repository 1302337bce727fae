package page

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestFirstStart opens the page before there is a store: it welcomes, and shows the first run once there is one.
func TestFirstStart(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	b := newBrowser(t, store)
	b.forgive("status of 404")
	for _, width := range []int64{400, 1600} {
		b.look(width, "dark")
		b.open("/")
		b.sees("Welcome", "podtrack run", "podtrack run --seeds 1-5")
		if b.eval("document.querySelector('[role=alert]')") != "null" {
			t.Error("a store that is not there yet is shown as a fault")
		}
		b.proper()
	}
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--name", "first", "--store", store).Exit(t, 0)
	b.sees("1 run", "first")
	b.until("document.title === 'Runs · podtrack.db · podtrack'")
}
