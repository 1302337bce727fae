package page

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// seenBeyond is every kind of view of runs that are not on a ring, with what it has
// to say.
var seenBeyond = []view{
	{"/?columns=all", []string{"corridor", "four-rooms"}},
	{"/run/rooms", []string{"map=four-rooms", "Eigenpurposes of rooms"}},
	{"/run/rooms/option/0/1%2B", []string{"Value and policy", "every record on the way"}},
	{"/run/slippery", []string{"slip=100"}},
	{"/run/slippery/option/0/1%2B", []string{"terminat"}},
	{"/run/taxi", []string{"episode=200"}},
	{"/run/taxi/option/0/1-", []string{"pickup"}},
	{"/run/rejected", []string{"method=laplacian", "select=top=2", "it is not among the first 2",
		"selected by the rule top=2"}},
	{"/run/rejected/option/0/1%2B", []string{"the laplacian matrix of "}},
	{"/run/rejected?of=0#options", []string{"of iteration 0, by the rule top=2"}},
	{"/run/lspi", []string{"learner=lspi", "observe=binary"}},
	{"/run/lspi/option/0/1-", []string{"Value and policy"}},
	{"/run/nothing", []string{"No direction passes κ", "--kappa 3 would have kept 6 directions"}},
	{"/run/ring", []string{"Eigenpurposes of ring"}},
	{"/run/corridor", []string{"observes=discrete", "Distinct states visited", "learner=empirical"}},
	{"/run/corridor/option/0/1%2B", []string{"9 states"}},
	{"/compare?q=ring&q=rooms&by=run", []string{"Each line is one run.", "four-rooms"}},
	{"/compare?a=ring&b=rooms", []string{"Records do not compare: runs ring and rooms", "environments differ (env ring",
		"four-rooms", "Each line is one run.", "Distance (steps)"}},
	{"/compare?a=rooms%3A0%2F1%2B&b=rooms%3A1%2F1%2B", []string{"podtrack diff rooms:0/1+ rooms:1/1+", "Jaccard index"}},
}

// recordBeyond runs what the page is to show.
func recordBeyond(t *testing.T, store string) {
	schematest.NeedsPrograms(t, "python3")
	corridor := e2e.Corridor(t)
	for _, args := range [][]string{
		{"--name", "rooms", "--env", "grid:four-rooms", "--select", "top=3", "--steps", "2000", "--iterations", "2"},
		{"--name", "slippery", "--env", "grid:four-rooms", "--select", "top=3", "--set", "slip=100", "--set", "episode=200",
			"--set", "goal=1"},
		{"--name", "taxi", "--env", "taxi", "--set", "episode=200", "--iterations", "2"},
		{"--name", "rejected", "--env", "grid:i-maze", "--method", "laplacian", "--select", "top=2", "--iterations", "2"},
		{"--name", "lspi", "--env", "grid:open", "--set", "observe=binary", "--learner", "lspi", "--steps", "500",
			"--iterations",
			"1"},
		{"--name", "ring", "--bits", "8", "--iterations", "2"},
		{"--name", "nothing", "--bits", "8", "--iterations", "1", "--kappa", "1000"},
		{"--name", "corridor", "--env", corridor, "--learner", "empirical", "--kappa", "0", "--steps", "300",
			"--iterations",
			"2"},
	} {
		e2e.Perform(t, append([]string{"run", "--store", store}, args...)...)
	}
}

// TestPageBeyond opens the views of grids, a taxi, a program and other methods in a real browser, in short every
// third.
func TestPageBeyond(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	recordBeyond(t, store)
	b := newBrowser(t, store)
	b.lookAt(seenBeyond, b.told)
}

// told fails if the page shows no number where one should be, such as NaN or undefined, or a fault.
func (b *browser) told() {
	b.t.Helper()
	const noNumbers = `document.body.innerText.match(/.*\b(NaN|undefined|Infinity|\[object Object\]).*/g)`
	if wrong := b.eval("(" + noNumbers + ` ?? []).join("\n")`); wrong != "" {
		b.t.Errorf("the page says:\n%s", wrong)
	}
	if failed := b.eval(`document.querySelector(".fault")?.innerText ?? ""`); failed != "" {
		b.t.Errorf("the page failed: %s", failed)
	}
}
