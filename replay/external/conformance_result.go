package external

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
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
