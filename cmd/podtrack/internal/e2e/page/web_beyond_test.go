package page

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/schema/schematest"
)

// seenBeyond is every kind of view of runs that are not on a ring, with what it has
// to say.
var seenBeyond = []view{
	{"/?columns=all", []string{"corridor", "four-rooms"}},
	{"/run/rooms", []string{"map=four-rooms", "distance from the start", "an arrow the action", "2 evaluations", "smdp"}},
	{"/run/rooms?maps=w#options", []string{"What each purpose is worth where"}},
	{"/run/rooms/option/0/1%2B?state=40", []string{"r4c11", "weights of the features", "In state 40 (r4c11)",
		"every record on the way"}},
	{"/run/slippery", []string{"slip=100", "dots are ends of episodes"}},
	{"/run/slippery/option/0/1%2B?state=3", []string{"In state 3", "terminat"}},
	{"/run/taxi", []string{"episode=200", "distance from the start"}},
	{"/run/taxi/option/0/1-?state=7", []string{"In state 7", "pickup"}},
	{"/run/rejected", []string{"method=laplacian", "select=top=2", "it is not among the first 2",
		"selected by the rule top=2", "No evaluation yet"}},
	{"/run/rejected/option/0/1%2B?state=5", []string{"the laplacian matrix of ", "In state 5"}},
	{"/run/rejected?of=0#options", []string{"of iteration 0, by the rule top=2"}},
	{"/run/lspi", []string{"learner=lspi", "observe=binary"}},
	{"/run/lspi/option/0/1-?state=7", []string{"In state 7", "r0c7"}},
	{"/run/nothing", []string{"No direction passes κ", "--kappa 3 would have kept 6 directions"}},
	{"/run/ring", []string{"weights of each purpose", "primitive actions, by the same seed", "steps 0 to 2,000"}},
	{"/run/corridor",
		[]string{"observes=discrete", "distinct states visited", "an arrow the action", "learner=empirical"}},
	{"/run/corridor/option/0/1%2B?state=2", []string{"In state 2", "9 states"}},
	{"/lineage/rejected", []string{"k = 0"}},
	{"/compare?q=ring&q=rooms&by=run", []string{"Each line is one run.", "four-rooms",
		"environments have from 104"}},
	{"/compare?a=ring&b=rooms", []string{"Records do not compare: runs ring and rooms", "environments differ (env ring",
		"four-rooms", "Each line is one run.", "environments have from 104", "Distance (steps)"}},
	{"/run/EVALUATION", []string{"Learning curves",
		"steps to the goal and discounted return, by episode; n = 3 seeds", "primitive actions",
		"random options", "takes seconds"}},
	{"/run/EVALUATION?diffusion=1",
		[]string{"An episode that does not get to the goal counts as 100 steps", "cover decisions",
			"exact, mean over all ordered pairs"}},
	{"/run/rooms/evaluation/GOALS", []string{"103 goals from r11c1", "For which goals", "blue where options do better",
		"Wins", "early: primitive actions", "The shortest path has 10.5 steps"}},
	{"/compare?a=rooms%3A0%2F1%2B&b=rooms%3A1%2F1%2B", []string{"podtrack diff rooms:0/1+ rooms:1/1+", "Δv: b − a"}},
}

// recordBeyond runs what the page is to show, and says where its evaluation is.
func recordBeyond(t *testing.T, store string) (evaluation string) {
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
	p := e2e.Start(t, "evaluate", "rooms:1", "--task", "goal=goal", "--episodes", "30", "--steps", "100", "--seeds",
		"0-2", "--json", "--store", store)
	p.Exit(t, 0)
	_, digest, _ := strings.Cut(p.Printed.String(), `"evaluation": "`)
	return "rooms/evaluation/" + digest[:12]
}

// recordGoals evaluates every goal, and returns the digest.
func recordGoals(t *testing.T, store string) string {
	t.Helper()
	out := e2e.Perform(t, "evaluate", "rooms:1", "--task", "all,start=start", "--episodes", "20", "--seeds", "0-2",
		"--json",
		"--store", store)
	_, digest, _ := strings.Cut(out, `"evaluation": "`)
	return digest[:12]
}

// TestPageBeyond opens the views of grids, a taxi, a program, other methods and
// evaluations in a real browser, in short every third.
func TestPageBeyond(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	evaluation := recordBeyond(t, store)
	places := strings.NewReplacer("EVALUATION", evaluation, "GOALS", recordGoals(t, store))
	b := newBrowser(t, store)
	b.lookAt(seenBeyond, places, b.told)
	b.look(1200, "light")
	t.Run("map", func(t *testing.T) {
		b.use(t)
		onMap(b)
	})
	t.Run("tasks", func(t *testing.T) {
		b.use(t)
		sameTasks(b)
	})
	t.Run("curves", func(t *testing.T) {
		b.use(t)
		b.forgive("status of 409", "status of 400")
		b.open("/compare?a=corridor&b=rooms&curve=distance")
		b.sees("defines no distance between states")
	})
	t.Run("missing", func(t *testing.T) {
		b.use(t)
		b.forgive("status of 404")
		b.open("/run/rooms/evaluation/0123456789ab")
		b.sees("has no evaluation")
		b.proper()
	})
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

// onMap goes over a map by keyboard and by pointer, and steps through it.
func onMap(b *browser) {
	b.open("/run/rooms/option/0/1%2B")
	b.sees("point at a cell to read it")
	b.until(`document.querySelector("#landscape canvas") !== null`)
	b.eval(`document.querySelector("#landscape canvas").focus()`)
	b.eval(`document.querySelector("#landscape canvas")` +
		`.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }))`)
	b.sees("r11c1, state 94: v ") // the map's start
	b.until(`document.querySelector("#landscape [data-cell]").innerText.includes("q: up")`)
	b.eval(`document.querySelector("#landscape canvas")` +
		`.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }))`)
	b.sees("r10c1, state")
	b.eval(`(() => { const c = document.querySelector("#landscape canvas"), ` +
		`r = c.getBoundingClientRect(), cell = r.width / 13; ` +
		`c.dispatchEvent(new MouseEvent("click", { bubbles: true, ` +
		`clientX: r.left + 1.5 * cell, clientY: r.top + 1.5 * cell })) })()`)
	b.sees("In state 0 (r1c1)")
	b.until(`location.search === "?state=0"`)
	b.press("[data-step]:not([disabled])")
	b.until(`location.search !== "?state=0"`)
	b.open("/run/rooms#options")
	b.until(`document.querySelectorAll(".options canvas.plan[data-drawn]").length > 4`)
}

// sameTasks checks that each evaluation has the same name in the list of its run and in the heading of its own view.
func sameTasks(b *browser) {
	for n := range 2 {
		b.open("/run/rooms#evaluations")
		row := fmt.Sprintf("document.querySelectorAll('#evaluations tbody tr')[%d]", n)
		b.until("/r\\d+c\\d+/.test(" + row + "?.children[3].innerText)") // places have these names once the map is there
		task := b.eval(row + ".children[3].innerText")
		b.eval(row + ".querySelector('a').click()")
		b.until(fmt.Sprintf("document.querySelector('h1')?.innerText === %q", task))
	}
}
