package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestFollows watches a run that another process works on: the list and the page of the run follow it without being
// loaded again, and what a reader has typed, chosen, unfolded and scrolled to stays.
func TestFollows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--bits", "6", "--steps", "100", "--iterations", "1", "--name", "first", "--store", store)
	e2e.Perform(t, "run", "--bits", "6", "--steps", "100", "--iterations", "1", "--name", "zeroth", "--seed", "5", "--store",
		store)
	b := newBrowser(t, store)
	b.look(widths[0], "light")
	b.open("/")
	b.sees("first", "live")
	b.eval("window.same = true")
	b.press(`main input[type=checkbox]`)
	b.eval(`(document.querySelector("input[type=search]").value = "typed", document.querySelector("input[type=search]").focus())`)
	work := e2e.Start(t, "run", "--seed", "1", "--iterations", "100000", "--steps", "100000", "--kappa", "15", "--name",
		"second", "--store", store)
	b.sees("second", "running")
	const done = `+document.body.innerText.match(/(\d+) of 100,?000/)?.[1]`
	b.until(`(() => { const n = [...document.querySelectorAll("thead th")].findIndex((h) => h.innerText === "iterations");
		return [...document.querySelectorAll("tbody tr")].some((row) => +row.cells[n].innerText > 1 && row.innerText.includes("second")) })()`)
	if b.eval(`document.querySelectorAll("main input:checked").length`) != "1" ||
		b.eval(`document.querySelector("input[type=search]").value`) != "typed" ||
		b.eval(`document.activeElement.type`) != "search" || b.eval("window.same") != "true" {
		t.Error("what the reader has chosen and typed is gone, or the page was loaded again")
	}
	b.open("/show?of=second")
	b.sees("Run second", "running", "live")
	b.eval("window.same = true")
	begun := b.eval(done)
	b.until(done + " > 1 + " + begun)
	b.until(`document.querySelectorAll("figure").length > 1`)
	b.eval(`scrollTo(0, 300)`)
	later := b.eval(done)
	b.until(done + " > 1 + " + later)
	if b.eval("Math.round(scrollY)") != "300" {
		t.Errorf("the page is scrolled to %s", b.eval("scrollY"))
	}
	e2e.Must(t, work.Process.Signal(os.Interrupt))
	work.Exit(t, 130)
	b.sees("interrupted")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
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
	b.open("/evaluate?of=first&task=all&seeds=0-9&episodes=" + fmt.Sprint(longEpisodes))
	b.sees("This takes a while")
	b.until(`document.querySelector("progress") !== null`)
	b.eval("window.same = true")
	b.sees("primitive actions")
	b.until(`document.querySelector("progress") === null`)
	b.do(chromedp.Reload())
	b.sees("primitive actions")
}

// longEpisodes are episodes that take some seconds.
const longEpisodes = 2000
