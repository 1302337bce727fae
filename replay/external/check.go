package external

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// A check tests one property of a program that serves an environment or a stage.
type check struct {
	name  string
	ready func() bool // reports whether the earlier checks that this one builds on succeeded
	do    func(context.Context) (verdict Verdict, found string, err error)
}

// Checks are the results of checks, in the order in which they were done.
type Checks []CheckResult

// CheckResult is the verdict of a check and its explanation.
type CheckResult struct {
	Name    string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"` // what was observed, or the text of Err
	Remedy  string  `json:"remedy,omitempty"`
	Err     error   `json:"-"` // why the check failed; nil for other verdicts
}

// Verdict says whether a program passed a check.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"
	Failed   Verdict = "failed"
	Warned   Verdict = "warning"   // runs are possible, but may be useless
	NotTried Verdict = "not tried" // an earlier check that this one builds on failed
	Absent   Verdict = "absent"    // the program lacks an optional feature
)

// run does the checks in order and appends their results. After a failure it continues with the checks that do not
// build on the failed one. It calls begin before each one, unless that is nil. It returns an error only if ctx is done.
func (c *Checks) run(ctx context.Context, checks []check, begin func(number int, name string)) error {
	for i, k := range checks {
		if begin != nil {
			begin(i, k.name)
		}
		r := CheckResult{Name: k.name, Verdict: NotTried}
		if k.ready() {
			var err error
			if r.Verdict, r.Found, err = k.do(ctx); err != nil {
				r.Verdict, r.Found, r.Remedy, r.Err = Failed, err.Error(), schema.Remedy(err), err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		*c = append(*c, r)
	}
	return nil
}

func always() bool { return true }
