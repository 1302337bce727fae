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
func scatterOf(t interface{ Fatal(...any) }, n int, keys ...string) scatter {
	var runs []report.Run
	for i := range n {
		r := captionedRun(fmt.Sprintf("r%d", i), uint64(i))
		r.Spec.Kappa = 0.5 * float64(1+i%3)
		runs = append(runs, r)
	}
	runs[n-1].Spec.Env = schema.Env{Name: "maze", Params: map[string]int64{"size": 8}}
	s := scatter{filter: "kappa=0-2", keys: keys}
	if err := s.choose(runs); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScatter: a mark for each run with all values, the others counted in a note. Words have a colour and a mark each,
// numbers lie on the ramp, with keys if they are few and a scale otherwise.
func TestScatter(t *testing.T) {
	s := scatterOf(t, 9, "bits", "seed", "kappa")
	c, table := s.chart(), s.Table()
	if note := "Not drawn: 1 run without bits, seed or kappa."; len(c.Panels[0].Marks) != 8+1 || len(table.Rows) != 8 ||
		!slices.Equal(c.Notes, []string{note}) {
		t.Errorf("%d marks, %d rows, %q", len(c.Panels[0].Marks), len(table.Rows), c.Notes)
	}
	if want := []string{s.runs[1].ID.String(), "12", "1", "1"}; !slices.Equal(table.Rows[1], want) {
		t.Errorf("the second row is %q, want %q", table.Rows[1], want)
	}
	if len(c.Keys) != 3 || c.Keys[0].Text != "kappa 0.5" || c.Scale != nil {
		t.Errorf("the colours of three numbers are %v, %v", c.Keys, c.Scale)
	}
	if c := scatterOf(t, 8, "kappa", "kappa", "seed").chart(); len(c.Keys) != 8 || c.Scale != nil {
		t.Errorf("the colours of eight numbers are %v, %v", c.Keys, c.Scale)
	}
	c = scatterOf(t, 9, "kappa", "kappa", "seed").chart()
	if len(c.Keys) != 0 || c.Scale.Low != "0" || c.Scale.High != "8" {
		t.Errorf("the colours of nine numbers are %v, %v", c.Keys, c.Scale)
	}
	c = scatterOf(t, 9, "kappa", "kappa", "name").chart()
	if len(c.Keys) != 9 || c.Scale != nil || c.Keys[0].Glyph == c.Keys[1].Glyph || c.Keys[8].Text != "name r8" {
		t.Errorf("the colours of nine words are %v, %v", c.Keys, c.Scale)
	}
	s = scatterOf(t, 9, "kappa", "kappa")
	if c := s.chart(); len(c.Keys) != 0 || c.Scale != nil || s.Table().Rows[0][3] != "" {
		t.Errorf("without colours: %v, %v", c.Keys, c.Scale)
	}
	none := scatter{keys: []string{"size", "bits"}}
	if err := none.choose(s.runs); !errors.Is(err, ErrEmpty) || schema.Remedy(err) == "" {
		t.Errorf("no run has a size: %v", err)
	}
	texts := scatter{keys: []string{"kappa", "name"}}
	if err := texts.choose(s.runs); err == nil || !strings.Contains(schema.Remedy(err), "--color takes any") {
		t.Errorf("a name is no number: %v", err)
	}
}

// TestScatterOfStudy: a variant has the colour of its place in the study.
func TestScatterOfStudy(t *testing.T) {
	s := scatter{keys: []string{"kappa", "seed", "variant"}}
	for i := range 3 {
		r := captionedRun("", uint64(i))
		r.Columns = map[string]any{"variant": []string{string(rune('a' + i))}}
		r.Places = []tracker.Membership{{Study: "s", Variant: runset.Variant{Label: fmt.Sprint("label ", i)},
			Cell: runset.Cell{Variant: 4 - i}}}
		s.runs = append(s.runs, r)
	}
	for i, k := range s.chart().Keys {
		if want := keyOf(group.Look{Number: 4 - i}, fmt.Sprint("label ", i)); k.Text != want.Text || k.Glyph != want.Glyph {
			t.Errorf("variant %d is %v, want %v", i, k, want)
		}
	}
}
