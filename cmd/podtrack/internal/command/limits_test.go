package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/merge"
)

// given returns the context of a command to which these flags and arguments are given.
func given(t *testing.T, flags map[string]string, args ...string) *cli.Context {
	t.Helper()
	set := flag.NewFlagSet("command", flag.ContinueOnError)
	for name, value := range flags {
		set.String(name, "", "")
		if err := set.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return cli.NewContext(nil, set, nil)
}

// TestLimits: what a limit allows is accepted, and one more is refused by an error that names both.
func TestLimits(t *testing.T) {
	iterations := func(list string, n int) error {
		all, err := parseIterations(list)
		if err == nil && len(all) != n {
			return fmt.Errorf("%d iterations", len(all))
		}
		return err
	}
	limit := func(n int) error {
		_, err := (&lsFlags{limit: &n}).parse(given(t, map[string]string{"format": table.Formats[0]}))
		return err
	}
	token := func(n int) error {
		text := strings.Repeat("a", n)
		_, err := parseToken(&text)
		return err
	}
	sample := func(text string) error {
		_, err := parseSample(&text)
		return err
	}
	depth := func(n int) error {
		_, err := (&auditFlags{depth: &n}).parseQuestion(given(t, nil, "a:#0"))
		return err
	}
	iteration := func(k int) error { return checkNumber(&k) }
	for _, limit := range []struct {
		name       string
		at, beyond error
		says       string // of the one beyond, with its remedy
	}{
		{"iterations", iterations("0-1048575", 1<<20), iterations("0-1048576", 0), "too many … up to 1048576"},
		{"iterations in parts", iterations("0-1048574,1048575", 1<<20), iterations("0-1048574,1048575,1", 0),
			"too many … up to 1048576"},
		{"a range of iterations", iterations("3-3", 1), iterations("3-2", 0), `--iterations "3-2"`},
		{"steps of a check", checkSteps(1 << 24), checkSteps(1<<24 + 1), "--steps 16777217 … 1 to 16777216"},
		{"a step of a check", checkSteps(1), checkSteps(0), "--steps 0 … 1 to 16777216"},
		{"runs to list", limit(1), limit(0), "--limit 0 … at least 1"},
		{"a token", token(16), token(15), "15 characters … at least 16"},
		{"an iteration", iteration(0), iteration(-1), "iteration -1 … from 0"},
		{"generations", depth(0), depth(-1), `--depth -1 … 0 for no`},
		{"a part", sample("3/3"), sample("4/3"), `"4/3"`},
		{"the first part", sample("1/3"), sample("0/3"), `"0/3"`},
		{"a share", sample("100%"), sample("100.1%"), `"100.1%" … to 100%`},
		{"a small share", sample("0.000001%"), sample("0.0000009%"), `"0.0000009%" … from 0.000001%`},
	} {
		if limit.at != nil {
			t.Errorf("%s: at the limit %v", limit.name, limit.at)
		}
		text := fmt.Sprintf("%v (%s)", limit.beyond, schema.Remedy(limit.beyond))
		for part := range strings.SplitSeq(limit.says, " … ") {
			if limit.beyond == nil || schema.Remedy(limit.beyond) == "" || !strings.Contains(text, part) {
				t.Errorf("%s: one beyond %s, want %q", limit.name, text, part)
			}
		}
	}
}

// TestShownLimits: what a limit allows is shown whole, and of one more it is said that something is left out.
func TestShownLimits(t *testing.T) {
	sessions := func(n int) string {
		var out bytes.Buffer
		printSessions(table.Text{Writer: &out}, make([]report.Session, n))
		return out.String()
	}
	plans := func(n int) string {
		var out bytes.Buffer
		printPlans(&out, []report.Progress{{Tag: "a", Plans: make([]report.PlanProgress, n)}})
		return out.String()
	}
	seeds := func(n int) string {
		text := strings.Repeat("7,", n/2)[:n-1] + "8"
		return shortSeeds(text)
	}
	parameter := func(n int) string {
		g := table.New(table.Left("own"))
		g.Add(strings.Repeat("a", n))
		return hideable(g).Rows[0][0]
	}
	note := func(n int) string {
		var r mergedRun
		r.Dropped = merge.Dropped{Note: strings.Repeat("a", n)}
		return strings.Join(r.droppedLines("podtrack.db"), "\n")
	}
	chain := func(n int) string {
		r := &why.Report{Chain: make([]why.Proof, n), Levels: []replay.StageLevel{}}
		for i := range r.Chain {
			r.Chain[i].Verified = true
		}
		var out bytes.Buffer
		printChain(table.Text{Writer: &out}, r)
		return out.String()
	}
	row := func(n int) string { return rowText(make([]string, n), slices.Repeat([]float64{1}, n)) }
	ends := func(n int) string { return endsText(make([]why.End, n)) }
	removed := func(n int) string {
		r := checkReport{Store: "podtrack.db"}
		for i := range n {
			r.Damaged = append(r.Damaged, check.Damage{Run: &schema.Digest{byte(i)}, Misfit: true})
		}
		return fmt.Sprint(strings.Count(r.repair(), " ") - 1)
	}
	help := func(width int) string {
		const name = "   --name X  "
		return fitEntry(name+strings.Repeat("word ", 9), len(name)+width)[0]
	}
	for _, c := range []struct{ name, at, beyond, number, says string }{
		{"sessions", sessions(10), sessions(11), "1 session", " before these"},
		{"labels", someLabels(make([]string, 10)), someLabels(make([]string, 11)), " and 1", " more"},
		{"plans", plans(10), plans(11), "and 1", " more plan"},
		{"seeds", seeds(40), seeds(41), "", "…"},
		{"a parameter", parameter(24), parameter(25), "", "…"},
		{"a note", note(200), note(201), "", " prints it whole"},
		{"links", chain(3 * shownRows), chain(3*shownRows + 1), "8 links", " between them are not shown"},
		{"features of a row", row(6), row(7), "", "…"},
		{"a text beside its name", help(23), help(24), "--name X  ", "word"},
	} {
		if strings.Contains(c.at, c.says) || !strings.Contains(c.beyond, c.number+c.says) {
			t.Errorf("%s: at the limit %s\none beyond %s\nwant %q beyond it alone", c.name, c.at, c.beyond, c.number+c.says)
		}
	}
	if a, b := strings.Count(ends(5), "from"), strings.Count(ends(6), "from"); a != 5 || b != 5 {
		t.Errorf("states in which options end: %d of 5, %d of 6", a, b)
	}
	if a, b := removed(40), removed(41); a != "40" || b != "40" {
		t.Errorf("runs to remove: %s of 40, %s of 41", a, b)
	}
	if a, b := topicWidth(100), topicWidth(101); a != 100 || b != 100 {
		t.Errorf("columns of a topic: %d in 100, %d in 101", a, b)
	}
}

// TestFindingsLimit: findings are looked for in 16 of the runs of a command.
func TestFindingsLimit(t *testing.T) {
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	if _, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 1}, replay.Options{}); err != nil {
		t.Fatal(err)
	}
	err = store.Tracker().View(t.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, "@1")
		for _, n := range []int{16, 17} {
			runs := slices.Repeat([]report.Run{run}, n)
			err = errors.Join(err, lookForFindings(tx, runs))
			unread := slices.DeleteFunc(runs, func(r report.Run) bool { return r.Findings != nil })
			if looked := n - len(unread); looked != 16 {
				t.Errorf("of %d runs %d are looked at", n, looked)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
