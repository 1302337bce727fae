package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// Conformance describes a program after its checks.
type Conformance struct {
	Env    *schema.Env `json:"env"` // declared environment, nil if there is none
	Checks Checks      `json:"checks"`
	Speed  float64     `json:"steps_per_second"` // 0 if it was not measured

	States  *StateCounts `json:"states,omitempty"`  // of the walk
	Changes *Changes     `json:"changes,omitempty"` // of features that are not one-hot
	Rewards *Rewards     `json:"rewards,omitempty"` // of steps, if they have any
}

// Rewards describes the rewards of the steps of a walk.
type Rewards struct {
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
	NonZero float64 `json:"nonzero"` // share of the steps
}

// StateCounts says how often the observations of a walk recur.
type StateCounts struct {
	Steps     int     `json:"steps"`
	Distinct  int     `json:"distinct"`
	Recurring float64 `json:"recurring"` // share of the steps that lead to an observation seen before
}

// Changes says how much features change in a step of a walk.
type Changes struct {
	Features int `json:"features"`
	Changing int `json:"changing"` // features that changed at all

	// Least and Most are the changing features with the smallest and the largest root mean square.
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

// CheckOptions says how a program is checked.
type CheckOptions struct {
	Seed  uint64 // of the resets, and of the actions of the walk
	Steps int    // of the walk
	// WalkTime is the time after which the walk ends, 0 for no limit. Later checks repeat what was walked.
	WalkTime time.Duration
	// Begin is called before each of NumberOfChecks checks, numbered from 0; it may be nil.
	Begin func(number int, check string)
}

// NumberOfChecks is the number of checks of an environment.
const NumberOfChecks = 13

// DefaultWalkTime is the default time after which a walk of a check ends.
const DefaultWalkTime = 10 * time.Second

// Check checks a program on a walk. If the walk fails, later checks repeat the part of it before the failure.
func (c Command) Check(ctx context.Context, with CheckOptions) (Conformance, error) {
	t := conformanceTest{command: c, with: with, first: -1}
	defer t.close()
	isDeclared := func() bool { return t.seen != nil }
	hasReset := func() bool { return t.first >= 0 }
	hasWalked := func() bool { return len(t.walk.actions) > 0 }
	err := t.result.Checks.run(ctx, []check{
		{"hello", always, t.checkHello},
		{"reset", isDeclared, t.checkFirstReset},
		{"steps", hasReset, t.checkSteps},
		{"episodes", hasWalked, t.checkEpisodes},
		{"states", hasWalked, t.checkStates},
		{"features", hasWalked, t.checkFeatures},
		{"same reset again", hasWalked, t.checkResetAgain},
		{"same steps again", hasWalked, t.checkStepsAgain},
		{"another process", hasWalked, t.checkAnotherProcess},
		{"extensions", hasWalked, t.checkExtensions},
		{"snapshot", hasWalked, t.checkSnapshot},
		{"other seeds", hasReset, t.checkOtherSeeds},
		{"end", hasReset, t.checkEnd},
	}, with.Begin)
	return t.result, err
}

// conformanceTest is a conformance test in progress.
type conformanceTest struct {
	command Command
	with    CheckOptions
	result  Conformance
	env     schema.Env
	seen    *envs.ObservedStates
	known   envs.GrowingEnv // with the states in seen
	running *runningEnv
	first   int   // state of the first reset, −1 before it
	walk    trace // of the first process, up to a failure
}

// trace holds the actions of a walk and their outcomes.
type trace struct {
	actions  []uint8
	outcomes []envs.StepResult
}

// close ends the running process.
func (c *conformanceTest) close() {
	if c.running != nil {
		_ = c.running.Close() // errors of a process that is discarded do not matter
	}
}

// checkHello asks the program for the environment that it serves.
func (c *conformanceTest) checkHello(ctx context.Context) (Verdict, string, error) {
	env, err := c.command.queryEnv(ctx)
	if err != nil {
		return Failed, "", err
	}
	c.result.Env = &env
	if err := c.setEnv(env); err != nil {
		return Failed, "", err
	}
	x := env.External
	found := fmt.Sprintf("%s, version %s: %d actions, %s observations of %d", env.Name, x.Version, len(x.Actions),
		x.Observes, x.Size)
	if x.Reward {
		found += ", a reward"
	}
	return OK, found, nil
}

// setEnv sets the environment that the program must declare.
func (c *conformanceTest) setEnv(env schema.Env) error {
	built, err := envs.NewEnv(env)
	if err != nil {
		return err
	}
	growing, ok := envs.As[envs.GrowingEnv](built)
	if !ok {
		return fmt.Errorf("environment %q is not an external one", env.Name)
	}
	c.env, c.seen, c.known = env, growing.Observed(), growing
	return nil
}

// checkFirstReset starts the program and resets its environment.
func (c *conformanceTest) checkFirstReset(ctx context.Context) (Verdict, string, error) {
	w, err := c.fresh(ctx)
	if err != nil {
		return Failed, "", err
	}
	first, err := c.begin(ctx, w, 0)
	if err == nil {
		c.first = first
	}
	return OK, fmt.Sprintf("with seed %d", w.seed), err
}

// fresh ends the running process, if there is one, and starts another.
func (c *conformanceTest) fresh(ctx context.Context) (*runningEnv, error) {
	c.close()
	c.running = nil
	w, err := c.command.open(ctx, c.env, c.seen)
	if err != nil {
		return nil, err
	}
	c.running = w
	return w, nil
}

// process returns the running process. If it has failed, it starts another.
func (c *conformanceTest) process(ctx context.Context) (*runningEnv, error) {
	if c.running != nil && c.running.process.failed == nil {
		return c.running, nil
	}
	return c.fresh(ctx)
}

// begin resets the environment as iteration k of a run does, and returns the first state.
func (c *conformanceTest) begin(ctx context.Context, w *runningEnv, k int) (int, error) {
	w.seed = rng.ResetSeed(c.with.Seed, k)
	return w.Reset(ctx)
}

// errTimeIsUp ends a walk whose time is up.
var errTimeIsUp = errors.New("the time is up")

// checkSteps takes a random walk without options. It asks for many steps at once if the program can take them.
func (c *conformanceTest) checkSteps(ctx context.Context) (Verdict, string, error) {
	stream := rng.NewStream(c.with.Seed, 0, collect.WalkStream)
	actions := make([]uint8, c.with.Steps)
	for i := range actions {
		actions[i] = uint8(stream.Below(len(c.env.External.Actions)))
	}
	begun := time.Now()
	n, err := collect.TakeSteps(ctx, c.running, actions, func(i int, o envs.StepResult) error {
		c.walk.actions, c.walk.outcomes = append(c.walk.actions, actions[i]), append(c.walk.outcomes, o)
		if c.with.WalkTime > 0 && time.Since(begun) > c.with.WalkTime && !c.running.hasAhead() {
			return errTimeIsUp
		}
		return nil
	})
	walked := fmt.Sprintf("%d steps", c.with.Steps)
	if errors.Is(err, errTimeIsUp) {
		n, err = n+1, nil
		walked = fmt.Sprintf("%d of %s, as the time was up (%v)", n, walked, c.with.WalkTime)
	}
	if err != nil {
		return Failed, "", fmt.Errorf("step %d: %w", n, err)
	}
	c.result.Speed = float64(n) / max(time.Since(begun).Seconds(), 1e-9)
	found := fmt.Sprintf("%s, %.0f steps/s", walked, c.result.Speed)
	if c.env.External.Reward {
		r := c.summarizeRewards()
		c.result.Rewards = &r
		found += fmt.Sprintf("; rewards from %.4g to %.4g, %.3g %% of them not 0", r.Least, r.Most, 100*r.NonZero)
	}
	return OK, found, nil
}

// checkEpisodes counts the episodes of the walk that ended.
func (c *conformanceTest) checkEpisodes(context.Context) (Verdict, string, error) {
	ends := [3]int{}
	for _, o := range c.walk.outcomes {
		ends[o.End]++
	}
	if ends[envs.Terminated]+ends[envs.Truncated] == 0 {
		return Absent, fmt.Sprintf("none ended in %d steps; try more steps", len(c.walk.actions)), nil
	}
	return OK, fmt.Sprintf("%d terminated, %d truncated, each followed by a reset", ends[envs.Terminated],
		ends[envs.Truncated]), nil
}

// sameProcess says why a difference between two walks of one process does not affect runs.
const sameProcess = "; not needed: a run starts a process for each iteration, and resets it with a seed once"

// checkResetAgain verifies that a second reset in the same process gives the same observation.
func (c *conformanceTest) checkResetAgain(ctx context.Context) (Verdict, string, error) {
	w, err := c.process(ctx)
	if err == nil {
		err = c.checkReset(ctx, w)
	}
	return warnOfSameProcess(err, "the same seed gives the same observation")
}

// warnOfSameProcess returns a warning, not a failure, if a process does not repeat its own results: a run repeats steps
// in another process.
func warnOfSameProcess(err error, fine string) (Verdict, string, error) {
	switch {
	case errors.Is(err, envs.ErrEnvNotRepeatable):
		return Warned, err.Error() + sameProcess, nil
	case err != nil:
		return Failed, "", err
	}
	return OK, fine, nil
}

// checkReset returns an error if the first reset of a run gives a different observation than it gave at first.
func (c *conformanceTest) checkReset(ctx context.Context, w *runningEnv) error {
	s, err := c.begin(ctx, w, 0)
	if err == nil && s != c.first {
		err = schema.Hint(fmt.Errorf("%w: a second reset with seed %d gives a different observation",
			envs.ErrEnvNotRepeatable, w.seed), "%s", hintRepeat)
	}
	return err
}

const hintRepeat = "all randomness of the environment must come from the seed of its reset, and a reset must clear " +
	"all state"

// repeatSteps repeats the actions of the walk in [from, to) and compares the outcomes.
func (c *conformanceTest) repeatSteps(ctx context.Context, env envs.RunningEnv, from, to int) error {
	return c.repeatWalk(ctx, env, trace{c.walk.actions[from:to], c.walk.outcomes[from:to]}, from)
}

// repeatWalk repeats a walk whose first step has the given number, and compares the outcomes.
func (c *conformanceTest) repeatWalk(ctx context.Context, env envs.RunningEnv, walk trace, first int) error {
	i, err := collect.TakeSteps(ctx, env, walk.actions, func(i int, o envs.StepResult) error {
		if o != walk.outcomes[i] {
			return schema.Hint(fmt.Errorf("%w: step %d, action %q, has a different outcome when repeated",
				envs.ErrEnvNotRepeatable, first+i, c.env.External.Actions[walk.actions[i]]), "%s", hintRepeat)
		}
		return nil
	})
	if err != nil && !errors.Is(err, envs.ErrEnvNotRepeatable) {
		err = fmt.Errorf("step %d: %w", first+i, err)
	}
	return err
}

// alone is an environment that takes one step per message, even if the program can take more.
type alone struct{ envs.RunningEnv }

// checkStepsAgain repeats the walk in the same process, one step per message.
func (c *conformanceTest) checkStepsAgain(ctx context.Context) (Verdict, string, error) {
	w, err := c.process(ctx)
	if err == nil {
		_, err = c.begin(ctx, w, 0)
	}
	if err == nil {
		err = c.repeatSteps(ctx, alone{w}, 0, len(c.walk.actions))
	}
	return warnOfSameProcess(err, "the same actions give the same observations")
}

// checkAnotherProcess repeats the walk in another process, as a resumed run does.
func (c *conformanceTest) checkAnotherProcess(ctx context.Context) (Verdict, string, error) {
	return OK, "another process gives the same observations", c.repeatIn(ctx, c.command)
}

// repeatIn repeats the walk in a process that a command starts.
func (c *conformanceTest) repeatIn(ctx context.Context, command Command) error {
	w, err := command.open(ctx, c.env, c.seen)
	if err != nil {
		return err
	}
	defer w.Close()
	if err = c.checkReset(ctx, w); err == nil {
		err = c.repeatSteps(ctx, w, 0, len(c.walk.actions))
	}
	return err
}

// checkSnapshot takes a snapshot halfway through the walk and continues from it, first in another process, as a resumed
// run does, and then in the same process.
func (c *conformanceTest) checkSnapshot(ctx context.Context) (Verdict, string, error) {
	w, err := c.fresh(ctx) // without state from another walk
	if err != nil {
		return Failed, "", err
	}
	if !w.snapshot {
		return Absent, "it has none, and runs do not need it", nil
	}
	if err := c.checkReset(ctx, w); err != nil {
		return Failed, "", err
	}
	half := len(c.walk.actions) / 2
	if err := c.repeatSteps(ctx, w, 0, half); err != nil {
		return Failed, "", err
	}
	b, err := w.save(ctx)
	if err != nil {
		return Failed, "", err
	}
	other, err := c.command.open(ctx, c.env, c.seen)
	if err != nil {
		return Failed, "", err
	}
	defer other.Close()
	if err := c.continueFrom(ctx, other, b, half); err != nil {
		return Failed, "", err
	}
	for range 2 { // the second time, the process goes back to the snapshot
		if err == nil {
			err = c.continueFrom(ctx, w, b, half)
		}
	}
	return warnOfSameProcess(err, fmt.Sprintf("%d bytes; the steps after it are the same, in another process too", len(b)))
}

// continueFrom restores a snapshot taken halfway through the walk, and repeats the second half.
func (c *conformanceTest) continueFrom(ctx context.Context, w *runningEnv, b []byte, half int) error {
	err := w.restore(ctx, b)
	if err == nil {
		err = c.repeatSteps(ctx, w, half, len(c.walk.actions))
	}
	if err != nil {
		err = fmt.Errorf("after a snapshot at step %d: %w", half, err)
	}
	return err
}

// checkOtherSeeds counts the distinct observations after resets with other seeds.
func (c *conformanceTest) checkOtherSeeds(ctx context.Context) (Verdict, string, error) {
	const seeds = 8
	states := map[int]bool{}
	w, err := c.process(ctx)
	if err != nil {
		return Failed, "", err
	}
	for k := range seeds {
		s, err := c.begin(ctx, w, k)
		if err != nil {
			return Failed, "", err
		}
		states[s] = true
	}
	if len(states) == 1 {
		return OK, fmt.Sprintf("%d of them begin in the same observation", seeds), nil
	}
	return OK, fmt.Sprintf("%d of them begin in %d observations", seeds, len(states)), nil
}

// checkEnd verifies that the program exits when its stdin is closed, and writes nothing after its last answer.
func (c *conformanceTest) checkEnd(ctx context.Context) (Verdict, string, error) {
	w, err := c.process(ctx)
	if err != nil {
		return Failed, "", err
	}
	extra, err := w.process.close()
	switch {
	case err != nil:
		return Failed, "", err
	case len(extra) > 0:
		return Failed, "", schema.Hint(fmt.Errorf("%w: it writes more after the last answer: %s", envs.ErrEnvFailed,
			excerpt(extra)), "%s", hintStdout)
	}
	return OK, "it ends when its stdin is closed", nil
}
