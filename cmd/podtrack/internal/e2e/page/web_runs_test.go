package page

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
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

// TestRunsView looks at runs that are complete and incomplete.
func TestRunsView(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--seeds", "0-2", "--name", "run{seed}", "--store",
		store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1600, "dark")
	b.open("/")
	b.sees("3 runs", "run2")

	if n := b.eval("document.querySelectorAll('.progress').length"); n != "0" {
		t.Errorf("%s progress bars of complete runs", n)
	}
	if text := b.eval("document.querySelector('thead').innerText"); strings.Contains(text, "tags") {
		t.Errorf("a column without a value is shown: %s", text)
	}
	left := func(of string) string { return "document.querySelector('" + of + "').getBoundingClientRect().left" }
	aligned := left(".brand") + " - " + left("h1")
	if off := b.eval("Math.abs(" + aligned + ") < 1"); off != "true" {
		t.Errorf("the bar begins %s pixels beside the view", b.eval(aligned))
	}

	e2e.Start(t, "label", "run1", "--tag", "special", "--store", store).Exit(t, 0)
	b.sees("tags", "special")
	b.press("a[title='only tag=special']")
	b.sees("1 run")
	b.until("location.search === '?q=tag%3Dspecial'")

	b.look(400, "light")
	b.eval("document.querySelector('.scroll').scrollLeft = 300")
	b.until(left("tbody a") + " > 0")

	for _, view := range []struct{ address, title string }{
		{"/run/run1", "run1"}, {"/run/run1/option/0/1%2B", "Option 0/1+ #0 · run1 · "},
		{"/nowhere", "There is no such page"},
	} {
		b.open(view.address)
		b.until(fmt.Sprintf("document.title.startsWith(%q)", view.title))
	}
	b.press(".empty a")
	b.sees("3 runs")
}
