package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// TestActs: where an option acts is what an audit finds, for each option of a run.
func TestActs(t *testing.T) {
	h, run := New(optionsFor(filled(t))), "/api/runs/"+idOf(t, small(1))
	var options []report.Option
	ok(t, json.Unmarshal(ask(h, run+"/options").Body.Bytes(), &options))
	for _, o := range options {
		path := fmt.Sprintf("%s/iterations/%d/options/%s", run, o.K, report.OptionName(o.J, o.Sign))
		var acts struct {
			why.Extent
			Text string `json:"text"`
		}
		var audit why.Report
		ok(t, json.Unmarshal(ask(h, path+"/acts").Body.Bytes(), &acts))
		ok(t, json.Unmarshal(ask(h, path+"/why").Body.Bytes(), &audit))
		if !reflect.DeepEqual(acts.Extent, *audit.Acts) {
			t.Errorf("%s: %+v, want %+v", path, acts.Extent, *audit.Acts)
		}
		path += "?state=5"
		var inState struct{ State *why.State }
		var want why.Report
		ok(t, json.Unmarshal(ask(h, strings.Replace(path, "?", "/acts?", 1)).Body.Bytes(), &inState))
		ok(t, json.Unmarshal(ask(h, strings.Replace(path, "?", "/why?", 1)).Body.Bytes(), &want))
		if inState.State == nil || !reflect.DeepEqual(inState.State, want.State) {
			t.Errorf("%s: %+v, want %+v", path, inState.State, want.State)
		}
		if begin := fmt.Sprintf("Starts in %d of %d states", o.Initiation, acts.States); !o.Null &&
			!strings.HasPrefix(acts.Text, begin) {
			t.Errorf("%s: %s", path, acts.Text)
		}
	}
	wantFailure(t, ask(h, run+"/iterations/0/options/99+/acts"), 404)
	wantFailure(t, ask(h, run+"/iterations/0/options/1+/acts?state=999999"), 400)
}

// TestDescribeActs: the examples are of no run.
func TestDescribeActs(t *testing.T) {
	mean := 10.48
	name := func(s int) string { return fmt.Sprint("s", s) }
	proved := schema.Certificate{Initiation: 91, Reach: &mean}
	for _, c := range []struct {
		of   why.Extent
		want string
	}{
		{why.Extent{States: 104, Certificate: schema.Certificate{Null: true}},
			"Never acts: in none of 104 states an action is worth more than the tolerance, so it can start nowhere."},
		{why.Extent{States: 104, Certificate: schema.Certificate{Null: true}, Start: new(9)},
			"Never acts: it would start in s9 alone of 104 states, but ends there."},
		{why.Extent{States: 104, Certificate: schema.Certificate{Initiation: 1, Reach: &mean}, Start: new(9),
			DistinctEnd: 1, Ends: []why.End{{State: 40, From: 1}}},
			"Starts in s9 alone of 104 states and ends in s40; 10.5 steps on average."},
		{why.Extent{States: 104, Certificate: proved, DistinctEnd: 1, Ends: []why.End{{State: 40, From: 91}}},
			"Starts in 91 of 104 states and ends in s40; 10.5 steps on average."},
		{why.Extent{States: 104, Certificate: proved, DistinctEnd: 3,
			Ends: []why.End{{State: 40, From: 88}, {State: 1, From: 2}}},
			"Starts in 91 of 104 states, goes to s40 (from 88 of them) and ends in 3 states in all; 10.5 steps on average."},
		{why.Extent{States: 4096, Certificate: schema.Certificate{Initiation: 2080, Reach: &mean}, DistinctEnd: 1504,
			Ends: []why.End{{State: 1023, From: 23}}},
			"Starts in 2,080 of 4,096 states and ends in 1,504 states, each reached from at most 23 starts; " +
				"10.5 steps on average."},
		{why.Extent{States: 104, Certificate: proved, DistinctEnd: 91, Ends: []why.End{{State: 3, From: 1}}},
			"Starts in 91 of 104 states and ends in 91 states, each reached from one start; 10.5 steps on average."},
		{why.Extent{States: 104, Certificate: schema.Certificate{Initiation: 91}, DistinctEnd: 1, Likely: true,
			Ends: []why.End{{State: 40, From: 90}}, Never: 1},
			"Starts in 91 of 104 states and ends in s40 where its moves go most likely. " +
				"By the likeliest outcomes it does not end from 1 of them."},
		{why.Extent{States: 104, Certificate: schema.Certificate{Initiation: 91}, Likely: true, Never: 91},
			"Starts in 91 of 104 states. By the likeliest outcomes it does not end from 91 of them."},
		{why.Extent{States: 104, Certificate: schema.Certificate{Initiation: 91}, Never: 91},
			"Starts in 91 of 104 states and ends only when a call is truncated."},
	} {
		if got := describeActs(&c.of, name); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestStateNames: states are called by their place on a grid, and on a ring by their coordinate.
func TestStateNames(t *testing.T) {
	spec := small(0) // a ring
	env, err := envs.NewEnv(spec.Env)
	ok(t, err)
	if got := stateNamer(env)(env.States() - 1); got != "state −1" {
		t.Errorf("the last state of a ring is %s", got)
	}
	if got := stateNamer(env)(0); got != "state 0" {
		t.Errorf("the first state of a ring is %s", got)
	}
	grid := schema.Env{Name: "grid", Version: 1, Params: map[string]int64{"slip": 0, "episode": 0, "goal": 0},
		Text: map[string]string{"map": "four-rooms", "observe": envs.OneHot}}
	env, err = envs.NewEnv(grid)
	ok(t, err)
	if got := stateNamer(env)(40); got != "r4c11" {
		t.Errorf("state 40 of the four rooms is %s", got)
	}
}
