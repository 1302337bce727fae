package page

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// seen is every kind of view with what it has to say. Both readings of the paper,
// with and without hidden bits, are in the store.
var seen = []view{
	{"/", []string{"9 runs", "as-written", "as-published", "podtrack ls"}},
	{"/?q=reading%3Das-published&sort=-seed&group=hide",
		[]string{"hide 0 · 2 runs", "hide 3 · 2 runs", "podtrack ls reading=as-published --sort -seed"}},
	{"/?group=reading&columns=all", []string{"reading as-written · 5 runs", "reading as-published · 4 runs", "rows-of-v"}},
	{"/?q=seed%3D99", []string{"No run passes this filter."}},
	{"/run/published", []string{"basis=rows-of-v", "Measures by iteration", "Walk", "Spectrum",
		"podtrack show published --exploration", "of 4,096 states in 6,000 steps", "records", "in the stages"}},
	{"/run/published/option/3/1%2B", []string{"starts in", "Value and policy over the states",
		"every record on the way to the head is verified"}},
	{"/compare?a=published&b=written", []string{"first divergence: iteration", "By iteration",
		"podtrack diff published written"}},
	{"/compare?a=published%3A1&b=written%3A1", []string{"chance level: mean |cos|"}},
	{"/compare?a=published%3A1%2F1%2B&b=written%3A1%2F1%2B", []string{"Jaccard index", "chance level: mean |cos_M|"}},
	{"/compare?a=reading%3Das-written+parent%3D&b=reading%3Das-published",
		[]string{"a (4 runs, reading=as-written", "differences from a", "mean [interval]", "Welch"}},
	{"/compare?a=reading%3Das-written+parent%3D&b=reading%3Das-published%3B+published%3B+written",
		[]string{"differences from a", "d (1 run, written)", "p (Holm)", "Bonferroni"}},
	{"/compare?a=reading%3Das-written+hide%3D0&b=reading%3Das-published+hide%3D0&paired=seed",
		[]string{"Paired by seed", "is their mean difference", "--paired seed"}},
	{"/compare?a=reading%3Das-written+hide%3D0&b=reading%3Das-published+hide%3D0&measure=covered%2Cstart_share",
		[]string{"Covered (states)", "Start share", "--measure covered,start_share"}},
	{"/compare?q=reading%3Das-written,as-published&q=parent%3D&by=reading,hide",
		[]string{"reading as-published, hide 3 (2)", "reading as-published, hide 3 (2 runs)",
			"podtrack plot coverage", "podtrack compare reading=as-written,as-published parent= --by reading,hide"}},
	{"/compare?q=published&q=written&q=forked&by=run", []string{"published (1 run)", "forked (1 run)", "split by",
		"Each line is one run."}},
	{"/compare?q=reading%3Das-published", []string{"a (4 runs", "Student's t", "podtrack show --group"}},
	{"/group?q=reading%3Das-published&q=hide%3D3",
		[]string{"of 2 runs", "prevalence [95 % interval]", "Run similarity"}},
	{"/group?q=reading%3Das-published&q=hide%3D3&by=options", []string{"Distinct options", "--by options"}},
	{"/glossary", []string{"eigenpurpose", "the farthest that the agent was"}},
	{"/run/published#options", []string{"option", "initiation", "termination"}},
}

// TestPage opens the page in a real browser. The page must not complain, ask for
// anything from elsewhere, or be wider than the window.
func TestPage(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Start(t, "sweep", "--seeds", "0-1", "--reading", "as-written,as-published", "--hide", "0,3", "--store",
		store).Exit(t, 0)
	e2e.Start(t, "run", "--reading", "as-published", "--hide", "3", "--name", "published", "--store", store).Exit(t, 0)
	e2e.Start(t, "run", "--hide", "3", "--name", "written", "--store", store).Exit(t, 0)
	e2e.Start(t, "fork", "written:2", "--set", "gamma=0.9", "--name", "forked", "--store", store).Exit(t, 0)
	b := newBrowser(t, store)

	b.lookAt(seen, func() {})
	b.look(1200, "light")
	for name, test := range map[string]func(*browser){"keyboard": byKeyboard, "select and compare": selecting,
		"trace": tracing, "mistakes": mistaken, "theme": themes, "downloads": downloads, "figures": figures,
		"layout": layoutFaults, "options": findsOptions} {
		t.Run(name, func(t *testing.T) {
			b.use(t)
			test(b)
		})
	}
}
