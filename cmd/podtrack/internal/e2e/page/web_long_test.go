package page

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestPageLong looks at a run of 240 iterations and 12,000,000 steps: not more options are drawn than were asked for,
// an iteration is typed in place of chosen from a long list, no number of the walk's axis is cut off, and the first
// visits are drawn.
func TestPageLong(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--bits", "6", "--steps", "50000", "--iterations", "240", "--name", "long", "--store", store)
	b := newBrowser(t, store)
	b.look(1280, "light")
	b.open("/run/long")
	b.sees("States visited", "12,000,000", "live")

	const small = `document.querySelectorAll(".options canvas").length`
	b.until(small + " === 200")
	b.press("[data-more]")
	b.until(small + " === 400")

	const iteration = "#walk input[type=number]"
	if long := b.eval(`document.querySelectorAll("option").length > 100`); long == "true" {
		t.Error("the iterations stand in lists")
	}
	b.do(chromedp.SendKeys(iteration, "239\r"))
	b.until(`location.search === "?k=239" && document.querySelector("#walk").innerText.includes("of 50,000")`)
	b.eval("document.querySelector('" + iteration + "').select()")
	b.keys("\b\r")
	b.until(`location.search === "" && document.querySelector("#walk").innerText.includes("of 12,000,000")`)

	b.until(`document.querySelector("#visits img")?.naturalWidth > 0`)

	b.eval(script(t, "cut.js"))
	b.look(1280, "dark") // all charts are drawn again
	b.until("window.written > 20")
	b.settle()
	if cut := b.eval(`window.cut.join("\n")`); cut != "" {
		t.Errorf("cut off at the edge:\n%s", cut)
	}
}
