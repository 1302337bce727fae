package page

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp/kb"
)

func byKeyboard(b *browser) {
	b.open("/")
	b.sees("9 runs")
	b.keys("/")
	b.until("document.activeElement.dataset.filter !== undefined")
	b.eval("document.activeElement.value = ''") // the driver types the / although the page takes the key
	b.keys("reading=as-published hide=3" + kb.Enter)
	b.sees("2 runs")
	if query := b.eval("location.search"); query != "?q=reading%3Das-published&q=hide%3D3" {
		b.t.Errorf("the address has %q", query)
	}
	b.keys(kb.Escape)
	b.eval("document.querySelector('tr[data-row=\"0\"]').focus()")
	b.keys(kb.ArrowDown + kb.Enter)
	b.until("location.pathname.startsWith('/run/')")
	b.sees("basis=rows-of-v", "hide=3", "collect, factor, learn, measure recomputed")
	b.keys("?")
	b.until("document.querySelector('dialog').open")
	b.keys(kb.Escape)
	b.until("!document.querySelector('dialog').open")
	b.keys("g")
	b.until("location.pathname === '/glossary'")
	b.sees("one-sided", "the farthest to the right of the first state")
	b.open("/glossary?find=eigenp")
	b.sees("a direction with a sign")
	if words := b.eval("String(document.querySelectorAll('#main dt').length)"); len(words) > 1 {
		b.t.Errorf("%s words have eigenp in them", words)
	}
	b.eval("setTimeout(() => history.go(-3))") // which closes what evaluates it
	b.sees("2 runs")
}

func selecting(b *browser) {
	b.open("/?q=name%3Dwritten,published&sort=name")
	b.sees("2 runs")
	b.eval("document.querySelector('tr[data-row=\"0\"]').focus()")
	b.keys(" " + kb.ArrowDown + " ")
	b.until(`document.querySelectorAll("tr[aria-selected=true]").length === 2`)
	b.until(`[...document.querySelectorAll("tr[aria-selected=true]")].every((row) => ` + // marked as a whole
		`new Set([...row.cells].map((cell) => getComputedStyle(cell).backgroundColor)).size === 1)`)
	b.press(".chosen a.button")
	b.until("location.pathname === '/compare'")
	b.sees("basis", "By iteration")
	b.press("#pairs tbody tr td:nth-child(3) a")
	b.sees("Two options", "Jaccard index")
	b.until("[...document.querySelectorAll('.side img')].filter((img) => img.naturalWidth > 0).length === 2")
}

// tracing goes from an option to one that its data come from.
func tracing(b *browser) {
	b.open("/run/published/option/2/1%2B")
	b.until("document.querySelector('#policy img')?.naturalWidth > 0")
	b.sees("every record on the way to the head is verified")
	b.press("#sources tbody a")
	b.until("!location.pathname.includes('/option/2/')")
	b.sees("every record on the way to the head is verified")
}

func mistaken(b *browser) {
	b.forgive("status of 400", "status of 404")
	b.open("/?q=colour%3Dred")
	b.sees(`unknown key "colour"`, "the keys are run, name")
	b.open("/run/nobody")
	b.sees("nobody", "podtrack ls")
	b.open("/run/published?of=77#options")
	b.sees("The run has no iteration 77")
	b.open("/nowhere/at/all")
	b.sees("There is no such page")
}

func themes(b *browser) {
	ground := func() string { return b.eval("getComputedStyle(document.body).backgroundColor") }
	b.open("/?theme=dark")
	b.sees("9 runs")
	dark := ground()
	b.open("/?theme=light")
	b.sees("9 runs")
	if ground() == dark {
		b.t.Errorf("light and dark are both %s", dark)
	}
	b.press("[aria-label^=colours]")
	b.until("document.documentElement.dataset.theme === 'dark'")
	b.open("/")
	b.until("document.documentElement.dataset.theme === 'dark'")
	b.eval("localStorage.clear()")
}

// downloads takes what a click would save, as the browser gets it.
func downloads(b *browser) {
	b.open("/run/published")
	b.sees("Measures by iteration")
	b.eval(`(() => { URL.createObjectURL = (blob) => { blob.text().then((t) => window.saved = t); return "#" } })()`)
	b.press(`[aria-label="download published-measures as CSV"]`)
	b.until("window.saved")
	saved := b.eval("window.saved")
	if lines := strings.Split(strings.TrimSpace(saved), "\n"); len(lines) != 7 ||
		!strings.HasPrefix(lines[0], "k,link,steps,purposes") {
		b.t.Errorf("six iterations as CSV are\n%s", saved)
	}
}

// figures takes the files of a figure, and sees one on the page.
func figures(b *browser) {
	b.open("/run/published?k=1")
	b.eval(`(() => { window.kinds = []; URL.createObjectURL = (blob) => { ` +
		`blob.slice(0, 5).text().then((t) => window.kinds.push(blob.type + " " + t)); return "#" } })()`)
	for i, format := range []string{"SVG", "PNG", "PDF", "CSV"} {
		b.press(fmt.Sprintf(`[aria-label="download the figure walk as %s"]:not(:disabled)`, format))
		b.until(fmt.Sprintf("window.kinds.length === %d", i+1))
	}
	const want = "image/svg+xml <?xml; image/png \ufffdPNG\r; application/pdf %PDF-; text/csv; charset=utf-8 track"
	if kinds := b.eval("window.kinds.join('; ')"); kinds != want {
		b.t.Errorf("the files are %q", kinds)
	}
	b.press(`#walk [aria-label="caption of the figure walk"]`)
	b.sees("Position over time of published:1 and primitive actions")
	b.press("#walk .caption button")
	b.until("/^copied|^select it/.test(document.querySelector('#walk .caption button').innerText)")
}
