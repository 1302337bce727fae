package replay_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// servedWalk takes the steps of the built-in default policy, as a program of somebody else would.
type servedWalk struct {
	agent  collect.Collector
	change func(in pod.CollectInput, out *pod.CollectOutput)
}

// collect implements pod.CollectFunc. It takes at most 100 steps at a time.
func (s *servedWalk) collect(ctx context.Context, in pod.CollectInput) (out pod.CollectOutput, err error) {
	if in.First == 0 {
		s.agent = collect.Collector{
			Env: in.Env, Options: in.Options, OptionProbability: in.Spec.OptionProbability,
			Stream: rng.NewStream(in.Spec.Seed, in.K, collect.WalkStream), State: in.State, Executing: schema.Primitive,
		}
		out.Start = in.State
		if !envs.ActionsDetermineStates(in.Env) {
			model, _ := envs.As[envs.ModelEnv](in.Env)
			s.agent.Running = envs.NewRunningEnv(model, in.Spec.Seed, in.K, in.State)
			if out.Start, err = s.agent.Running.Reset(ctx); err != nil {
				return out, err
			}
			s.agent.State = out.Start
		}
	}
	chunk := schema.Transitions{Start: uint64(s.agent.State)}
	n := min(in.Steps, 100)
	if err := s.agent.Collect(ctx, &chunk, n); err != nil {
		return out, err
	}
	out.Actions = chunk.Actions
	for _, span := range chunk.Spans {
		out.Options = append(out.Options, slices.Repeat([]int32{span.Option}, int(span.Steps))...)
	}
	for _, next := range chunk.Next {
		out.Next = append(out.Next, int(next))
	}
	if chunk.Next != nil {
		out.Ends = make([]envs.EpisodeEnd, n)
	}
	for _, e := range chunk.Episodes {
		out.Ends[e.Step-1] = envs.Truncated
		if e.Terminated {
			out.Ends[e.Step-1] = envs.Terminated
		}
		out.Starts = append(out.Starts, int(e.State))
	}
	if s.change != nil {
		s.change(in, &out)
	}
	return out, nil
}

// declareWalk returns the spec with the default policy as an external collector, and the collector.
func declareWalk(t testing.TB, spec schema.Spec, x *servedWalk) (schema.Spec, *replay.StageSet) {
	t.Helper()
	set := &replay.StageSet{}
	p := schema.StageProgram{Name: "served/walk", Version: "1", Params: map[string]string{"p": "0.5"}}
	spec.SetStage(schema.CollectStage, &p)
	if err := errors.Join(set.AddCollect(p, x.collect), spec.Validate()); err != nil {
		t.Fatal(err)
	}
	return spec, set
}

// walkCases are built-in specs of environments of every kind: determined by actions, stochastic, with episodes.
func walkCases(t testing.TB) map[string]schema.Spec {
	t.Helper()
	all := externalCases(t)
	cases := map[string]schema.Spec{"paper": all["paper"], "novel": all["novel"], "lspi": all["lspi"]}
	for name, fields := range map[string][]string{
		"slippery":  {"slip", "20", "steps", "500", "learner", "sweeps", "sweeps", "30"},
		"truncated": {"episode", "37", "slip", "20", "steps", "500", "learner", "sweeps", "sweeps", "30"},
		"episodes":  {"goal", "1", "steps", "500"},
	} {
		spec := all["exact"]
		spec.Env = spec.Env.Clone()
		for i := 0; i < len(fields); i += 2 {
			if err := spec.Set(fields[i], fields[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := spec.Validate(); err != nil {
			t.Fatal(err)
		}
		cases[name] = spec
	}
	return cases
}

// TestExternalCollect: the default policy, collected by something else, makes the same records. Replaying with it
// recomputes them; without it they are verified against the environment.
func TestExternalCollect(t *testing.T) {
	for name, spec := range walkCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			builtin := newStore(t, tracker.Options{})
			want := runJobs(t, builtin, []replay.Job{{Spec: spec, Target: 3}}, 1)[0]
			_, wanted := readRunWithStages(t, builtin, want.Run)

			x := &servedWalk{}
			external, set := declareWalk(t, spec, x)
			store := newStore(t, tracker.Options{})
			with := replay.Options{Stages: set}
			got := runWith(t, store, replay.Job{Spec: external, Target: 3}, with)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			run, found := readRunWithStages(t, store, got.Run)
			for k, it := range wanted {
				if !slices.Equal(it.Records, found[k].Records) {
					t.Errorf("iteration %d: records %v, want %v", k, found[k].Records, it.Records)
				}
			}
			j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, with)
			if err != nil || !j.Identical() || j.CountLevel(schema.Verified) != 0 {
				t.Errorf("replayed: %+v, %v", j, err)
			}
			j, err = replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{})
			if err != nil || j.CountWithoutStage() != 3 || j.CountLevel(schema.Verified) != 3 ||
				j.CountLevel(schema.Claimed) != 0 || j.Count(replay.Different) != 0 {
				t.Errorf("replayed without: %+v, %v", j, err)
			}
			compareLevels(t, run, j)
		})
	}
}

// TestExternalCollectForged: recorded transitions that are impossible are found without the program.
func TestExternalCollectForged(t *testing.T) {
	x := &servedWalk{}
	spec, set := declareWalk(t, externalCases(t)["paper"], x)
	store := newStore(t, tracker.Options{})
	o := runWith(t, store, replay.Job{Spec: spec, Target: 2}, replay.Options{Stages: set})
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	_, its := readRunWithStages(t, store, o.Run)
	env, err := recorded.NewEnv(spec)
	if err != nil {
		t.Fatal(err)
	}
	err = store.View(t.Context(), func(tx *tracker.Tx) error {
		options, err := recorded.LoadOptions(tx, env, its[0])
		if err != nil {
			return err
		}
		set := collect.OptionSet{Options: options}
		first, err := tracker.Load(tx, its[0].RecordsOf(schema.KindTransitions)[0], schema.DecodeTransitions)
		if err != nil {
			return err
		}
		c, err := tracker.Load(tx, its[1].RecordsOf(schema.KindTransitions)[0], schema.DecodeTransitions)
		if err != nil {
			return err
		}
		if err := pod.VerifyCollected(env, collect.OptionSet{}, 0)(&first); err != nil {
			t.Error(err)
		}
		if err := pod.VerifyCollected(env, set, int(c.Start))(&c); err != nil {
			t.Error(err)
		}
		if err := pod.VerifyCollected(env, collect.OptionSet{}, int(c.Start))(&c); !errors.Is(err,
			wire.ErrMalformed) {
			t.Errorf("without the options: %v", err)
		}
		at := 0
		for _, span := range c.Spans {
			if span.Option != schema.Primitive {
				break
			}
			at += int(span.Steps)
		}
		c.Actions[at] = 1 - c.Actions[at]
		if err := pod.VerifyCollected(env, set, int(c.Start))(&c); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("another action than the option's: %v", err)
		}
		c.Start++
		if err := pod.VerifyCollected(env, set, int(c.Start)-2)(&c); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("from another state: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExternalCollectResume: a failed iteration is collected again as a whole, and the run reaches the head of one
// without a failure.
func TestExternalCollectResume(t *testing.T) {
	failing := errors.New("out of order")
	x := &servedWalk{}
	spec, set := declareWalk(t, externalCases(t)["paper"], x)
	with := replay.Options{Stages: set}
	want := runWith(t, newStore(t, tracker.Options{}), replay.Job{Spec: spec, Target: 3}, with)
	store := newStore(t, tracker.Options{})
	calls := 0
	broken := &replay.StageSet{}
	err := broken.AddCollect(*spec.Stages.Collect, func(ctx context.Context, in pod.CollectInput) (pod.CollectOutput,
		error) {
		if calls++; calls == 15 {
			return pod.CollectOutput{}, failing
		}
		return x.collect(ctx, in)
	})
	if err != nil {
		t.Fatal(err)
	}
	o := runWith(t, store, replay.Job{Spec: spec, Target: 3}, replay.Options{Stages: broken})
	if !errors.Is(o.Err, failing) || o.Iterations != 1 {
		t.Fatalf("%+v", o)
	}
	if o := runWith(t, store, replay.Job{Spec: spec, Target: 3}, with); o.Err != nil || o.Head != want.Head {
		t.Errorf("resumed: %+v, want the head %s", o, want.Head)
	}
	if o := runWith(t, store, replay.Job{Spec: spec, Target: 4}, replay.Options{}); !errors.Is(o.Err, pod.ErrNoStage) {
		t.Errorf("without the program: %v", o.Err)
	}
}

// TestExternalCollectSpec: a spec with a collector and a field that contradicts it is refused.
func TestExternalCollectSpec(t *testing.T) {
	p := schema.StageProgram{Name: "walk", Version: "1"}
	for name, change := range map[string]func(*schema.Spec){
		"data":      func(s *schema.Spec) { s.Data = schema.Name([]byte("x")) },
		"choice":    func(s *schema.Spec) { s.OptionProbability = 0.5 },
		"behaviour": func(s *schema.Spec) { s.Behaviour = "zeta=2" },
		"input":     func(s *schema.Spec) { s.Stages.Collect.Input = schema.InputTransitions },
		"learns":    func(s *schema.Spec) { s.Stages.Collect.Learns = schema.LearnsValues },
	} {
		spec := pod.PaperSpec()
		spec.SetStage(schema.CollectStage, &p)
		if err := spec.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&spec)
		if err := spec.Validate(); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec := pod.PaperSpec()
	spec.SetStage(schema.CollectStage, &p)
	if text, _ := spec.Get("collect"); text != "walk 1" {
		t.Errorf("collect is %q", text)
	}
	if err := spec.Set("collect", schema.DefaultPolicy); err != nil || spec.Stages != nil {
		t.Errorf("%v, %v", spec.Stages, err)
	}
	if err := spec.Set("collect", "other"); !errors.Is(err, schema.ErrSpec) {
		t.Error(err)
	}
}
