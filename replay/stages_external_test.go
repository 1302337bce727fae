package replay_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// served are the stages of a built-in spec as external ones.
type served struct {
	spec  schema.Spec // the built-in one
	env   envs.Env
	calls int
}

func serve(t testing.TB, spec schema.Spec) *served {
	t.Helper()
	env, err := pod.NewEnvForSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := envs.BuildModel(t.Context(), env); err != nil && !errors.Is(err, envs.ErrModel) {
		t.Fatal(err)
	}
	return &served{spec: spec, env: env}
}

func (s *served) factor(ctx context.Context, in pod.MethodInput) (out pod.MethodOutput, err error) {
	s.calls++
	f, err := linalg.Factor(ctx, pod.FactoringOf(s.env, s.spec), in.Data)
	out.Sigma = f.Sigma
	for j := range f.Dims {
		out.Vectors = append(out.Vectors, column(&f, j))
	}
	return out, err
}

func (s *served) choose(ctx context.Context, in pod.SelectInput) ([]schema.Direction, error) {
	s.calls++
	var seen selection.Seen
	spec := s.spec
	spec.Sides = schema.TwoSided
	selected, err := selection.SelectDirections(ctx, s.env, spec, in.K, in.Options, in.Factors, seen)
	for i := range selected.Directions {
		selected.Directions[i].Sign = in.Directions[i].Sign
	}
	return selected.Directions, err
}

func (s *served) learn(ctx context.Context, in pod.LearnInput) (schema.ValueFunction, error) {
	s.calls++
	env := in.Model.Env
	l, err := learn.NewOptionLearner(env, s.spec, learn.Experience{Transitions: in.Model.Transitions})
	if err != nil {
		return nil, err
	}
	_, v, err := l.Learn(ctx, in.Purpose)
	return v, err
}

// declare returns the built-in spec with its stages as external ones, and the stages.
func (s *served) declare(t testing.TB) (schema.Spec, *replay.StageSet) {
	t.Helper()
	spec, set, err := s.stages()
	if err != nil {
		t.Fatal(err)
	}
	return spec, set
}

func (s *served) stages() (schema.Spec, *replay.StageSet, error) {
	set := &replay.StageSet{}
	spec := s.spec
	method := schema.StageProgram{Name: "served/svd", Version: "1", Params: map[string]string{"how": "gram"}}
	choice := schema.StageProgram{Name: "served/select", Version: "1"}
	learner := schema.StageProgram{
		Name: "served/learner", Version: "1", Learns: schema.LearnsValues, Model: schema.OnOwnModel,
	}
	if s.spec.UsesExperience() {
		learner.Model = schema.OnObservedModel
	}
	if s.spec.IsLinear() {
		learner.Learns = schema.LearnsWeights
	}
	spec.SetStage(schema.MethodStage, &method)
	spec.SetStage(schema.SelectStage, &choice)
	spec.SetStage(schema.LearnerStage, &learner)
	spec.Sweeps = max(spec.Sweeps, 1) // which built-in learners may not have
	err := errors.Join(set.AddMethod(method, s.factor), set.AddSelect(choice, s.choose), set.AddLearner(learner, s.learn),
		spec.Validate())
	return spec, set, err
}

// runWith runs a job with external stages.
func runWith(t testing.TB, store *tracker.Store, job replay.Job, with replay.Options) (out replay.Outcome) {
	t.Helper()
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(t.Context(), store)
	replay.NewEngine(store, w, with).Run(t.Context(), job, func(o replay.Outcome) { out = o })
	if err := w.Close(t.Context()); err != nil && out.Err == nil {
		t.Fatal(err)
	}
	return out
}

func readRunWithStages(t testing.TB, store *tracker.Store, id schema.Digest) (run tracker.Run, its []schema.Iteration) {
	t.Helper()
	err := store.View(t.Context(), func(tx *tracker.Tx) (err error) {
		if run, err = tx.ReadRun(id); err == nil {
			its, err = tx.ReadIterations(id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return run, its
}

// externalCases are built-in specs, by name.
func externalCases(t testing.TB) map[string]schema.Spec {
	t.Helper()
	rooms := pod.PaperSpec()
	env, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	rooms.Env = env
	rooms.Steps = 3000
	cases := map[string]schema.Spec{}
	for name, change := range map[string]struct {
		of     schema.Spec
		fields []string
	}{
		"paper":     {pod.PaperSpec(), []string{"select", "top=3"}},
		"published": {pod.PaperSpec(), []string{"reading", "as-published", "select", "energy=0.9"}},
		"exact":     {rooms, []string{"learner", "exact", "select", "top=2", "steps", "300"}},
		"novel":     {pod.PaperSpec(), []string{"select", "novel=0.9"}},
		"sides":     {pod.PaperSpec(), []string{"select", "top=3", "sides", "one"}},
		"empirical": {rooms, []string{"learner", "empirical", "select", "sample=2", "dataset", "cumulative"}},
		"lspi":      {pod.PaperSpec(), []string{"learner", "lspi", "select", "top=2", "dataset", "cumulative"}},
	} {
		spec := change.of
		for i := 0; i < len(change.fields); i += 2 {
			if err := spec.Set(change.fields[i], change.fields[i+1]); err != nil {
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

// TestExternalStages: the built-in algorithm, expressed as external stages, makes the same records. Replaying with the
// stages recomputes everything, and without them verifies what follows from the records.
func TestExternalStages(t *testing.T) {
	for name, spec := range externalCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			builtin := newStore(t, tracker.Options{})
			want := runJobs(t, builtin, []replay.Job{{Spec: spec, Target: 3}}, 1)[0]
			_, wanted := readRunWithStages(t, builtin, want.Run)

			x := serve(t, spec)
			external, set := x.declare(t)
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
			if got.Run == want.Run || got.Head == want.Head {
				t.Error("the spec with external stages has the ID of the one without")
			}
			j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, with)
			if err != nil || j.CountLevel(schema.Recomputed) != 3*len(stages.All) {
				t.Errorf("replayed: %+v, %v", j, err)
			}
			calls := x.calls
			j, err = replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{})
			if err != nil || j.CountWithoutStage() != 9 || j.Count(replay.Unverified) != 9 ||
				j.CountLevel(schema.Verified) != 6 || j.CountLevel(schema.Claimed) != 3 ||
				j.CountLevel(schema.Recomputed) != 6 || calls != x.calls {
				t.Errorf("replayed without the stages: %+v, %v", j, err)
			}
			compareLevels(t, run, j)
		})
	}
}

// TestExternalStagesResume: a run continues only with its stages, and reaches the same head after every interruption.
func TestExternalStagesResume(t *testing.T) {
	spec, set := serve(t, externalCases(t)["paper"]).declare(t)
	with := replay.Options{Stages: set}
	store := newStore(t, tracker.Options{})
	want := runWith(t, store, replay.Job{Spec: spec, Target: 2}, with)
	more := replay.Job{Spec: spec, Target: 3}
	if o := runWith(t, store, more, replay.Options{}); !errors.Is(o.Err, pod.ErrNoStage) || schema.Remedy(o.Err) == "" {
		t.Errorf("without its stages: %v", o.Err)
	}
	other := &replay.StageSet{}
	p := *spec.Stages.Method
	p.Version = "2"
	if err := other.AddMethod(p, nil); err != nil {
		t.Fatal(err)
	}
	if o := runWith(t, store, more, replay.Options{Stages: other}); !errors.Is(o.Err, pod.ErrStageMismatch) {
		t.Errorf("with another version: %v", o.Err)
	}
	if o := runWith(t, store, replay.Job{Spec: spec, Target: 2}, replay.Options{}); o.Err != nil || o.Head != want.Head {
		t.Errorf("a complete run: %v", o.Err)
	}
	whole := newStore(t, tracker.Options{})
	once := runWith(t, whole, more, with)
	if o := runWith(t, store, more, with); o.Err != nil || o.Head != once.Head {
		t.Errorf("resumed: %v, %v", o.Head, o.Err)
	}
}

// goldenStages are the external stages of runs in the golden store, whose specs are goldenStagesSpec and
// goldenMeasuredSpec. They must not change.
var goldenStagesSpec, goldenMeasuredSpec, goldenStages = newGoldenStages()

func newGoldenStages() (stages, measured schema.Spec, set *replay.StageSet) {
	spec := pod.PaperSpec()
	spec.Env.Params = map[string]int64{"bits": 7, "hide": 0}
	spec.Steps, spec.Select, spec.Kappa = 200, "top=2", 0
	env, err := pod.NewEnvForSpec(spec)
	if err == nil {
		err = envs.BuildModel(context.Background(), env)
	}
	if err != nil {
		panic(err)
	}
	stages, set, err = (&served{spec: spec, env: env}).stages()
	measure := schema.StageProgram{Name: "served/measure", Version: "1", Measures: []string{"per_state", "undefined"}}
	measured = spec
	measured.SetStage(schema.MeasureStage, &measure)
	if err = errors.Join(err, set.AddMeasure(measure, measurePerState), measured.Validate()); err != nil {
		panic(err)
	}
	return stages, measured, set
}

// measurePerState measures purposes per state, and something that is not defined.
func measurePerState(_ context.Context, in pod.MeasureInput) (schema.ExternalMeasures, error) {
	share := float64(in.Measures.Purposes) / float64(in.Measures.StatesVisited)
	return schema.ExternalMeasures{"per_state": &share}, nil
}

// TestExternalLearnerIsEvaluated: options of a learner in another program are compared with actions alone; random
// ones that it would have to learn are refused.
func TestExternalLearnerIsEvaluated(t *testing.T) {
	store := copyStore(t, goldenPath)
	found := false
	for _, r := range selected(t, store) {
		if r.Name != "external-stages" {
			continue
		}
		found = true
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		spec := task.DefaultSpec(3)
		spec.Episodes, spec.Seeds = 5, []uint64{0}
		if _, err := s.Evaluate(t.Context(), spec, nil); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("random options of an external learner: %v", err)
		}
		spec.Against = []string{task.AgainstPrimitives}
		_, err = s.Evaluate(t.Context(), spec, nil)
		ok(t, err)
	}
	if !found {
		t.Error("there is no such run")
	}
}
