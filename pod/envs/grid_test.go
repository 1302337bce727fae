package envs_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// gridOf returns a grid with the given parameters in place of the defaults.
func gridOf(t rapid.TB, params map[string]int64, text map[string]string) envs.SimulatedEnv {
	t.Helper()
	e, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range params {
		e.Params[k] = v
	}
	for k, v := range text {
		e.Text[k] = v
	}
	env, err := envs.NewSimulated(e)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

const open3 = "3,3\n..G\n...\nS..\n"

// TestMaps compares the maps with the numbers of states and of directed moves that change the state, as they follow
// from their published plans: the four rooms of Sutton, Precup & Singh (1999), and the 10 by 10 room and the I-maze of
// the eigenoption papers of Machado, Bellemare & Bowling. Nine rooms of 5 by 5 have 12 doors, 225 + 12 cells, and
// 2·(9·40 + 12·2) moves.
func TestMaps(t *testing.T) {
	for name, want := range map[string]struct{ states, moves int }{
		"four-rooms": {104, 336}, "open": {100, 360}, "i-maze": {19, 36}, "nine-rooms": {237, 768}, open3: {9, 24},
	} {
		env := gridOf(t, nil, map[string]string{"map": name})
		m, moves := env.Model(), 0
		for s := range m.States {
			for a := range m.Actions {
				if m.Next(s, a) != s {
					moves++
				}
			}
		}
		if env.States() != want.states || moves != want.moves {
			t.Errorf("%q: %d states and %d moves, want %d and %d", name, env.States(), moves, want.states, want.moves)
		}
	}
}

// TestMapText: what is read is printed in one form, which reads as the same map.
func TestMapText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "columns")
		m := drawMap(t, rows, columns)
		read, err := envs.ReadMap([]byte(m))
		if !strings.ContainsAny(m[4:], ".SG") {
			if err == nil {
				t.Fatalf("a map of walls:\n%s", m)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, m)
		}
		again, err := envs.ReadMap([]byte(read.String()))
		if err != nil || cmp.Diff(again.Cells, read.Cells) != "" || again.Start != read.Start ||
			again.Goal != read.Goal || again.String() != read.String() {
			t.Fatalf("%v:\n%s\n%s", err, m, read)
		}
	})
}

// drawMap returns a map with at most one start and one goal.
func drawMap(t *rapid.T, rows, columns int) string {
	cells := []byte(strings.Repeat("X", rows*columns))
	for i := range cells {
		if rapid.Bool().Draw(t, "free") {
			cells[i] = '.'
		}
	}
	for _, mark := range []byte("SG") {
		if i := rapid.IntRange(-1, len(cells)-1).Draw(t, "at"); i >= 0 {
			cells[i] = mark
		}
	}
	b := new(strings.Builder)
	b.WriteString(string('0'+rune(rows)) + "," + string('0'+rune(columns)) + "\n")
	for i := 0; i < len(cells); i += columns {
		b.Write(append(cells[i:i+columns:i+columns], '\n'))
	}
	return b.String()
}

func TestBadMaps(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no size": "...\n", "one number": "3\n...\n", "no rows": "0,3\n",
		"a negative size": "-1,3\n...\n",
		"too few rows":    "2,3\n...\n", "too many rows": "1,3\n...\n...\n", "a short row": "1,3\n..\n",
		"a long row":     "1,3\n....\n",
		"another letter": "1,3\n.Q.\n", "two starts": "1,3\nSS.\n", "two goals": "1,3\nGG.\n",
		"walls alone": "1,3\nXXX\n",
		"a huge size": "99999999,99999999\n.\n", "an overflow": "9223372036854775807,2\n.\n",
		"more cells than bounds": "129,128\n.\n",
		"half a byte order mark": "\xef\xbb1,1\n.\n",
	} {
		if m, err := envs.ReadMap([]byte(text)); m != nil || !errors.Is(err, schema.ErrSpec) ||
			schema.Remedy(err) == "" {
			t.Errorf("%s: %v, %v with remedy %q", name, m, err, schema.Remedy(err))
		}
	}
	e, _ := envs.DefaultEnv("grid")
	e.Text["map"] = "1,3\r\n...\r\n"
	if _, err := envs.NewEnv(e); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a map that is not canonical: %v", err)
	}
	e.Text["map"], e.Params["goal"] = "1,3\nS..\n", 1
	if _, err := envs.NewEnv(e); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("an end at a goal that is not there: %v", err)
	}
}

func FuzzReadMap(f *testing.F) {
	for _, name := range envs.MapNames() {
		data, err := os.ReadFile("maps/" + name + ".mdp")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("1,3\r\nS.G\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := envs.ReadMap(data)
		if err != nil {
			return
		}
		if again, err := envs.ReadMap([]byte(m.String())); err != nil || again.String() != m.String() {
			t.Fatalf("%v:\n%s", err, m)
		}
	})
}

// TestDistances: the ends of the I-maze are 14 steps of stem and two of its ends apart.
func TestDistances(t *testing.T) {
	g := gridOf(t, nil, map[string]string{"map": "i-maze"}).(*envs.Grid)
	if d := g.Distances(g.Map.Start)[g.Map.Goal]; d != 16 {
		t.Errorf("from S to G of the I-maze: %d", d)
	}
}
