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
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/schema"
)

// gymForms prints, for each of some environments and 60 steps in it, what the adapter declares,
// and each observation as JSON and packed.
const gymForms = `
import json, sys
from podtrack_gym import named
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
	testenv.NeedsPrograms(t, "python3")
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
	testenv.NeedsPrograms(t, "python3")
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
	env, err := c.QueryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// TestHashOfTiles: the hash is FNV-1a, as the help says.
func TestHashOfTiles(t *testing.T) {
	testenv.NeedsPrograms(t, "python3")
	useStandIns(t)
	lists := [][]uint32{{0}, {3, 1, 4}, {7, 1 << 20, 255, 256, 0}}
	words, want := []string{"-c", "import sys, podtrack_spaces as s\n" +
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
