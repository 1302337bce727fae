package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Option is what an option does where: its values, its policy and I.
type Option struct {
	Title   string   `json:"title"`
	Axis    string   `json:"axis"`    // what states are counted by
	Actions []string `json:"actions"` // and, at the end, to end
	Bins    []Bin    `json:"bins"`
}

// Bin is states side by side, most often one.
type Bin struct {
	From   int       `json:"from"`
	To     int       `json:"to"` // included
	Low    float64   `json:"low"`
	High   float64   `json:"high"`   // of v
	Shares []float64 `json:"shares"` // of the states, by action
}

// ReadOption reads an option and puts its states, along the environment's line,
// into so many bins at most.
func ReadOption(p Part, j, sign, columns int) (Option, error) {
	f := Option{Title: "Option " + p.OptionRef(p.K, j, sign), Axis: "state", Actions: append(p.Env().Actions(), endsName)}
	if err := p.check(); err != nil {
		return f, err
	}
	if !pod.Walkable(p.Env()) {
		return f, schema.Hint(fmt.Errorf("%w of run %s, and no options", ErrStates, p.Label()), "podtrack plot purposes %s shows what was found", p.name())
	}
	option, value, err := p.readOption(j, sign)
	if err != nil {
		return f, fmt.Errorf("run %s, iteration %d: %w", p.Label(), p.K, err)
	}
	first := 0
	if _, ring := p.Env().(*pod.Ring); ring {
		first, f.Axis = len(value)/2, "state (coordinate on the ring)"
	}
	f.fill(option, value, first, columns)
	return f, nil
}

const endsName = "ends here (outside I)"

// readOption finds the option among its iteration's.
func (p Part) readOption(j, sign int) (option *schema.Option, value schema.Value, err error) {
	_, selected, err := p.Selected(p.K)
	if err != nil {
		return nil, nil, err
	}
	options, values := p.Iterations[p.K].All(schema.KindOption), p.Iterations[p.K].All(schema.KindValue)
	for i, e := range selected {
		if e.J != j || e.Sign != sign || i >= len(options) || i >= len(values) {
			continue
		}
		err := p.View(func(tx *tracker.Tx) (err error) {
			if option, err = replay.LoadOption(tx, p.Env(), options[i]); err == nil {
				value, err = tracker.Load(tx, values[i], schema.DecodeValue)
			}
			if err == nil && len(value) != len(option.Policy) {
				err = fmt.Errorf("record %s: %w: values of %d states", values[i], schema.ErrMalformed, len(value))
			}
			return err
		})
		return option, value, err
	}
	return nil, nil, schema.Hint(fmt.Errorf("%w: it has no option %s", ErrEmpty, report.OptionName(j, sign)), "podtrack options %s lists them", p.Label())
}

// fill makes the bins. A ring is cut open opposite of its coordinate 0: the first
// state of the axis is the one of index first.
func (f *Option) fill(o *schema.Option, v schema.Value, first, columns int) {
	n := len(v)
	size := (n + columns - 1) / columns
	for from := 0; from < n; from += size {
		to := min(from+size, n) - 1
		b := Bin{From: from - first, To: to - first, Low: maxFinite, High: -maxFinite, Shares: make([]float64, len(f.Actions))}
		for i := from; i <= to; i++ {
			s := (i + first) % n
			b.Low, b.High = min(b.Low, v[s]), max(b.High, v[s])
			action := int(o.Policy[s])
			if action == schema.Terminate {
				action = len(f.Actions) - 1
			}
			b.Shares[action] += 1 / float64(to-from+1)
		}
		f.Bins = append(f.Bins, b)
	}
}

// Table implements [Figure].
func (f Option) Table() Table {
	t := Table{Columns: []string{"from", "to", "value_low", "value_high"}}
	for _, a := range f.Actions[:len(f.Actions)-1] {
		t.Columns = append(t.Columns, "share_"+a)
	}
	t.Columns = append(t.Columns, "share_ends")
	for _, b := range f.Bins {
		row := []string{fmt.Sprint(b.From), fmt.Sprint(b.To), report.Exact(&b.Low), report.Exact(&b.High)}
		for _, share := range b.Shares {
			row = append(row, report.Exact(&share))
		}
		t.add(row...)
	}
	return t
}

func (f Option) chart() chart {
	x := axis{label: f.Axis, low: float64(f.Bins[0].From) - 0.5, high: float64(f.Bins[len(f.Bins)-1].To) + 0.5, plain: true}
	value := panel{x: x, y: axis{label: "value v", margin: true}, aspect: 0.35}
	var points []Point
	for _, b := range f.Bins {
		value.y.include(b.Low, b.High)
		points = append(points, Point{float64(b.From), b.Low})
		if b.High != b.Low {
			points = append(points, Point{float64(b.To), b.High})
		}
	}
	value.marks = []mark{line{points: points, ink: foreground, width: 0.7}}
	policy := panel{x: x, y: axis{label: "policy", high: 1, ticks: []tick{}, plain: true}, height: 26}
	c := chart{title: f.Title, columns: 1, shared: true}
	for a, name := range f.Actions {
		policy.marks = append(policy.marks, f.share(a))
		c.keys = append(c.keys, key{text: name, ink: f.ink(a), box: true})
	}
	if f.Bins[0].From != f.Bins[0].To {
		c.notes = []string{"Where a column holds several states, its parts are their shares."}
	}
	c.panels = []panel{value, policy}
	return c
}

func (f Option) ink(action int) ink {
	if action == len(f.Actions)-1 {
		return gridline
	}
	return series(action)
}

// share is the part of the policy's strip that an action has.
func (f Option) share(action int) area {
	m := area{ink: f.ink(action)}
	for _, b := range f.Bins {
		low := 0.0
		for _, share := range b.Shares[:action] {
			low += share
		}
		from, to := float64(b.From)-0.5, float64(b.To)+0.5
		m.low = step(m.low, from, to, low)
		m.high = step(m.high, from, to, low+b.Shares[action])
	}
	return m
}

// step goes on at a height, with no points where it was there before.
func step(points []Point, from, to, y float64) []Point {
	if n := len(points); n > 1 && points[n-1].Y == y {
		points[n-1].X = to
		return points
	}
	return append(points, Point{from, y}, Point{to, y})
}
