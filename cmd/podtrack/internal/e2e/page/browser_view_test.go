package page

import (
	"cmp"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var screenshots = flag.String("screenshots", "", "write what is seen of each page as PNG into `FOLDER`")

// view is an address of the site, and what its document says.
type view struct {
	address string
	says    []string
}

// widths are those of a screen, a tablet and a telephone, in pixels.
var widths = []int64{1440, 1024, 390}

var themes = []string{"light", "dark"}

const viewHeight = 900

// lookAt opens a page, and looks at it in all widths in one theme and on a screen in the other. It must not complain,
// ask for anything from elsewhere, be wider than the window, show what is no number, or be hard to read.
func (b *browser) lookAt(v view) {
	b.t.Helper()
	b.look(widths[0], themes[0])
	b.open(v.address)
	b.sees(v.says...)
	for i, theme := range themes {
		for _, width := range widths[:len(widths)-i*(len(widths)-1)] {
			b.look(width, theme)
			b.fits(fmt.Sprint(width, " ", theme))
			b.photograph(v, width, theme)
		}
		b.accessible(theme)
	}
	const noNumbers = `document.querySelector("main").innerText.match(/.*\b(NaN|undefined|Infinity|%!).*/g)`
	if wrong := b.eval("(" + noNumbers + ` ?? []).join("\n")`); wrong != "" {
		b.t.Errorf("the page says:\n%s", wrong)
	}
}

// fits fails if the page is wider than the window, or if a text or a picture is cut with no way to see the rest.
func (b *browser) fits(look string) {
	b.t.Helper()
	const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`
	b.until("await " + settled)
	if wide := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide != "0" {
		b.t.Errorf("%s: the page is %s pixels wider than the window: %s", look, wide, b.eval(widest))
	}
	if cut := b.eval(cutTexts); cut != "" {
		b.t.Errorf("%s: cut with no way to see the rest:\n%s", look, cut)
	}
	if broken := b.eval(emptyFigures); broken != "" {
		b.t.Errorf("%s: %s", look, broken)
	}
}

// widest names elements that reach beyond the window and are in no box that scrolls.
const widest = `[...document.querySelectorAll("body *")].filter((e) =>
	e.getBoundingClientRect().right > innerWidth + 1 &&
	!e.closest(".table, pre, svg")).map((e) => e.outerHTML.slice(0, 120)).slice(0, 5).join("\n")`

// cutTexts lists elements whose contents overflow them where they are hidden.
const cutTexts = `[...document.querySelectorAll("body *")].filter((e) => {
	const s = getComputedStyle(e);
	return !e.closest("svg, .hidden, .skip, textarea") && e.checkVisibility() && s.display !== "inline" &&
		[s.overflowX, s.overflowY].some((o) => o === "hidden" || o === "clip") &&
		(e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
}).map((e) => e.outerHTML.slice(0, 120)).slice(0, 5).join("\n")`

// emptyFigures lists figures that are not drawn in exactly one theme, and without marks or a caption.
const emptyFigures = `[...document.querySelectorAll("figure")].map((f) => {
	const shown = [...f.querySelectorAll("svg")].filter((s) => s.checkVisibility());
	if (shown.length !== 1) return shown.length + " pictures of a figure are shown";
	const box = shown[0].getBoundingClientRect();
	if (box.width < 100 || box.height < 50) return "a figure is " + box.width + " × " + box.height + " pixels";
	if (!shown[0].querySelector("path, rect, circle, line, polyline, use")) return "a figure has no marks";
	return f.querySelector("figcaption")?.innerText.trim() ? "" : "a figure has no caption";
}).filter(Boolean).join("\n")`

// photograph writes what is seen of a page, all of its height, where that is wanted.
func (b *browser) photograph(v view, width int64, theme string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var height int
	_, err := fmt.Sscan(b.eval("document.documentElement.scrollHeight"), &height)
	e2e.Must(b.t, err)
	data := sendCommand(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true),
		OptimizeForSpeed: new(true),
		Clip:             &page.Viewport{Width: float64(width), Height: float64(height), Scale: 1}}).Data
	file := fmt.Sprintf("%s-%d-%s.png", fileName(v.address), width, theme)
	e2e.Must(b.t, os.WriteFile(filepath.Join(*screenshots, file), data, 0o666))
}

var notInNames = regexp.MustCompile("[^A-Za-z0-9.,=+-]+")

// fileName returns the name of a picture of a page.
func fileName(address string) string {
	if text, err := url.QueryUnescape(strings.ReplaceAll(address, "+", "%20")); err == nil {
		address = text
	}
	return cmp.Or(strings.Trim(notInNames.ReplaceAllString(address, "-"), "-"), "runs")
}

// axeVariable names the file axe.min.js of axe-core, which .ci/run fetches.
const axeVariable = "PODTRACK_AXE"

// axeScript returns axe-core, "" where it is not there.
func axeScript(t *testing.T) string {
	t.Helper()
	path := os.Getenv(axeVariable)
	if path == "" {
		return ""
	}
	text, err := os.ReadFile(path)
	e2e.Must(t, err)
	return string(text)
}

// needsAxe skips the rest of a test that says what was not checked.
func needsAxe(t *testing.T) {
	t.Helper()
	if axeScript(t) == "" {
		schematest.SkipLacking(t, "%s does not name axe-core's axe.min.js: its rules are not checked", axeVariable)
	}
}

// accessible checks what is shown by the rules of axe-core, in the first theme all of them and in the other that of
// contrast, if axe-core is there.
func (b *browser) accessible(theme string) {
	b.t.Helper()
	axe := axeScript(b.t)
	if axe == "" {
		return
	}
	if b.eval("typeof axe") == "undefined" {
		b.eval("(() => {" + axe + "})()")
	}
	only := ""
	if theme != themes[0] {
		only = `, runOnly: ["color-contrast"]`
	}
	b.eval(`(async () => { window.axeFound = undefined; const options = { resultTypes: ["violations"]` + only + ` }; ` +
		`window.axeFound = (await axe.run(document, options)).violations.map((v) => v.id + ": " + v.help + "\n" + ` +
		`v.nodes.map((n) => "  " + n.html.slice(0, 160)).slice(0, 5).join("\n")).join("\n") })()`)
	b.until("window.axeFound !== undefined")
	if found := b.eval("window.axeFound"); found != "" {
		b.t.Errorf("%s: axe-core finds:\n%s", theme, found)
	}
}
