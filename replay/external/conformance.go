package external

import (
	"context"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// conformanceTest is a conformance test in progress.
type conformanceTest struct {
	command Command
	seed    uint64
	steps   int
	result  Conformance
	env     schema.Env
	seen    *pod.ObservedStates
	running *runningEnv
	first   int   // state of the first reset
	walk    trace // of the first process
}

// trace holds the actions of a walk and their outcomes.
type trace struct {
	actions  []int
	outcomes []pod.StepResult
}

func (t *conformanceTest) close() {
	if t.running != nil {
		_ = t.running.Close() // an error at its end does not matter any more
	}
}

func (t *conformanceTest) hello(ctx context.Context) (Verdict, string, error) {
	env, err := t.command.QueryEnv(ctx)
	if err != nil {
		return Failed, "", err
	}
	t.env, t.result.Env = env, &env
	built, err := pod.NewEnv(env)
	if err != nil {
		return Failed, "", err
	}
	growing, ok := pod.As[pod.GrowingEnv](built)
	if !ok {
		return Failed, "", fmt.Errorf("environment %q is not one of another process", env.Name)
	}
	t.seen = growing.Observed()
	x := env.External
	return OK, fmt.Sprintf("%s, version %s: %d actions, %s observations of %d", env.Name, x.Version, len(x.Actions),
		x.Observes, x.Size), nil
}

func (t *conformanceTest) reset(ctx context.Context) (Verdict, string, error) {
	w, err := t.command.open(ctx, t.env, t.seen)
	if err != nil {
		return Failed, "", err
	}
	t.running = w
	if t.first, err = t.begin(ctx, w, 0); err != nil {
		return Failed, "", err
	}
	return OK, fmt.Sprintf("with seed %d", w.seed), nil
}

// begin starts iteration k.
func (t *conformanceTest) begin(ctx context.Context, w *runningEnv, k int) (int, error) {
	w.seed = ResetSeed(t.seed, k)
	return w.Reset(ctx)
}

// act takes random steps without options.
func (t *conformanceTest) act(ctx context.Context) (Verdict, string, error) {
	stream := pod.NewStream(t.seed, 0, pod.WalkStream)
	begun := time.Now()
	for range t.steps {
		a := stream.Below(len(t.env.External.Actions))
		o, err := t.running.Step(ctx, a)
		if err != nil {
			return Failed, "", fmt.Errorf("step %d: %w", len(t.walk.actions), err)
		}
		t.walk.actions, t.walk.outcomes = append(t.walk.actions, a), append(t.walk.outcomes, o)
	}
	t.result.Speed = float64(t.steps) / max(time.Since(begun).Seconds(), 1e-9)
	return OK, fmt.Sprintf("%d steps, %d distinct observations, %.0f steps/s", t.steps, t.seen.States(),
		t.result.Speed), nil
}

// episodes counts the episodes that ended, each followed by a reset.
func (t *conformanceTest) episodes(context.Context) (Verdict, string, error) {
	ends := [3]int{}
	for _, o := range t.walk.outcomes {
		ends[o.End]++
	}
	if ends[pod.Terminated]+ends[pod.Truncated] == 0 {
		return Absent, fmt.Sprintf("none ended in %d steps; try more steps", t.steps), nil
	}
	return OK, fmt.Sprintf("%d terminated, %d truncated, each followed by a reset", ends[pod.Terminated],
		ends[pod.Truncated]), nil
}

func (t *conformanceTest) resetAgain(ctx context.Context) (Verdict, string, error) {
	if err := t.checkReset(ctx, t.running); err != nil {
		return Failed, "", err
	}
	return OK, "the same seed gives the same observation", nil
}

func (t *conformanceTest) checkReset(ctx context.Context, w *runningEnv) error {
	s, err := t.begin(ctx, w, 0)
	if err == nil && s != t.first {
		err = schema.Hint(fmt.Errorf("%w: a reset with seed %d gives another observation than the first time",
			pod.ErrEnvNotRepeatable, w.seed), "%s", hintRepeat)
	}
	return err
}

const hintRepeat = "all randomness of the environment must come from the seed of its reset, and a reset must clear " +
	"all state"

// repeatSteps repeats the recorded actions from a step on and compares the outcomes.
func (t *conformanceTest) repeatSteps(ctx context.Context, w *runningEnv, from, to int) error {
	for i := from; i < to; i++ {
		o, err := w.Step(ctx, t.walk.actions[i])
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if o != t.walk.outcomes[i] {
			return schema.Hint(fmt.Errorf("%w: step %d, action %q, has another outcome than the first time",
				pod.ErrEnvNotRepeatable, i, t.env.External.Actions[t.walk.actions[i]]), "%s", hintRepeat)
		}
	}
	return nil
}

func (t *conformanceTest) actAgain(ctx context.Context) (Verdict, string, error) {
	if err := t.repeatSteps(ctx, t.running, 0, t.steps); err != nil {
		return Failed, "", err
	}
	return OK, "the same actions give the same observations", nil
}

// anotherProcess repeats everything in another process.
func (t *conformanceTest) anotherProcess(ctx context.Context) (Verdict, string, error) {
	w, err := t.command.open(ctx, t.env, t.seen)
	if err != nil {
		return Failed, "", err
	}
	defer w.Close()
	if err := t.checkReset(ctx, w); err != nil {
		return Failed, "", err
	}
	if err := t.repeatSteps(ctx, w, 0, t.steps); err != nil {
		return Failed, "", err
	}
	return OK, "another process gives the same observations", nil
}

// restore takes a snapshot halfway and continues from it, in this process and in another.
func (t *conformanceTest) restore(ctx context.Context) (Verdict, string, error) {
	if !t.running.snapshot {
		return Absent, "it has none, and runs do not need it", nil
	}
	if err := t.checkReset(ctx, t.running); err != nil {
		return Failed, "", err
	}
	half := t.steps / 2
	if err := t.repeatSteps(ctx, t.running, 0, half); err != nil {
		return Failed, "", err
	}
	b, err := t.running.save(ctx)
	if err != nil {
		return Failed, "", err
	}
	other, err := t.command.open(ctx, t.env, t.seen)
	if err != nil {
		return Failed, "", err
	}
	defer other.Close()
	for _, w := range []*runningEnv{t.running, t.running, other} { // on from it, back to it, and elsewhere
		if err := t.continueFrom(ctx, w, b, half); err != nil {
			return Failed, "", fmt.Errorf("after a snapshot at step %d: %w", half, err)
		}
	}
	return OK, fmt.Sprintf("%d bytes; the steps after it are the same, in another process too", len(b)), nil
}

func (t *conformanceTest) continueFrom(ctx context.Context, w *runningEnv, b []byte, half int) error {
	if err := w.restore(ctx, b); err != nil {
		return err
	}
	return t.repeatSteps(ctx, w, half, t.steps)
}

// otherSeeds counts the distinct observations after resets with other seeds.
func (t *conformanceTest) otherSeeds(ctx context.Context) (Verdict, string, error) {
	const seeds = 8
	states := map[int]bool{}
	for k := range seeds {
		s, err := t.begin(ctx, t.running, k)
		if err != nil {
			return Failed, "", err
		}
		states[s] = true
	}
	return OK, fmt.Sprintf("%d of them begin in %d observations", seeds, len(states)), nil
}

func (t *conformanceTest) end(context.Context) (Verdict, string, error) {
	extra, err := t.running.process.close()
	switch {
	case err != nil:
		return Failed, "", schema.Hint(fmt.Errorf("%w: it is still running %v after its stdin was closed",
			pod.ErrEnvFailed,
			exitTimeout), "exit at the end of stdin")
	case len(extra) > 0:
		return Failed, "", schema.Hint(fmt.Errorf("%w: it writes more after the last answer: %s", pod.ErrEnvFailed,
			excerpt(extra)), "%s", hintStdout)
	}
	return OK, "it ends when its stdin is closed", nil
}
