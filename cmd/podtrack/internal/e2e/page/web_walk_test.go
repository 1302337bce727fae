package page

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// TestPageOptionsAndWalk sees options of a ring and of an environment without geometry, and follows a walk.
func TestPageOptionsAndWalk(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Perform(t, "run", "--name", "ring", "--store", store)
	e2e.Perform(t, "run", "--name", "taxi", "--env", "taxi", "--iterations", "2", "--store", store)
	for _, seed := range []string{"1", "2"} {
		e2e.Perform(t, "run", "--seed", seed, "--bits", "6", "--iterations", "1", "--name", "s"+seed, "--store", store)
	}
	b := newBrowser(t, store)
	b.look(1200, "light")
	for name, test := range map[string]func(*browser){
		"weights": weightsInColour, "window": windowOfStates, "numbers": sameNumbers, "layout": onLayout,
		"steps":  readingSteps,
		"zoomed": zoomedDownloads, "baseline": besidePrimitive, "visits": firstVisits, "three": selectingThree,
	} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// The events of a mouse that points, and of one that also clicks.
const (
	pointing = "['mouseenter', 'mousemove']"
	clicking = "['mouseenter', 'mousemove', 'mousedown', 'mouseup', 'click']"
)

// mouse does what a mouse does at a part of an element's width, in the middle of its height.
func (b *browser) mouse(does, selector string, part float64) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q) !== null", selector))
	b.eval(fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'})", selector))
	b.eval(fmt.Sprintf("(() => { const el = document.querySelector(%q), r = el.getBoundingClientRect(); "+
		"const at = { bubbles: true, clientX: r.left + %g * r.width, clientY: r.top + r.height / 2 }; "+
		"for (const type of %s) el.dispatchEvent(new MouseEvent(type, at)) })()", selector, part, does))
}

// saved downloads what a button saves, as text.
func (b *browser) saved(label string) string {
	b.t.Helper()
	b.eval(`(() => { window.saved = ""; URL.createObjectURL = (blob) => { blob.text().then((t) => ` +
		`window.saved = t); return "#" } })()`)
	b.press(fmt.Sprintf(`[aria-label=%q]:not(:disabled)`, label))
	b.until("window.saved")
	return strings.TrimSpace(b.eval("window.saved"))
}

// weightsInColour compares the colours of weights above and below 0, as they are drawn, with those of figures.
func weightsInColour(b *browser) {
	b.forgive("willReadFrequently")
	for i, scheme := range []string{"light", "dark"} {
		b.open("/run/ring?of=0&sort=number&theme=" + scheme + "#options")
		b.until("document.querySelectorAll('canvas.small[data-drawn]').length > 1")
		for n, want := range []string{hexColour(palette.Palettes[i].Plus()), hexColour(palette.Palettes[i].Minus())} {
			found := fmt.Sprintf(`(() => { const c = document.querySelectorAll("canvas.small[data-drawn]")[%d]; `+
				`const { data } = c.getContext("2d").getImageData(0, 0, c.width / 12, c.height); `+
				`for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255 && `+
				`"#" + [0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("") === %q) return `+
				`true; return false })()`,
				n, want)
			b.until(found)
		}
	}
}

// hexColour returns a colour as #rrggbb.
func hexColour(c interface{ RGBA() (r, g, b, a uint32) }) string {
	red, green, blue, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", red>>8, green>>8, blue>>8)
}

// windowOfStates sees a few periods of an option, in the coordinates of figures, and takes the zoom into the address
// and the downloads.
func windowOfStates(b *browser) {
	b.open("/run/ring/option/2/3%2B")
	b.until(`document.querySelector("[data-states]")?.dataset.states === "-32:31"`)
	b.sees("−32 to 31 of 4,096 states", "folded")
	csv := strings.Split(b.saved("download the figure option as CSV"), "\n")
	if len(csv) != 65 || !strings.HasPrefix(csv[1], "-32,-32,") || !strings.HasPrefix(csv[64], "31,31,") {
		b.t.Errorf("%d lines, the last is %s", len(csv), csv[len(csv)-1])
	}
	b.mouse(pointing, "#landscape .u-over", 0.01)
	b.until(`/^state −3[12]: w [^,]*, v [^,]*, (goes ` +
		`(left|right)|ends)$/.test(document.querySelector("[data-readout]").textContent)`)
	b.sweep("#landscape .u-over", 0.5, 0.75)
	b.until(`/^(-1|0):1[56]$/.test(new URLSearchParams(location.search).get("states"))`)
	b.press("[data-all]")
	b.until(`document.querySelector("[data-states]").dataset.states === "-2048:2047"`)
	b.open("/run/ring/option/2/3%2B?state=4090&states=-8:7")
	b.until(`document.querySelector("[data-states]")?.dataset.states === "-8:7"`)
	b.sees("In state 4090 (−6)")
	if value := b.eval(`document.querySelector("[data-state]").value`); value != "-6" {
		b.t.Errorf("the stepper shows state %s", value)
	}
}

// sameNumbers compares a number of the page with the same one as figures print it.
func sameNumbers(b *browser) {
	b.open("/run/ring/option/2/3%2B")
	b.sees("above κ")
	b.eval(`fetch("/api/runs/ring/iterations/2/options/3%2B").then((r) => r.json()).then((o) => ` +
		`window.sigma = o.purpose.sigma), ''`)
	b.until("window.sigma > 0")
	sigma, err := strconv.ParseFloat(b.eval("window.sigma"), 64)
	e2e.Must(b.t, err)
	b.sees(palette.Number("sigma", sigma))
}

// onLayout points at the states of an environment that does not place them.
func onLayout(b *browser) {
	b.open("/run/taxi/option/1/1%2B")
	b.until(`document.querySelector("#landscape .map canvas") !== null`)
	b.eval(`document.querySelector("#landscape .map canvas").focus()`)
	for range 2 {
		b.eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", ` +
			`bubbles: true }))`)
	}
	b.until(`/state \d+: v .*, (goes \w+|ends); q: south/.test(document.querySelector("#landscape ` +
		`[data-cell]").textContent)`)
	b.eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))`)
	b.until(`location.search.startsWith("?state=")`)
	b.sees("In state ")
}

// readingSteps points at a step, which tells the option that executes and lights it, keeps it by a click, and goes on
// by a key.
func readingSteps(b *browser) {
	b.open("/run/ring?from=1000&to=1040#walk")
	b.until(`document.querySelector("[data-told]")?.textContent.includes("point at a step")`)
	b.until(`document.querySelectorAll("[data-option]").length > 0`)
	b.eval(`fetch("/api/runs/ring/steps?from=1000&to=1040").then((r) => r.json()).then((s) => window.steps = s), ''`)
	b.until("window.steps")
	b.mouse(pointing, "#walk .u-over", 0.25)
	b.until(`/^step 1,0(09|10), state −?\d+, position .*, goes ` +
		`(left|right)/.test(document.querySelector("[data-told]").textContent)`)
	b.eval(`(() => { const t = Number(document.querySelector("[data-told]").dataset.told); ` +
		`window.span = window.steps.spans.find((s) => t >= s.from && t < s.to) })()`)
	option := b.eval("window.span.option")
	if option == "" {
		b.t.Fatal("no option executes there; the test needs one")
	}
	b.until(fmt.Sprintf(`document.querySelector('[data-option="%s"]').classList.contains("lit")`, option))
	b.until(fmt.Sprintf(`document.querySelector("[data-told] a").pathname.endsWith("/option/%s")`,
		strings.ReplaceAll(option, "+", "%2B")))
	b.mouse(clicking, "#walk .u-over", 0.25)
	b.until(`/at=10(09|10)$/.test(location.search)`)
	at := b.eval(`new URLSearchParams(location.search).get("at")`)
	b.eval(`document.querySelector(".walk").focus()`)
	b.keys(".")
	b.until(fmt.Sprintf(`Number(new URLSearchParams(location.search).get("at")) === %s + 1`, at))
}

// zoomedDownloads takes figures of what is zoomed.
func zoomedDownloads(b *browser) {
	b.open("/run/ring?from=1000&to=1051#walk")
	b.sees("plot walk ring --steps 1000:1050")
	lines := strings.Split(b.saved("download the figure walk as CSV"), "\n")
	if len(lines) != 1+2*51 || !strings.HasPrefix(lines[1], "ring,0,1000,") ||
		!strings.HasPrefix(lines[51], "ring,1,1050,") {
		b.t.Errorf("%d lines: %s … %s", len(lines), lines[1], lines[len(lines)-1])
	}
	if svg := b.saved("download the figure walk as SVG"); len(svg) > 60_000 {
		b.t.Errorf("50 steps as SVG are %d bytes", len(svg))
	}
}

// besidePrimitive draws and leaves out the walk of primitive actions.
func besidePrimitive(b *browser) {
	b.open("/run/ring#walk")
	b.sees("primitive actions, by the same seed")
	b.press("[data-primitive]")
	b.until(`!document.querySelector("#walk").textContent.includes("by the same seed")`)
	b.sees("plot walk ring --against nothing")
	b.until(`location.search === "?against=nothing"`)
}

// firstVisits draws when states were first visited by the run, and by one iteration.
func firstVisits(b *browser) {
	drawn := func(caption string) {
		b.until(fmt.Sprintf(`document.querySelector("#visits [role=img]")?.ariaLabel.startsWith(%q)`, caption))
		b.until(`document.querySelector("#visits img").naturalWidth > 0`)
	}
	b.open("/run/ring#visits")
	drawn("First visits of ring:")
	b.eval(`(() => { const of = document.querySelector("#visits select"); of.value = "1"; ` +
		`of.dispatchEvent(new Event("change", { bubbles: true })) })()`)
	b.until(`location.search === "?visits=1"`)
	drawn("First visits of ring:1:")
	b.sees("podtrack plot visits ring:1")
	b.press("#visits .numbers summary")
	b.until(`document.querySelectorAll("#visits .numbers tr").length === 66`) // the states that are new in iteration 1
}

// selectingThree selects three runs, of which none is dropped.
func selectingThree(b *browser) {
	b.open("/?sort=name")
	b.sees("4 runs")
	for _, name := range []string{"ring", "s1", "s2"} {
		b.press(fmt.Sprintf(`[aria-label="select %s to compare"]`, name))
	}
	b.sees("ring, s1, s2")
	b.press(".chosen a.button")
	b.until(`location.pathname === "/compare" && location.search === "?by=run&q=ring&q=s1&q=s2"`)
}
