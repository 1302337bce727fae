package external

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// A check is one of the checks of a program, of an environment or of stages.
type check struct {
	name  string
	needs func() bool // whether it can be done; what it needs may have failed
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
	Warned   Verdict = "warning"   // something that runs do not rely on, or that makes them useless
	NotTried Verdict = "not tried" // an earlier check that it needs failed
	Absent   Verdict = "absent"    // the program lacks an optional feature
)

// run does checks in their order and adds the results. After one that failed it does the others, as far as they do not
// need what failed. The error is the context's.
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
