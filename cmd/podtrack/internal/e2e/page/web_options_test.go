package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestOptionsOnPage finds options by their names and numbers, and reads what they do.
func TestOptionsOnPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := e2e.NewStore(t, "--name", "rooms", "--env", "grid:four-rooms", "--select", "top=3", "--steps",
		"2000", "--iterations", "2")
	e2e.Perform(t, "run", "--store", store, "--name", "ring", "--bits", "8", "--iterations", "3")
	e2e.Perform(t, "run", "--store", store, "--name", "null", "--bits", "5", "--iterations", "1", "--steps", "50",
		"--kappa",
		"0", "--set", "tolerance=1000")
	b := newBrowser(t, store)
	b.look(1280, "light")
	for name, test := range map[string]func(*browser){"numbers": numberedEverywhere, "address": byNumber,
		"search": searchesOption, "words": explainsWords, "formats": oneFormat, "kinds": choosesKind} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// numberedEverywhere checks that an option's number, as commands take it, is wherever its name is.
func numberedEverywhere(b *browser) {
	b.open("/run/rooms#options")
	b.until(`[...document.querySelectorAll("#options tbody tr")].some((row) => row.innerText.startsWith("0/2−\t#3\t"))`)
	b.open("/run/rooms/option/0/2-")
	b.until(`document.querySelector("h1")?.innerText === "Option 0/2− #3"`)
	b.until(`document.title.startsWith("Option 0/2− #3 · rooms · ")`)
	b.open("/run/rooms/option/1/2-")
	b.until(`/0\/\d[+−]\t#[0-5]\t/.test(document.querySelector("#sources").innerText)`)
	b.until(`/0\/\d[+−]\t#[0-5]\t/.test(document.querySelector("#ancestors").innerText)`)
	b.open("/compare?a=rooms:0&b=rooms:1")
	b.until(`/rooms:0\/\d[+−] #[0-5]\trooms:1\/\d[+−] #([6-9]|1[01])\t/` +
		`.test(document.querySelector("#pairs").innerText)`)
	b.open("/compare?a=rooms:0/1-&b=rooms:1/1%2B")
	b.sees("a: rooms:0/1− #1", "b: rooms:1/1+ #6")
}

// byNumber goes to an option by its number, and back from a number that no option has.
func byNumber(b *browser) {
	b.open("/run/rooms")
	b.sees("Measures by iteration")
	b.open("/run/rooms/option/3")
	b.until(`location.pathname === "/run/rooms/option/0/2-"`)
	b.sees("Option 0/2− #3")
	b.eval("setTimeout(() => history.back())") // the number is not in the history
	b.until(`location.pathname === "/run/rooms"`)
	b.forgive("status of 404")
	b.open("/run/rooms/option/12")
	b.sees("no option 12: run rooms has 12, options 0 to 11", "podtrack options rooms lists them with their numbers")
	b.press("#main a[href='/runs']")
	b.sees("3 runs")
}

// searchesOption enters references of options, as commands take them, into the search for runs.
func searchesOption(b *browser) {
	for typed, want := range map[string]string{"rooms:#3": "0/2-", "rooms:0/1+": "0/1+", "rooms:1/2−": "1/2-"} {
		b.open("/")
		b.sees("3 runs")
		b.keys("/")
		b.until("document.activeElement.dataset.filter !== undefined")
		b.eval("document.activeElement.value = ''")
		b.keys(typed + kb.Enter)
		b.sees("Option " + strings.ReplaceAll(want, "-", "−") + " #")
	}
	b.forgive("status of 404")
	b.open("/")
	b.sees("3 runs")
	b.keys("/")
	b.until("document.activeElement.dataset.filter !== undefined")
	b.eval("document.activeElement.value = ''")
	b.keys("room:#3" + kb.Enter)
	b.sees(`run "room": not in the store`, "did you mean rooms?")
	b.press("#main a[href='/runs']")
	b.sees("3 runs")
}

// explainsWords finds the definition of a heading beside it.
func explainsWords(b *browser) {
	b.open("/run/rooms/option/1/2-")
	b.sees("to the next larger σ", "every record on the way to the head is verified")
	for panel, words := range map[string]string{"#evidence": "reward count share support",
		"#sources": "share support |cos|_without σ_without", "#ancestors": "depth share influence"} {
		b.press(panel + " details summary")
		for word := range strings.FieldsSeq(words) {
			b.until(fmt.Sprintf(`[...document.querySelectorAll("%s details[open] dt")].some((e) => e.innerText === %q && `+
				`e.nextElementSibling.innerText.length > 15)`, panel, strings.ReplaceAll(word, "_", " ")))
		}
	}
	b.proper()
}

// oneFormat has one format of numbers in each column.
func oneFormat(b *browser) {
	for _, address := range []string{"/run/rooms", "/run/ring", "/run/rooms/option/1/2-",
		"/run/ring/option/1/1%2B", "/compare?a=rooms:0&b=rooms:1", "/compare?a=rooms:1/1-&b=rooms:1/2%2B"} {
		b.open(address)
		b.sees("live")
		b.settle()
		b.eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
		b.settle()
		b.sees("live")
		b.proper()
	}
	b.until(`/\nσ\n30\.117 and 24\.743, change −5\.374\n/.test(document.querySelector("#pair").innerText)`)
	b.open("/run/rooms")
	b.sees("Measures by iteration")
	b.eval(`document.querySelector("#measures tbody td.right:nth-child(3)").innerText = "2.5"`)
	const found = "measures by iteration, steps: 2.5 and 2,000"
	if mixed := b.eval(script(b.t, "formats.js")); !strings.Contains(mixed, found) {
		b.t.Errorf("a number with decimals among whole ones is not found: %q", mixed)
	}
}

// choosesKind goes from the distinct purposes of runs to their distinct options and back. No two have one name.
func choosesKind(b *browser) {
	b.open("/group?q=name%3Dring")
	for _, kind := range []string{"options", "purposes"} {
		b.sees("Distinct", "example")
		b.until(`document.querySelector("#similarity") === null`) // one run is similar to none
		b.press(".tabs a:not([aria-current])")
		b.until(fmt.Sprintf(`location.search === "?q=name%%3Dring&by=%s"`, kind))
		b.until(fmt.Sprintf(`document.querySelector(".tabs [aria-current]").innerText === "by %s"`, kind))
		b.sees("Distinct "+kind, "podtrack diff --group --by "+kind)
		b.until(`(() => { const rows = [...document.querySelectorAll("#purposes tbody tr")]; ` +
			`const names = new Set(rows.map((row) => row.cells[0].innerText)); ` +
			`return rows.length > 5 && names.size === rows.length })()`)
	}
}

// findsOptions comes to the options of a run at once and from other views: they are in sight, drawn, and in the table.
func findsOptions(b *browser) {
	there := func(rows string) {
		b.t.Helper()
		b.until(`document.querySelectorAll("#options tbody tr[data-row]").length ` + rows)
		b.until(`[...document.querySelectorAll("#options tbody tr[data-row]")]` +
			`.every((row) => /^\d\/\d+[+−]\t#\d+\t/.test(row.innerText))`)
		b.until(`Math.abs(document.querySelector("#options").getBoundingClientRect().top) < innerHeight / 2`)
		b.until(`document.querySelector("#options img")?.naturalWidth > 0`)
	}
	b.look(1280, "light")
	b.do(chromedp.Navigate("about:blank"))
	b.open("/run/published#options")
	there("> 15")
	b.open("/run/published/option/3/1%2B")
	b.press(".path a[href$='#options']")
	b.until(`location.pathname + location.search + location.hash === "/run/published?of=3#options"`)
	there("> 3")
	b.open("/run/published")
	b.sees("Measures by iteration")
	b.press("nav.parts a[href='#options']")
	there("> 15")
	b.look(1200, "light")
}
