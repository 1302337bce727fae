package page

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestRunsList reads, sorts, searches and picks the columns of a list of runs.
func TestRunsList(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "run", "--bits", "5", "--steps", "50", "--seeds", "0-2", "--name", "run{seed}", "--store",
		store).Exit(t, 0)
	e2e.Start(t, "label", "run1", "--tag", "special", "--store", store).Exit(t, 0)
	e2e.Start(t, "label", "run2", "--note", "Mind the gap", "--store", store).Exit(t, 0)
	e2e.Start(t, "label", "run0", "--tag", "x*", "--store", store).Exit(t, 0)
	e2e.Start(t, "label", "run2", "--tag", "xy", "--store", store).Exit(t, 0)
	b := newBrowser(t, store)
	b.look(1600, "light")
	for name, test := range map[string]func(*browser){"measures": listsMeasures, "columns": picksColumns,
		"search": searches, "completion": completes, "quotes": quotes} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}

const cellsOfColumn = `(name) => {
	const n = [...document.querySelectorAll("thead th")].findIndex((h) => h.innerText.trim().startsWith(name));
	const cells = [...document.querySelectorAll("tr[data-row]")].map((r) => r.children[n]?.innerText.trim());
	return n < 0 ? "none" : cells.join(" ");
}`

// column returns the texts of a column, and "none" if there is no such column.
func (b *browser) column(title string) string {
	b.t.Helper()
	return b.eval(fmt.Sprintf("(%s)(%q)", cellsOfColumn, title))
}

func listsMeasures(b *browser) {
	b.open("/")
	b.sees("3 runs", "distance", "All with bits=5 steps=50.")
	b.until(`document.querySelectorAll("svg.spark").length >= 6`) // of runs of six iterations each
	press := `[...document.querySelectorAll("thead button")].find((b) => b.innerText.startsWith("distance")).click()`
	b.eval(press)
	b.until("location.search === '?sort=distance'")
	b.until(`document.querySelector("[aria-sort=ascending]")?.innerText.startsWith("distance")`)
	rising := func() (rises, falls bool) {
		rises, falls = true, true
		last, _ := strconv.Atoi(strings.Fields(b.column("distance"))[0])
		for _, text := range strings.Fields(b.column("distance")) {
			n, err := strconv.Atoi(text)
			if err != nil {
				b.t.Fatal(err)
			}
			rises, falls = rises && n >= last, falls && n <= last
			last = n
		}
		return rises, falls
	}
	b.settle()
	if rises, _ := rising(); !rises {
		b.t.Errorf("in rising order: %s", b.column("distance"))
	}
	b.eval(press)
	b.until("location.search === '?sort=-distance'")
	b.settle()
	if _, falls := rising(); !falls {
		b.t.Errorf("in falling order: %s", b.column("distance"))
	}
	b.sees("podtrack ls --sort -distance")
}

func picksColumns(b *browser) {
	b.open("/")
	b.sees("3 runs", "run2")
	b.settle()
	note := strings.TrimSpace(b.column("note"))
	if b.column("option length") != "none" || b.column("gamma") != "none" || note != "Mind the gap" {
		b.t.Errorf("usual columns: %s", b.eval(`document.querySelector("thead").innerText`))
	}
	b.press(".picker summary")
	pick := func(name string) {
		b.eval(fmt.Sprintf(`[...document.querySelectorAll(".picker label")].find((l) => l.innerText.trim() === %q)`, name) +
			".click()")
	}
	pick("option length")
	b.until("location.search.includes('option_length')")
	pick("head")
	b.until("!location.search.includes('head')")
	address := b.eval("location.pathname + location.search")
	b.open(address)
	b.sees("option length", "podtrack ls --columns run,name,")
	b.settle()
	if b.column("head") != "none" || b.column("option length") == "none" {
		b.t.Errorf("columns of %s: %s", address, b.eval(`document.querySelector("thead").innerText`))
	}
}

// searches finds runs by a part of what people wrote, and goes on by keyboard.
func searches(b *browser) {
	for typed, want := range map[string]string{"un1": "run1", "SPEC": "run1", "gap": "run2", "run 0": "run0"} {
		b.open("/")
		b.sees("3 runs")
		b.keys("/")
		b.until("document.activeElement.dataset.filter !== undefined")
		b.eval("document.activeElement.value = ''")
		b.keys(typed + kb.Enter)
		b.sees("1 run", want)
		if failed := b.eval("document.querySelector('[role=alert]')"); failed != "null" {
			b.t.Errorf("%s is a fault", typed)
		}
		b.until("document.activeElement.dataset.row === '0'")
		b.keys(kb.Enter)
		b.until("location.pathname.startsWith('/run/')")
		b.until("document.querySelector('h1')?.innerText.startsWith('" + want + "')")
	}
}

// quotes finds runs by a value that means others without quotes: typed, pasted from a shell, and clicked.
func quotes(b *browser) {
	for typed, want := range map[string]string{`tag="x*"`: "1 run", `'tag="x*"'`: "1 run", "tag=x*": "2 runs",
		`note="Mind the gap" tag==xy`: "1 run"} {
		b.open("/?" + url.Values{"q": {"seed=0-2"}}.Encode())
		b.sees("3 runs")
		b.keys("/")
		b.until("document.activeElement.dataset.filter !== undefined")
		b.eval("document.activeElement.value = ''")
		b.keys(typed + kb.Enter)
		b.sees(want)
	}
	b.open("/")
	b.sees("3 runs", "x*")
	b.settle()
	b.eval(`[...document.querySelectorAll("a.value")].find((a) => a.innerText === "x*").click()`)
	b.until(`new URLSearchParams(location.search).get("q") === 'tag="x*"'`)
	b.sees("1 run", "run0", `podtrack ls 'tag="x*"'`)
}

func completes(b *browser) {
	b.open("/")
	b.sees("3 runs", "seed")
	b.settle()
	for typed, want := range map[string]string{"see": "seed=", "kappa=1 seed=": "kappa=1 seed=2", "tag=s": "tag=special",
		"status=co": "status=complete", "dist": "distance>"} {
		b.eval(fmt.Sprintf(`(() => { const i = document.querySelector("[data-filter]"); i.value = %q; `+
			`i.dispatchEvent(new Event("input", { bubbles: true })) })()`, typed))
		b.until(fmt.Sprintf(`[...document.querySelectorAll("#completions option")].some((o) => o.value === %q)`, want))
	}
}

// TestFailedRun shows why a run failed and how to continue it, in the list without a box.
func TestFailedRun(t *testing.T) {
	chromium(t)
	s := newSweeper(t)
	s.begin("study").Fail(errors.New("the disk is full"), nil)
	s.must(s.w.Flush(t.Context()))
	b := newBrowser(t, s.store.Path())
	b.look(1280, "light")
	b.open("/")
	b.sees("failed: the disk is full", "podtrack resume status=interrupted,failed")
	if box := b.eval("getComputedStyle(document.querySelector('.status.failed')).borderStyle"); box != "none" {
		t.Errorf("the status has a %s border", box)
	}
	b.press("tbody a")
	b.sees("the disk is full", "podtrack resume ")
}

// TestLongList: a list of 1,000 runs is no longer than a window, and the page neither.
func TestLongList(t *testing.T) {
	chromium(t)
	b := newBrowser(t, many(t, schematest.Size(300, 1000)))
	b.look(1280, "light")
	for _, address := range []string{"/", "/?columns=all", "/?group=reading", "/?sort=seed"} {
		b.open(address)
		b.sees("runs", "seed")
		b.settle()
		if high, _ := strconv.Atoi(b.eval("document.documentElement.scrollHeight")); high > 1500 {
			t.Errorf("%s is %d pixels high", address, high)
		}
	}
}

// TestOwnMeasures lists, sorts by and draws what a program of one's own measures, beside a run that has none.
func TestOwnMeasures(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	program := e2e.MeasureProgram(t)
	for seed, name := range []string{"few", "many"} {
		e2e.Perform(t, "run", "--bits", "5", "--steps", []string{"50", "500"}[seed], "--name", name, "--measure", program,
			"--store", store)
	}
	e2e.Perform(t, "run", "--bits", "5", "--steps", "50", "--name", "plain", "--store", store)
	b := newBrowser(t, store)
	b.look(1280, "light")
	b.open("/")
	b.sees("3 runs", "purposes_per_state")
	b.settle()
	const head = `[...document.querySelectorAll("thead th")].find((h) => h.innerText.startsWith("purposes_per_state"))`
	b.eval(head + `.querySelector("button").click()`)
	b.until("location.search === '?sort=purposes_per_state'")
	b.settle()
	values := strings.Fields(b.column("purposes_per_state"))
	if len(values) != 3 || values[2] != "–" && values[0] != "–" || !strings.HasPrefix(values[1], "0.") {
		t.Errorf("the column has %q", values)
	}
	b.until(`[...document.querySelectorAll("[data-row]")].filter((row) => row.cells[` + head +
		`.cellIndex].querySelector(".spark")).length === 2`)
	b.proper()
	b.open("/?columns=purposes_per_state&q=purposes_per_state%3E0")
	b.sees("2 runs", "podtrack ls 'purposes_per_state>0' --columns run,name,purposes_per_state")
	b.open("/run/few")
	b.sees("Measures by iteration")
	b.until(`[...document.querySelectorAll("#measures thead th")].at(-1).innerText === "purposes_per_state"`)
	b.until(`/^0\.\d+$/.test(document.querySelector("#measures tbody tr:last-child td:last-child").innerText)`)
	b.proper()
	b.open("/run/plain")
	b.sees("Measures by iteration")
	b.until(`[...document.querySelectorAll("#measures thead th")].at(-1).innerText === "states"`)
}
