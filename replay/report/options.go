package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Option describes an option of a run and its usage. It is available from iteration K + 1 on.
type Option struct {
	Option string        `json:"option"` // RUN:K/J+ or RUN:K/J-
	Run    schema.Digest `json:"run"`
	Number int           `json:"number"` // position in (iteration, j, + before −)
	K      int           `json:"k"`
	J      int           `json:"j"`
	Sign   int           `json:"sign"`
	Sigma  float64       `json:"sigma"`
	Lambda *float64      `json:"lambda,omitempty"` // 2 − σ, where the method is laplacian
	schema.Certificate
	Calls     int64    `json:"calls"`
	Length    *float64 `json:"length"` // mean executed steps a call, nil without one
	Truncated int64    `json:"cut"`    // calls truncated by an iteration's end
	NewStates int64    `json:"gained"` // states first visited in an iteration while executing, summed over iterations
}

// LoadOptions reads all options of a run, with transactions like those of [recorded.Records.VisitIterations].
func LoadOptions(view tracker.Viewer, run tracker.Run) ([]Option, error) {
	records, err := recorded.Open(view, run)
	if err != nil {
		return nil, err
	}
	u := optionUses{run: records}
	k, err := records.VisitIterations(func(in *recorded.Records, k int) error {
		return in.View(func(tx *tracker.Tx) error { return u.add(tx, k, in.Iterations[k]) })
	})
	if err != nil {
		return nil, records.WrapError(k, err)
	}
	for i := range u.rows {
		if row := &u.rows[i]; row.Calls > 0 {
			row.Length = new(float64(u.steps[i]) / float64(row.Calls))
		}
	}
	return u.rows, nil
}

// optionUses sums up how a run's options were used, iteration by iteration.
type optionUses struct {
	run       *recorded.Records
	available []*schema.Option // so far, without their policies, which would fill the memory
	records   []schema.Digest  // of the options in available
	rows      []Option
	steps     []int64 // executed under each
}

// add adds the usage in iteration k, then the options found in it.
func (o *optionUses) add(tx *tracker.Tx, k int, it schema.Iteration) error {
	usage, err := recorded.LoadOptionUsage(tx, o.run.Env, o.available, o.records, it)
	if err != nil {
		return err
	}
	learned, err := recorded.LoadOptions(tx, o.run.Env, it)
	if err != nil {
		return err
	}
	for i, use := range usage {
		o.rows[i].Calls += use.Calls
		o.rows[i].Truncated += use.Truncated
		o.rows[i].NewStates += use.NewStates
		o.steps[i] += use.Steps
	}
	for _, option := range learned {
		p := option.Purpose
		o.steps = append(o.steps, 0)
		o.rows = append(o.rows, Option{
			Option: OptionRef(o.run.Label(), k, p.J, p.Sign), Run: o.run.ID, Number: len(o.rows), K: k, J: p.J, Sign: p.Sign,
			Sigma: p.Sigma, Lambda: o.run.Spec.Method.Lambda(p.Sigma), Certificate: option.Certificate,
		})
		o.available = append(o.available, recorded.WithoutPolicy(o.run.Env, option))
	}
	o.records = append(o.records, it.RecordsOf(schema.KindOption)...)
	return nil
}

// optionKeys maps the sort keys of options, which are the names of columns, to their orders.
var optionKeys = map[string]func(a, b Option) int{
	"option": func(a, b Option) int { // by run, then by number
		of := func(o Option) string { run, _, _ := strings.Cut(o.Option, ":"); return run }
		return cmp.Or(strings.Compare(of(a), of(b)), cmp.Compare(a.Number, b.Number))
	},
	"number":      by(func(o Option) float64 { return float64(o.Number) }),
	"sigma":       by(func(o Option) float64 { return o.Sigma }),
	"lambda":      by(func(o Option) float64 { return orSmallest(o.Lambda) }),
	"initiation":  by(func(o Option) float64 { return float64(o.Initiation) }),
	"length":      by(func(o Option) float64 { return orSmallest(o.Length) }),
	"calls":       by(func(o Option) float64 { return float64(o.Calls) }),
	"cut":         by(func(o Option) float64 { return float64(o.Truncated) }),
	"reach":       by(func(o Option) float64 { return orSmallest(o.Reach) }),
	"longest":     by(func(o Option) float64 { return float64(o.Longest) }),
	"gained":      by(func(o Option) float64 { return float64(o.NewStates) }),
	"termination": func(a, b Option) int { return strings.Compare(string(a.Termination), string(b.Termination)) },
}

// optionTitles maps the titles of columns to their keys.
var optionTitles = map[string]string{"#": "number", "σ": "sigma", "λ": "lambda", "mean_steps": "reach",
	"truncated": "cut", "option_length": "length", "new_states": "gained"}

// by returns a comparison of options by a number.
func by(number func(Option) float64) func(a, b Option) int {
	return func(a, b Option) int { return cmp.Compare(number(a), number(b)) }
}

// OptionKeys returns the names that [SortOptions] takes.
func OptionKeys() []string { return slices.Sorted(maps.Keys(optionKeys)) }

// SortOptions sorts options by a list of keys, such as calls,-sigma, descending where one begins with a minus. The sort
// is stable.
func SortOptions(options []Option, list string) error {
	return sortBy(options, list, func(key string, descending bool) (func(a, b Option) int, error) {
		name := strings.NewReplacer(" ", "_", "-", "_").Replace(key)
		compare, found := optionKeys[cmp.Or(optionTitles[name], name)]
		switch {
		case !found:
			return nil, unknownSortKeyError(key, OptionKeys())
		case descending:
			return func(a, b Option) int { return compare(b, a) }, nil
		}
		return compare, nil
	})
}

// orSmallest orders undefined values before all numbers.
func orSmallest(x *float64) float64 {
	if x == nil {
		return -1
	}
	return *x
}
