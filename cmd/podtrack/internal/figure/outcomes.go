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

// Outcomes shows a study: in each setting the outcome of each variant with its interval, and beside it the difference
// from the baselines that decides.
type Outcomes struct {
	Of *group.StudyComparison

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
		"interval_high", "iqm", "iqm_interval_low", "iqm_interval_high", "baseline", "verdict", "pairs", "difference",
		"difference_interval_low", "difference_interval_high", "improvement", "improvement_interval_low",
		"improvement_interval_high", "level", "ceiling"}}
	for _, in := range o.Of.Settings {
		for _, i := range o.rows() {
			v := in.Variants[i]
			contrasts := v.Against
			if len(contrasts) == 0 {
				contrasts = []group.VariantContrast{{}}
			}
			for _, a := range contrasts {
				pairs, level := "", (*float64)(nil)
				if a.Pairs != nil {
					pairs = fmt.Sprint(*a.Pairs)
				}
				if a.Difference != nil || a.Improvement != nil {
					level = &o.Of.EachLevel
				}
				t.add(in.Name, in.Measure, in.Over, in.Lower, v.Name, v.N, v.Mean, v.Low, v.High,
					v.IQM, v.IQMLow, v.IQMHigh, a.Baseline, a.Verdict, pairs, cells(a.Difference), cells(a.Improvement), level,
					a.Ceiling)
			}
		}
	}
	return t
}

// cells returns the cells of an estimate: its value and the ends of its interval.
func cells(e *stats.Estimate) []string {
	if e == nil {
		return make([]string, 3)
	}
	return []string{textfmt.FormatExact(&e.Value), textfmt.FormatExact(e.Low), textfmt.FormatExact(e.High)}
}

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
		in := &o.Of.Settings[i]
		c.Panels = append(c.Panels, o.panel(in, rows))
		if len(o.baselines()) > 0 {
			c.Panels = append(c.Panels, o.differencePanel(in, rows))
		}
		noteCensored(&c, in.Measure)
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
		test, interval := "t-test", "the difference excludes 0"
		if o.Overall {
			test, interval = "rank-sum test over settings", "P(better) excludes one half"
		}
		notes = append(notes, fmt.Sprintf("Better, worse: than %s; p of the %s%s is at most %.2g, and the %.4g %% interval "+
			"of %s. Without a word: not settled.", beside, test, adjusted, stats.Significance, 100*o.Of.EachLevel, interval))
	}
	for _, in := range o.Of.Settings {
		for _, v := range in.Variants {
			for _, a := range v.Against {
				if a.Ceiling != "" {
					notes = append(notes, fmt.Sprintf("%s, %s beside %s: %s.", in.Text(), v.Text(), o.text(a.Baseline), a.Ceiling))
				}
			}
		}
	}
	return notes
}

// text returns what people read in place of a variant's name.
func (o Outcomes) text(variant string) string {
	all := o.Of.Settings[0].Variants
	return all[slices.IndexFunc(all, func(v group.VariantOutcome) bool { return v.Name == variant })].Text()
}

const maxDots = 20 // runs of a variant that a row shows each by itself

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

const outcomeRow = 11 // height of a row, in points

// panel returns the panel of a setting, a row for each of the variants.
func (o Outcomes) panel(in *group.SettingComparison, rows []int) chart.Panel {
	p := o.rowsPanel(in, rows, o.outcomeLabel(in))
	p.Title = in.Text()
	for _, i := range rows {
		v := in.Variants[i]
		middle, low, high := o.estimate(v)
		include(&p.X, middle, low, high)
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
		p.Marks = append(p.Marks, o.row(in, i, -float64(y))...)
	}
	return p
}

// rowsPanel returns a panel with a row for each of the variants, without marks.
func (o Outcomes) rowsPanel(in *group.SettingComparison, rows []int, label string) chart.Panel {
	p := chart.Panel{X: chart.EmptyAxis(label), Fixed: true, Height: outcomeRow * float64(len(rows)),
		Y: chart.Axis{Plain: true, Names: true, Low: 0.4 - float64(len(rows)), High: 0.6}}
	p.X.Margin = true
	for y, i := range rows {
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{At: -float64(y), Text: in.Variants[i].Text()})
	}
	return p
}

// differencePanel returns the panel beside a setting's: how each variant differs from the baselines in what decides,
// with the verdicts as words in a column for each baseline.
func (o Outcomes) differencePanel(in *group.SettingComparison, rows []int) chart.Panel {
	baselines, from, alike := o.baselines(), "the baseline", 0.0
	if len(baselines) == 1 {
		from = in.Variants[baselines[0]].Text()
	}
	p := o.rowsPanel(in, rows, "P(better) than "+from)
	if o.Overall {
		alike = 0.5
	}
	p.X.Include(alike)
	p.Marks, p.Beside = []chart.Mark{chart.Rule{At: alike, Ink: chart.Foreground}}, make([]chart.Words, len(baselines))
	var how []string
	for y, i := range rows {
		v := in.Variants[i]
		for _, a := range v.Against {
			e, verdict, pairing := a.Difference, in.Judge(a.Verdict), "unpaired"
			if o.Overall {
				e = a.Improvement
			}
			of := slices.IndexFunc(baselines, func(b int) bool { return in.Variants[b].Name == a.Baseline })
			if e == nil || of < 0 {
				continue
			}
			if a.Pairs != nil {
				pairing = "paired by seed"
			}
			if how = append(how, pairing); a.Ceiling != "" {
				verdict = "ceiling"
			}
			k, b := keyOf(group.Look{Number: v.Place}, ""), o.baselineKey(baselines[of])
			if k.Dash = chart.Solid; len(baselines) > 1 {
				k.Dash, p.Beside[of].Ink, p.Beside[of].Glyph = b.Dash, b.Ink, b.Glyph
			}
			include(&p.X, &e.Value, e.Low, e.High)
			at := belowRow*(float64(len(baselines)-1)/2-float64(of)) - float64(y) // baselines have lines of their own
			p.Marks = append(p.Marks, bar(k, fmt.Sprintf("%s, compared with %s: %s, %s; %s", v.Text(), o.text(a.Baseline),
				palette.Within(e.Value, e.Low, e.High), pairing, verdict), at, e.Value, e.Low, e.High)...)
			if a.Verdict.IsSettled() || a.Ceiling != "" {
				p.Beside[of].At = append(p.Beside[of].At, chart.Tick{At: -float64(y), Text: verdict})
			}
		}
	}
	if slices.Sort(how); !o.Overall {
		p.X.Label = "difference from " + from + ", " + textfmt.JoinWords(slices.Compact(how))
	}
	return p
}

// include widens an axis to contain the values, of which nil are none.
func include(a *chart.Axis, values ...*float64) {
	for _, x := range values {
		if x != nil {
			a.Include(*x)
		}
	}
}

// bar draws a number with its interval.
func bar(k chart.Key, text string, y, middle float64, low, high *float64) (marks []chart.Mark) {
	if low != nil && high != nil {
		ends := []chart.Point{{X: *low, Y: y}, {X: *high, Y: y}}
		marks = append(marks, chart.Line{Points: ends, Ink: k.Ink, Dash: k.Dash})
	}
	var t chart.Readouts
	t.Add(middle, y, text)
	return append(marks, chart.Dots{Points: []chart.Point{{X: middle, Y: y}}, Ink: k.Ink, Glyph: k.Glyph}, t)
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
	text := fmt.Sprintf("%s: %s, %s", v.Text(), palette.Within(*middle, low, high), textfmt.CountOf(v.N, "run"))
	key.Dash = chart.Solid
	return append(marks, bar(key, text, y, *middle, low, high)...)
}

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
