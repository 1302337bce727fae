package external

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// A check is one of the checks of an environment's or a stage's program.
type check struct {
	name  string
	needs func() bool // whether it can be done: an earlier check that it needs may have failed
	do    func(context.Context) (Verdict, string, error)
}

// Checks are the results of checks, in the order in which they were done.
type Checks []CheckResult

// CheckResult is the result of a check.
type CheckResult struct {
	Name    string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"` // what was observed, or why the check failed
	Remedy  string  `json:"remedy,omitempty"`
	Err     error   `json:"-"` // of a check that failed
}

// Verdict is the result of a check.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"
	Failed   Verdict = "failed"
	Warned   Verdict = "warning"   // runs do not rely on it, or work but are useless
	NotTried Verdict = "not tried" // an earlier check that it needs failed
	Absent   Verdict = "absent"    // the program lacks an optional feature
)

// run does checks in order and adds the results. After a failure it continues with the checks that do not depend on the
// failed one. The only error is that of the context.
func (c *Checks) run(ctx context.Context, checks []check) error {
	for _, k := range checks {
		r := CheckResult{Name: k.name, Verdict: NotTried}
		if k.needs() {
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
