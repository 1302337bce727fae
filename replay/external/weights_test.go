package external

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
)

// weightsCase is options of weights, and observations in which they act.
type weightsCase struct {
	Options int    `json:"options"`
	Actions int    `json:"actions"`
	Weights []byte `json:"weights"`
	Points  []byte `json:"points"`

	numbers, points []float64
	features        int
}

// actInPython prints what adapter.loop computes of cases: the actions in each observation, and the options that can
// start there.
const actInPython = `
import base64, json, sys
from array import array
from adapter import loop
for case in json.load(sys.stdin):
    w = loop.Weights(case["weights"], case["options"], case["actions"])
    points = array("d", base64.b64decode(case["points"])).tolist()
    size = (len(base64.b64decode(case["weights"])) // 8 // case["options"] - 1) // case["actions"] - 1
    for i in range(0, len(points), size):
        x = points[i:i + size]
        print(json.dumps({"actions": [choice(x) for choice in w.choices], "starts": w.available(x)}))
`

// TestWeightsInPython: adapter.loop computes what Served does, which is what agents do, to the last bit: also where
// sums are infinite or no number, and where they are equal to the tolerance or to each other.
func TestWeightsInPython(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	values := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, -0.3, 1e-9, 5e-324, 1e308, -1e308, math.MaxFloat64, 1.0 / 3}
	stream := rng.NewStream(0, 0, "test")
	draw := func(few int) float64 { return values[stream.Below(few)] }
	var cases []weightsCase
	for i := range schematest.Size(300, 5000) {
		c := weightsCase{Options: 1 + stream.Below(3), Actions: 1 + stream.Below(4), features: 1 + stream.Below(5)}
		few := []int{3, 8, len(values)}[i%3]
		for range c.Options {
			c.numbers = append(c.numbers, math.Abs(draw(few)))
			for range c.Actions * (c.features + 1) {
				c.numbers = append(c.numbers, draw(few))
			}
		}
		for range 4 * c.features {
			c.points = append(c.points, draw(few))
		}
		for _, x := range c.numbers {
			c.Weights = append(c.Weights, packReal(x)...)
		}
		for _, x := range c.points {
			c.Points = append(c.Points, packReal(x)...)
		}
		cases = append(cases, c)
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", actInPython)
	cmd.Env = append(cmd.Environ(), "PYTHONPATH="+mustAbs(t, "."), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	for _, c := range cases {
		compareWeights(t, c, lines)
	}
}

// compareWeights compares the lines of a case with what is expected.
func compareWeights(t *testing.T, c weightsCase, lines *json.Decoder) {
	t.Helper()
	var weights [][]float64
	for chunk := range slices.Chunk(c.numbers, len(c.numbers)/c.Options) {
		weights = append(weights, chunk)
	}
	for point := range slices.Chunk(c.Points, 8*c.features) {
		var got struct{ Actions, Starts []int }
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		row := actByWeights(weights, point)
		want, starts := []int{}, []int{}
		for i, a := range row {
			want = append(want, int(a))
			if a != noOption {
				starts = append(starts, i)
			}
		}
		isLarge := slices.ContainsFunc(append(wire.DecodeFloats(point), c.numbers...),
			func(x float64) bool { return math.Abs(x) > 1e100 })
		if !slices.Equal(got.Actions, want) || !slices.Equal(got.Starts, starts) && !(got.Starts == nil && isLarge) {
			t.Fatalf("weights %v at %v: %+v, want actions %v and starts %v", c.numbers, wire.DecodeFloats(point), got,
				want, starts)
		}
	}
}

// actByWeights returns the action of each option in an observation, by its tolerance and the weights of each action.
func actByWeights(weights [][]float64, observation []byte) (row []byte) {
	x := wire.DecodeFloats(observation)
	for _, o := range weights {
		var q []float64
		for theta := range slices.Chunk(o[1:], len(x)+1) {
			sum := 0.0
			for i := range x {
				sum += float64(theta[1+i] * x[i])
			}
			q = append(q, sum+theta[0])
		}
		row = append(row, byte(envs.GreedyAction(q, o[0])))
	}
	return row
}

func packReal(x float64) []byte {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
}

func mustAbs(t testing.TB, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
