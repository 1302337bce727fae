package page

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestPageLong looks at a run of 240 iterations and 12,000,000 steps: an iteration is typed in place of chosen from a
// long list, and the first visits are drawn.
func TestPageLong(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--bits", "6", "--steps", "50000", "--iterations", "240", "--name", "long", "--store", store)
	b := newBrowser(t, store)
	b.look(1280, "light")
	b.open("/run/long")
	b.sees("States visited", "live")

	const iteration = "#walk input[type=number]"
	if long := b.eval(`document.querySelectorAll("option").length > 100`); long == "true" {
		t.Error("the iterations stand in lists")
	}
	b.do(chromedp.SendKeys(iteration, "239\r"))
	b.until(`location.search === "?k=239" && document.querySelector("#walk [role=img]")?.ariaLabel.includes("long:239")`)
	b.eval("document.querySelector('" + iteration + "').select()")
	b.keys("\b\r")
	b.until(`location.search === "" && document.querySelector("#walk [role=img]")?.ariaLabel.includes("of long and")`)

	b.until(`document.querySelector("#visits img")?.naturalWidth > 0`)
}
