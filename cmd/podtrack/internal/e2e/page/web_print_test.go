package page

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// The width and height of A4 within its margins, in pixels.
const (
	paperWidth  = 703
	paperHeight = 1031
)

// seenOnPaper is every kind of view with what it has to say on paper.
var seenOnPaper = []view{
	{"/", []string{"run39", "iterations", "podtrack ls"}},
	{"/?group=bits", []string{"bits 5 · 40 runs"}},
	{"/run/rooms", []string{"rooms", "0/1+"}},
	{"/run/run1", []string{"run1", "0/1+"}},
	{"/run/rooms/option/0/1%2B", []string{"Value and policy", "first at"}},
	{"/compare?q=seed%3D1-4&q=steps%3D50&by=seed", []string{"split by", "seed 4"}},
	{"/compare?a=run1&b=run2", []string{"By iteration"}},
	{"/group?q=seed%3D0-4&q=steps%3D50", []string{"Run similarity", "prevalence"}},
}

// TestPrint prints every kind of view from a wide window with dark colours.
func TestPrint(t *testing.T) {
	t.Parallel()
	schematest.SkipUnlessLong(t)
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--seeds", "0-39", "--name", "run{seed}", "--store",
		store).Exit(t, 0)
	e2e.Start(t, "run", "--env", "grid:four-rooms", "--select", "top=3", "--steps", "2000", "--iterations", "2",
		"--name", "rooms", "--store", store).Exit(t, 0)
	b := newBrowser(t, store)
	for _, v := range seenOnPaper {
		t.Run(v.address, func(t *testing.T) {
			b.use(t)
			b.look(1280, "dark")
			b.do(chromedp.Navigate("about:blank"))
			b.open(v.address)
			b.sees("live")
			b.settle()
			pages := b.print(v)
			b.onPaper(func() {
				b.sees(v.says...)
				b.reads()
				if wrong := b.eval(script(t, "printed.js")); wrong != "" {
					t.Error(wrong)
				}
				b.fewPages(pages)
			})
			b.until("document.documentElement.dataset.theme === 'dark'")
		})
	}
}

// print returns of how many pages the view's PDF is.
func (b *browser) print(v view) int {
	b.t.Helper()
	pdf := sendCommand(b, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69}).Data
	if *screenshots != "" {
		e2e.Must(b.t, os.WriteFile(filepath.Join(*screenshots, fileName(v.address)+".pdf"), pdf, 0o666))
	}
	return bytes.Count(pdf, []byte("/Type /Page\n"))
}

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

// fewPages fails if there are more pages than the view's height needs.
func (b *browser) fewPages(pages int) {
	b.t.Helper()
	var height float64
	_, err := fmt.Sscan(b.eval("document.documentElement.scrollHeight"), &height)
	e2e.Must(b.t, err)
	b.t.Logf("%d pages of %.0f pixels", pages, height)
	if most := 1 + int(math.Ceil(1.3*height/paperHeight)); pages == 0 || pages > most {
		b.t.Errorf("%d pages for %.0f pixels, want 1 to %d", pages, height, most)
	}
}
