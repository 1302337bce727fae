package page

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// TestHabits does what people do on any page: goes back, reads numbers, shares, prints.
func TestHabits(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--seeds", "0-39", "--name", "run{seed}", "--store",
		store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1280, "light")
	for name, test := range map[string]func(*browser){"back": goesBack, "readout": readsOut, "heats": readsHeats,
		"share": shares, "print": prints, "lost": isLost} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// goesBack finds a list as it was left: its rows, the one that was opened, and what was selected.
func goesBack(b *browser) {
	b.open("/")
	b.sees("40 runs", "run39")
	b.settle()
	b.press("tr[data-row='1'] input")
	b.sees("and one more")
	b.eval("document.querySelector('.scroll.fill').scrollTop = 500")
	b.until("document.querySelector('tr[data-row=\"25\"] a')?.innerText.startsWith('run')")
	b.settle()
	b.eval("document.querySelector('tr[data-row=\"25\"]').focus()")
	b.keys(kb.Enter)
	b.until("location.pathname.startsWith('/run/')")
	b.sees("Measures by iteration")
	b.eval("document.querySelector('#records').scrollIntoView({ behavior: 'instant' })")
	b.settle()
	down := b.eval("Math.round(scrollY)")
	b.eval("setTimeout(() => history.back())")
	b.sees("40 runs", "and one more")
	b.until("document.activeElement.dataset.row === '25'")
	b.until("document.querySelector('.scroll.fill').scrollTop === 500")
	b.eval("setTimeout(() => history.forward())")
	b.sees("Measures by iteration")
	b.until(fmt.Sprintf("Math.abs(scrollY - %s) < 20", down))
}

// readsOut reads a chart's numbers by keyboard, and the table behind it.
func readsOut(b *browser) {
	b.open("/run/run1")
	b.sees("Measures by iteration")
	b.settle()
	b.eval("document.querySelector('#measures .chart').focus()")
	b.keys(kb.ArrowRight)
	b.until("/^k 0 *purposes \\d+$/.test(document.querySelector('#measures output').innerText.replaceAll('\\n', ' '))")
	b.keys(kb.ArrowRight)
	b.until("document.querySelector('#measures output').innerText.startsWith('k 1')")
	b.press("#measures .numbers summary")
	b.until("document.querySelectorAll('#measures .numbers tr').length === 6")
	for _, chart := range []string{"#walk", "#spectrum"} {
		b.eval(fmt.Sprintf("document.querySelector('%s .chart').focus()", chart))
		b.keys(kb.ArrowRight)
		b.until(fmt.Sprintf("/\\d/.test(document.querySelector('%s output').innerText)", chart))
	}
	const silent = "document.querySelectorAll('.chart').length - document.querySelectorAll('.chart + output').length"
	if n := b.eval(silent); n != "0" {
		b.t.Errorf("%s charts tell no numbers", n)
	}
	b.press("#visits .numbers summary")
	b.until("/: \\d+ visits? by the end/.test(document.querySelector('#visits .numbers td').innerText)")
}

// readsHeats reads the tables behind heat maps, one of which stands beside the dendrogram of its rows.
func readsHeats(b *browser) {
	b.open("/group?q=seed%3D0-4")
	b.sees("Found by")
	for _, panel := range []string{"similarity", "found"} {
		b.press(fmt.Sprintf("#%s .numbers summary", panel))
		b.until(fmt.Sprintf("document.querySelectorAll('#%s .numbers tr').length === 5", panel))
		b.until(fmt.Sprintf("document.querySelector('#%s .tree:not(.above) path').getAttribute('d').split('M').length === 5",
			panel))
	}
	b.sees("run0 and run1: ", ": first in iteration ")
	b.until("document.querySelector('#found .above path').getAttribute('d').split('M').length === " +
		"document.querySelectorAll('#purposes tbody tr').length")
}

func shares(b *browser) {
	b.open("/run/run1?k=1#walk")
	b.sees("Measures by iteration")
	b.keys("s")
	b.until("document.querySelector('dialog[open]') !== null")
	b.sees("Share this view", b.base+"/run/run1?k=1#walk", "podtrack show run1")
	b.keys(kb.Escape)
	b.until("document.querySelector('dialog[open]') === null")
}

// prints shows a view as on paper: light, without what is to be pressed.
func prints(b *browser) {
	b.look(800, "dark")
	b.open("/run/run1")
	b.sees("Measures by iteration")
	b.onPaper(func() {
		b.until("getComputedStyle(document.querySelector('.bar')).display === 'none'")
		b.reads()
	})
	b.look(1280, "light")
}

// isLost comes to addresses that lead nowhere, and finds the way back.
func isLost(b *browser) {
	b.forgive("status of 404")
	for _, address := range []string{"/nowhere", "/run/nobody"} {
		b.open(address)
		b.press("#main a[href='/']")
		b.sees("40 runs")
	}
}
