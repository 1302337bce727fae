package page

import (
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

// TestPageMany counts what the page reads and draws of a store with 10,000 runs: no
// more than is looked at, the first rows before anything else about them.
func TestPageMany(t *testing.T) {
	schematest.SkipUnlessLong(t)
	chromium(t)
	const drawn = "document.querySelectorAll('tr[data-row]').length"
	b := newBrowser(t, many(t, 10_000))
	b.look(1400, "light")
	b.open("/")
	b.sees("10,000 runs", "seed")
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
	b.eval("(async () => { const box = document.querySelector('.scroll.fill'), took = []; let last = performance.now(); " +
		"for (let i = 1; i <= 60; i++) { box.scrollTop = (i * box.scrollHeight) / 60; " +
		"const now = await new Promise(requestAnimationFrame); took.push(now - last); last = now } window.took = took })()")
	b.until("window.took")
	t.Logf("scrolling over 10,000 rows in 60 frames: %s ms a frame, the slowest %s ms",
		b.eval("(took.reduce((a, b) => a + b) / took.length).toFixed(1)"), b.eval("Math.max(...took).toFixed(1)"))
	b.until("document.querySelector('tr[data-row=\"9999\"] td a')?.textContent.length > 3")
	if n := b.asked("/api/runs?"); n > 1+2*60 { // where a jump ends, two stretches of rows may meet
		t.Errorf("%d requests to scroll over 10,000 rows in 60 steps", n)
	}
	if rows, _ := strconv.Atoi(b.eval(drawn)); rows > 80 {
		t.Errorf("%d rows are drawn below", rows)
	}
	b.open("/?group=reading")
	b.sees("reading as-written · 10,000 runs")
}
