package page

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// unmeasured finds a zero that has a unit; 220 µs is none.
var unmeasured = regexp.MustCompile(`(^|[^0-9.])0 (µs|B)\b`)

// TestPageLive watches a run that another process works on.
func TestPageLive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--iterations", "1", "--name", "first", "--store", store)
	b := newBrowser(t, store)
	b.open("/")
	b.sees("1 run", "live")
	b.eval("window.same = true")
	work := e2e.Start(t, "run", "--seed", "1", "--iterations", "100000", "--steps", "1000000", "--kappa", "15", "--name",
		"second", "--store", store)
	b.sees("2 runs", "second", "running")
	b.until(`+/(\d+) of 100000/.exec(document.body.innerText)?.[1] > 1`)
	b.press(`a[title][href^="/run/"]`)
	b.until("document.querySelectorAll('#measures tbody tr').length > 2")
	if cost := b.eval("document.querySelector('#cost').innerText"); unmeasured.MatchString(cost) {
		t.Errorf("what was not measured is shown as none: %s", cost)
	}
	b.sees(" of 100000")
	if newest := b.eval("document.querySelector('#measures tbody tr').innerText.split('\t')[0]"); newest < "1" {
		t.Errorf("the first row of a running run has iteration %q", newest)
	}
	if err := work.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	work.Exit(t, 130)
	b.sees("interrupted")
	b.until("document.querySelector('#measures tbody tr').innerText.startsWith('0')")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
}

// counting counts the requests of a page from then on, by the last part of their paths.
const counting = `(() => {
	const ask = fetch
	window.asked = {}
	window.fetch = (path, options) => {
		const part = new URL(path, location).pathname.replace(/^.api.runs.[0-9a-z]+/, '') || '/'
		asked[part] = (asked[part] ?? 0) + 1
		return ask(path, options)
	}
})()`

// TestPageAsksLittle counts what the page of a running run asks for as the run makes iterations, each of which waits
// until the page shows the one before.
func TestPageAsksLittle(t *testing.T) {
	chromium(t)
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 100
	w, next, ended := groupcommit.Start(t.Context(), store), make(chan struct{}), make(chan error, 1)
	const before, iterations = 2, 4
	go func() {
		k := -1
		replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
			if e.K > k && e.K >= before {
				<-next
			}
			k = e.K
		}}).RunAll(t.Context(), slices.Values([]replay.Job{{Spec: spec, Target: before + iterations}}), 1,
			func(_ replay.Job, o replay.Outcome) { ended <- o.Err })
	}()
	b := newBrowser(t, store.Path())
	b.look(1200, "light")
	b.open("/")
	b.until("document.querySelector('.track')?.parentElement.innerText.includes('2 of 6')")
	b.press(`a[title][href^="/run/"]`)
	shows := func(n int) {
		t.Helper()
		b.until(fmt.Sprintf("document.querySelectorAll('#measures tbody tr').length === %d", n))
		b.settle()
	}
	shows(before)
	b.eval(counting)
	for i := range iterations - 1 {
		next <- struct{}{}
		shows(before + i + 1)
	}
	asked := map[string]int{}
	if err := json.Unmarshal([]byte(b.eval("JSON.stringify(asked)")), &asked); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for part, n := range asked {
		sum += n
		if limit := iterations - 1; part != "/" && n > limit {
			t.Errorf("%s was asked for %d times in %d iterations", part, n, limit)
		}
	}
	if each := float64(sum) / (iterations - 1); asked["/options"] == 0 || each > 12 {
		t.Errorf("%.1f requests for an iteration: %v", each, asked)
	}
	t.Log(asked)
	close(next)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPageLocked watches a running run while another process holds the lock of its store for long: the page keeps what
// it shows, and is up to date again when the lock is free.
func TestPageLocked(t *testing.T) {
	schematest.SkipUnlessLong(t)
	chromium(t)
	s := newSweeper(t)
	e2e.Perform(t, "run", "--seed", "9", "--iterations", "2", "--name", "first", "--store", s.store.Path())
	run := s.begin("LOCK")
	b := newBrowser(t, s.store.Path())
	b.look(1200, "light")
	b.open("/")
	b.sees("2 runs", "first", "running", "live")
	b.settle()
	b.forgive("503")
	s.must(s.store.Update(t.Context(), func(*tracker.Tx) error {
		b.sees("store locked", "is locked by ", "2 runs", "first")
		if b.eval("!!document.querySelector('.link.live')") == "true" {
			t.Error("the store is locked, and the page calls itself live")
		}
		return nil
	}))
	b.sees("live")
	b.until("!document.querySelector('.fault')")
	s.end(run)
	b.until("!document.querySelector('.status.running')")
}
