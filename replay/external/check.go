package external

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// CheckResult is the result of one of the checks of [Command.Check].
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
	NotTried Verdict = "not tried" // an earlier check that it needs failed
	Absent   Verdict = "absent"    // the program lacks an optional feature
)

// Conformance describes a program after its checks.
type Conformance struct {
	Env    *schema.Env   `json:"env"` // declared environment, nil if there is none
	Checks []CheckResult `json:"checks"`
	Speed  float64       `json:"steps_per_second"` // 0 if it was not measured
}

// Conforms reports whether no check failed.
func (c Conformance) Conforms() bool {
	return !slices.ContainsFunc(c.Checks, func(k CheckResult) bool { return k.Verdict == Failed })
}

// The checks in the order in which they are done.
var checkNamesInOrder = []string{
	"hello", "reset", "steps", "episodes", "same reset again", "same steps again", "another process", "snapshot",
	"other seeds", "end",
}

// Check checks a program over the given number of steps with actions drawn from the seed.
func (c Command) Check(ctx context.Context, seed uint64, steps int) (Conformance, error) {
	t := conformanceTest{command: c, seed: seed, steps: steps}
	defer t.close()
	tries := []func(context.Context) (Verdict, string, error){
		t.hello, t.reset, t.act, t.episodes, t.resetAgain, t.actAgain, t.anotherProcess, t.restore, t.otherSeeds,
		t.end,
	}
	var broken error
	for i, try := range tries {
		k := CheckResult{Name: checkNamesInOrder[i], Verdict: NotTried}
		if broken == nil {
			if k.Verdict, k.Found, broken = try(ctx); broken != nil {
				k.Verdict, k.Found, k.Remedy, k.Err = Failed, broken.Error(), schema.Remedy(broken), broken
			}
		}
		if ctx.Err() != nil {
			return t.result, ctx.Err()
		}
		t.result.Checks = append(t.result.Checks, k)
	}
	return t.result, nil
}
