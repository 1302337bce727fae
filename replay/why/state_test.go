package why

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/export"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestStates asks of every fifth state of some options what they do there.
func TestStates(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec.Env.Params["bits"], spec.Seed = 6, 9
			store := newStore(t)
			run := performedIn(t, store, spec, 2)
			values, options := loaded(t, run, 1, schema.KindValue, schema.DecodeValue), loaded(t, run, 1,
				schema.KindOption, schema.DecodeOption)
			exported := exportedQ(t, store, run, 1)
			for i, o := range options {
				q := learn.ActionValues(run.Env.(envs.ModelEnv), o.Purpose.Vector, values[i], spec.Gamma)
				if !slices.Equal(q, exported[i*len(q):(i+1)*len(q)]) {
					t.Fatalf("option %d: the exported q is another", i)
				}
				for s := 0; s < len(values[i]); s += 5 {
					checkState(t, askedState(t, run, 1, o, s), o, values[i], q, spec)
				}
			}
		})
	}
}

func askedState(t testing.TB, run *recorded.Records, k int, o schema.Option, s int) *State {
	t.Helper()
	r, err := Explain(context.Background(), run, Question{
		Ref: report.Ref{K: k, J: o.Purpose.J, Sign: o.Purpose.Sign}, State: &s,
	})
	ok(t, err)
	return r.State
}

// checkState compares a state's explanation with the option's records.
func checkState(t *testing.T, x *State, o schema.Option, v schema.Value, q []float64, spec schema.Spec) {
	t.Helper()
	w := func(s int) float64 { return potential(o.Purpose.Vector, s, spec.Env.Params["hide"]) }
	if x.Value != v[x.State] || x.Tolerance != o.Certificate.Tolerance ||
		x.Acts != (o.Policy[x.State] != schema.Terminate) {
		t.Errorf("state %d: %+v, of v %v and policy %d", x.State, x, v[x.State], o.Policy[x.State])
	}
	best := math.Inf(-1)
	for a, c := range x.Choices {
		best = max(best, c.Q)
		if c.Q != q[2*x.State+a] || c.Action != []string{"left", "right"}[a] ||
			c.Next != neighbour(x.State, a, len(v)) || !near(c.Reward, w(c.Next)-w(x.State), 1e-12) {
			t.Errorf("state %d: %+v, q is %v", x.State, c, q[2*x.State+a])
		}
	}
	if x.Acts != (best > x.Tolerance) {
		t.Errorf("state %d: acts %v with the best q %v", x.State, x.Acts, best)
	}
	checkPath(t, x, o)
	if !near(x.Reward, w(x.End)-w(x.State), 1e-10) {
		t.Errorf("state %d: reward %v on the way to %d, w differs by %v", x.State, x.Reward, x.End, w(x.End)-w(x.State))
	}
}

// checkPath follows the policy; where the option stops there is no path.
func checkPath(t *testing.T, x *State, o schema.Option) {
	t.Helper()
	at := x.State
	for _, m := range x.Path {
		if m.State != at || o.Policy[at] == schema.Terminate || m.Action != []string{"left", "right"}[o.Policy[at]] {
			t.Fatalf("state %d: the path has %+v in state %d, where the policy takes %d", x.State, m, at, o.Policy[at])
		}
		at = neighbour(at, int(o.Policy[at]), len(o.Policy))
	}
	if at != x.End || o.Policy[at] != schema.Terminate || len(x.Path) != x.Length || x.Acts != (x.Length > 0) {
		t.Errorf("state %d: %d steps, %d moves to %d, the end is %d", x.State, x.Length, len(x.Path), at, x.End)
	}
	if !x.Acts && (x.Action != "" || x.Reward != 0 || x.Discounted != 0) || x.Acts && x.Action != x.Path[0].Action {
		t.Errorf("state %d: %+v", x.State, x)
	}
}

func neighbour(s, a, states int) int { return (s + 2*a - 1 + states) % states }

// potential returns w(s) = eᵀφ(s).
func potential(e []float64, s int, hide int64) float64 {
	w := 0.0
	for i, x := range e {
		w += x * float64(s>>(int(hide)+i)&1)
	}
	return w
}

// TestDiscounted has sweeps enough for v to be the fixed point: with γ = ½ a hundred halve any error below the last
// bit. Then v is what the path earns; with one sweep it is not, and the report does not claim it.
func TestDiscounted(t *testing.T) {
	spec := small(6, 0)
	spec.Gamma = 0.5
	run := performed(t, spec, 1)
	for _, o := range loaded(t, run, 0, schema.KindOption, schema.DecodeOption) {
		for s := range o.Policy {
			// Each step may be worth less than the best by the tolerance, all together by
			// tolerance/(1−γ).
			if x := askedState(t, run, 0, o, s); math.Abs(x.Discounted-x.Value) > 3*o.Certificate.Tolerance {
				t.Errorf("option %d%+d, state %d: the path earns %v, v is %v", o.Purpose.J, o.Purpose.Sign, s,
					x.Discounted, x.Value)
			}
		}
	}
}

// TestNoSuchState: a state that does not exist is refused.
func TestNoSuchState(t *testing.T) {
	run := performed(t, small(4, 0), 1)
	for _, s := range []int{-1, 16, math.MaxInt} {
		_, err := Explain(context.Background(), run, Question{Ref: report.Ref{J: 1, Sign: 1}, State: &s})
		if err == nil || schema.Remedy(err) != "its states are 0 to 15" {
			t.Errorf("state %d: %v, %q", s, err, schema.Remedy(err))
		}
	}
}

// exportedQ returns the array q of iteration k, as podtrack export writes it.
func exportedQ(t *testing.T, store *tracker.Store, run *recorded.Records, k int) []float64 {
	t.Helper()
	var file bytes.Buffer
	runs := []report.Run{report.Of(run)}
	ok(t, export.WriteNPZ(context.Background(), store, runs, export.Options{Only: []string{"q"}}, &file))
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	ok(t, err)
	member, err := z.Open(fmt.Sprintf("%d/q.npy", k))
	ok(t, err)
	data, err := io.ReadAll(member)
	ok(t, err)
	// Format 1.0 of NumPy's files: 8 bytes of magic, the header's length in 2, the header.
	data = data[10+int(binary.LittleEndian.Uint16(data[8:])):]
	q := make([]float64, len(data)/8)
	_, err = binary.Decode(data, binary.LittleEndian, q)
	ok(t, err)
	return q
}
