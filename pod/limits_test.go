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
	train := func(states int) error {
		_, err := Train(t.Context(), ActionSet{Model: &Model{States: states, Actions: 1}}, Task{}, Training{}, 0, nil)
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
	set := func(name, parameter string, value int64) error {
		e, err := DefaultEnv(name)
		if err == nil {
			e.Params[parameter] = value
			_, err = NewEnv(e)
		}
		return err
	}
	graph := func(change func(*Graph)) error {
		g := Graph{States: 1, Actions: []string{"a"}, Features: []string{"f"}, Observe: func(int, []float64) {},
			Step: func(int, int) int { return 0 }}
		change(&g)
		return g.check()
	}
	texts := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("t", i))
		}
		return list
	}
	states := func(n int) error { return graph(func(g *Graph) { g.States = n }) }
	acts := func(n int) error { return graph(func(g *Graph) { g.Actions = texts(n) }) }
	shows := func(n int) error { return graph(func(g *Graph) { g.Features = texts(n) }) }
	plain := func(n int) error { return graph(func(g *Graph) { g.States, g.Features, g.Observe = n, nil, nil }) }
	weigh := func(weight int64) error {
		g := &graphEnv{graph: Graph{States: 1, Actions: []string{"a"}, Branches: func(int, int) []Branch {
			return []Branch{{Weight: maxWeight - 1}, {Weight: weight}}
		}}}
		return g.checkOutcomes(0, 0)
	}
	register := func(name, parameter int) error {
		build := func(schema.Env) (Env, error) { return nil, nil }
		return RegisteredEnv{Name: text(name-2) + "/b", Version: 1, Build: build,
			Parameters: []Parameter{{Name: text(parameter)}}}.check()
	}
	earn := func(largest float64) error {
		_, err := NewRewardTask(&RewardModel{Largest: largest}, schema.AnyStart, 0.5, 1)
		return err
	}
	touch := func(n int) error {
		return (&touchedStates{most: MaxMethodStates, states: make([]int32, n)}).checkFull()
	}
	observe := func(n int) error {
		_, err := (&touchedStates{}).dataset(n, true, nil)
		return err
	}
	tabular := func(n int) error {
		spec := PaperSpec()
		spec.Method = schema.Successor
		spec.Env, _ = DefaultEnv("grid")
		m, err := ReadMap(fmt.Appendf(nil, "1,%d\n%s", n, strings.Repeat(".", n)))
		if err == nil {
			spec.Env.Text[MapParameter] = m.String()
			_, err = NewEnvForSpec(spec)
		}
		return err
	}
	visited := func(bits int64) error {
		spec := PaperSpec()
		spec.Method, spec.StateSet, spec.Env.Params["bits"] = schema.Laplacian, schema.VisitedStates, bits
		_, err := NewEnvForSpec(spec)
		return err
	}
	weights := func(n int) error { return checkWeights(sizedEnv{features: n - 1}, PaperSpec()) }
	feature := func(x float64) error { return CheckFeature("f", x) }
	resume := func(height int) error { return (&decompositionState{Height: height}).check(1) }
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
		name, says string // what the error says
		at, beyond error
	}{
		{"the name of an environment", "up to 100 letters", name(100), name(101)},
		{"its version", "1 to 100 visible", version(100), version(101)},
		{"the name of an action", "1 to 100 visible", action(100), action(101)},
		{"actions", "128 actions; there can be 1 to 127", actions(schema.MaxActions), actions(schema.MaxActions + 1)},
		{"an action", "1 to 127", actions(1), actions(0)},
		{"features", "4097 features, or discrete observations; there can be 1 to 4096", features(MaxFeatures),
			features(MaxFeatures + 1)},
		{"a feature", "1 to 4096", features(1), features(0)},
		{"parameters", "65 parameters; there can be 64", parameters(64), parameters(65)},
		{"the name of a parameter", "up to 100 lower-case", parameter(100, 1), parameter(101, 1)},
		{"the value of a parameter", "up to 1000 visible", parameter(1, 1000), parameter(1, 1001)},
		{"bits of a ring", "1 to 28", ring(28, 0), ring(29, 0)},
		{"a bit of a ring", "1 to 28", ring(1, 0), ring(0, 0)},
		{"hidden bits", "at most 11", ring(12, 11), ring(12, 12)},
		{"thousandths of slips", "0 to 1000", set("grid", "slip", 1000), set("grid", "slip", 1001)},
		{"steps of an episode", "0 to 1099511627776", set("grid", "episode", 1<<40), set("grid", "episode", 1<<40+1)},
		{"features of rows", "1 to 4096", set("rows", "features", 4096), set("rows", "features", 4097)},
		{"states of a graph", "there can be 1 to 268435456", states(MaxGraphStates), states(MaxGraphStates + 1)},
		{"actions of a graph", "128 actions; there can be 1 to 127", acts(127), acts(128)},
		{"features of a graph", "4097 features; there can be 1 to 4096", shows(4096), shows(4097)},
		{"states without features", "there can be 1048576", plain(1 << 20), plain(1<<20 + 1)},
		{"weights of a branch", "9007199254740992 together", weigh(1), weigh(2)},
		{"the name of a registered environment", "of 100 characters together", register(100, 1), register(101, 1)},
		{"the name of its parameter", "up to 100 lower-case", register(9, 100), register(9, 101)},
		{"rewards", "rewards of up to 5.0000", earn(maxValues / 2), earn(math.Nextafter(maxValues/2, math.MaxFloat64))},
		{"states that were visited", "what is factored: 2048", touch(2048), touch(2049)},
		{"states of a purpose", "of at most 1048576", observe(1 << 20), observe(1<<20 + 1)},
		{"states of an environment of a method", "for each state, of at most 1048576", visited(20), visited(21)},
		{"states of a method", "visited states alone: 2048", tabular(2048), tabular(2049)},
		{"weights of a learner", "without weights: 1048576", weights(1 << 20), weights(1<<20 + 1)},
		{"a feature's magnitude", "beyond ±9.75e+288", feature(-maxFeature),
			feature(-math.Nextafter(maxFeature, math.MaxFloat64))},
		{"the height of a state", "", resume(maxDecompositionState), resume(maxDecompositionState + 1)},
		{"states of a diffusion", "up to 1024", diffuse(1024), diffuse(1025)},
		{"cells of a map", "up to 16384 cells", rows(128, 128), rows(145, 113)},
		{"rows of a map", "up to 16384 cells", rows(MaxCells, 1), rows(MaxCells+1, 1)},
		{"columns of a map", "up to 16384 cells", rows(1, MaxCells), rows(1, MaxCells+1)},
		{"bytes of a map", "a map of 16384 cells", bytesOf(4 * MaxCells), bytesOf(4*MaxCells + 1)},
		{"observations", "more than 4194304 distinct", intern(schema.Discrete, 8, MaxObservations),
			intern(schema.Discrete, 8, MaxObservations+1)},
		{"bytes of observations", "more than 63488 distinct",
			intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)),
			intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)+1)},
		{"entries of a table", "may have 67108864 entries", train(maxTableEntries), train(maxTableEntries + 1)},
	} {
		if limit.at != nil || limit.beyond == nil ||
			!strings.Contains(limit.beyond.Error()+schema.Remedy(limit.beyond), limit.says) {
			t.Errorf("%s: at the limit %v, one beyond %v (%s), want %q", limit.name, limit.at, limit.beyond,
				schema.Remedy(limit.beyond), limit.says)
		}
	}
}

// sizedEnv is an environment of one action and so many features.
type sizedEnv struct {
	Env
	features int
}

func (e sizedEnv) Actions() []string { return make([]string, 1) }

func (e sizedEnv) Features() []string { return make([]string, e.features) }

func (e sizedEnv) States() int { return 0 }

// TestLimitsOfMethods: what decides between two ways to compute does so at the limit and beyond.
func TestLimitsOfMethods(t *testing.T) {
	eliminates := func(weights int) bool {
		l, err := newLSPI(sizedEnv{features: weights - 1}, PaperSpec(), Experience{})
		if err != nil {
			t.Fatal(err)
		}
		return l.(*lspi).system != nil
	}
	takesMatrix := func(weights int64) bool { return lspiBytes(0, 1, weights-1) == 8*weights*weights }
	needsFactors := func(weights int) bool { return estimateLSPIMemory(sizedEnv{features: weights - 1}, nil) > 0 }
	keeps := func(n int) bool { return reductionState(make([][]float64, n), 1) != nil }
	best := func(steps int64) bool { // 2¹⁶ outcomes a step
		m := &RewardModel{states: 1, actions: 1, from: []int32{0, 1}, starts: []int32{0}, weights: []int64{1},
			outcomes: make([]rewardedOutcome, 1<<16-1)}
		m.outcomes[0] = rewardedOutcome{reward: 1, weight: 1}
		x, err := m.Best(t.Context(), schema.AnyStart, steps)
		return x != nil && *x == float64(steps) && err == nil
	}
	passed := func(n int) bool {
		l := &qAgent{training: Training{Interrupt: true, Algorithm: schema.SMDP}}
		for range n {
			l.notePassed(move{})
		}
		return len(l.passed) == n
	}
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"weights that are eliminated", eliminates(MaxEliminated), eliminates(MaxEliminated + 1)},
		{"weights of a matrix", takesMatrix(MaxEliminated), takesMatrix(MaxEliminated + 1)},
		{"weights without factors", !needsFactors(MaxEliminated), !needsFactors(MaxEliminated + 1)},
		{"features of a reduction that is kept", keeps(2508), keeps(2509)},
		{"the work for the largest return", best(maxBestWork >> 16), best(maxBestWork>>16 + 1)},
		{"states of a call that are kept", passed(maxPassed), passed(maxPassed + 1)},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: at the limit %t, one beyond %t", limit.name, limit.at, limit.beyond)
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
