package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Option is one option of a run: what it is, and what the run used it for. It is
// available from iteration K + 1 on.
type Option struct {
	Option string        `json:"option"` // RUN:K/J+ or RUN:K/J-
	Run    schema.Digest `json:"run"`
	Number int           `json:"number"` // position in (iteration, j, + before −)
	K      int           `json:"k"`
	J      int           `json:"j"`
	Sign   int           `json:"sign"`
	Sigma  float64       `json:"sigma"`
	schema.Certificate
	Calls  int64    `json:"calls"`
	Length *float64 `json:"length"` // mean executed steps a call, nil without one
	Cut    int64    `json:"cut"`    // calls cut by an iteration's end
	Gained int64    `json:"gained"` // states first visited in an iteration while in force, added up
}

// Options reads all options of a run.
func Options(tx *tracker.Tx, r Run) ([]Option, error) {
	env, err := replay.Env(r.Spec.Env)
	if err != nil {
		return nil, err
	}
	iterations, err := tx.Iterations(r.ID)
	if err != nil {
		return nil, err
	}
	var rows []Option
	var steps []int64
	var available []*schema.Option
	for k, it := range iterations {
		tally, err := replay.WalkRecorded(tx, env, available, it)
		if err != nil {
			return nil, r.failed(k, err)
		}
		for i, u := range tally.Uses() {
			rows[i].Calls += u.Calls
			rows[i].Cut += u.Cut
			rows[i].Gained += u.Gained
			steps[i] += u.Steps
		}
		learned, err := replay.LoadOptions(tx, env, it)
		if err != nil {
			return nil, r.failed(k, err)
		}
		for _, o := range learned {
			rows, steps = append(rows, newOption(r, k, len(rows), o)), append(steps, 0)
		}
		available = append(available, learned...)
	}
	for i := range rows {
		if rows[i].Calls > 0 {
			length := float64(steps[i]) / float64(rows[i].Calls)
			rows[i].Length = &length
		}
	}
	return rows, nil
}

func newOption(r Run, k, number int, o *schema.Option) Option {
	sign := "+"
	if o.Purpose.Sign < 0 {
		sign = "-"
	}
	return Option{
		Option: fmt.Sprintf("%s:%d/%d%s", r.Label(), k, o.Purpose.J, sign),
		Run:    r.ID, Number: number, K: k, J: o.Purpose.J, Sign: o.Purpose.Sign, Sigma: o.Purpose.Sigma,
		Certificate: o.Certificate,
	}
}

// optionKeys are what options can be sorted by.
var optionKeys = map[string]func(Option) float64{
	"number":     func(o Option) float64 { return float64(o.Number) },
	"sigma":      func(o Option) float64 { return o.Sigma },
	"initiation": func(o Option) float64 { return float64(o.Initiation) },
	"length":     func(o Option) float64 { return orLeast(o.Length) },
	"calls":      func(o Option) float64 { return float64(o.Calls) },
	"reach":      func(o Option) float64 { return orLeast(o.Reach) },
	"longest":    func(o Option) float64 { return float64(o.Longest) },
	"gained":     func(o Option) float64 { return float64(o.Gained) },
}

// OptionKeys are the names that [SortOptions] takes.
func OptionKeys() []string {
	return []string{"number", "sigma", "initiation", "length", "calls", "reach", "longest", "gained"}
}

// SortOptions orders options by a key, largest first where it begins with a
// minus. The sort is stable.
func SortOptions(options []Option, key string) error {
	name, descending := strings.CutPrefix(key, "-")
	value, ok := optionKeys[name]
	if !ok {
		return schema.Hint(fmt.Errorf("%w: cannot sort options by %q", ErrFilter, name),
			"the keys are %s; a minus before one sorts downwards", strings.Join(OptionKeys(), ", "))
	}
	slices.SortStableFunc(options, func(a, b Option) int {
		x, y := value(a), value(b)
		if descending {
			x, y = y, x
		}
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return nil
}

// orLeast puts what is not defined before all numbers.
func orLeast(x *float64) float64 {
	if x == nil {
		return -1
	}
	return *x
}
