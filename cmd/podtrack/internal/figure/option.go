package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// lineOption shows an option's values, policy and initiation set by state, along a line.
type lineOption struct {
	Title   string
	Axis    string   // label of the state axis
	Actions []string // followed by termination
	Bins    []bin
	Start   *int // on the axis; nil if the option can start where it does not end

	part string // a sentence on what is shown, "" for all states
}

// bin is a range of neighbouring states, most often one.
type bin struct {
	From   int
	To     int       // included
	Low    float64   // of v
	High   float64   // of v
	Mean   float64   // of v
	Shares []float64 // of the states, by action
}

// Bins limits the resolution of an option: up to Single states are shown one by one, more of them in at most Most bins.
type Bins struct {
	Single, Most int
	Whole        bool // show all states however many they are, not some periods of a large ring
}

// MaxBins returns the bins that a picture can show: single states as long as each has the width of
// a line, otherwise bins wide enough for a mean.
func MaxBins(s chart.Style) Bins { return Bins{Single: int(1.5 * s.Width), Most: int(s.Width / 1.5)} }

// ReadOption reads an option, as a [gridOption] or a [lineOption].
func ReadOption(p Source, ref report.Ref, bins Bins) (Figure, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if !envs.HasActions(p.Env) {
		return nil, schema.Hint(fmt.Errorf("%w of run %s, and no options", ErrStates, p.Label()),
			"podtrack plot purposes %s shows what was found", textfmt.ShellQuote(p.name()))
	}
	option, value, err := p.readOption(ref)
	if err != nil {
		return nil, err
	}
	title := "Option " + report.OptionRef(p.Label(), ref.K, ref.J, ref.Sign)
	if plan := newGridLayout(p.Env); plan != nil {
		return gridOption{Title: title, Plan: *plan, Actions: p.Env.Actions(), Values: value, Policy: option.Policy,
			Start: option.Purpose.Start}, nil
	}
	return newOption(title, p.Env, option, value, bins), nil
}

// newOption puts the states of an option into bins: all of them, or some periods of a large ring.
func newOption(title string, env envs.Env, option *schema.Option, value schema.Value, bins Bins) lineOption {
	f := lineOption{Title: title, Axis: palette.StateAxis(env).Label, Actions: append(env.Actions(), endsName)}
	first := palette.StateAxis(env).First
	all := palette.Window{From: first, To: first + len(value) - 1}
	shown := all
	if len(value) > bins.Single && !bins.Whole {
		shown = palette.FirstWindow(env, option)
	}
	if shown != all {
		text := func(state int) string { return palette.Short(float64(state)) }
		f.part = fmt.Sprintf("States %s to %s of %s to %s.", text(shown.From), text(shown.To), text(all.From),
			text(all.To))
	}
	if start := option.Purpose.Start; start != nil {
		f.Start = new(palette.StateAxis(env).PlaceOf(*start, len(value)))
	}
	f.fill(option, value, shown, bins)
	return f
}

// What the legend calls states in which an option ends, and the only one in which it can start.
const (
	endsName   = "ends here"
	startsName = "starts here alone (I)"
)

// endsText returns what the legend calls states in which an option ends: without a start they are all outside I.
func endsText(start *int) string {
	if start == nil {
		return endsName + " (outside I)"
	}
	return endsName
}

// readOption reads the option that a reference names, and its values.
func (s Source) readOption(ref report.Ref) (option *schema.Option, value schema.Value, err error) {
	at, err := report.FindPurpose(s.Records, ref)
	if err != nil {
		return nil, nil, err
	}
	it := s.Iterations[ref.K]
	if at >= len(it.RecordsOf(schema.KindOption)) {
		return nil, nil, report.NoOptionError(s.Records, ref)
	}
	err = s.View(func(tx *tracker.Tx) error {
		o, l, err := recorded.ListLearned(it).Load(tx, s.Env, at)
		if err == nil {
			option, value = o, learn.StateValues(s.Env, o, l)
		}
		return err
	})
	return option, value, s.WrapError(ref.K, err)
}

// fill makes the bins. A ring is cut opposite its coordinate 0, so that there are negative coordinates.
func (o *lineOption) fill(option *schema.Option, v schema.Value, shown palette.Window, bins Bins) {
	size := 1
	if n := shown.To - shown.From + 1; n > bins.Single {
		for size*bins.Most < n { // by powers of two, as rings repeat themselves
			size *= 2
		}
	}
	for from := shown.From; from <= shown.To; from += size {
		to := min(from+size-1, shown.To)
		b := bin{From: from, To: to, Low: chart.MaxFinite, High: -chart.MaxFinite, Shares: make([]float64, len(o.Actions))}
		for i := from; i <= to; i++ {
			s, part := (i+len(v))%len(v), 1/float64(to-from+1)
			b.Low, b.High, b.Mean = min(b.Low, v[s]), max(b.High, v[s]), b.Mean+float64(v[s]*part)
			action := int(option.Policy[s])
			if action == schema.Terminate {
				action = len(o.Actions) - 1
			}
			b.Shares[action] += part
		}
		o.Bins = append(o.Bins, b)
	}
}

// Table implements [Figure].
func (o lineOption) Table() DataTable {
	t := DataTable{Columns: []string{"from", "to", "value_mean", "value_low", "value_high"}}
	for _, a := range o.Actions[:len(o.Actions)-1] {
		t.Columns = append(t.Columns, "share_"+a)
	}
	t.Columns = append(t.Columns, "share_ends")
	for _, b := range o.Bins {
		t.add(b.From, b.To, b.Mean, b.Low, b.High, b.Shares)
	}
	return t
}

func (o lineOption) caption() string {
	return o.Title + ": its values v, and below its policy, by " + o.Axis + "."
}

func (o lineOption) chart() chart.Chart {
	x := chart.Axis{Label: o.Axis, Low: float64(o.Bins[0].From) - 0.5, High: float64(o.Bins[len(o.Bins)-1].To) + 0.5,
		Whole: true, Plain: true}
	value := chart.Panel{X: x, Y: chart.Axis{Label: "value v", Margin: true}, Aspect: 0.35}
	low, high, mean := []chart.Point{}, []chart.Point{}, []chart.Point{}
	for _, b := range o.Bins {
		value.Y.Include(b.Low, b.High)
		at := float64(b.From+b.To) / 2
		low, high, mean = append(low, chart.Point{X: at, Y: b.Low}), append(high, chart.Point{X: at, Y: b.High}),
			append(mean, chart.Point{X: at, Y: b.Mean})
	}
	value.Marks = []chart.Mark{chart.Line{Points: mean, Ink: chart.Foreground, Width: 0.8}}
	if o.isBinned() {
		value.Marks = []chart.Mark{
			chart.Area{Low: low, High: high, Ink: chart.WithOpacity(chart.Neutral, 0.4)},
			chart.Line{Points: mean, Ink: chart.Foreground, Width: 0.6},
		}
	}
	policy := chart.Panel{X: x, Y: chart.Axis{Label: "policy", High: 1, Ticks: []chart.Tick{}, Plain: true}, Height: 26,
		Fixed: true}
	c := chart.Chart{Title: o.Title, Columns: 1, Shared: true}
	for a, name := range o.Actions {
		policy.Marks = append(policy.Marks, o.share(a))
		if a == len(o.Actions)-1 {
			name = endsText(o.Start)
		}
		c.Keys = append(c.Keys, chart.Key{Text: name, Ink: o.ink(a), Box: true})
	}
	if o.Start != nil && float64(*o.Start) > x.Low && float64(*o.Start) < x.High {
		start := chart.Rule{At: float64(*o.Start), Ink: chart.Foreground, Dash: chart.Dashed}
		value.Marks, policy.Marks = append(value.Marks, start), append(policy.Marks, start)
		c.Keys = append(c.Keys, chart.Key{Text: startsName, Ink: start.Ink, Dash: start.Dash})
	}
	if o.part != "" {
		c.Notes = append(c.Notes, o.part)
	}
	if o.isBinned() {
		c.Notes = append(c.Notes,
			fmt.Sprintf("A column holds %d states: the mean of v and its range, and the shares of the policy.",
				o.Bins[0].To-o.Bins[0].From+1))
	}
	c.Panels = []chart.Panel{value, policy}
	return c
}

// isBinned reports whether a bin has more than one state.
func (o lineOption) isBinned() bool { return o.Bins[0].From != o.Bins[0].To }

func (o lineOption) ink(action int) chart.Ink {
	if action == len(o.Actions)-1 {
		return chart.WithOpacity(chart.Neutral, 0.35)
	}
	return chart.SeriesInk(action)
}

// share returns the area of an action in the strip of the policy.
func (o lineOption) share(action int) chart.Area {
	m := chart.Area{Ink: o.ink(action)}
	for _, b := range o.Bins {
		low := 0.0
		for _, share := range b.Shares[:action] {
			low += share
		}
		from, to := float64(b.From)-0.5, float64(b.To)+0.5
		m.Low = chart.AppendStep(m.Low, from, to, low)
		m.High = chart.AppendStep(m.High, from, to, low+b.Shares[action])
	}
	return m
}
