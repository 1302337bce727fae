package page

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestHabits does what people do on any page: goes back, reads numbers, shares, prints.
func TestHabits(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--seeds", "0-39", "--name", "run{seed}", "--store",
		store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1280, "light")
	for name, test := range map[string]func(*browser){"back": goesBack,
		"figure": readsFigure, "heats": readsHeats,
		"share": shares, "print": prints, "lost": isLost, "hasty": clicksAtOnce} {
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

// readsFigure reads a picture of the server by keyboard, under the pointer and in the table behind it, and opens what
// it shows.
func readsFigure(b *browser) {
	b.open("/run/run1")
	b.until("document.querySelector('#spectrum .plotted img')?.naturalWidth > 0")
	b.settle()
	reads := func(part string) {
		b.t.Helper()
		b.until(fmt.Sprintf("document.querySelector('#spectrum figcaption').innerText.startsWith(%q)", part))
	}
	b.eval("document.querySelector('#spectrum [role=img]').focus()")
	b.keys(kb.ArrowRight)
	reads("iteration 0, direction 1: σ ")
	b.keys(kb.ArrowRight)
	reads("iteration 0, direction 2: σ ")
	second := b.eval("(() => { const { style } = document.querySelector('#spectrum .plotted i'); " +
		"return JSON.stringify([parseFloat(style.left), parseFloat(style.top)]) })()") // percent of the picture
	b.keys(kb.ArrowRight)
	b.keys(kb.ArrowRight)
	reads("iteration 0, direction 4: σ ")
	b.eval("(() => { const img = document.querySelector('#spectrum img'), r = img.getBoundingClientRect(), " +
		"at = " + second + "; img.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, " +
		"clientX: r.left + at[0] * r.width / 100, clientY: r.top + at[1] * r.height / 100 })) })()")
	b.until("/, direction 2: /.test(document.querySelector('#spectrum figcaption').innerText)")
	b.press("#spectrum .numbers summary")
	b.until("document.querySelectorAll('#spectrum .numbers tr').length > 20")
	b.open("/compare?a=run0&b=run1")
	b.until("document.querySelector('#iterations .plotted img')?.naturalWidth > 0")
	b.eval("document.querySelector('#iterations [role=img]').focus()")
	b.keys(kb.ArrowRight)
	b.keys(kb.Enter)
	b.until("/run0.*run1/.test(location.search) && /%3A0%2F/.test(location.search)")
}

// readsHeats reads the table behind a heat map.
func readsHeats(b *browser) {
	b.open("/group?q=seed%3D0-4")
	b.sees("Run similarity")
	b.press("#similarity .numbers summary")
	b.until("document.querySelectorAll('#similarity .numbers tr').length === 25")
	b.sees("run0 and run1: ")
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

// prints shows a view as on paper: light, and without controls.
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

// clicksAtOnce follows a link as soon as it is there, before the page has been painted.
func clicksAtOnce(b *browser) {
	b.forgive("status of 404")
	script := sendCommand(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const watch = new MutationObserver(() => {
			const link = document.querySelector("#main a[href='/runs']");
			if (link) { watch.disconnect(); link.click() }
		});
		watch.observe(document, { childList: true, subtree: true })`})
	b.open("/nowhere")
	b.sees("40 runs")
	remove := page.RemoveScriptToEvaluateOnNewDocumentParams(script)
	sendCommand(b, page.RemoveScriptToEvaluateOnNewDocument, remove)
}

// isLost comes to addresses that lead nowhere, and finds the way back.
func isLost(b *browser) {
	b.forgive("status of 404")
	for _, address := range []string{"/nowhere", "/run/nobody"} {
		b.open(address)
		b.press("#main a[href='/runs']")
		b.sees("40 runs")
	}
}

// The width and height of A4 within its margins, in pixels.
const (
	paperWidth  = 703
	paperHeight = 1031
)

// onPaper shows the view as it is printed, with its charts drawn again.
func (b *browser) onPaper(look func()) {
	b.t.Helper()
	b.eval("dispatchEvent(new Event('beforeprint'))")
	b.eval("dispatchEvent(new Event('afterprint'))")
	b.do(chromedp.EmulateViewport(paperWidth, paperHeight))
	b.settle()
	b.eval("dispatchEvent(new Event('beforeprint'))")
	sendCommand(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print",
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.settle()
	look()
	b.look(1280, "dark")
	b.eval("dispatchEvent(new Event('afterprint'))")
}

// reads fails unless controls are printed as text, and digests completely.
func (b *browser) reads() {
	b.t.Helper()
	b.until("getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
	const unsaid = "getComputedStyle(e, '::after').content === 'none'"
	for _, none := range []struct{ what, selector, so string }{
		{"buttons", "button:not([aria-pressed=true])", "e.checkVisibility()"},
		{"pieces of code that are cut", "code", "e.clientWidth && e.scrollWidth > e.clientWidth + 1"},
		{"short digests", ".facts .digest", unsaid},
		{"tables that do not say what they lack", "table:has(tr[aria-hidden])", unsaid},
		{"filters that are hidden", "main form input[type=text]", "e.value && !e.checkVisibility()"},
	} {
		if b.eval(fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => %s)", none.selector, none.so)) != "false" {
			b.t.Errorf("there are %s", none.what)
		}
	}
}
