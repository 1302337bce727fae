package figure

import (
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/stats"
)

// TestVerdictsAreWords: a verdict is a word beside its row and right of all marks, in a column under the mark of its
// baseline, which has a line of its own. Of one baseline the column has no mark.
func TestVerdictsAreWords(t *testing.T) {
	of := outcomes()
	l, texts := textsOf(t, Outcomes{Of: of}, chart.Style{Width: 3.25 * 72})
	if len(l.Keys) != 2 || l.Keys[0].Text != "baseline: a" || l.Keys[1].Text != "baseline: basis" ||
		l.Keys[0].Dash == l.Keys[1].Dash {
		t.Errorf("the legend is %v", l.Keys)
	}
	for i, word := range []string{"better", "worse"} {
		at := l.Places[2*i+1] // the differences stand after the outcomes
		row := at.Bottom + at.Height*0.4/float64(len(at.Y.Ticks))
		var lefts []float64
		for _, text := range texts {
			if middle := (text.bottom + text.top) / 2; text.text == word && middle > row-3 && middle < row+3 {
				lefts = append(lefts, text.left)
			}
		}
		if len(lefts) != 2 || lefts[0] < at.Left+at.Width || lefts[1] < lefts[0]+10 {
			t.Errorf("%q is at %v, right of %.1f", word, lefts, at.Left+at.Width)
		}
		for n, w := range at.Beside {
			if w.Glyph != l.Keys[n].Glyph {
				t.Errorf("column %d has the mark %v", n, w.Glyph)
			}
		}
	}
	of.Baselines = of.Baselines[:1]
	c := Outcomes{Of: of}.chart()
	if len(c.Keys) != 1 || c.Keys[0].Text != "baseline: a" || len(c.Panels[1].Beside) != 1 ||
		c.Panels[1].Beside[0].Glyph != 0 {
		t.Errorf("of one baseline the legend is %v, and the columns are %v", c.Keys, c.Panels[1].Beside)
	}
}

// TestAllPairs: where all variants are compared with each other, no line and no word stands for a verdict, and a note
// says so.
func TestAllPairs(t *testing.T) {
	of := outcomes()
	of.AllPairs = true
	c := Outcomes{Of: of}.chart()
	if len(c.Keys) > 0 || len(c.Panels[0].Beside) > 0 || !strings.Contains(strings.Join(c.Notes, " "), "not drawn") {
		t.Errorf("the legend is %v, the columns are %v, and the notes are %q", c.Keys, c.Panels[0].Beside, c.Notes)
	}
	for _, m := range c.Panels[0].Marks {
		if _, isRule := m.(chart.Rule); isRule {
			t.Error("a baseline is drawn")
		}
	}
}

// TestDifferences: beside each setting is a panel of the differences that decide, from 0, which says whether they are
// paired; the table has them, too. What is at the ceiling has a word and a note.
func TestDifferences(t *testing.T) {
	of := outcomes()
	of.Baselines = of.Baselines[:1]
	c := Outcomes{Of: of}.chart()
	if len(c.Panels) != 4 || c.Panels[1].X.Label != "difference from a, paired by seed" {
		t.Fatalf("%d panels, of which the second is %q", len(c.Panels), c.Panels[1].X.Label)
	}
	if r, is := c.Panels[1].Marks[0].(chart.Rule); !is || r.At != 0 || c.Panels[1].X.Low != 0 || c.Panels[1].X.High != 8 {
		t.Errorf("the differences begin with %v, from %g to %g", c.Panels[1].Marks[0], c.Panels[1].X.Low, c.Panels[1].X.High)
	}
	against := &of.Settings[0].Variants[3].Against[0]
	against.Pairs = nil
	if label := (Outcomes{Of: of}).chart().Panels[1].X.Label; label != "difference from a, unpaired" {
		t.Errorf("without pairs the label is %q", label)
	}
	of.Settings[0].Variants[1].Against[0].Pairs, of.Settings[0].Variants[1].Against[0].Difference = new(2),
		&stats.Estimate{Value: 1}
	against.Verdict, against.Ceiling = stats.Untested, "all 4 runs at the ceiling (9 of 9 states)"
	c = Outcomes{Of: of}.chart()
	if label := c.Panels[1].X.Label; label != "difference from a, paired by seed and unpaired" {
		t.Errorf("with both the label is %q", label)
	}
	if words := c.Panels[1].Beside[0].At; len(words) != 1 || words[0].Text != "ceiling" ||
		!strings.Contains(strings.Join(c.Notes, " "), "by far beside a: all 4 runs at the ceiling (9 of 9 states).") {
		t.Errorf("the words are %v, the notes %q", words, c.Notes)
	}
	table := Outcomes{Of: of}.Table()
	at := slices.Index(table.Columns, "difference")
	if row := table.Rows[2]; !slices.Equal(row[at:at+3], []string{"5", "2", "8"}) ||
		row[len(row)-1] != against.Ceiling || len(row) != len(table.Columns) {
		t.Errorf("%v: %v", table.Columns, row)
	}
}

// TestShownVariants: a variant looks the same if others are left out.
func TestShownVariants(t *testing.T) {
	of := outcomes()
	for i := range of.Settings {
		of.Settings[i].Variants = slices.Delete(of.Settings[i].Variants, 1, 3)
	}
	last := keyOf(group.Look{Number: 3}, "")
	for _, o := range []Outcomes{{Of: of}, {Of: of, Profile: true}} {
		found := false
		for _, m := range o.chart().Panels[0].Marks {
			if d, isDots := m.(chart.Dots); isDots && d.Glyph == last.Glyph {
				found = true
			}
		}
		if !found {
			t.Errorf("profile %v: the fourth variant has another look beside the first alone", o.Profile)
		}
	}
}

// TestEachOutcome: up to 20 runs of a variant are dots under its bar, and the axis holds an odd one.
func TestEachOutcome(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 2, 20: 20, 21: 0} {
		of := outcomes()
		of.Settings[0].Variants[3].Outcomes = slices.Repeat([]group.Outcome{{Value: new(8.0)}}, n-1)
		of.Settings[0].Variants[3].Outcomes = append(of.Settings[0].Variants[3].Outcomes,
			group.Outcome{Value: new(99.0)})
		c := Outcomes{Of: of}.chart()
		got, p := 0, c.Panels[0]
		for _, m := range p.Marks {
			if d, isDots := m.(chart.Dots); isDots && d.Size > 0 {
				got += len(d.Points)
			}
		}
		if got != want || want > 0 && p.X.High < 99 || want == 0 && p.X.High > 9 {
			t.Errorf("of %d runs there are %d dots, and the axis ends at %g", n, got, p.X.High)
		}
	}
}

// TestNotesOfAPaper: a picture without a title has no notes, which the caption has.
func TestNotesOfAPaper(t *testing.T) {
	f := drawn()["outcomes"]
	note := strings.Fields(f.chart().Notes[0])[0]
	for style, want := range map[chart.Style]bool{{}: false, {Title: true}: true, {Readouts: true}: false} {
		style.Width = 3.25 * 72
		_, texts := textsOf(t, f, style)
		got := slices.ContainsFunc(texts, func(p placedText) bool { return strings.HasPrefix(p.text, note) })
		if got != want {
			t.Errorf("notes with %v: %v", style, got)
		}
	}
	if !strings.Contains(captionOf(f), f.chart().Notes[0]) {
		t.Errorf("the caption is %s", captionOf(f))
	}
}
