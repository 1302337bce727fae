package page

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestPageFigures sees figures of runs.
func TestPageFigures(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--name", "ring", "--store", store)
	e2e.Perform(t, "run", "--name", "taxi", "--env", "taxi", "--iterations", "2", "--store", store)
	for _, seed := range []string{"1", "2"} {
		e2e.Perform(t, "run", "--seed", seed, "--bits", "6", "--iterations", "1", "--name", "s"+seed, "--store", store)
	}
	b := newBrowser(t, store)
	b.look(1200, "light")
	for name, test := range map[string]func(*browser){
		"numbers": sameNumbers, "walk": walks, "visits": firstVisits, "three": selectingThree,
	} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// sameNumbers compares a number of the page with the same one as figures print it.
func sameNumbers(b *browser) {
	b.open("/run/ring/option/2/3%2B")
	b.sees("above κ")
	b.eval(`fetch("/api/runs/ring/iterations/2/options/3%2B").then((r) => r.json()).then((o) => ` +
		`window.sigma = o.purpose.sigma), ''`)
	b.until("window.sigma > 0")
	sigma, err := strconv.ParseFloat(b.eval("window.sigma"), 64)
	e2e.Must(b.t, err)
	b.sees(palette.Number("sigma", sigma))
}

// walks draws the walk of a run, and that of one iteration.
func walks(b *browser) {
	b.open("/run/ring#walk")
	b.until(`document.querySelector("#walk [role=img]")?.ariaLabel.startsWith("Position over time of ring and pri")`)
	b.open("/run/ring?k=1#walk")
	b.until(`document.querySelector("#walk [role=img]")?.ariaLabel.startsWith("Position over time of ring:1 ")`)
	b.sees("podtrack plot walk ring:1")
}

// firstVisits draws when states were first visited by the run, and by one iteration.
func firstVisits(b *browser) {
	drawn := func(caption string) {
		b.until(fmt.Sprintf(`document.querySelector("#visits [role=img]")?.ariaLabel.startsWith(%q)`, caption))
		b.until(`document.querySelector("#visits img").naturalWidth > 0`)
	}
	b.open("/run/ring#visits")
	drawn("First visits of ring:")
	b.eval(`(() => { const of = document.querySelector("#visits select"); of.value = "1"; ` +
		`of.dispatchEvent(new Event("change", { bubbles: true })) })()`)
	b.until(`location.search === "?visits=1"`)
	drawn("First visits of ring:1:")
	b.sees("podtrack plot visits ring:1")
	b.press("#visits .numbers summary")
	b.until(`document.querySelectorAll("#visits .numbers tr").length === 66`) // the states that are new in iteration 1
}

// selectingThree selects three runs, of which none is dropped.
func selectingThree(b *browser) {
	b.open("/?sort=name")
	b.sees("4 runs")
	for _, name := range []string{"ring", "s1", "s2"} {
		b.press(fmt.Sprintf(`[aria-label="select %s to compare"]`, name))
	}
	b.sees("ring, s1, s2")
	b.press(".chosen a.button")
	b.until(`location.pathname === "/compare" && location.search === "?by=run&q=ring&q=s1&q=s2"`)
}
