package external

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// gymForms prints, for each of some environments and 60 steps in it, what the adapter declares,
// and each observation as JSON and packed.
const gymForms = `
import json, sys
from adapter.gym import named
out, sys.stdout = sys.stdout, sys.stderr
for words in sys.argv[1:]:
    environment = named(words.split(","))
    def show(form): print(json.dumps(environment.encode(form)), environment.pack(form).hex(), file=out)
    print(words, json.dumps(environment.declaration["observes"]), sep="\t", file=out)
    show(environment.reset(2**53 - 1))
    for step in range(60):
        form, _, terminated, truncated = environment.step(step % 2)
        show(form)
        if terminated or truncated:
            show(environment.reset(None))
`

// TestGymForms: both forms of an observation, JSON and packed, are the same one.
func TestGymForms(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	useStandIns(t)
	environments := []string{"Walk-v0", "Cart-v1", "Cart-v1,bins=5,range=walk,walk=50", "Lights-v0", "Dials-v0",
		"stand/Ram-v5,bits", "Nested-v0", "Nested-v0,drop,walk=50", "Nested-v0,bins=3", "MiniGrid-Empty-5x5-v0,bits",
		"MinAtar/Breakout-v1,drop,walk=50", "CartPole-v1,tiles=2x3,range=walk,walk=50,hash=20"}
	lines := bufio.NewScanner(bytes.NewReader(runPython(t, append([]string{"-c", gymForms}, environments...)...)))
	var o observer
	name, seen := "", map[string]int{}
	for lines.Scan() {
		if words, form, begins := strings.Cut(lines.Text(), "\t"); begins {
			name, o = words, observer{declared: declaredForm(t, []byte(form))}
			continue
		}
		i := bytes.LastIndexByte(lines.Bytes(), ' ')
		text, packed := lines.Bytes()[:i], lines.Bytes()[i+1:]
		got, err := o.read(text, nil)
		if err != nil || hex.EncodeToString(got) != string(packed) {
			t.Errorf("%s: %s: %x, packed %s (%v)", name, text, got, packed, err)
		}
		seen[name]++
	}
	for _, name := range environments {
		if seen[name] < 61 {
			t.Errorf("%s: %d observations", name, seen[name])
		}
	}
}

func declaredForm(t *testing.T, text []byte) schema.External {
	t.Helper()
	var form observes
	if err := json.Unmarshal(text, &form); err != nil {
		t.Fatal(err)
	}
	size := form.N
	if size == 0 {
		size = int64(len(form.Features))
	}
	return schema.External{Observes: schema.Observation(form.Kind), Features: form.Features, Size: size}
}

// TestFoundIsNotSoughtAgain: a recorded environment is started with the ranges and the features
// that its walk found then, if it is the same one with the same options.
func TestFoundIsNotSoughtAgain(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	useStandIns(t)
	c, err := Gym("Cart-v1,bins=4,range=walk,drop,walk=40", "python3", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	declared := queryEnv(t, c)
	if declared.Text["range"] == "walk" {
		t.Fatalf("%v of %d features", declared.Text, len(declared.External.Features))
	}
	recorded := declared.Clone() // as another version of a package would have found it
	recorded.Text["range"] = "0.0:9.0/0.125:0.75"
	form := *declared.External
	form.Features, form.Size = []string{"x0.1", "x1.0", "x1.3"}, 3
	recorded.External = &form
	if got := queryEnv(t, c.forRecorded(recorded)); !reflect.DeepEqual(got, recorded) {
		t.Errorf("%+v, want %+v", got, recorded)
	}
	for _, change := range []func(e *schema.Env){
		func(e *schema.Env) { e.Name = "Cart-v2" },
		func(e *schema.Env) { e.Text["walk"] = "41" },
	} {
		other := recorded.Clone()
		change(&other)
		if got := queryEnv(t, c.forRecorded(other)); !reflect.DeepEqual(got, declared) {
			t.Errorf("%v: %+v, want %+v", other.Text, got, declared)
		}
	}
}

func queryEnv(t *testing.T, c Command) schema.Env {
	t.Helper()
	env, err := c.queryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// TestHashOfTiles: the hash is FNV-1a, as the help says.
func TestHashOfTiles(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	useStandIns(t)
	lists := [][]uint32{{0}, {3, 1, 4}, {7, 1 << 20, 255, 256, 0}}
	words, want := []string{"-c", "import sys; from adapter import spaces as s\n" +
		"for words in sys.argv[1:]: print(s.fnv1a([int(x) for x in words.split()]))"}, ""
	for _, numbers := range lists {
		h := fnv.New64a()
		_ = binary.Write(h, binary.LittleEndian, numbers) // a hash takes everything
		words = append(words, strings.Trim(fmt.Sprint(numbers), "[]"))
		want += fmt.Sprintln(h.Sum64())
	}
	if got := string(runPython(t, words...)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// useStandIns makes the stand-ins for Gymnasium and others, and the adapter's modules,
// packages of Python.
func useStandIns(t *testing.T) {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	standin := filepath.Join(here, "../../cmd/podtrack/internal/e2e/testdata/standin")
	t.Setenv("PYTHONPATH", standin+string(filepath.ListSeparator)+here)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}

func runPython(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command("python3", args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return out
}

// gymTries prints what becomes of each environment: why it is refused, or what it declares.
const gymTries = `
import sys
from adapter.gym import named
from adapter.loop import Refused
out, sys.stdout = sys.stdout, sys.stderr
for words in sys.argv[1:]:
    try:
        e = named(words.split(";"))
        o = e.declaration["observes"]
        features = " ".join(o.get("features", [str(o.get("n"))])[:12])
        print(e.declaration["version"], o["kind"], features, " ".join(e.declaration["actions"]),
              sorted(e.declaration["parameters"].items()), e.declaration.get("reward"), sep=" | ", file=out)
    except Refused as refused:
        print(refused, file=out)
`

// hugeSpaces prints why each of some environments is refused whose spaces are too large for lists of what is in them.
// The bounds of its Box cannot be read.
const hugeSpaces = `
import resource, sys, types
from adapter.gym import named
from adapter.loop import Refused
from gymnasium.spaces import Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
out, sys.stdout = sys.stdout, sys.stderr
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, resource.RLIM_INFINITY))
class Box:
    def __init__(self, *shape, dtype="float64"):
        self.shape, self.dtype = shape, dtype
far, N = Box(2), 10**12
far.low, far.high = [0.0, 0.0], [9.0, 9.0]
of = {"cells": Discrete(N), "lamps": MultiBinary(N), "dials": MultiDiscrete([2, N, 3]),
      "dict": Dict({"a": Discrete(4), "b": Discrete(N)}), "tuple": Tuple([MultiBinary(3), MultiBinary(N)]),
      "parts": Tuple([Discrete(9000)] * 20), "box": Box(10**6, 10**6), "image": Box(10**6, 10**6, 3, dtype="uint8"),
      "bytes": Box(10**6, 10**6, 3, 1, dtype="uint8"), "far": far, "few": Discrete(9000), "one": Discrete(2)}
class Env:
    def __init__(self, sees, does): self.observation_space, self.action_space = of[sees], of[does]
    def reset(self, seed=None): return [0, 0], {}
    def step(self, action): return [0, 0], 0.0, False, False, {}
    def close(self): pass
huge = sys.modules["huge"] = types.ModuleType("huge")
for name in of:
    setattr(huge, "sees_" + name, lambda name=name: Env(name, "one"))
    setattr(huge, "does_" + name, lambda name=name: Env("one", name))
for words in sys.argv[1:]:
    try:
        print(named(words.split(";")).declaration, file=out)
    except Refused as refused:
        print(refused, file=out)
    except BaseException as error:
        print(repr(error), file=out)
`

// TestHugeSpaces: what is too large is refused before anything of its size is made.
func TestHugeSpaces(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	if runtime.GOOS != "linux" {
		t.Skip("the memory of Python is limited on Linux alone")
	}
	useStandIns(t)
	const smaller = "wrap=MODULE:FUNCTION makes observations smaller; or choose fewer bins or tiles"
	const image = "wrap=gymnasium.wrappers:GrayscaleObservation"
	tries := [][2]string{
		{"sees_cells", smaller}, {"sees_cells;drop", smaller}, {"sees_few", "4096; drop leaves out"},
		{"sees_lamps", smaller}, {"sees_lamps;drop", smaller}, {"sees_dials", smaller}, {"sees_dials;drop", smaller},
		{"sees_dict", smaller}, {"sees_dict;drop", smaller}, {"sees_tuple", smaller}, {"sees_tuple;drop", smaller},
		{"sees_parts", "180000 features are more than 4096; " + smaller},
		{"sees_parts;drop", "180000 features are more than 131072; " + smaller},
		{"sees_box", smaller}, {"sees_box;drop", smaller}, {"sees_box;bins=8;range=0:1", smaller},
		{"sees_box;tiles=4x4;hash=512;range=0:1", smaller}, {"sees_box;bins=8;range=walk", smaller},
		{"sees_image", image}, {"sees_image;bits", image}, {"sees_image;bins=4", image},
		{"sees_bytes;bits;drop", smaller},
		{"sees_far;bins=1000000000000", smaller}, {"sees_far;bins=1000000000000;drop", smaller},
		{"sees_far;bins=40000;drop", "all 80000 features"},
		{"sees_far;bins=" + strings.Repeat("9", 5000), "write a number"},
		{"sees_far;bins=²", "bins=²: write a number"}, {"sees_far;tiles=1000000000000x2", "are too many; choose fewer"},
		{"sees_far;tiles=1000000000000x2;hash=99", "are too many"},
		{"sees_far;tiles=2x1000000000000;hash=99", "are too many"},
		{"sees_far;tiles=2x100000", "choose fewer, or hash=N"}, {"sees_far;tiles=2x2;hash=1000000000000", smaller},
		{"sees_far;tiles=2x2;hash=1000000000000;drop", smaller},
		{"does_cells", "1000000000000 actions are more than 127; actions=[0,2]"},
		{"does_box;actions=3", "each of 1000000000000 numbers takes 2 values or more"},
		{"does_far;actions=1000000000000", "all combinations are 127 at most; actions=[[0.0,...],...] lists them"},
		{"does_box;actions=[[0.0]]", "[0.0] is none of the space Box"},
		{"does_lamps;actions=[[0]]", "is none of the space"},
		{"does_lamps;actions=3", "write actions=N for N values"}, {"does_lamps", "actions are MultiBinary"},
	}
	words := []string{"-c", hugeSpaces}
	for _, try := range tries {
		words = append(words, "huge:"+try[0])
	}
	lines := strings.Split(strings.TrimSuffix(string(runPython(t, words...)), "\n"), "\n")
	if len(lines) != len(tries) {
		t.Fatalf("%d answers to %d tries", len(lines), len(tries))
	}
	for i, try := range tries {
		if !strings.Contains(lines[i], try[1]) {
			t.Errorf("%s:\n got %s\nwant %s", try[0], lines[i], try[1])
		}
	}
}

// TestGymTries has what a user may type, separated by semicolons, and a part of the answer.
func TestGymTries(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	useStandIns(t)
	const version = "adapter 2, gymnasium 1.4.0.standin"
	tries := [][2]string{
		// Values.
		{"FrozenLake-v1;is_slippery=False;map_name=8x8",
			version + " | discrete | 64 | 0 1 2 3 | [('is_slippery', 'False')"},
		{`FrozenLake-v1;desc=["SFFF","FHFG"]`, "discrete | 8 |"},
		{"FrozenLake-v1;success_rate=0.5;max_episode_steps=7", "discrete | 16 |"},
		{"FrozenLake-v1;is_slippery=false",
			"is_slippery=false would be a text, which counts as true: write is_slippery=False"},
		{"FrozenLake-v1;is_slippery=Yes", "write is_slippery=True"},
		{"Blackjack-v1;natural=no", "write natural=False"}, // of what is registered
		{"FrozenLake-v1;disable_env_checker=true", "write disable_env_checker=True"},
		{"MinAtar/Breakout-v1;difficulty_ramping=false", "write difficulty_ramping=False, or 'false' with the quotes"},
		{"MinAtar/Breakout-v1;difficulty_ramping=False;sticky_action_prob=0.0", ", minatar 1.0.15 | binary |"},
		{"FrozenLake-v1;map_name=no", "KeyError: 'no'"}, // a text where a text is meant
		{"FrozenLake-v1;desc=[SFFF]", "is no value of Python; texts within brackets stand in quotes"},
		{"FrozenLake-v1;is_slippery", "is_slippery has no value: write is_slippery=True"},
		{"CartPole-v1;bits=8", "bits=8: write bits"},
		{"CartPole-v1;bins", "bins: write bins=VALUE"},
		{"CartPole-v1;bins=8;bins=9", "bins is given twice"},
		{"FrozenLake-v1;slippery=False", "FrozenLake-v1 has no parameter slippery; similar: is_slippery; it has desc"},
		{"CartPole-v1;bin=8", "has no parameter bin; similar: bins"},
		// Names.
		{"FrozenLak-v1", "NameNotFound: Environment `FrozenLak` doesn't exist; similar: FrozenLake-v1"},
		{"FrozenLake-v0", "DeprecatedEnv"},
		{"Foo-v0", "for environments of another package write gym:MODULE:NAME"},
		{"nowhere:Foo-v0", "cannot import nowhere (No module named 'nowhere'): install it there, or name its folder"},
		{"gymnasium:FrozenLake-v1", "discrete | 16 |"},
		{"minigrid:MiniGrid-Empty-5x5-v0", ", minigrid 3.1.0.standin | real |"},
		{"MiniGrid-Empty-5x5-v0;bits", "| left right forward pickup drop toggle done |"},
		{"MiniGrid-Empty-5x6-v0", "similar: MiniGrid-Empty-5x5-v0"},
		{"minatar:MinAtar/Breakout-v0", "binary | x0 x1"},
		{"MinAtar/Nothing-v1", "doesn't exist"}, // its package and its plugin register the same names: no warning
		{"ale_py:ALE/Pong-v5;obs_type=ram;bits", ", ale_py 0.12.1.standin | binary | byte0.0 byte0.1"},
		{"ALE/Pong-v5;obs_type=ram", "| noop fire right left rightfire leftfire |"},
		{"ALE/Pong-v5", "100800 features are more than 4096"},
		// What makes environments.
		{"gymnasium.envs.toy_text:FrozenLakeEnv;is_slippery=False", version + " | discrete | 16 |"},
		{"gymnasium.envs.toy_text:FrozenLakeEnv;slippery=False",
			"gymnasium.envs.toy_text:FrozenLakeEnv has no parameter slippery; similar: is_slippery; it has desc"},
		{"gymnasium.envs.toy_text:FrozenLake", "FrozenLake; similar: FrozenLakeEnv, FrozenLake-v1"},
		{"gymnasium.envs.toy_text:total;hand=[1]", "toy_text:total returned no environment but"},
		{"gymnasium.envs.toy_text:total", "toy_text:total: TypeError: total() missing 1 required"},
		{"gymnasium.envs.toy_text:FrozenLakeEnv;wrap=builtins:str", "wrap: str returned no environment but"},
		{"pettingzoo.sisl.pursuit_v5:parallel_env;n_pursuers=1", ", pettingzoo 1.27.0.standin | real | x0 x1"},
		{"pettingzoo.sisl.pursuit_v5:env;n_pursuers=1;max_cycles=9;reward", "('n_pursuers', '1')] | True"},
		// Spaces.
		{"Blackjack-v1", "binary | 0=0 0=1 0=2"},
		{"Nested-v0", "real | pair.1.x0 lamps.x0 lamps.x1 lamps.x2 pair.0=1 pair.0=2 pair.0=3 |"},
		{"Nested-v0;bins=2", "binary | pair.1.x0.0 pair.1.x0.1 lamps.x0"},
		{"Nested-v0;flatten;drop;walk=60",
			"| real | pair.1.x0 lamps.x0 lamps.x1 pair.0=1 pair.0=2 pair.0=3 | 0 1 | [('drop'"},
		{"MiniGrid-Empty-5x5-v0;wrap=minigrid.wrappers:ImgObsWrapper", "real | x0 x1"},
		{"MiniGrid-Empty-5x5-v0;wrap=minigrid.wrappers:ViewSizeWrapper(agent_view_size=3)/minigrid.wrappers:ImgObsWrapper",
			"real | x0 x1"},
		{"MiniGrid-Empty-5x5-v0;wrap=minigrid.wrappers:ImgWrapper",
			"minigrid.wrappers has no ImgWrapper to call; similar: ImgObs"},
		{"MiniGrid-Empty-5x5-v0;wrap=ImgObsWrapper", "write MODULE:FUNCTION"},
		{"MiniGrid-Empty-5x5-v0;wrap=minigrid.wrappers:ViewSizeWrapper(3)", "arguments are KEY=VALUE"},
		{"MiniGrid-Empty-5x5-v0;wrap=minigrid.wrappers:ViewSizeWrapper(agent_view_size=4)",
			"wrap: ViewSizeWrapper: AssertionError"},
		// Walks.
		{"CartPole-v1;bins=8", "number 1 of the observation has no bounds; give them as range=LO:HI, or range=walk"},
		{"CartPole-v1;bins=2;range=walk;walk=30", "('walk', '30'), ('walk_seed', '0')]"},
		{"CartPole-v1;bins=2;range=walk;walk=30;walk_seed=x", "walk_seed=x: write a number"},
		{"CartPole-v1;bins=2;range=walk;walk=0", "walk=0: write a number such as walk=10000"},
		{"CartPole-v1;walk=30", "a walk is for range=walk and for drop"},
		{"FrozenLake-v1;range=walk", "range is for bins and tiles"},
		{"CartPole-v1;hash=5", "hash is for tiles"},
		{"CartPole-v1;tiles=4x4;hash=0;range=walk;walk=30", "hash=0: write a number such as hash=512"},
		{"FrozenLake-v1;desc=['SH'];drop;walk=30", "binary | x0=0 x0=1 |"},
		{"FrozenLake-v1;desc=['S'];drop;walk=30", "all 1 features were constant in a walk of 30 steps"},
		{"FrozenLake-v1;bits", "bits is for Box observations, and these are Discrete"},
		// Rewards.
		{"FrozenLake-v1;reward", "| [] | True"},
		{"FrozenLake-v1", "| [] | None"},
	}
	words := []string{"-W", "error::UserWarning", "-c", gymTries}
	for _, try := range tries {
		words = append(words, try[0])
	}
	codes := regexp.MustCompile(`( [a-z_]+ [0-9][0-9a-z.]*) [0-9a-f]{10}\b`) // of packages, beside their versions
	answers := codes.ReplaceAllString(string(runPython(t, words...)), "$1")
	lines := strings.Split(strings.TrimSuffix(answers, "\n"), "\n")
	if len(lines) != len(tries) {
		t.Fatalf("%d answers to %d tries", len(lines), len(tries))
	}
	for i, try := range tries {
		if !strings.Contains(lines[i], try[1]) {
			t.Errorf("%s:\n got %s\nwant %s", try[0], lines[i], try[1])
		}
	}
}
