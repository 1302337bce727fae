package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestFollows watches a run each of whose iterations waits until the page shows the one before: the list and the page
// of the run follow it without being loaded again, and what a reader has typed, chosen and scrolled to stays.
func TestFollows(t *testing.T) {
	t.Parallel()
	chromium(t)
	path := e2e.Small(t, "--name", "first")
	store := tracker.New(path, tracker.Options{})
	note := strings.Repeat("a long note ", 300) // so that pages scroll
	e2e.Perform(t, "label", "first", "--store", path, "--note", note)
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps, spec.Seed = 6, 100, 1
	const iterations = 8
	w, next, ended := groupcommit.Start(t.Context(), store), make(chan struct{}), make(chan error, 1)
	go func() {
		k := -1
		replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
			if e.K > k {
				<-next
			}
			k = e.K
		}}).RunAll(t.Context(), slices.Values([]replay.Job{{Spec: spec, Target: iterations, Name: "second"}}), 1,
			func(_ replay.Job, o replay.Outcome) { ended <- o.Err })
	}()
	b := newBrowser(t, path)
	b.look(widths[0], "light")
	b.open("/")
	b.sees("first", "second", "running", "live")
	b.eval("window.same = true")
	b.press(fmt.Sprintf(`main input[value=%q]`, b.idOf("first")))
	b.do(chromedp.SendKeys("input[type=search]", "typed"))
	const listed = `(() => {
		const n = [...document.querySelectorAll("thead th")].findIndex((h) => h.innerText === "iterations");
		const row = [...document.querySelectorAll("tbody tr")].find((row) => row.innerText.includes("second"));
		return parseInt(row.cells[n].innerText) })()`
	done := 0
	for range 3 {
		next <- struct{}{}
		done++
		b.until(fmt.Sprint(listed, " >= ", done-1))
	}
	if b.eval(`document.querySelectorAll("main input:checked").length`) != "1" ||
		b.eval(`document.querySelector("input[type=search]").value`) != "typed" ||
		b.eval(`document.activeElement.type`) != "search" || b.eval("window.same") != "true" {
		t.Error("what the reader has chosen and typed is gone, or the page was loaded again")
	}
	b.open("/show?of=second")
	b.sees("Run second", "running", "live")
	b.until(`document.querySelectorAll("figure").length > 1`)
	b.eval("window.same = true")
	b.eval(`scrollTo(0, 300)`)
	for range iterations - done {
		next <- struct{}{}
		done++
		b.until(fmt.Sprintf(`+document.querySelector("main").innerText.match(/(\d+) of %d/)[1] >= %d`, iterations, done-1))
	}
	close(next)
	e2e.Must(t, <-ended)
	e2e.Must(t, w.Close(t.Context()))
	b.sees("complete", fmt.Sprintf("%[1]d of %[1]d", iterations))
	if b.eval("Math.round(scrollY)") != "300" || b.eval("window.same") != "true" {
		t.Errorf("the page is scrolled to %s, or was loaded again", b.eval("scrollY"))
	}
}

// TestFirstRun opens the page before there is a store: it says what is missing, and shows the first run once there is
// one.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	b := newBrowser(t, store)
	b.forgive("status of 404")
	b.look(widths[2], "dark")
	b.open("/")
	b.sees("podtrack run")
	b.fits("no store")
	b.accessible("dark")
	b.eval("window.same = true")
	e2e.Perform(t, "run", "--bits", "5", "--steps", "50", "--name", "first", "--store", store)
	b.sees("Runs", "first")
	if b.eval("window.same") != "true" || b.eval("document.title") != "Runs" {
		t.Errorf("the page %q was loaded again", b.eval("document.title"))
	}
}

// TestDisconnected takes the server away: the page says so, keeps what it shows, and goes on once the server is back.
func TestDisconnected(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := e2e.Small(t, "--name", "first")
	self, err := os.Executable()
	e2e.Must(t, err)
	serve := func(addr string) *e2e.Program {
		p := &e2e.Program{Cmd: &exec.Cmd{Path: self, Args: []string{"podtrack", "serve", "--store", store, "--addr", addr}}}
		p.Begin(t)
		return p
	}
	addr := freeAddress(t)
	p := serve(addr)
	answers(t, addr)
	b := openBrowser(t, "http://"+addr)
	b.forgive("Failed to load resource", "ERR_")
	b.open("/")
	b.sees("first", "live")
	b.eval("window.same = true")
	e2e.Must(t, p.Process.Kill())
	_ = p.Wait()
	b.sees("not connected", "first")
	e2e.Perform(t, "label", "first", "--name", "renamed", "--store", store)
	serve(addr)
	b.sees("live", "renamed")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
}

// TestLockHeld holds the lock of a store, of which a run is at work, for as long as the page takes to notice: it says
// so, keeps what it shows, and is up to date again when the lock is free.
func TestLockHeld(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	e2e.Must(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: pod.PaperSpec(), Target: 1, Name: "held"})
	e2e.Must(t, err)
	e2e.Must(t, w.Flush(t.Context()))
	b := newBrowser(t, store.Path())
	b.open("/")
	b.sees("held", "running", "live")
	b.forgive("503")
	e2e.Must(t, store.Update(t.Context(), func(*tracker.Tx) error {
		b.until(`document.getElementById("live").innerText !== "live"`)
		b.sees("store busy", "held")
		return nil
	}))
	b.sees("live")
	run.Release(nil)
	e2e.Must(t, w.Close(t.Context()))
	b.until(`!document.querySelector("main").innerText.includes("running")`)
}

// TestTakesLong opens a document that takes longer than the page waits: it says how far it is, and shows it in its
// time, with scripts and without.
func TestTakesLong(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := e2e.Small(t, "--name", "first")
	b := newBrowser(t, store)
	const waits = `document.body.innerText.includes("This takes a while")`
	for episodes := 200; ; episodes *= 2 { // until they take long on this machine
		b.open(fmt.Sprint("/evaluate?of=first&task=all&seeds=0-9&episodes=", episodes))
		if b.eval(waits) == "true" {
			break
		}
		b.sees("options")
	}
	b.until(`document.querySelector("progress") === null`)
	b.sees("podtrack evaluate", "ties count half")
	b.do(chromedp.Reload())
	b.sees("ties count half")
}

// TestManyTabs opens more pages than a browser has connections to one server, each hidden by the next: all are shown,
// and the first is up to date again when it is seen.
func TestManyTabs(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := e2e.Small(t, "--name", "first")
	b := newBrowser(t, store)
	see := func(tab *browser, hidden bool) {
		tab.eval(fmt.Sprintf(`(Object.defineProperty(document, "hidden", { value: %t, configurable: true }), `+
			`document.dispatchEvent(new Event("visibilitychange")))`, hidden))
	}
	b.open("/")
	b.sees("first", "live")
	b.eval("window.same = true")
	see(b, true)
	for range 8 {
		ctx, cancel := chromedp.NewContext(b.ctx)
		defer cancel()
		tab := &browser{t: t, ctx: ctx, base: b.base}
		tab.do(chromedp.Navigate("about:blank")) // which opens the tab
		tab.open("/show?of=first")
		tab.sees("Run first", "live")
		see(tab, true)
	}
	e2e.Perform(t, "label", "first", "--name", "renamed", "--store", store)
	see(b, false)
	b.sees("renamed", "live")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
}
