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
	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var screenshots = flag.String("screenshots", "", "write what is seen of each view of the page as PNG into `FOLDER`")

// view is an address of the page, and what it says once it is there.
type view struct {
	address string
	says    []string
}

// look is a window and what its reader likes.
type look struct {
	width int64
	theme string
}

// looks are how the i-th view is looked at after it has been opened: on a telephone and on a laptop, each theme once.
// Each second view is opened on the laptop, and its window shrinks; the others grow.
func looks(i int) []look {
	if i%2 == 0 {
		return []look{{400, "light"}, {1280, "dark"}}
	}
	return []look{{1280, "light"}, {400, "dark"}}
}

const viewHeight = 900

// lookAt opens every view, or in short every third, and takes all looks at it. The page must not complain, ask
// for anything from elsewhere, be wider than the window, or be hard to read, and its
// charts and texts must be there, each in its place.
func (b *browser) lookAt(views []view, check func()) {
	for i, v := range schematest.Sample(views) {
		b.t.Run(v.address, func(t *testing.T) {
			b.use(t)
			looks := looks(i)
			b.look(looks[0].width, looks[0].theme)
			b.do(chromedp.Navigate("about:blank")) // an address that has a fragment is opened anew, too
			b.open(v.address)
			b.sees(append(v.says, "live")...)
			b.settle()
			for _, l := range looks {
				b.look(l.width, l.theme)
				b.until(fmt.Sprintf("document.documentElement.dataset.theme === %q", l.theme))
				b.settle()
				b.proper()
				check()
				b.photograph(v, l)
			}
		})
	}
	b.t.Run("axe-core", func(t *testing.T) {
		if axeScript(t) == "" {
			schematest.SkipLacking(t, "axe-core is not installed (npm ci in web/ui): only contrast and names are checked")
		}
	})
}

// settle waits until the page has read and drawn what is in sight.
func (b *browser) settle() {
	b.t.Helper()
	const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(` +
		`!document.querySelector(".loading, .wait") && ` +
		`[...document.images].every((i) => i.complete)))))`
	for quiet := 0; quiet < 2; quiet++ {
		b.until("await " + drawn)
		if b.pending() {
			quiet = -1
		}
	}
}

// photograph writes what is seen of a view, all of its height, where that is wanted.
func (b *browser) photograph(v view, l look) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var height int
	_, err := fmt.Sscan(b.eval("document.documentElement.scrollHeight"), &height)
	e2e.Must(b.t, err)
	data := sendCommand(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true),
		OptimizeForSpeed: new(true),
		Clip:             &page.Viewport{Width: float64(l.width), Height: float64(height), Scale: 1}}).Data
	file := fmt.Sprintf("%s-%d-%s.png", fileName(v.address), l.width, l.theme)
	e2e.Must(b.t, os.WriteFile(filepath.Join(*screenshots, file), data, 0o666))
}

var notInNames = regexp.MustCompile("[^A-Za-z0-9.,=+-]+")

// fileName returns the name of a picture of a view.
func fileName(address string) string {
	if text, err := url.QueryUnescape(strings.ReplaceAll(address, "+", "%20")); err == nil {
		address = text
	}
	return cmp.Or(strings.Trim(notInNames.ReplaceAllString(address, "-"), "-"), "runs")
}

// laidOut fails where charts lack marks, or texts are where they must not be, once they had the time to be drawn.
func (b *browser) laidOut() {
	b.t.Helper()
	var wrong string
	for range 5 {
		if wrong = b.eval(script(b.t, "layout.js")); wrong == "" {
			return
		}
		b.settle()
	}
	b.t.Errorf("not laid out as it should be:\n%s", wrong)
}

// proper checks what is shown by the rules for every view.
func (b *browser) proper() {
	b.t.Helper()
	b.until("[...document.images].every((i) => i.complete && i.naturalWidth > 0)")
	if wide := b.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
		b.t.Errorf("the page is %s pixels wider than the window", wide)
	}
	b.laidOut()
	if unnamed := b.eval(script(b.t, "unnamed.js")); unnamed != "" {
		b.t.Errorf("nothing names:\n%s", unnamed)
	}
	if mixed := b.eval(script(b.t, "formats.js")); mixed != "" {
		b.t.Errorf("mixed formats of numbers:\n%s", mixed)
	}
	if faint := b.eval(script(b.t, "contrast.js")); faint != "" {
		b.t.Errorf("contrast under AA:\n%s", faint)
	}
	kind := b.eval(`location.pathname.replace(/^(.run)[^]*?(.option|$).*/, "$1$2") + ` +
		`[...new URLSearchParams(location.search).keys()]`)
	if axe := axeScript(b.t); axe != "" && !b.judged[kind] {
		b.judged[kind] = true
		b.accessible(axe)
	}
}

// accessible checks what is shown by the rules of axe-core but for contrast, which contrast.js measures in both themes.
// These take longer than all other checks, and find the same at all widths and of all runs, so they check each
// kind of view once.
func (b *browser) accessible(axe string) {
	b.t.Helper()
	if b.eval("typeof axe") == "undefined" {
		b.eval("(() => {" + axe + "})()")
	}
	b.eval(`(async () => { window.axeFound = undefined; ` +
		`const options = { resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } } }; ` +
		`window.axeFound = (await axe.run(options)).violations.map((v) => v.id + ": " + v.help + "\n" + ` +
		`v.nodes.map((n) => "  " + n.html.slice(0, 160)).slice(0, 5).join("\n")).join("\n") })()`)
	b.until("window.axeFound !== undefined")
	if found := b.eval("window.axeFound"); found != "" {
		b.t.Errorf("axe-core finds:\n%s", found)
	}
}

// axeScript returns axe-core, "" where npm has not installed it.
func axeScript(t *testing.T) string {
	text, err := os.ReadFile(filepath.FromSlash("../../web/ui/node_modules/axe-core/axe.min.js"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// layoutFaults changes a view: with other fonts it is still in order, and each fault is reported.
func layoutFaults(b *browser) {
	b.look(1280, "light")
	b.open("/run/published")
	b.sees("records", "live")
	b.settle()
	with := func(style string) string {
		b.eval("document.adoptedStyleSheets = [new CSSStyleSheet()]")
		b.eval(fmt.Sprintf("document.adoptedStyleSheets[0].replaceSync(%q)", style))
		b.settle()
		return b.eval(script(b.t, "layout.js"))
	}
	for _, font := range []string{"serif", "sans-serif", "FreeSans, Liberation Sans, sans-serif"} {
		if wrong := with("body * { font-family: " + font + " }"); wrong != "" {
			b.t.Errorf("with the font %s:\n%s", font, wrong)
		}
	}
	for style, want := range map[string]string{
		"#walk img { visibility: hidden }":                 "is hidden",
		"#walk img { height: 0 !important }":               "× 0 pixels",
		"#measures { margin-top: -150px }":                 "is on",
		"#measures h2 { position: relative; left: -40px }": "leaves its",
	} {
		if wrong := with(style); !strings.Contains(wrong, want) {
			b.t.Errorf("%s: not found, but\n%s", style, wrong)
		}
	}
	with("")
}
