package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	chrome "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// choosing chooses runs of the list: they stand in the address, survive a reload, and are what the buttons ask about.
func choosing(b *browser) {
	b.open("/ls?q=bits%3D8+seed%3D0-2&sort=seed")
	b.sees("ring0")
	const boxes = `[...document.querySelectorAll("main input[type=checkbox]")]`
	b.until(`[...document.querySelectorAll("#chosen button")].every((button) => button.disabled)`)
	for _, name := range []string{"ring0", "ring2"} {
		b.press(fmt.Sprintf(`[aria-label^="choose"][value=%q]`, b.idOf(name)))
	}
	b.until(`new URLSearchParams(location.search).getAll("chosen").length === 2`)
	b.until(`document.querySelector("#chosen").innerText.includes("2 chosen")`)
	b.do(chromedp.Reload())
	b.until(boxes + `.filter((box) => box.checked).length === 2`)
	b.until(`document.querySelector("#chosen").innerText.includes("2 chosen")`)
	b.press(`#chosen button[formaction=diff]:not([name])`)
	b.until(`location.pathname === "/diff"`)
	b.sees("ring0", "ring2")
	b.eval("setTimeout(() => history.back())")
	b.until(`location.pathname === "/ls"`)
	b.until(boxes + `.filter((box) => box.checked).length === 2`)
	b.press(fmt.Sprintf(`[aria-label^="choose"][value=%q]`, b.idOf("ring0")))
	b.until(`new URLSearchParams(location.search).getAll("chosen").length === 1`)
	b.until(`document.querySelector("#chosen button[formaction=diff]").disabled`)
}

// idOf returns the ID of a run by its name.
func (b *browser) idOf(name string) string {
	b.t.Helper()
	var runs []report.Run
	e2e.Must(b.t, json.Unmarshal(b.fetch("/ls?json=true&of="+name), &runs))
	return runs[0].ID.String()
}

// fetch returns what the site answers to a program.
func (b *browser) fetch(address string) []byte {
	b.t.Helper()
	r, err := http.Get(b.base + address)
	e2e.Must(b.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if e2e.Must(b.t, err); r.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: status %d: %s", address, r.StatusCode, body)
	}
	return body
}

// copying copies the command of a page.
func copying(b *browser) {
	for _, right := range []string{"clipboard-read", "clipboard-write"} {
		sendCommand(b, chrome.SetPermission, chrome.SetPermissionParams{Origin: b.base,
			Permission: &chrome.PermissionDescriptor{Name: right}, Setting: chrome.PermissionSettingGranted})
	}
	b.open("/show?of=ring0")
	b.press("pre.command button")
	b.until(`document.querySelector("pre.command button").innerText === "copied"`)
	b.eval(`navigator.clipboard.readText().then((text) => window.copied = text), ""`)
	b.until("window.copied !== undefined")
	if copied := b.eval("window.copied"); copied != b.eval(`document.querySelector("pre.command code").innerText`) ||
		!strings.HasPrefix(copied, "podtrack show ") {
		b.t.Errorf("copied: %q", copied)
	}
	b.until(`document.querySelector("pre.command button").innerText === "copy"`)
}

// searching types a filter, and a word.
func searching(b *browser) {
	for typed, want := range map[string]string{"bits=8 seed=1": "ring1", "bold": "hostile", "": "rooms"} {
		b.open("/show?of=ring0")
		b.sees("Run ring0")
		b.do(chromedp.SendKeys("input[type=search]", typed+"\r"))
		b.until(`location.pathname === "/ls"`)
		b.sees("Runs", want)
	}
}

// sorting follows the title of a column up and down.
func sorting(b *browser) {
	seeds := func() string {
		return b.eval(`(() => { const n = [...document.querySelectorAll("thead th")].findIndex((h) => h.innerText === "seed");
			return [...document.querySelectorAll("tbody tr")].map((row) => row.cells[n].innerText).join(" ") })()`)
	}
	b.open("/ls?q=bits%3D8+seed%3D0-2+parent%3D")
	b.press(`thead a[href*="sort=seed"]`)
	b.until(`new URLSearchParams(location.search).get("sort") === "seed"`)
	if got := seeds(); got != "0 1 2" {
		b.t.Errorf("the seeds are %s", got)
	}
	b.press(`thead a[href*="sort=-seed"]`)
	b.until(`new URLSearchParams(location.search).get("sort") === "-seed"`)
	if got := seeds(); got != "2 1 0" {
		b.t.Errorf("the seeds are %s", got)
	}
}

// withoutScripts follows links, searches and chooses where no script runs.
func withoutScripts(b *browser) {
	sendCommand(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	defer sendCommand(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
	until := func(path, text string) {
		b.t.Helper()
		e2e.Eventually(b.t, path+" with "+text, func() bool {
			at, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText`))
			return err == nil && strings.HasPrefix(at, path+"\n") && strings.Contains(at, text)
		})
	}
	click := func(selector string) { b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector)) }
	b.open("/")
	until("/", "ring0")
	if b.eval(`document.querySelectorAll("pre.command button").length`) != "0" {
		b.t.Error("a page has what only works with scripts")
	}
	click(fmt.Sprintf(`td a[href="show?of=%s"]`, b.idOf("ring0")))
	until("/show", "Run ring0")
	click(`p.link a[href^="options?"]`)
	until("/options", "0/1+")
	b.eval(`(document.querySelector("input[type=search]").value = "bits=8 seed=1-2 parent=", "")`)
	click("[role=search] button")
	until("/ls", "ring2")
	for _, name := range []string{"ring1", "ring2"} {
		click(fmt.Sprintf("main input[value=%q]", b.idOf(name)))
	}
	click("#chosen button[formaction=diff]:not([name])")
	until("/diff", "ring2")
	if asked := b.eval("location.search"); !strings.Contains(asked, b.idOf("ring1")) {
		b.t.Errorf("the button asks for %s", asked)
	}
	b.open("/show?of=ring0")
	click(`footer a[href*="file=true"]`) // a download stays here
	until("/show", "Run ring0")
}

// printing prints pages: all of a document is on paper, and what is only for a screen is not.
func printing(b *browser) {
	schematest.NeedsPrograms(b.t, "pdftotext")
	b.look(widths[0], "dark")
	for address, name := range map[string]string{"/show?of=ring0": "ring0", "/why?of=ring0:%234": "ring0"} {
		b.open(address)
		b.sees(name)
		pdf := sendCommand(b, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: new(true)}).Data
		to := exec.Command("pdftotext", "-", "-")
		to.Stdin = strings.NewReader(string(pdf))
		out, err := to.Output()
		e2e.Must(b.t, err)
		plain := func(text string) string { // pdftotext joins words that end in a hyphen with the next line
			return strings.ReplaceAll(strings.Join(strings.Fields(text), ""), "-", "")
		}
		text := plain(string(out))
		var d struct{ Head string }
		e2e.Must(b.t, json.Unmarshal(b.fetch("/show?json=true&of="+name), &d))
		const texts = `[...document.querySelectorAll("main :is(h1, h2, td, p, code)")].filter((e) => e.checkVisibility())`
		for want := range strings.SplitSeq(b.eval(texts+`.map((e) => e.innerText).join("\n")`), "\n") {
			if want = plain(want); !strings.Contains(text, want) && !isBroken(text, want) {
				b.t.Errorf("%s: not on paper: %q", address, want)
			}
		}
		if !strings.Contains(text, d.Head) && strings.HasPrefix(address, "/show") {
			b.t.Errorf("%s: the head %s is not on paper", address, d.Head)
		}
		for _, none := range []string{"thisdocumentasafile", "podtrackrunsstatus"} {
			if strings.Contains(text, none) {
				b.t.Errorf("%s: on paper: %s", address, none)
			}
		}
	}
}

// isBroken reports whether the characters of a word are in a text in their order, near each other: it stands in several
// lines, between which others of the same row are.
func isBroken(text, word string) bool {
	for len(word) > 0 {
		n := len(word)
		for n > 0 && !strings.Contains(text, word[:n]) {
			n--
		}
		if n < min(4, len(word)) {
			return false
		}
		word = word[n:]
	}
	return true
}

// exporting opens the file of a page from disk, without a network: it asks for nothing, and has the numbers of --json.
func exporting(b *browser) {
	file := filepath.Join(b.t.TempDir(), "ring0.html")
	e2e.Must(b.t, os.WriteFile(file, b.fetch("/show?of=ring0&format=html&file=true"), 0o666))
	var d struct {
		Head    string
		History []struct{ Distance int64 }
	}
	e2e.Must(b.t, json.Unmarshal(b.fetch("/show?of=ring0&json=true"), &d))
	b.do(chromedp.Navigate("about:blank"))
	address, base := "file://"+file, b.base
	b.base = address // so that any other request is noted
	defer func() { b.base = base }()
	unreachable := []*network.Conditions{{Offline: true}}
	sendCommand(b, network.EmulateNetworkConditionsByRule,
		network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: unreachable})
	defer sendCommand(b, network.EmulateNetworkConditionsByRule,
		network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{}})
	b.do(chromedp.Navigate(address))
	b.sees("Run ring0", d.Head)
	if asked := b.eval(`performance.getEntriesByType("resource").map((r) => r.name).join()`); asked != "" {
		b.t.Errorf("the file asks for %s", asked)
	}
	outside := b.eval(`document.querySelectorAll("[src], link, script, iframe, base, form, a[href]").length`)
	if outside != "0" {
		b.t.Errorf("the file has %s elements that lead out of it", outside)
	}
	shown := b.eval(`(() => {
		const table = [...document.querySelectorAll("table")].find((t) => t.tHead?.innerText.includes("distance"));
		const n = [...table.tHead.rows[0].cells].findIndex((h) => h.innerText === "distance");
		return [...table.tBodies[0].rows].map((row) => row.cells[n].innerText.replaceAll(",", "")).join(" ");
	})()`)
	want := ""
	for _, it := range d.History {
		want += fmt.Sprint(" ", it.Distance)
	}
	if shown != strings.TrimSpace(want) || shown == "" {
		b.t.Errorf("the distances are %s, and %s in JSON", shown, want)
	}
	for _, theme := range themes {
		for _, width := range widths {
			b.look(width, theme)
			b.fits(fmt.Sprint("a file: ", width, " ", theme))
		}
		b.accessible(theme)
	}
}

// answersInForms follows the links to the other forms of an answer.
func answersInForms(b *browser) {
	for address, kinds := range map[string]map[string]string{
		"/show?of=ring0": {"json": "application/json", "csv": "text/csv", "markdown": "text/plain", "latex": "text/plain",
			"this document as a file": "text/html"},
		"/plot-walk?of=ring0": {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "csv": "text/csv",
			"tex": "text/plain", "this document as a file": "text/html"},
	} {
		b.open(address)
		b.sees("ring0")
		var forms map[string]string
		e2e.Must(b.t, json.Unmarshal([]byte(b.eval(`JSON.stringify(Object.fromEntries(`+
			`[...document.querySelectorAll("footer a")].map((a) => [a.innerText, a.href])))`)), &forms))
		if len(forms) != len(kinds) {
			b.t.Errorf("%s has the forms %v", address, forms)
		}
		for name, kind := range kinds {
			ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
			ask, err := http.NewRequestWithContext(ctx, http.MethodGet, forms[name], nil)
			e2e.Must(b.t, err)
			r, err := http.DefaultClient.Do(ask)
			e2e.Must(b.t, err)
			r.Body.Close()
			cancel()
			if got := r.Header.Get("Content-Type"); r.StatusCode != 200 || !strings.HasPrefix(got, kind) {
				b.t.Errorf("%s as %s is %s: status %d", address, name, got, r.StatusCode)
			}
		}
	}
}
