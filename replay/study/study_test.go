package study

import (
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// TestRegistered holds the study to what was asked of it before it was run: fresh seeds, at least 60.
func TestRegistered(t *testing.T) {
	s := Exploration()
	if s.FirstSeed < 1000 || s.Seeds < 60 || s.Iterations != pod.PaperIterations {
		t.Errorf("seeds %d from %d on, %d iterations", s.Seeds, s.FirstSeed, s.Iterations)
	}
	for _, setting := range s.Settings {
		jobs, err := s.Jobs(setting, 2)
		if err != nil || len(jobs) != 2*len(s.Variants) {
			t.Errorf("%s: %d jobs (%v)", setting.Name, len(jobs), err)
		}
		ids := map[schema.Digest]bool{}
		for _, j := range jobs {
			id, err := j.ID()
			if ids[id] || err != nil {
				t.Errorf("%s: run %s twice (%v)", setting.Name, id, err)
			}
			ids[id] = true
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`title =`, `titel =`, "unknown keys"},
		{`select = "below"`, `select = "belwo"`, "unknown selection"},
		{`candidate = "complement"`, `candidate = "nothing"`, `no variant "nothing"`},
		{`outcome = "covered"`, `outcome = "luck"`, `outcome "luck"`},
		{`hide = "3"`, `hidden = "3"`, `no field "hidden"`},
		{`iterations = 6`, `iterations = 1`, "two iterations"},
		{`title =`, `title`, "expected"},
	} {
		text := strings.Replace(exploration, c.from, c.to, 1)
		if text == exploration {
			t.Fatalf("the study has no %q", c.from)
		}
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	for from, least := range map[string]string{"seeds = 60": "seeds = 1", "iterations = 6": "iterations = 2"} {
		if _, err := Parse(strings.Replace(exploration, from, least, 1)); err != nil {
			t.Errorf("%s: %v", least, err)
		}
	}
	if _, err := Parse(strings.Replace(exploration, "seeds = 60", "seeds = 0", 1)); err == nil {
		t.Error("a study without seeds")
	}
}

func TestChoose(t *testing.T) {
	s := Exploration()
	if all, err := s.Choose(nil); err != nil || len(all) != len(s.Settings) {
		t.Errorf("%d of %d settings (%v)", len(all), len(s.Settings), err)
	}
	if two, err := s.Choose([]string{"taxi", "ring"}); err != nil || len(two) != 2 || two[0].Name != "ring" {
		t.Errorf("%v (%v)", two, err)
	}
	if _, err := s.Choose([]string{"rnig"}); !errors.Is(err, schema.ErrSpec) {
		t.Error(err)
	}
	for text, want := range map[string]int{"": s.Seeds, "1": 1, "0": 0, "-1": 0, "61": 0, "x": 0} {
		n, err := s.ParseSeeds(text)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d seeds (%v)", text, n, err)
		}
	}
}

// TestFollowPolicy: on a corridor of five cells an option leads right from the first three, and two cells
// send the agent to each other.
func TestFollowPolicy(t *testing.T) {
	env, err := pod.NewEnv(schema.Env{Name: "grid", Version: 1,
		Params: map[string]int64{"slip": 0, "episode": 0, "goal": 0},
		Text:   map[string]string{"map": "1,6\nS....G\n", "observe": "one-hot"}})
	if err != nil {
		t.Fatal(err)
	}
	const right, left = 1, 3
	o := &schema.Option{Arity: 4, Policy: []int8{right, right, right, schema.Terminate, right, left}}
	got := followPolicy(env.(pod.SimulatedEnv), o)
	want := []end{{3, 3}, {3, 2}, {3, 1}, {3, 0}}
	for s, e := range want {
		if got[s] != e {
			t.Errorf("from %d: %+v, want %+v", s, got[s], e)
		}
	}
	for _, s := range []int{4, 5} {
		if got[s].steps >= 0 {
			t.Errorf("from %d it ends after %d steps", s, got[s].steps)
		}
	}
}

// TestSummarise: means by hand, and a median that takes runs that never came so far as late.
func TestSummarise(t *testing.T) {
	steps := func(n int64) *int64 { return &n }
	number := func(x float64) *float64 { return &x }
	outcomes := []outcome{
		{
			distance: number(4), distances: []float64{1, 4}, states: []float64{2, 4}, covered: []float64{2, 6},
			half: steps(10), knowsHalf: true,
		},
		{
			distance: number(8), distances: []float64{3, 8}, states: []float64{4, 5}, covered: []float64{4, 8},
			half: steps(30),
		},
		{distance: number(6), distances: []float64{2, 6}, states: []float64{6, 6}, covered: []float64{6, 10}},
	}
	v := summarise("x", Distance, outcomes)
	if v.Mean.Value != 6 || v.Covered.Value != 8 || v.Half == nil || *v.Half != 2 || v.HalfMedian == nil ||
		*v.HalfMedian != 30 {
		t.Errorf("%+v", v)
	}
	if v.Distances[1] != 6 || v.Coverage[0] != 4 || v.States[1] != 5 {
		t.Errorf("%v %v", v.Distances, v.Coverage)
	}
	outcomes[0].half = nil
	if v := summarise("x", Covered, outcomes); v.Mean.Value != 8 || v.HalfMedian != nil {
		t.Errorf("%+v", v)
	}
}
