package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// seen is every kind of view with what it has to say. Both readings of the paper,
// with and without hidden bits, are in the store.
var seen = []struct {
	address string
	says    []string
}{
	{"/", []string{"8 runs", "right-singular", "rows-of-v", "podtrack ls"}},
	{"/?q=reading%3Das-published&sort=-seed&group=hide", []string{"hide 0 · 2 runs", "hide 3 · 2 runs", "podtrack ls reading=as-published --sort -seed"}},
	{"/?q=seed%3D99", []string{"No run passes this filter."}},
	{"/run/published", []string{"basis=rows-of-v", "Measures by iteration", "steps 0 to 6,000 of 6,000", "Spectrum", "records", "in the stages"}},
	{"/run/published/option/3/1%2B?state=5", []string{"starts in", "In state 5", "every record on the way to the head is verified"}},
	{"/compare?a=published&b=written", []string{"they part in iteration", "By iteration", "podtrack diff published written"}},
	{"/compare?a=published%3A1&b=written%3A1", []string{"chance: |cos|"}},
	{"/compare?a=published%3A1%2F1%2B&b=written%3A1%2F1%2B", []string{"Jaccard index", "two random purposes"}},
	{"/compare?a=reading%3Das-written&b=reading%3Das-published", []string{"a: 4 runs, b: 4 runs", "mean ± sd", "[95 % interval]", "2000 resamples"}},
	{"/group?q=reading%3Das-published&q=hide%3D3", []string{"of 2 runs", "prevalence [95 % interval]", "How alike the runs are"}},
	{"/table1", []string{"the reading as-written", "the reading as-published", "mean (sd), z"}},
	{"/lineage/published?option=3/1%2B", []string{"iteration 5", "ancestors of 3/1+", "--format dot"}},
	{"/run/published#options", []string{"option", "initiation", "termination"}},
}

// TestPage opens the page in a real browser. The page must not complain, ask for
// anything from elsewhere, or be wider than the window.
func TestPage(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	start(t, "reproduce", "table1", "--runs", "2", "--store", store).exit(t, 0)
	start(t, "run", "--reading", "as-published", "--hide", "3", "--name", "published", "--store", store).exit(t, 0)
	start(t, "run", "--hide", "3", "--name", "written", "--store", store).exit(t, 0)
	b := newBrowser(t, store)

	for _, view := range seen {
		for _, width := range []int64{400, 1600} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s/%d/%s", view.address, width, scheme), func(t *testing.T) {
					b.use(t)
					b.look(width, scheme)
					b.open(view.address)
					b.sees(append(view.says, "live")...)
					b.proper()
				})
			}
		}
	}
	b.look(1200, "light")
	for name, test := range map[string]func(*browser){"keyboard": byKeyboard, "select and compare": selecting, "step": stepping, "mistakes": mistaken, "theme": themes, "downloads": downloads} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

// proper holds what is shown to the rules of every view.
func (b *browser) proper() {
	b.t.Helper()
	if wide := b.eval("document.documentElement.scrollWidth - innerWidth"); wide != "0" {
		b.t.Errorf("the page is %s pixels wider than the window", wide)
	}
	if faint := b.eval(script(b.t, "contrast.js")); faint != "" {
		b.t.Errorf("contrast under AA:\n%s", faint)
	}
	if unnamed := b.eval(script(b.t, "unnamed.js")); unnamed != "" {
		b.t.Errorf("nothing names:\n%s", unnamed)
	}
}

func byKeyboard(b *browser) {
	b.open("/")
	b.sees("8 runs")
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
	b.sees("basis=rows-of-v", "hide=3")
	b.keys("?")
	b.until("document.querySelector('dialog').open")
	b.keys(kb.Escape)
	b.until("!document.querySelector('dialog').open")
	b.eval("history.back()")
	b.sees("2 runs")
}

func selecting(b *browser) {
	b.open("/?q=name%3Dwritten,published&sort=name")
	b.sees("2 runs")
	b.eval("document.querySelector('tr[data-row=\"0\"]').focus()")
	b.keys(" " + kb.ArrowDown + " ")
	b.press(".chosen a.button")
	b.until("location.pathname === '/compare'")
	b.sees("basis", "By iteration")
	b.press("#pairs tbody tr td:nth-child(3) a")
	b.sees("Two options", "Jaccard index")
	b.until("document.querySelectorAll('.side canvas').length === 2")
}

func stepping(b *browser) {
	b.open("/run/published/option/2/1%2B")
	b.until("document.querySelector('#landscape canvas') !== null")
	b.eval(`fetch("/api/runs/published/iterations/2/options/1%2B/policy").then((r) => r.arrayBuffer()).then((p) => window.acts = new Int8Array(p).findIndex((a) => a >= 0))` + ", ''")
	b.until("window.acts >= 0")
	state := b.eval("window.acts")
	b.eval(`(() => { const i = document.querySelector("[data-state]"); i.value = window.acts; i.dispatchEvent(new Event("input", { bubbles: true })) })()`)
	b.sees("In state "+state+",", "path: "+state+" ")
	b.press("[data-step]:not(:disabled)")
	b.until("!location.search.includes('state=" + state + "&') && !location.search.endsWith('state=" + state + "')")
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
	b.open("/nowhere/at/all")
	b.sees("There is no such page")
}

func themes(b *browser) {
	ground := func() string { return b.eval("getComputedStyle(document.body).backgroundColor") }
	b.open("/?theme=dark")
	b.sees("8 runs")
	dark := ground()
	b.open("/?theme=light")
	b.sees("8 runs")
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
	if lines := strings.Split(strings.TrimSpace(saved), "\n"); len(lines) != 7 || !strings.HasPrefix(lines[0], "k,link,steps,purposes") {
		b.t.Errorf("six iterations as CSV are\n%s", saved)
	}
}

// TestPageWalk zooms into a walk by dragging, down to single steps.
func TestPageWalk(t *testing.T) {
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	start(t, "run", "--steps", "50000", "--iterations", "2", "--kappa", "100", "--name", "long", "--store", store).exit(t, 0)
	b := newBrowser(t, store)
	b.look(1200, "light")
	b.open("/run/long")
	b.sees("steps 0 to 100,000 of 100,000, the range of each")
	for _, part := range []float64{0.1, 0.1} {
		b.drag("#walk .u-over", 0.5, 0.5+part)
	}
	b.sees("every single step")
	shown := b.eval("document.querySelector('[data-walk]').dataset.walk")
	var from, to, bucket int
	if _, err := fmt.Sscanf(shown, "%d-%d/%d", &from, &to, &bucket); err != nil || bucket != 1 || from < 49_000 || to > 61_000 || to-from > 1100 {
		t.Errorf("a hundredth of the walk is %s", shown)
	}
	b.eval("history.back()")
	b.sees("the range of each")
	b.open(fmt.Sprintf("/run/long?k=1&from=%d&to=%d#walk", 100, 140))
	b.sees("steps 100 to 139 of 50,000, every single step")
	b.eval("document.querySelector('.walk').focus()")
	b.keys("0")
	b.sees("steps 0 to 50,000 of 50,000")
}

// drag moves the mouse over an element with its button down, from one part of its
// width to another, and waits until the walk is another one.
func (b *browser) drag(selector string, from, to float64) {
	b.t.Helper()
	before := b.eval("document.querySelector('[data-walk]').dataset.walk")
	b.eval(fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center', behavior: 'instant'})", selector))
	var left, top, width float64
	box := b.eval(fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.left, r.top + r.height / 2, r.width].join(' ') })()", selector))
	if _, err := fmt.Sscan(box, &left, &top, &width); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.DragAndDropXY(left+from*width, top, left+to*width, top, 5))
	b.until(fmt.Sprintf("document.querySelector('[data-walk]').dataset.walk !== %q", before))
}

// TestPageLive watches a run that another process works on.
func TestPageLive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	start(t, "run", "--iterations", "1", "--name", "first", "--store", store).exit(t, 0)
	b := newBrowser(t, store)
	b.open("/")
	b.sees("1 run", "live")
	b.eval("window.same = true")
	work := start(t, "run", "--seed", "1", "--iterations", "100000", "--steps", "20000", "--kappa", "60", "--name", "second", "--store", store)
	b.sees("2 runs", "second", "running")
	b.until(`+/(\d+) of 100000/.exec(document.body.innerText)[1] > 1`)
	b.press(`a[title][href^="/run/"]`)
	b.until("document.querySelectorAll('#measures tbody tr').length > 2")
	if err := work.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	work.exit(t, 130)
	b.sees("interrupted")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
}
