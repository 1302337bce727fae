package commands

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/replay/report"
)

// printed returns what a command prints; it must exit 0.
func printed(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := command.Execute(context.Background(), append([]string{"podtrack"}, args...), &stdout,
		&stderr); code != cmdline.ExitDone {
		t.Fatalf("%v exits %d: %s", args, code, &stderr)
	}
	return stdout.Bytes()
}

// own returns the rows of a run, without those of primitive actions beside it.
func own(rows []map[string]string) []map[string]string {
	return slices.DeleteFunc(rows, func(row map[string]string) bool { return row["track"] == "primitive actions" })
}

// plotted returns the rows of a figure's CSV, by column.
func plotted(t *testing.T, args ...string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(printed(t,
		append(append([]string{"plot"}, args...), "--format", "csv")...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestPlotAgainstShow compares the numbers in figures with those that show and options report of the same run.
func TestPlotAgainstShow(t *testing.T) {
	t.Setenv("PODTRACK_STORE", filepath.Join(t.TempDir(), "podtrack.db"))
	printed(t, "run", "--bits", "7", "--steps", "300", "--iterations", "4", "--reading", "as-published", "--name", "r")
	var d report.Detail
	if err := json.Unmarshal(printed(t, "show", "r", "--json"), &d); err != nil {
		t.Fatal(err)
	}
	for _, it := range d.History {
		part := fmt.Sprintf("r:%d", it.K)
		t.Run(part, func(t *testing.T) {
			checkWalk(t, it, own(plotted(t, "walk", part)))
			rows := own(plotted(t, "coverage", part))
			if got := rows[len(rows)-1]["states"]; got != fmt.Sprint(it.StatesVisited) {
				t.Errorf("%s states at the end, show has %d", got, it.StatesVisited)
			}
			rows = plotted(t, "spectrum", part)
			for j, sigma := range it.Sigma {
				if got := parsed(t, rows[j]["sigma"]); got != sigma {
					t.Errorf("σ %d is %g, show has %g", j+1, got, sigma)
				}
			}
			rows = plotted(t, "purposes", part)
			if got, want := len(rows), 7*int(it.Purposes); got != want {
				t.Errorf("%d weights, want %d", got, want)
			}
		})
	}
	checkOptions(t)
}

// TestPlotEpisodes: coverage counts the states in which episodes end, as show does.
func TestPlotEpisodes(t *testing.T) {
	t.Setenv("PODTRACK_STORE", filepath.Join(t.TempDir(), "podtrack.db"))
	printed(t, "run", "--env", "grid", "--set", "goal=1", "--steps", "5000", "--iterations", "2", "--name", "r")
	var d report.Detail
	if err := json.Unmarshal(printed(t, "show", "r", "--json"), &d); err != nil {
		t.Fatal(err)
	}
	for _, it := range d.History {
		rows := own(plotted(t, "coverage", fmt.Sprintf("r:%d", it.K)))
		if got := rows[len(rows)-1]["states"]; got != fmt.Sprint(it.StatesVisited) {
			t.Errorf("iteration %d: %s states at the end, show has %d", it.K, got, it.StatesVisited)
		}
	}
}

// checkWalk recomputes the measures of an iteration from its positions.
func checkWalk(t *testing.T, it report.Iteration, rows []map[string]string) {
	t.Helper()
	far, right, x := 0.0, 0.0, 0.0
	for _, row := range rows {
		x = parsed(t, row["position"])
		far, right = max(far, math.Abs(x)), max(right, x)
	}
	if int(it.Steps)+1 != len(rows) || far != float64(*it.Distance) || math.Abs(x) != float64(*it.Final) ||
		right != float64(*it.DistanceOneSided) {
		t.Errorf("%d rows, distance %g, final %g, one-sided %g; show has %d, %d, %d, %d", len(rows), far, math.Abs(x), right,
			it.Steps, *it.Distance, *it.Final, *it.DistanceOneSided)
	}
}

// checkOptions counts I where it is drawn.
func checkOptions(t *testing.T) {
	t.Helper()
	var options []report.Option
	if err := json.Unmarshal(printed(t, "options", "r", "--json"), &options); err != nil {
		t.Fatal(err)
	}
	for _, o := range options[:4] {
		starts := int64(0)
		for _, row := range plotted(t, "option", o.Option) {
			if row["share_ends"] == "0" {
				starts++
			}
		}
		if starts != o.Initiation || starts == 0 {
			t.Errorf("%s: I of %d states is drawn, options has %d", o.Option, starts, o.Initiation)
		}
	}
}

// TestPlotPrimitive compares the walk of primitive actions with a run that never makes an option, since no σ is above
// its κ.
func TestPlotPrimitive(t *testing.T) {
	t.Setenv("PODTRACK_STORE", filepath.Join(t.TempDir(), "podtrack.db"))
	spec := []string{"--bits", "7", "--steps", "300", "--iterations", "3", "--seed", "5"}
	printed(t, append([]string{"run", "--name", "pod"}, spec...)...)
	printed(t, append([]string{"run", "--name", "idle", "--kappa", "1e9"}, spec...)...)
	for _, part := range []string{"", ":2"} {
		want := own(plotted(t, "walk", "idle"+part))
		both := plotted(t, "walk", "pod"+part)
		got := both[len(both)-len(want):]
		for i := range want {
			if got[i]["track"] != "primitive actions" || got[i]["position"] != want[i]["position"] ||
				got[i]["step"] != want[i]["step"] {
				t.Fatalf("%q: row %d is %v, a run without options has %v", part, i, got[i], want[i])
			}
		}
	}
}

// TestPlotBands compares the means of groups with the runs' own curves, which have every step.
func TestPlotBands(t *testing.T) {
	t.Setenv("PODTRACK_STORE", filepath.Join(t.TempDir(), "podtrack.db"))
	for _, kappa := range []string{"1", "3"} {
		printed(t, "run", "--bits", "7", "--steps", "150", "--iterations", "3", "--reading", "as-published", "--seeds", "0-2",
			"--kappa", kappa, "--name", "k"+kappa+"-{seed}")
	}
	printed(t, "run", "--bits", "7", "--steps", "150", "--iterations", "2", "--reading", "as-published", "--seed", "7",
		"--kappa", "3", "--name", "k3-3")
	runs := map[string]int{"1": 3, "3": 4}
	curves := map[string]map[string]float64{}
	for kappa, n := range runs {
		for i := range n {
			run := fmt.Sprintf("k%s-%d", kappa, i)
			curves[run] = map[string]float64{}
			for _, row := range own(plotted(t, "coverage", run)) {
				curves[run][row["step"]] = parsed(t, row["states"])
			}
		}
	}
	rows := plotted(t, "coverage", "bits=7", "--by", "kappa")
	if len(rows) != 2*(200+1) {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		sum, n := 0.0, 0
		for i := range runs[row["kappa"]] {
			run := fmt.Sprintf("k%s-%d", row["kappa"], i)
			if y, has := curves[run][row["step"]]; has {
				sum, n = sum+y, n+1
			}
		}
		if got := parsed(t, row["mean"]); math.Abs(got-sum/float64(n)) > 1e-9 || row["n"] != fmt.Sprint(n) {
			t.Errorf("kappa %s, step %s: mean %g of %s, want %g of %d", row["kappa"], row["step"], got, row["n"],
				sum/float64(n), n)
		}
	}
}
