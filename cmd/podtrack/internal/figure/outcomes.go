package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Outcomes shows a study: in each setting the outcome of each variant with its interval, and how it compares with the
// baselines.
type Outcomes struct {
	Of *group.StudyComparison `json:"of"`

	Profile bool // performance profiles in place of both
	Overall bool // Of has the parts of a study as its settings: see [group.StudyComparison.OverParts]
}

// NewOutcomes returns the figure of a study, of means.
func NewOutcomes(of *group.StudyComparison) (Outcomes, error) {
	o := Outcomes{Of: of}
	for _, in := range of.Settings {
		if slices.ContainsFunc(in.Variants, func(v group.VariantOutcome) bool { return v.Mean != nil }) {
			return o, nil
		}
	}
	return o, schema.Hint(fmt.Errorf("%w: no run of study %s has its outcome yet", ErrEmpty, of.Study),
		"podtrack sweep with its file completes the runs")
}

// Table implements [Figure].
func (o Outcomes) Table() DataTable {
	if o.Profile {
		return o.profileTable()
	}
	t := DataTable{Columns: []string{"setting", "outcome", "over", "lower", "variant", "n", "mean", "interval_low",
		"interval_high", "iqm", "iqm_interval_low", "iqm_interval_high", "baseline", "verdict"}}
	for _, in := range o.Of.Settings {
		for _, i := range o.rows() {
			v := in.Variants[i]
			contrasts := v.Against
			if len(contrasts) == 0 {
				contrasts = []group.VariantContrast{{}}
			}
			for _, a := range contrasts {
				t.add(in.Name, in.Measure, in.Over, in.Lower, v.Name, v.N, v.Mean, v.Low, v.High,
					v.IQM, v.IQMLow, v.IQMHigh, a.Baseline, a.Verdict)
			}
		}
	}
	return t
}

// profileTable returns the numbers of performance profiles.
func (o Outcomes) profileTable() DataTable {
	t := DataTable{Columns: []string{"setting", "outcome", "over", "variant", "n", "above", "share", "interval_low",
		"interval_high"}}
	for _, in := range o.Of.Settings {
		for _, v := range in.Variants {
			for _, p := range v.Profile {
				t.add(in.Name, in.Measure, in.Over, v.Name, v.N, p.Above, p.Share, p.Low, p.High)
			}
		}
	}
	return t
}

func (o Outcomes) caption() string {
	title := o.Of.Title
	if title != "" && !strings.ContainsRune(".?!", rune(title[len(title)-1])) {
		title += "."
	}
	return strings.TrimSpace(title + " Outcomes of the variants of study " + o.Of.Study + " by setting.")
}

func (o Outcomes) chart() chart.Chart {
	c := chart.Chart{Title: o.Of.Title, Columns: 2, Narrow: 1, SharedRows: true}
	if c.Title == "" {
		c.Title = "Outcomes of study " + o.Of.Study
	}
	rows := o.rows()
	if o.Profile {
		return o.profileChart(c, rows)
	}
	for _, i := range o.baselines() {
		c.Keys = append(c.Keys, o.baselineKey(i))
	}
	c.Notes = o.notes()
	for i := range o.Of.Settings {
		c.Panels = append(c.Panels, o.panel(&o.Of.Settings[i], rows))
		noteCensored(&c, o.Of.Settings[i].Measure)
	}
	return c
}

// estimate returns what is drawn of a variant: its mean or its interquartile mean, with the ends of its interval.
func (o Outcomes) estimate(v group.VariantOutcome) (middle, low, high *float64) {
	if o.Overall {
		return v.IQM, v.IQMLow, v.IQMHigh
	}
	return v.Mean, v.Low, v.High
}

// Drawn returns how many variants the figure has.
func (o Outcomes) Drawn() int { return len(o.rows()) }

// rows returns the indices of the variants with a run in some setting.
func (o Outcomes) rows() (rows []int) {
	for i := range o.Of.Settings[0].Variants {
		if slices.ContainsFunc(o.Of.Settings, func(in group.SettingComparison) bool { return in.Variants[i].N > 0 }) {
			rows = append(rows, i)
		}
	}
	return rows
}

// baselines returns the indices of the variants that others are compared with in the picture: none if all are compared
// with each other, for which a row has no room.
func (o Outcomes) baselines() (indices []int) {
	for i, v := range o.Of.Settings[0].Variants {
		if !o.Of.AllPairs && slices.Contains(o.Of.Baselines, v.Name) {
			indices = append(indices, i)
		}
	}
	return indices
}

// baselineKey returns the key of the i-th variant, a baseline.
func (o Outcomes) baselineKey(i int) chart.Key {
	v := o.Of.Settings[0].Variants[i]
	k := keyOf(group.Look{Number: v.Place}, "baseline: "+v.Text())
	k.Dash = chart.Dashes[slices.Index(o.baselines(), i)%len(chart.Dashes)]
	return k
}

func (o Outcomes) notes() []string {
	what, method := "means", stats.StudentT
	if o.Overall {
		what, method = "interquartile means", "percentile bootstrap"
	}
	notes := []string{fmt.Sprintf("Marks are %s over runs, bars their %g %% intervals (%s).", what, 100*o.Of.Level,
		method)}
	if slices.ContainsFunc(o.Of.Settings, func(in group.SettingComparison) bool {
		return slices.ContainsFunc(in.Variants, isEachDrawn)
	}) {
		notes[0] += " Small dots are single runs."
	}
	adjusted := ""
	if o.Of.Correction == runset.Holm && o.Of.Comparisons > 1 {
		adjusted = fmt.Sprintf(", adjusted for %d comparisons,", o.Of.Comparisons)
	}
	switch {
	case o.Of.AllPairs:
		notes = append(notes, "Verdicts on pairs of variants are not drawn.")
	case o.Of.IsTested():
		beside := "the baseline"
		if len(o.baselines()) > 1 {
			beside = "the baseline whose mark is above the word"
		}
		test, interval := "t-test", "the difference of means excludes 0"
		if o.Overall {
			test, interval = "rank-sum test over settings", "P(better) excludes one half"
		}
		notes = append(notes, fmt.Sprintf("Better, worse: than %s; p of the %s%s is at most %.2g, and the interval of %s. "+
			"Without a word: not settled.", beside, test, adjusted, stats.Significance, interval))
	}
	return notes
}

// maxDots is how many runs of a variant a row shows each by itself.
const maxDots = 20

// isEachDrawn reports whether a row shows each run.
func isEachDrawn(v group.VariantOutcome) bool {
	n := len(group.ValuesOf(v.Outcomes))
	return n > 1 && n <= maxDots
}

// outcomeLabel returns the label of a setting's axis.
func (o Outcomes) outcomeLabel(in *group.SettingComparison) string {
	if o.Overall {
		return "score: outcome divided by the mean of " + o.Of.Unit.Text()
	}
	label := measureLabel(in.Measure)
	switch last := o.Of.Iterations - 1; {
	case in.Over == runset.OverMean && last > 1:
		label += fmt.Sprintf(", mean of iterations 1 to %d", last)
	default:
		label += fmt.Sprintf(" in iteration %d", last)
	}
	if in.Lower {
		label += ", lower is better"
	}
	return label
}

// outcomeRow is the height of a row, in points.
const outcomeRow = 11

// panel returns the panel of a setting, a row for each of the variants.
func (o Outcomes) panel(in *group.SettingComparison, rows []int) chart.Panel {
	p := chart.Panel{
		Title: in.Text(), X: chart.EmptyAxis(o.outcomeLabel(in)), Fixed: true, Height: outcomeRow * float64(len(rows)),
		Y: chart.Axis{Plain: true, Names: true},
	}
	p.X.Margin = true
	for _, i := range rows {
		v := in.Variants[i]
		middle, low, high := o.estimate(v)
		for _, x := range []*float64{middle, low, high} {
			if x != nil {
				p.X.Include(*x)
			}
		}
		if isEachDrawn(v) {
			p.X.Include(group.ValuesOf(v.Outcomes)...)
		}
	}
	for _, i := range o.baselines() {
		if middle, _, _ := o.estimate(in.Variants[i]); middle != nil {
			k := o.baselineKey(i)
			p.Marks = append(p.Marks, chart.Rule{At: *middle, Ink: k.Ink, Dash: k.Dash})
		}
	}
	for y, i := range rows {
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{At: -float64(y), Text: in.Variants[i].Text()})
		p.Marks = append(p.Marks, o.row(in, i, -float64(y))...)
	}
	p.Y.Low, p.Y.High = 0.4-float64(len(rows)), 0.6
	p.Beside = o.verdicts(in, rows)
	return p
}

// verdicts returns a column for each baseline: which rows are better or worse.
func (o Outcomes) verdicts(in *group.SettingComparison, rows []int) (columns []chart.Words) {
	baselines := o.baselines()
	for _, of := range baselines {
		var w chart.Words
		for y, i := range rows {
			word := in.JudgeBeside(in.Variants[i].Name, in.Variants[of].Name)
			if word == group.Better || word == group.Worse {
				w.At = append(w.At, chart.Tick{At: -float64(y), Text: word})
			}
		}
		if k := o.baselineKey(of); len(baselines) > 1 && len(w.At) > 0 {
			w.Ink, w.Glyph = k.Ink, k.Glyph
		}
		columns = append(columns, w)
	}
	return columns
}

// belowRow is how far below the mean of a row its runs are, in rows: the bar hides none.
const belowRow = 0.3

// row draws the i-th variant of a setting.
func (o Outcomes) row(in *group.SettingComparison, i int, y float64) (marks []chart.Mark) {
	v, key := in.Variants[i], keyOf(group.Look{Number: in.Variants[i].Place}, "")
	middle, low, high := o.estimate(v)
	if middle == nil {
		return nil
	}
	if isEachDrawn(v) {
		each := chart.Dots{Ink: chart.WithOpacity(key.Ink, 0.5), Glyph: chart.Disc, Size: 0.9}
		for _, x := range group.ValuesOf(v.Outcomes) {
			each.Points = append(each.Points, chart.Point{X: x, Y: y - belowRow})
		}
		marks = append(marks, each)
	}
	if low != nil && high != nil {
		ends := []chart.Point{{X: *low, Y: y}, {X: *high, Y: y}}
		marks = append(marks, chart.Line{Points: ends, Ink: key.Ink})
	}
	text := fmt.Sprintf("%s: %s, %s", v.Text(), palette.Within(*middle, low, high), textfmt.CountOf(v.N, "run"))
	for _, of := range o.baselines() {
		if verdict := in.JudgeBeside(v.Name, in.Variants[of].Name); verdict != "" {
			text += fmt.Sprintf("; %s, compared with %s", verdict, in.Variants[of].Text())
		}
	}
	var t chart.Readouts
	t.Add(*middle, y, text)
	return append(marks, chart.Dots{Points: []chart.Point{{X: *middle, Y: y}}, Ink: key.Ink, Glyph: key.Glyph}, t)
}

// profileChart completes the chart of performance profiles.
func (o Outcomes) profileChart(c chart.Chart, rows []int) chart.Chart {
	c.SharedRows, c.SharedY = false, true
	c.Notes = []string{fmt.Sprintf("Lines are performance profiles: the share of runs above each outcome; bands are "+
		"%g %% intervals of each share (Wilson).", 100*o.Of.Level)}
	for _, i := range rows {
		v := o.Of.Settings[0].Variants[i]
		c.Keys = append(c.Keys, keyOf(group.Look{Number: v.Place}, v.Text()))
	}
	for i := range o.Of.Settings {
		c.Panels = append(c.Panels, o.profilePanel(&o.Of.Settings[i], rows))
		noteCensored(&c, o.Of.Settings[i].Measure)
	}
	return c
}

// profilePanel draws the performance profiles of a setting: steps down from 1 to 0.
func (o Outcomes) profilePanel(in *group.SettingComparison, rows []int) chart.Panel {
	p := chart.Panel{Title: in.Text(), X: chart.EmptyAxis(o.outcomeLabel(in)), Aspect: 0.5,
		Y: chart.Axis{Label: "share of runs above", High: 1, Margin: true}}
	for _, i := range rows {
		for _, at := range in.Variants[i].Profile {
			p.X.Include(at.Above)
		}
	}
	room := 0.03 * max(p.X.High-p.X.Low, 0)
	p.X.Low, p.X.High = p.X.Low-room, p.X.High+room
	var all []series
	for n, i := range rows {
		v := in.Variants[i]
		if len(v.Profile) == 0 {
			continue
		}
		s := series{Key: keyOf(group.Look{Number: v.Place}, v.Text()),
			mean: []chart.Point{{X: p.X.Low, Y: 1}, {X: v.Profile[0].Above, Y: 1}}}
		for k, at := range v.Profile {
			until := p.X.High
			if k+1 < len(v.Profile) {
				until = v.Profile[k+1].Above
			}
			for _, x := range []float64{at.Above, until} {
				s.mean = append(s.mean, chart.Point{X: x, Y: at.Share})
				s.bound(x, at.Low, at.High)
			}
			s.told.Add(at.Above, at.Share, fmt.Sprintf("%s: %s of the runs above %s", s.Text,
				palette.Within(at.Share, &at.Low, &at.High), palette.Short(at.Above)))
		}
		s.dots.Points = marked(s.mean[:len(s.mean)-2], n, len(rows))
		all = append(all, s)
	}
	drawSeries(&p, 0.12, all)
	return p
}
