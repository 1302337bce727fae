package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// Advice of this package's errors.
const (
	AdviceOneEnv        = "compare runs of one environment, or the measures of groups"
	AdviceOneHot        = "compare runs of a one-hot grid, or the measures of groups"
	AdvicePurposesAlone = "compare the purposes alone"
)

// ErrIncomparable is the error of runs whose purposes cannot be compared.
var ErrIncomparable = errors.New("cannot be compared")

// Report is the comparison of two runs or two iterations.
type Report struct {
	A          schema.Digest           `json:"a"`
	B          schema.Digest           `json:"b"`
	Identical  bool                    `json:"identical"`  // all compared records have equal digests
	Equivalent bool                    `json:"equivalent"` // as many iterations, each of them equivalent
	Divergence *report.Divergence      `json:"parted"`     // nil if all common iterations have the same records
	Spec       []report.SpecDifference `json:"spec"`
	Code       []provenance.Change     `json:"code,omitempty"` // from the last session of A to that of B
	Levels     []StageLevels           `json:"levels,omitempty"`
	Done       [2]int                  `json:"done"` // iterations of A and of B
	Iterations []Comparison            `json:"iterations"`

	Exploration *Exploration `json:"exploration,omitempty"` // nil unless requested
}

// CompareRuns compares the iterations that two runs have in common.
func CompareRuns(ctx context.Context, a, b *Side, limits Limits) (Report, error) {
	r := Report{A: a.ID, B: b.ID, Spec: report.SpecDifferences(a.Spec,
		b.Spec), Divergence: report.FindDivergence(a.Iterations, b.Iterations),
		Code:   provenance.Compare(a.code, b.code),
		Levels: pairLevels(stages.LevelsOf(a.Run, len(a.Iterations)), stages.LevelsOf(b.Run, len(b.Iterations))),
		Done:   [2]int{len(a.Iterations), len(b.Iterations)}, Iterations: []Comparison{}}
	if err := checkComparable(a, b); err != nil {
		return r, err
	}
	// Runs without iterations are identical only if they are the same run.
	same := len(a.Iterations) == len(b.Iterations) && (len(a.Iterations) > 0 || a.ID == b.ID)
	r.Identical, r.Equivalent = same && r.Divergence == nil, same
	for k := range min(len(a.Iterations), len(b.Iterations)) {
		c, err := compareSets(ctx, a, k, b, k, limits)
		if err != nil {
			return r, err
		}
		r.Equivalent = r.Equivalent && c.Equivalent
		r.Iterations = append(r.Iterations, c)
	}
	return r, nil
}

// Between compares two runs, of one store or of two, like [CompareRuns]. The zero Limits are the defaults.
func Between(ctx context.Context, a, b *replay.Run, limits Limits) (Report, error) {
	var sides [2]*Side
	for i, run := range []*replay.Run{a, b} {
		records, err := run.Records(ctx)
		if err != nil {
			return Report{}, err
		}
		if sides[i], err = New(records); err != nil {
			return Report{}, err
		}
	}
	return CompareRuns(ctx, sides[0], sides[1], limits)
}

// compareIterations compares iteration k of one run with iteration l of another, or of the same run.
func compareIterations(ctx context.Context, a *Side, k int, b *Side, l int, limits Limits) (Report, error) {
	r := Report{A: a.ID, B: b.ID, Done: [2]int{len(a.Iterations), len(b.Iterations)}}
	if err := cmp.Or(checkComparable(a, b), a.CheckIteration(k), b.CheckIteration(l)); err != nil {
		return r, err
	}
	r.Spec = report.SpecDifferences(a.SpecAt(k), b.SpecAt(l))
	r.Levels = pairLevels(stages.LevelsAt(a.SpecAt(k), k), stages.LevelsAt(b.SpecAt(l), l))
	if r.Divergence = report.FindDivergence(a.Iterations[k:k+1], b.Iterations[l:l+1]); r.Divergence != nil {
		r.Divergence.K = k
	}
	c, err := compareSets(ctx, a, k, b, l, limits)
	r.Identical, r.Equivalent, r.Iterations = r.Divergence == nil, c.Equivalent, []Comparison{c}
	return r, err
}

func compareSets(ctx context.Context, a *Side, k int, b *Side, l int, limits Limits) (Comparison, error) {
	m, err := a.metric(ctx, b)
	if err != nil {
		return Comparison{}, err
	}
	ofA, err := a.optionSet(k)
	if err != nil {
		return Comparison{}, err
	}
	a.Release()
	ofB, err := b.optionSet(l)
	if err != nil {
		return Comparison{}, err
	}
	b.Release()
	c, err := compareOptionSets(ctx, m, ofA, ofB, limits)
	c.Identical = reflect.DeepEqual(a.Iterations[k].Records, b.Iterations[l].Records)
	return c, err
}

// checkComparable returns an error for runs of different environments, whose states and features
// differ in meaning. Those of two versions of one have the same names.
func checkComparable(a, b *Side) error {
	if reflect.DeepEqual(a.Spec.Env, b.Spec.Env) || a.Spec.Env.IsVersionOf(b.Spec.Env) {
		return checkMethods(a, b)
	}
	var differ []string
	for _, f := range report.SpecDifferences(schema.Spec{Env: a.Spec.Env}, schema.Spec{Env: b.Spec.Env}) {
		differ = append(differ, fmt.Sprintf("%s %s and %s", f.Field, cmp.Or(f.A, "none"), cmp.Or(f.B, "none")))
	}
	if a.Spec.Env.Version != b.Spec.Env.Version {
		differ = append(differ, fmt.Sprintf("version %d and %d", a.Spec.Env.Version, b.Spec.Env.Version))
	}
	if a.Spec.Env.External != nil && b.Spec.Env.External != nil && len(differ) < 2 { // no parameter differs
		differ = append(differ, "their declared actions or features")
	}
	return schema.Hint(fmt.Errorf("runs %s and %s %w by meaning: their environments differ (%s), so their states and "+
		"features mean different things",
		a.Label(), b.Label(), ErrIncomparable, strings.Join(differ, ", ")), AdviceOneEnv)
}

// checkMethods returns an error if one run's purposes are over features and the other's over
// states, unless features and states are the same.
func checkMethods(a, b *Side) error {
	if a.Spec.Method.IsOnStates() == b.Spec.Method.IsOnStates() || slices.Equal(a.Env.Features(), b.Env.Features()) {
		return nil
	}
	return schema.Hint(fmt.Errorf("runs %s and %s %w by meaning: their methods differ (%s and %s), and purposes "+
		"over features cannot be compared with those over states",
		a.Label(), b.Label(), ErrIncomparable, cmp.Or(a.Spec.Method, schema.POD), cmp.Or(b.Spec.Method, schema.POD)),
		AdviceOneHot)
}

// StageLevels is how far the heads of two runs prove a stage. A level is empty where a run does not record the stage.
type StageLevels struct {
	Stage string       `json:"stage"`
	A     schema.Level `json:"a"`
	B     schema.Level `json:"b"`
}

// pairLevels returns the levels of the stages that, without external programs, are not recomputed in one of two runs.
func pairLevels(a, b []stages.Level) (pairs []StageLevels) {
	of := func(levels []stages.Level, stage string) schema.Level {
		i := slices.IndexFunc(levels, func(l stages.Level) bool { return l.Stage == stage })
		if i < 0 {
			return ""
		}
		return levels[i].Level
	}
	for _, stage := range stages.All {
		pair := StageLevels{Stage: stage, A: of(a, stage), B: of(b, stage)}
		for _, level := range []schema.Level{schema.Verified, schema.Claimed} {
			if pair.A == level || pair.B == level {
				pairs = append(pairs, pair)
				break
			}
		}
	}
	return pairs
}

// ErrMixedRefs is the error of two references of different kinds, such as a run and an option.
var ErrMixedRefs = errors.New("are of different kinds")

// ParseRefs parses references to two runs, two iterations or two options.
func ParseRefs(a, b string) (refA, refB report.Ref, err error) {
	kinds := []report.RefKind{report.RefRun, report.RefIteration, report.RefOption}
	if refA, err = report.ParseRefOf(a, kinds...); err != nil {
		return refA, refB, err
	}
	if refB, err = report.ParseRefOf(b, kinds...); err != nil {
		return refA, refB, err
	}
	if refA.Kind() != refB.Kind() {
		err = schema.Hint(fmt.Errorf("%s and %s %w", a, b, ErrMixedRefs),
			"give two runs, two iterations RUN:K or two options RUN:#N or RUN:K/J+")
	}
	return refA, refB, err
}

// CompareRefs compares the runs or the iterations that two references name.
func CompareRefs(
	ctx context.Context, a *Side, refA report.Ref, b *Side, refB report.Ref, limits Limits,
) (Report, error) {
	limits = limits.WithDefaults()
	key := keyOf([]*Side{a, b}, limits, refA.WholeRun, refA.K, refB.K, provenance.Compare(a.code, b.code))
	return remember(ctx, key, func() (Report, error) {
		if refA.WholeRun {
			return CompareRuns(ctx, a, b, limits)
		}
		return compareIterations(ctx, a, refA.K, b, refB.K, limits)
	})
}
