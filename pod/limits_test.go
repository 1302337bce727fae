package pod

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"pgregory.net/rapid"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	read := func(text string) error {
		_, err := ReadMap([]byte(text))
		return err
	}
	rows := func(rows, columns int) error {
		return read(fmt.Sprintf("%d,%d\n%s", rows, columns, strings.Repeat(strings.Repeat(".", columns)+"\n", rows)))
	}
	bytesOf := func(n int) error { return read("1,3\n..." + strings.Repeat("\n", n-len("1,3\n..."))) }
	// learn grows a table of so many choices for the most states that can be observed.
	learn := func(actions int) error {
		seen := &External{ObservedStates: newObservedStates(schema.Discrete, 1), actions: make([]string, actions)}
		seen.observations = make([]string, MaxObservations)
		l := &qAgent{ActionSet: ActionSet{Model: &Model{Actions: actions}}, task: Task{world: &LearningWorld{seen: seen}},
			q: make([]float64, maxTableEntries-actions, maxTableEntries)}
		l.grow()
		return l.task.world.failed
	}
	train := func(states int) error {
		_, err := Train(t.Context(), ActionSet{Model: &Model{States: states, Actions: 1 << 4}}, Task{}, Training{}, 0, nil)
		return err
	}
	text := func(n int) string { return strings.Repeat("a", n) }
	declare := func(change func(*schema.Env)) error {
		e := schema.Env{Name: "elsewhere", External: &schema.External{Version: "1", Actions: []string{"a"},
			Observes: schema.Discrete, Size: 1, Features: []string{}}, Text: map[string]string{}}
		change(&e)
		return CheckDeclaration(e)
	}
	name := func(n int) error { return declare(func(e *schema.Env) { e.Name = text(n) }) }
	version := func(n int) error { return declare(func(e *schema.Env) { e.External.Version = text(n) }) }
	action := func(n int) error { return declare(func(e *schema.Env) { e.External.Actions[0] = text(n) }) }
	features := func(n int64) error { return declare(func(e *schema.Env) { e.External.Size = n }) }
	parameter := func(letters, value int) error {
		return declare(func(e *schema.Env) { e.Text[text(letters)] = text(value) })
	}
	actions := func(n int) error {
		return declare(func(e *schema.Env) {
			e.External.Actions = nil
			for i := range n {
				e.External.Actions = append(e.External.Actions, fmt.Sprint(i))
			}
		})
	}
	parameters := func(n int) error {
		return declare(func(e *schema.Env) {
			for i := range n {
				e.Text[fmt.Sprint("p", i)] = "1"
			}
		})
	}
	ring := func(bits, hide int64) error {
		e, err := DefaultEnv("ring")
		if err == nil {
			e.Params["bits"], e.Params["hide"] = bits, hide
			_, err = NewEnv(e)
		}
		return err
	}
	diffuse := func(states int) error { // in a circle, where every state is reached
		return checkDiffusible(newModel(states, 1, func(s, _ int) int { return (s + 1) % states }))
	}
	for _, limit := range []struct {
		name       string
		at, beyond error
	}{
		{"the name of an environment", name(100), name(101)},
		{"its version", version(100), version(101)},
		{"the name of an action", action(100), action(101)},
		{"actions", actions(schema.MaxActions), actions(schema.MaxActions + 1)},
		{"an action", actions(1), actions(0)},
		{"features", features(MaxFeatures), features(MaxFeatures + 1)},
		{"a feature", features(1), features(0)},
		{"parameters", parameters(64), parameters(65)},
		{"the name of a parameter", parameter(100, 1), parameter(101, 1)},
		{"the value of a parameter", parameter(1, 1000), parameter(1, 1001)},
		{"bits of a ring", ring(28, 0), ring(29, 0)},
		{"a bit of a ring", ring(1, 0), ring(0, 0)},
		{"hidden bits", ring(12, 11), ring(12, 12)},
		{"states of a diffusion", diffuse(1024), diffuse(1025)},
		{"cells of a map", rows(1<<7, 1<<7), rows(1<<7, 1<<7+1)},
		{"rows of a map", rows(MaxCells, 1), rows(MaxCells+1, 1)},
		{"columns of a map", rows(1, MaxCells), rows(1, MaxCells+1)},
		{"bytes of a map", bytesOf(4 * MaxCells), bytesOf(4*MaxCells + 1)},
		{"observations", intern(schema.Discrete, 8, MaxObservations), intern(schema.Discrete, 8, MaxObservations+1)},
		{"bytes of observations", intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)),
			intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)+1)},
		{"entries of a table that grows", learn(maxTableEntries / MaxObservations),
			learn(maxTableEntries/MaxObservations + 1)},
		{"entries of a table", train(maxTableEntries >> 4), train(maxTableEntries>>4 + 1)},
	} {
		if limit.at != nil || limit.beyond == nil {
			t.Errorf("%s: at the limit %v, one beyond %v", limit.name, limit.at, limit.beyond)
		}
	}
}

// intern observes the n-th observation, where n−1 are known.
func intern(kind schema.Observation, dims, n int) error {
	o := newObservedStates(kind, dims)
	o.observations = make([]string, n-1)
	observation := make([]byte, o.size)
	binary.LittleEndian.PutUint32(observation, math.MaxUint32)
	s, err := o.Intern(observation)
	if err == nil && (s != n-1 || o.States() != n) {
		return fmt.Errorf("state %d of %d, want %d", s, o.States(), n-1)
	}
	return err
}

// TestCanExceed: a walk of as many steps as there can be observations cannot exceed the limits, one more can.
func TestCanExceed(t *testing.T) {
	for _, c := range []struct {
		kind schema.Observation
		dims int
		most int64
	}{
		{schema.Discrete, 8, MaxObservations},
		{schema.Binary, 0, MaxObservations},
		{schema.Real, MaxRowFeatures, maxSeenBytes / (8 * MaxRowFeatures)},
	} {
		if o := newObservedStates(c.kind, c.dims); o.CanExceed(c.most) || !o.CanExceed(c.most+1) {
			t.Errorf("%s of %d: %d steps exceed: %t, one more: %t", c.kind, c.dims, c.most, o.CanExceed(c.most),
				o.CanExceed(c.most+1))
		}
	}
}

// TestTaxiMoves: from every state in which no episode ends, south and north lead one row on, to the last row and the
// first one, and change nothing else.
func TestTaxiMoves(t *testing.T) {
	e, err := DefaultEnv("taxi")
	if err != nil {
		t.Fatal(err)
	}
	env, err := newTaxi(e)
	if err != nil {
		t.Fatal(err)
	}
	x := env.(*taxi)
	for s := range x.States() {
		if x.IsTerminal(s) {
			continue
		}
		south, north := x.factors(s), x.factors(s)
		south.at.Row, north.at.Row = min(south.at.Row+1, 4), max(north.at.Row-1, 0)
		if got := x.factors(x.Step(s, 0)); got != south {
			t.Errorf("south of state %d is %+v, want %+v", s, got, south)
		}
		if got := x.factors(x.Step(s, 1)); got != north {
			t.Errorf("north of state %d is %+v, want %+v", s, got, north)
		}
	}
}

// TestDiffusionNamesWhatIsNotReached: of two states, the second leads to the first, and nothing leads back.
func TestDiffusionNamesWhatIsNotReached(t *testing.T) {
	for _, c := range []struct {
		next [2]int
		want string
	}{
		{[2]int{0, 0}, "from state 0 to state 1"},
		{[2]int{1, 1}, "from state 1 to state 0"},
		{[2]int{1, 0}, ""},
	} {
		err := checkDiffusible(newModel(2, 1, func(s, _ int) int { return c.next[s] }))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.next, err, c.want)
		}
	}
}

// TestBadNameAnywhere: one name that is not allowed is found at any place among the actions, the features and the
// parameters that an environment declares.
func TestBadNameAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SampledFrom([]string{"", "a\nb", "\x1b[2J", "n1", strings.Repeat("x", maxNameBytes+1)}).Draw(t, "bad")
		e := schema.Env{Name: "elsewhere", Text: map[string]string{}, External: &schema.External{Version: "1",
			Observes: schema.Real, Size: 6}}
		var names []string
		for i := range 6 {
			names = append(names, fmt.Sprint("n", i))
			e.Text[fmt.Sprint("p", i)] = "1"
		}
		e.External.Actions, e.External.Features = names, names
		if err := CheckDeclaration(e); err != nil {
			t.Fatal(err)
		}
		spoiled := append([]string(nil), names...)
		at := rapid.SampledFrom([]int{0, 2, 3, 4, 5}).Draw(t, "place") // n1 is at place 1
		spoiled[at] = bad
		switch rapid.SampledFrom([]string{"action", "feature", "parameter", "value"}).Draw(t, "what") {
		case "action":
			e.External.Actions = spoiled
		case "feature":
			e.External.Features = spoiled
		case "parameter":
			e.Text[strings.ToUpper(bad)] = "1"
		case "value":
			e.Text[fmt.Sprint("p", at)] = "a\nb"
		}
		if err := CheckDeclaration(e); err == nil {
			t.Fatalf("%+v is accepted", e)
		}
	})
}

// TestSavedDecompositionLimit: a state of the largest size is kept, and one with a row more is not.
func TestSavedDecompositionLimit(t *testing.T) {
	keep := func(height int) bool {
		s := &decompositionState{Live: make([]int, 1<<10), Height: height}
		return s.with(nil, nil) != nil
	}
	const most = maxDecompositionState/8>>10 - 1<<10
	if !keep(most) || keep(most+1) {
		t.Errorf("a height of %d is kept: %t, one more: %t", most, keep(most), keep(most+1))
	}
}

// TestMethodOnRowsWithoutTransitions: a program that asks for transitions is refused where nothing acts.
func TestMethodOnRowsWithoutTransitions(t *testing.T) {
	spec := PaperSpec()
	spec.Env = schema.Env{Name: "rows", Version: 1, Params: map[string]int64{"features": 3}}
	spec.Stages = &schema.Stages{Method: &schema.StageProgram{Name: "own", Version: "1", Input: schema.InputTransitions}}
	env, err := NewEnvForSpec(spec)
	if env != nil || err == nil || !strings.Contains(err.Error(), "asks for transitions") {
		t.Errorf("%v, %v", env, err)
	}
}

// TestClaimedNextState: where the action determines the next state, a claim of any other one is refused.
func TestClaimedNextState(t *testing.T) {
	env, err := NewSimulated(PaperSpec().Env)
	if err != nil {
		t.Fatal(err)
	}
	c := &stepChecker{env: env, steps: env, state: 5}
	for claimed := range 12 {
		s := collectedStep{action: 1, next: claimed}
		if err := c.checkNext(&s); (err == nil) != (claimed == 6) {
			t.Errorf("from 5 to %d: %v", claimed, err)
		}
	}
	if s := (collectedStep{action: 1, next: -1}); c.checkNext(&s) != nil || s.next != 6 {
		t.Errorf("the action leads from 5 to %d", s.next)
	}
}
