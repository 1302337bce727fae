package envs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// mazeOf returns a maze.
func mazeOf(t rapid.TB, kind string, size, seed int64) *envs.Grid {
	t.Helper()
	e, err := envs.DefaultEnv("maze")
	if err != nil {
		t.Fatal(err)
	}
	e.Text["kind"], e.Params["size"], e.Params["maze_seed"] = kind, size, seed
	env, err := envs.NewSimulated(e)
	if err != nil {
		t.Fatal(err)
	}
	return env.(*envs.Grid)
}

// exitsOf returns how many actions change each state.
func exitsOf(g *envs.Grid) []int {
	exits := make([]int, g.States())
	for s := range exits {
		for a := range g.Actions() {
			if g.Step(s, a) != s {
				exits[s]++
			}
		}
	}
	return exits
}

// TestMazes checks each kind, for any size and seed, against what follows from its definition. A spanning tree of size²
// cells has size² − 1 passages, which are cells themselves. In a tree each passage is a move there and one back.
func TestMazes(t *testing.T) {
	trees := []string{"perfect", "spiral", "comb", "corridor"}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(append(trees, "braided", "rooms")).Draw(t, "kind")
		size, seed := rapid.Int64Range(2, 20).Draw(t, "size"), int64(0)
		if !slices.Contains(trees[1:], kind) {
			seed = rapid.Int64Range(0, 1<<53-1).Draw(t, "seed")
		}
		g := mazeOf(t, kind, size, seed)
		distances, exits, states := g.Distances(g.Start()), exitsOf(g), g.States()
		farthest := int(slices.Max(distances))
		moves := 0
		for _, n := range exits {
			moves += n
		}
		if again := mazeOf(t, kind, size, seed); again.Map.String() != g.Map.String() {
			t.Fatalf("made again:\n%s%s", g.Map, again.Map)
		}
		if slices.Min(distances) < 0 {
			t.Fatalf("cells that cannot be reached:\n%s", g.Map)
		}
		if g.Start() != 0 || g.Map.Goal != slices.Index(distances, int32(farthest)) {
			t.Fatalf("not from the first cell to the one that is farthest:\n%s", g.Map)
		}
		if read, err := envs.ReadMap([]byte(g.Map.String())); err != nil || read.String() != g.Map.String() {
			t.Fatalf("not a map: %v\n%s", err, g.Map)
		}
		n := int(size)
		if slices.Contains(trees, kind) && (states != 2*n*n-1 || moves != 2*(states-1)) {
			t.Fatalf("%d cells and %d moves are no spanning tree:\n%s", states, moves, g.Map)
		}
		switch kind {
		case "spiral", "corridor": // a path
			if farthest != states-1 {
				t.Fatalf("%d steps to the farthest of %d cells:\n%s", farthest, states, g.Map)
			}
		case "comb": // along the first row, and down the last column
			if farthest != 4*(n-1) || slices.Max(exits) > 3 {
				t.Fatalf("%d steps to the farthest cell:\n%s", farthest, g.Map)
			}
		case "braided":
			if slices.Min(exits) < 2 {
				t.Fatalf("a dead end:\n%s", g.Map)
			}
			for _, c := range mazeOf(t, "perfect", size, seed).Map.Cells {
				if g.Map.StateAt(c.Row, c.Column) < 0 {
					t.Fatalf("a wall in row %d, column %d, where the perfect maze has none:\n%s", c.Row, c.Column, g.Map)
				}
			}
		case "rooms":
			checkRooms(t, n, states, moves)
		}
	})
}

// checkRooms compares the cells and moves of rooms with their numbers: of the 2·size − 1 rows every sixth is a wall,
// and so are the columns. Each wall between two rooms has a door, with two moves to it and two from it.
func checkRooms(t *rapid.T, size, states, moves int) {
	side := 2*size - 1
	walls := side / 6
	free, doors := side-walls, 2*walls*(walls+1)
	pairs := 2 * free * (free - walls - 1) // of cells of one room, side by side or one above the other
	if states != free*free+doors || moves != 2*pairs+4*doors {
		t.Fatalf("%d cells and %d moves, want %d and %d", states, moves, free*free+doors, 2*pairs+4*doors)
	}
}

// TestMazeDraws: the mazes are those of a Python program that was written from schema/FORMAT.md alone.
func TestMazeDraws(t *testing.T) {
	for _, c := range []struct {
		kind       string
		size, seed int64
		want       string // the first 16 digits of the SHA-256 of the map's text
	}{
		{"perfect", 2, 0, "10216b5fa32265a8"},
		{"perfect", 8, 0, "ec2aa399eb6b601a"},
		{"perfect", 8, 1, "4c48ac633483d3bb"},
		{"perfect", 15, 1<<53 - 1, "7b597d0a27ac95ed"},
		{"perfect", 64, 7, "adcd65807c78b8bb"},
		{"braided", 2, 0, "6f68ca839785a634"},
		{"braided", 8, 0, "805db37b2c6b37ff"},
		{"braided", 8, 1, "d749740e86487023"},
		{"braided", 15, 1<<53 - 1, "49c0d5642b57af79"},
		{"braided", 64, 7, "a54dbb916587305e"},
		{"spiral", 2, 0, "10216b5fa32265a8"},
		{"spiral", 8, 0, "ebe9517973df45ec"},
		{"comb", 2, 0, "91f7f92e7b5230ce"},
		{"comb", 8, 0, "e1a5df370d1de6b1"},
		{"corridor", 2, 0, "9d63a396202263b2"},
		{"corridor", 8, 0, "de3720a5a993f814"},
		{"rooms", 2, 0, "22676ade4625abca"},
		{"rooms", 8, 0, "4a75545b3bb7be61"},
		{"rooms", 8, 1, "11b57a7225914db1"},
		{"rooms", 15, 1<<53 - 1, "82b815a299714b6a"},
		{"rooms", 64, 7, "76ff553666d35bad"},
	} {
		text := mazeOf(t, c.kind, c.size, c.seed).Map.String()
		sum := sha256.Sum256([]byte(text))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("%s, size %d, seed %d: %s, want %s\n%s", c.kind, c.size, c.seed, got, c.want, text)
		}
	}
}

// TestMazeSeeds: a hundred seeds give a hundred mazes.
func TestMazeSeeds(t *testing.T) {
	for _, kind := range []string{"perfect", "braided", "rooms"} {
		seeds := map[string]int64{}
		for seed := range int64(100) {
			text := mazeOf(t, kind, 8, seed).Map.String()
			if other, has := seeds[text]; has {
				t.Errorf("%s: seeds %d and %d draw the same maze", kind, other, seed)
			}
			seeds[text] = seed
		}
	}
}

// TestMazePlans: the shapes of what is not drawn.
func TestMazePlans(t *testing.T) {
	for kind, want := range map[string]string{
		"spiral":   "5,5\nS....\nXXXX.\n..GX.\n.XXX.\n.....\n",
		"comb":     "5,5\nS....\n.X.X.\n.X.X.\n.X.X.\n.X.XG\n",
		"corridor": "1,17\nS...............G\n",
	} {
		if got := mazeOf(t, kind, 3, 0).Map.String(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", kind, got, want)
		}
	}
}

// TestMazeRefuses: a seed where nothing is drawn, which would make the same maze under another name, and kinds that
// there are not.
func TestMazeRefuses(t *testing.T) {
	for _, c := range []struct {
		kind, remedy string
		seed         int64
	}{
		{"spiral", "maze_seed 0", 1}, {"comb", "maze_seed 0", 1}, {"corridor", "maze_seed 0", 1 << 40},
		{"perfect", "0 to 9007199254740991", -1}, {"", "one of perfect, braided", 0}, {"Perfect", "one of perfect", 0},
	} {
		e, err := envs.DefaultEnv("maze")
		if err != nil {
			t.Fatal(err)
		}
		e.Text["kind"], e.Params["maze_seed"] = c.kind, c.seed
		env, err := envs.NewEnv(e)
		if env != nil || !errors.Is(err, schema.ErrSpec) || !strings.Contains(schema.Remedy(err), c.remedy) {
			t.Errorf("%q, seed %d: %v with remedy %q", c.kind, c.seed, err, schema.Remedy(err))
		}
	}
}
