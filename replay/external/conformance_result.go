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

	States  *StateCounts `json:"states,omitempty"`  // of the walk
	Changes *Changes     `json:"changes,omitempty"` // of features that are not one-hot
	Rewards *Rewards     `json:"rewards,omitempty"` // of steps, if they have any
}

// Rewards are those of the steps of a walk.
type Rewards struct {
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
	NonZero float64 `json:"nonzero"` // share of the steps
}

// StateCounts tells how often the observations of a walk recur.
type StateCounts struct {
	Steps     int     `json:"steps"`
	Distinct  int     `json:"distinct"`
	Recurring float64 `json:"recurring"` // share of the steps that lead to an observation that was there before
}

// Changes tells how much features change in a step of a walk.
type Changes struct {
	Features int `json:"features"`
	Changing int `json:"changing"` // features that changed at all

	// Least and Most are the features whose root mean square is least and greatest, of those that change.
	Least FeatureChange `json:"least"`
	Most  FeatureChange `json:"most"`

	// RMS is the root mean square length of the change of all features: no σ of D is above RMS·√n_R.
	RMS float64 `json:"rms"`
}

// FeatureChange is the root mean square of a feature's change in a step.
type FeatureChange struct {
	Name string  `json:"name"`
	RMS  float64 `json:"rms"`
}

// Conforms reports whether no check failed.
func (c Conformance) Conforms() bool { return conforms(c.Checks) }

func conforms(checks []CheckResult) bool {
	return !slices.ContainsFunc(checks, func(k CheckResult) bool { return k.Verdict == Failed })
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
	Warned   Verdict = "warning"   // something that runs do not rely on, or that makes them useless
	NotTried Verdict = "not tried" // an earlier check that it needs failed
	Absent   Verdict = "absent"    // the program lacks an optional feature
)
