package envs

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
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
	feature := func(x float64) error { return CheckFeature("f", x) }
	ring := func(bits, hide int64) error {
		e, err := DefaultEnv("ring")
		if err == nil {
			e.Params["bits"], e.Params["hide"] = bits, hide
			_, err = NewEnv(e)
		}
		return err
	}
	schematest.Limits{
		{"the name of an environment", "up to 100 letters", name(100), name(101)},
		{"its version", "1 to 100 printable", version(100), version(101)},
		{"the name of an action", "1 to 100 printable", action(100), action(101)},
		{"actions", "128 actions; there can be 1 to 127", actions(schema.MaxActions), actions(schema.MaxActions + 1)},
		{"an action", "1 to 127", actions(1), actions(0)},
		{"features", "4097 features, or discrete observations; there can be 1 to 4096", features(MaxFeatures),
			features(MaxFeatures + 1)},
		{"a feature", "1 to 4096", features(1), features(0)},
		{"parameters", "65 parameters; there can be 64", parameters(64), parameters(65)},
		{"the name of a parameter", "up to 100 lower-case", parameter(100, 1), parameter(101, 1)},
		{"the value of a parameter", "up to 1000 printable", parameter(1, 1000), parameter(1, 1001)},
		{"bits of a ring", "1 to 28", ring(28, 0), ring(29, 0)},
		{"a bit of a ring", "1 to 28", ring(1, 0), ring(0, 0)},
		{"hidden bits", "at most 11", ring(12, 11), ring(12, 12)},
		{"thousandths of slips", "0 to 1000", set("grid", "slip", 1000), set("grid", "slip", 1001)},
		{"steps of an episode", "0 to 1099511627776", set("grid", "episode", 1<<40), set("grid", "episode", 1<<40+1)},
		{"size of a maze", "2 to 64", set("maze", "size", 64), set("maze", "size", 65)},
		{"a cell of a maze", "2 to 64", set("maze", "size", 2), set("maze", "size", 1)},
		{"seed of a maze", "0 to 9007199254740991", set("maze", "maze_seed", maxMazeSeed),
			set("maze", "maze_seed", maxMazeSeed+1)},
		{"features of rows", "1 to 4096", set("rows", "features", 4096), set("rows", "features", 4097)},
		{"states of a graph", "there can be 1 to 268435456", states(MaxGraphStates), states(MaxGraphStates + 1)},
		{"actions of a graph", "128 actions; there can be 1 to 127", acts(127), acts(128)},
		{"features of a graph", "4097 features; there can be 1 to 4096", shows(4096), shows(4097)},
		{"states without features", "there can be 1048576", plain(1 << 20), plain(1<<20 + 1)},
		{"weights of a branch", "9007199254740992 together", weigh(1), weigh(2)},
		{"the name of a registered environment", "of 100 characters together", register(100, 1), register(101, 1)},
		{"the name of its parameter", "up to 100 lower-case", register(9, 100), register(9, 101)},
		{"a feature's magnitude", "beyond ±9.75e+288", feature(-maxFeature),
			feature(-math.Nextafter(maxFeature, math.MaxFloat64))},
		{"cells of a map", "up to 16384 cells", rows(128, 128), rows(145, 113)},
		{"rows of a map", "up to 16384 cells", rows(MaxCells, 1), rows(MaxCells+1, 1)},
		{"columns of a map", "up to 16384 cells", rows(1, MaxCells), rows(1, MaxCells+1)},
		{"bytes of a map", "a map of 16384 cells", bytesOf(4 * MaxCells), bytesOf(4*MaxCells + 1)},
		{"observations", "more than 4194304 distinct", intern(schema.Discrete, 8, maxObservations),
			intern(schema.Discrete, 8, maxObservations+1)},
		{"bytes of observations", "more than 63488 distinct",
			intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)),
			intern(schema.Real, MaxRowFeatures, maxSeenBytes/(8*MaxRowFeatures)+1)},
	}.Check(t)
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
	x := env.(*graphEnv)
	for s := range x.States() {
		if x.IsTerminal(s) {
			continue
		}
		south, north := newTaxiState(s), newTaxiState(s)
		south.at.Row, north.at.Row = min(south.at.Row+1, 4), max(north.at.Row-1, 0)
		if got := newTaxiState(x.Step(s, 0)); got != south {
			t.Errorf("south of state %d is %+v, want %+v", s, got, south)
		}
		if got := newTaxiState(x.Step(s, 1)); got != north {
			t.Errorf("north of state %d is %+v, want %+v", s, got, north)
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
