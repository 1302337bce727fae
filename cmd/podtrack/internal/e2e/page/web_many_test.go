package page

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// many returns a store of so many runs that nobody has begun.
func many(t *testing.T, runs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store := tracker.New(path, tracker.Options{})
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(t.Context(), store)
	for seed := range uint64(runs) {
		spec := pod.PaperSpec()
		spec.Seed = seed
		run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 1})
		if err != nil {
			t.Fatal(err)
		}
		run.Release(nil)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// asked returns how often the page has asked for addresses that contain a text.
func (b *browser) asked(path string) int {
	b.t.Helper()
	n, err := strconv.Atoi(b.eval("performance.getEntriesByType('resource')" +
		".filter((r) => r.name.includes(" + strconv.Quote(path) + ")).length"))
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestPageMany counts what the page reads and draws of a store with thousands of runs: no
// more than is looked at, the first rows before anything else about them.
func TestPageMany(t *testing.T) {
	schematest.SkipUnlessLong(t)
	chromium(t)
	const drawn = "document.querySelectorAll('tr[data-row]').length"
	thousands, frames := schematest.Size(2, 10), schematest.Size(20, 60)
	runs, counted := thousands*1000, fmt.Sprint(thousands, ",000 runs")
	b := newBrowser(t, many(t, runs))
	b.look(1400, "light")
	b.open("/")
	b.sees(counted, "seed")
	if n := b.asked("/api/runs?"); n != 1 {
		t.Errorf("%d requests for the first rows", n)
	}
	first := b.eval("performance.getEntriesByType('resource').find((r) => r.name.includes('/api/runs?')).name")
	if first != b.base+"/api/runs?&measure=purposes&measure=distance&measure=states_visited&own=true"+
		"&offset=0&limit=50" {
		t.Errorf("the first rows are asked for by %s", first)
	}
	after := b.eval(`(() => { ` +
		`const at = (p) => performance.getEntriesByType('resource').find((r) => r.name.includes(p)); ` +
		`return at('/api/fields').startTime >= at('/api/runs?').responseEnd })()`)
	if after != "true" {
		t.Error("the fields are asked for before the first rows are there")
	}
	if rows, _ := strconv.Atoi(b.eval(drawn)); rows < 15 || rows > 80 {
		t.Errorf("%d rows are drawn", rows)
	}
	b.eval(fmt.Sprintf("(async () => { const box = document.querySelector('.scroll.fill'); "+
		"for (let i = 1; i <= %[1]d; i++) { box.scrollTop = (i * box.scrollHeight) / %[1]d; "+
		"await new Promise(requestAnimationFrame) } window.scrolled = true })()", frames))
	b.until("window.scrolled")
	b.until(fmt.Sprintf("document.querySelector('tr[data-row=\"%d\"] td a')?.textContent.length > 3", runs-1))
	if n := b.asked("/api/runs?"); n > 1+2*frames { // where a jump ends, two stretches of rows may meet
		t.Errorf("%d requests to scroll over all rows in %d steps", n, frames)
	}
	if rows, _ := strconv.Atoi(b.eval(drawn)); rows > 80 {
		t.Errorf("%d rows are drawn below", rows)
	}
	b.open("/?group=reading")
	b.sees("reading as-written · " + counted)
}
