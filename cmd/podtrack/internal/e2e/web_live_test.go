package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageWalk zooms into a walk by dragging, down to single steps.
func TestPageWalk(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	perform(t, "run", "--steps", "50000", "--iterations", "2", "--kappa", "100", "--name", "long", "--store", store)
	b := newBrowser(t, store)
	b.look(1200, "light")
	b.open("/run/long")
	b.sees("steps 0 to 100,000 of 100,000, the range of each")
	for _, part := range []float64{0.1, 0.1} {
		b.drag("#walk .u-over", 0.5, 0.5+part)
	}
	b.sees("every single step")
	shown := b.eval("document.querySelector('[data-walk]').dataset.walk")
	var from, to, bucket int
	if _, err := fmt.Sscanf(shown, "%d-%d/%d", &from, &to, &bucket); err != nil || bucket != 1 || from < 49_000 ||
		to > 61_000 || to-from > 1100 {
		t.Errorf("a hundredth of the walk is %s", shown)
	}
	b.eval("history.back()")
	b.sees("the range of each")
	b.open(fmt.Sprintf("/run/long?k=1&from=%d&to=%d#walk", 100, 140))
	b.sees("steps 100 to 139 of 50,000, every single step")
	b.eval("document.querySelector('.walk').focus()")
	b.keys("0")
	b.sees("steps 0 to 50,000 of 50,000")
}

// drag zooms into a walk, and waits until it is another one.
func (b *browser) drag(selector string, from, to float64) {
	b.t.Helper()
	before := b.eval("document.querySelector('[data-walk]').dataset.walk")
	b.sweep(selector, from, to)
	b.until(fmt.Sprintf("document.querySelector('[data-walk]').dataset.walk !== %q", before))
}

// sweep moves the mouse over an element with its button down, from one part of its
// width to another.
func (b *browser) sweep(selector string, from, to float64) {
	b.t.Helper()
	b.eval(fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'})", selector))
	var left, top, width float64
	box := b.eval(fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); "+
		"return [r.left, r.top + r.height / 2, r.width].join(' ') })()", selector))
	if _, err := fmt.Sscan(box, &left, &top, &width); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.DragAndDropXY(left+from*width, top, left+to*width, top, 5))
}

// TestPageLive watches a run that another process works on.
func TestPageLive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	perform(t, "run", "--iterations", "1", "--name", "first", "--store", store)
	b := newBrowser(t, store)
	b.open("/")
	b.sees("1 run", "live")
	b.eval("window.same = true")
	work := start(t, "run", "--seed", "1", "--iterations", "100000", "--steps", "20000", "--kappa", "60", "--name",
		"second", "--store", store)
	b.sees("2 runs", "second", "running")
	b.until(`+/(\d+) of 100000/.exec(document.body.innerText)[1] > 1`)
	b.press(`a[title][href^="/run/"]`)
	b.until("document.querySelectorAll('#measures tbody tr').length > 2")
	if err := work.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	work.exit(t, 130)
	b.sees("interrupted")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
}
