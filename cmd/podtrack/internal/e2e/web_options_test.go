package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestOptionsOnPage finds options by their names and numbers, and reads what they do.
func TestOptionsOnPage(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	perform(t, "run", "--store", store, "--name", "rooms", "--env", "grid:four-rooms", "--select", "top=3", "--steps",
		"2000", "--iterations", "2")
	perform(t, "run", "--store", store, "--name", "ring", "--bits", "8", "--iterations", "3")
	perform(t, "run", "--store", store, "--name", "null", "--bits", "5", "--iterations", "1", "--steps", "50", "--kappa",
		"0", "--tolerance", "1000")
	b := newBrowser(t, store)
	b.look(1280, "light")
	for name, test := range map[string]func(*browser){"numbers": numberedEverywhere, "address": byNumber,
		"search": searchesOption, "text": toldInWords} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// numberedEverywhere has the number of an option, as commands take it, wherever its name is.
func numberedEverywhere(b *browser) {
	b.open("/run/rooms#options")
	b.sees("0/2− #3")
	b.until(`document.querySelector("#options tbody tr:nth-child(4)").innerText.startsWith("0/2−\t#3\t")`)
	b.until(`[...document.querySelectorAll(".options .title")].every((e) => e.scrollWidth <= e.clientWidth)`) // not cut
	b.open("/run/rooms/option/0/2-")
	b.until(`document.querySelector("h1")?.innerText === "Option 0/2− #3"`)
	b.until(`document.title.startsWith("Option 0/2− #3 · rooms · ")`)
	b.open("/run/rooms/option/1/2-")
	b.until(`/0\/\d[+−]\t#[0-5]\t/.test(document.querySelector("#sources").innerText)`)
	b.until(`/0\/\d[+−]\t#[0-5]\t/.test(document.querySelector("#ancestors").innerText)`)
	b.open("/lineage/rooms?option=1/2-")
	b.sees("What led to 1/2− #9, and what came of it")
	b.until(`/the strongest, 0\/\d[+−] #[0-5], has/.test(document.querySelector("#graph").innerText)`)
	b.until(`[...document.querySelectorAll("#graph title")].some((t) => t.textContent.startsWith("1/2± #8, #9, σ"))`)
	b.open("/compare?a=rooms:0&b=rooms:1")
	b.until(`/rooms:0\/\d[+−] #[0-5]\trooms:1\/\d[+−] #([6-9]|1[01])\t/` +
		`.test(document.querySelector("#pairs").innerText)`)
	b.open("/compare?a=rooms:0/1-&b=rooms:1/1%2B")
	b.sees("a: rooms:0/1− #1", "b: rooms:1/1+ #6")
	b.eval(`fetch("/api/runs/rooms/steps?k=1&from=0&to=500&width=500").then((r) => r.json())` +
		`.then((acts) => window.span = acts.spans.find((s) => s.option)), ""`)
	b.until("window.span")
	b.open("/run/rooms?k=1&from=0&to=60&at=" + b.eval("window.span.from") + "#walk")
	b.until(`/, executing 0\/\d[+−] #[0-5]$/.test(document.querySelector("[data-told]")?.innerText)`)
}

// byNumber comes to an option by its number, and back where there is none.
func byNumber(b *browser) {
	b.open("/run/rooms")
	b.sees("Measures by iteration")
	b.open("/run/rooms/option/3")
	b.until(`location.pathname === "/run/rooms/option/0/2-"`)
	b.sees("Option 0/2− #3")
	b.eval("history.back()") // the number is not in the history
	b.until(`location.pathname === "/run/rooms"`)
	b.forgive("status of 404")
	b.open("/run/rooms/option/12")
	b.sees("no option 12: run rooms has 12, options 0 to 11", "podtrack options rooms lists them with their numbers")
	b.press("#main a[href='/']")
	b.sees("3 runs")
}

// searchesOption types options where runs are searched, as commands take them.
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
	b.keys("roo:#3" + kb.Enter)
	b.sees(`run "roo": not in the store`, "did you mean rooms?")
	b.press("#main a[href='/']")
	b.sees("3 runs")
}

// toldInWords reads what an option does.
func toldInWords(b *browser) {
	for option, want := range map[string]string{
		"rooms/option/0/1%2B": "Starts in 103 of 104 states and ends in r2c4; 8.4 steps on average.",
		"ring/option/0/1%2B":  " of 256 states and ends in ",
		"null/option/0/1%2B":  "Never acts: in none of 32 states",
	} {
		b.open("/run/" + option)
		b.sees(want)
	}
}
