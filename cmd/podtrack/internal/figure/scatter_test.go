package figure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// scatterOf returns the figure of columns of so many runs, whose seeds are 0, 1, … and whose κ is 0.5, 1 or 1.5. The
// last has a size in place of bits.
func scatterOf(t interface{ Fatal(...any) }, n int, x, y, color string) scatter {
	var runs []report.Run
	for i := range n {
		r := captionedRun(fmt.Sprintf("r%d", i), uint64(i))
		r.Spec.Kappa = 0.5 * float64(1+i%3)
		runs = append(runs, r)
	}
	runs[n-1].Spec.Env = schema.Env{Name: "maze", Params: map[string]int64{"size": 8}}
	s := scatter{filter: "kappa=0-2", x: x, y: y, color: color}
	if err := s.place(runs); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScatter: a mark for each run with both values, the others counted in a note; few values have a colour each, many
// numbers a scale.
func TestScatter(t *testing.T) {
	s := scatterOf(t, 9, "bits", "seed", "kappa")
	c, table := s.chart(), s.Table()
	if c := scatterOf(t, 4, "kappa", "gamma", "seed").chart(); strings.Join(c.Notes, "") !=
		"Under marks of the same values: 1 run." {
		t.Errorf("two runs in one place: %q", c.Notes)
	}
	if note := "Not drawn: 1 run without bits or seed."; len(s.points) != 8 || len(table.Rows) != 8 ||
		!slices.Equal(c.Notes, []string{note}) {
		t.Errorf("%d points, %d rows, %q", len(s.points), len(table.Rows), c.Notes)
	}
	if want := []string{s.runs[1].ID.String(), "12", "1", "1"}; !slices.Equal(table.Rows[1], want) {
		t.Errorf("the second row is %q, want %q", table.Rows[1], want)
	}
	if len(c.Keys) != 3 || c.Keys[0].Text != "kappa 0.5" || c.Scale != nil {
		t.Errorf("the colours of three values are %v, %v", c.Keys, c.Scale)
	}
	if c := scatterOf(t, 7, "kappa", "kappa", "seed").chart(); len(c.Keys) != 7 || c.Scale != nil {
		t.Errorf("the colours of seven values are %v, %v", c.Keys, c.Scale)
	}
	c = scatterOf(t, 8, "kappa", "kappa", "seed").chart()
	if len(c.Keys) != 0 || c.Scale.Low != "0" || c.Scale.High != "7" {
		t.Errorf("the colours of eight numbers are %v, %v", c.Keys, c.Scale)
	}
	if c := scatterOf(t, 9, "kappa", "kappa", "").chart(); len(c.Keys) != 0 || c.Scale != nil {
		t.Errorf("without colours: %v, %v", c.Keys, c.Scale)
	}
	if c := scatterOf(t, 9, "kappa", "kappa", "size").chart(); len(c.Keys) != 2 || c.Keys[0].Text != "size none" {
		t.Errorf("runs without a colour: %v", c.Keys)
	}
	none := scatter{x: "size", y: "bits"}
	if err := none.place(s.runs); !errors.Is(err, ErrEmpty) || schema.Remedy(err) == "" {
		t.Errorf("no run has a size: %v", err)
	}
	texts := scatter{x: "kappa", y: "name"}
	if err := texts.place(s.runs); err == nil || !strings.Contains(schema.Remedy(err), "--color takes any") {
		t.Errorf("a name is no number: %v", err)
	}
}

// TestScatterOfStudy: a variant has the colour of its place in the study.
func TestScatterOfStudy(t *testing.T) {
	s := scatterOf(t, 3, "kappa", "seed", "variant")
	for i := range s.runs {
		s.runs[i].Columns = map[string]any{"variant": []string{string(rune('a' + i))}}
		s.runs[i].Places = []tracker.Membership{{Study: "s", Variant: runset.Variant{Label: fmt.Sprint("label ", i)},
			Cell: runset.Cell{Variant: 4 - i}}}
	}
	s.colors = report.TallyField(s.runs, "variant").Values
	for i, k := range s.chart().Keys {
		if want := keyOf(group.Look{Number: 4 - i}, fmt.Sprint("label ", i)); k.Text != want.Text || k.Glyph != want.Glyph {
			t.Errorf("variant %d is %v, want %v", i, k, want)
		}
	}
}
