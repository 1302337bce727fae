package groupview

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// contrasts returns a row that compares samples with the first one, as [group.Compare] does.
func contrasts(samples [][]float64) group.ContrastRow {
	row := group.ContrastRow{Groups: []group.GroupOutcome{{Summary: stats.Summarise(samples[0])}}}
	var p []*float64
	for _, s := range samples[1:] {
		e := stats.Compare(samples[0], s, stats.Bonferroni(stats.Level, len(samples)-1))
		row.Groups = append(row.Groups, group.GroupOutcome{Summary: stats.Summarise(s), Against: &group.Contrast{Effect: e}})
		p = append(p, e.PValue)
	}
	for i, adjusted := range stats.HolmOf(p) {
		a := row.Groups[i+1].Against
		a.Adjusted, a.Verdict = adjusted, stats.Settle(adjusted, a.Difference)
	}
	return row
}

var interval01 = regexp.MustCompile(`^\[(.*), (.*)\]$`)

// TestWordsFollowNumbers: of any samples, the words say of each group what a reader concludes from the p-value and the
// interval that are printed beside them, rounded as they are.
func TestWordsFollowNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{1e-4, 0.01, 1, 100, 1e20}).Draw(t, "scale")
		samples := make([][]float64, rapid.IntRange(3, 6).Draw(t, "groups"))
		for i := range samples {
			shift := rapid.Float64Range(-2, 2).Draw(t, "shift")
			for range rapid.IntRange(1, 9).Draw(t, "n") {
				samples[i] = append(samples[i], scale*(shift+rapid.Float64Range(-1, 1).Draw(t, "value")))
			}
		}
		row := contrasts(samples)
		words := map[string]string{} // by group
		for part := range strings.SplitSeq(verdict(make([]group.Group, len(row.Groups)), row), "; ") {
			said, named, _ := strings.Cut(part, " in ")
			for name := range strings.SplitSeq(named, ", ") {
				words[name[:1]] = said
			}
		}
		for i, o := range row.Groups[1:] {
			cells := table.Of([]contrastRow{{Contrast: o.Against, measureRow: measureRow{"distance"}}},
				intervalColumn("difference", 0.95), table.Right("p_holm").PValue(3)).Rows[0]
			shown, p := cells[0], cells[1]
			want := "not settled"
			ends := interval01.FindStringSubmatch(shown)
			switch {
			case p == table.None || ends == nil:
				want = "not tested"
			case isAtMost(p, 0.05) && parse(t, ends[1]) > 0:
				want = "higher"
			case isAtMost(p, 0.05) && parse(t, ends[2]) < 0:
				want = "lower"
			}
			if got := words[group.Letter(i+1)]; got != want {
				t.Fatalf("%s: %q beside p %s and %s", group.Letter(i+1), got, p, shown)
			}
		}
	})
}

func isAtMost(p string, level float64) bool {
	x, err := strconv.ParseFloat(strings.TrimPrefix(p, "< "), 64)
	return err == nil && x <= level
}

func parse(t *rapid.T, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCensoredCells: a mean that counts the budget for some runs says so in every format of the table.
func TestCensoredCells(t *testing.T) {
	mean, budget := 439.8, 500.0
	s := stats.Summary{N: 10, Mean: &mean, Censored: 8, Budget: &budget}
	c := group.Contrasts{Groups: make([]group.Group, 2), Pairings: make([]*group.Pairing, 2), EachLevel: 0.95,
		Measures: []group.MeasureContrasts{{Measure: "steps_to_half", Iterations: []group.ContrastRow{{
			Groups: []group.GroupOutcome{{Summary: s}, {Summary: stats.Summary{N: 1, Mean: &mean}}}}}}}}
	for format, want := range map[string]string{
		"text": "439.80 ± – (8 of 10 ≥ 500)", "markdown": "439.80 ± – (8 of 10 ≥ 500)",
		"latex": `439.80 $\pm$ -- (8 of 10 $\geq$ 500)`, "csv": ",8,500,a,",
	} {
		var out strings.Builder
		grid := contrastGrid(c, iterations{all: true})
		if format == "csv" {
			grid = contrastCSV(c, iterations{all: true})
		}
		if err := grid.Print(&out, format); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || format == "text" && strings.Count(out.String(), "≥") != 1 {
			t.Errorf("%s: no %q in\n%s", format, want, out.String())
		}
	}
}

// TestLimits: five runs or values are listed, and of six it is said that there are more.
func TestLimits(t *testing.T) {
	members := slices.Repeat([]group.Member{{Label: "a"}}, 6)
	at, beyond := listMembers(members[:5]), listMembers(members)
	if at != "a, a, a, a, a" || beyond != at+", … and 1 more" {
		t.Errorf("runs are listed as %s and %s", at, beyond)
	}
	for text, allowed := range map[string]bool{"0": true, "-1": false, "4": true, "5": false} {
		if _, err := (&Selection{iteration: &text}).iterations("last", 2, 5); (err == nil) != allowed ||
			!allowed && !strings.Contains(schema.Remedy(err), "0 to 4") {
			t.Errorf("iteration %s of 5: %v", text, err)
		}
	}
	values := []string{"0", "2", "4", "6", "8", "10"}
	if at, beyond := listValues(values[:5]), listValues(values); at != "0, 2, 4, 6, 8" || beyond != "6 values: 0 … 10" {
		t.Errorf("values are listed as %s and %s", at, beyond)
	}
}
