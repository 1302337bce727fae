package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused by an error that names both.
func TestLimits(t *testing.T) {
	circle := func(states int) envs.Env {
		env, err := envs.Graph{States: states, Actions: []string{"on"}, Features: []string{"f"},
			Observe: func(_ int, phi []float64) { phi[0] = 1 }, Step: func(s, _ int) int { return (s + 1) % states }}.Env()
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	goals := func(states int) error {
		_, err := allGoals(circle(states), task.AnyStart)
		return err
	}
	size := func(options, seeds, episodes int) error {
		return checkSize(task.Spec{Seeds: make([]uint64, seeds), Episodes: episodes}, options)
	}
	grid, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	rooms, err := envs.NewEnv(grid)
	if err != nil {
		t.Fatal(err)
	}
	cell := func(text string) error {
		s, err := parseState(rooms, text)
		if err == nil && s != 0 {
			err = fmt.Errorf("state %d", s)
		}
		return err
	}
	schematest.Limits{
		{"the first free cell", `state "r1c0" … a free cell`, cell("r1c1"), cell("r1c0")},
		{"the first state", `state "-1" … from 0 to`, cell("0"), cell("-1")},
		{"options", "65534 options … up to 65533", size(maxOptions, 1, 1),
			size(maxOptions+1, 1, 1)},
		{"episodes", "67108865 episodes in all … up to 67108864", size(1, 1<<6, 1<<20), size(1, 5*53, 157*1613)},
		{"goals", "16385 goals … up to 16384", goals(1 << 14), goals(1<<14 + 1)},
	}.Check(t)
}

// TestObservationLimit: an observation of 40 characters is named as such, and a longer one by its number.
func TestObservationLimit(t *testing.T) {
	of := func(kind schema.Observation, features int, observation []byte) string {
		x := &schema.External{Version: "1", Actions: []string{"a"}, Observes: kind, Size: int64(features)}
		for i := range features {
			x.Features = append(x.Features, fmt.Sprint("f", i))
		}
		env, err := envs.NewEnv(schema.Env{Name: "elsewhere", External: x})
		if err != nil {
			t.Fatal(err)
		}
		observed := env.(*envs.External)
		if _, err := observed.Intern(observation); err != nil {
			t.Fatal(err)
		}
		return envs.FormatState(observed, 0)
	}
	bits := func(n int) string {
		return of(schema.Binary, n, envs.AppendBinaryObservation(nil, make([]uint8, n)))
	}
	reals := func(x, y float64) string { return of(schema.Real, 2, envs.AppendRealObservation(nil, []float64{x, y})) }
	for _, c := range []struct{ at, text, beyond string }{
		{bits(40), strings.Repeat("0", 40), bits(41)},
		{reals(0.1234567890123456, 1.234567890123456e+20), "0.1234567890123456/1.234567890123456e+20",
			reals(0.1234567890123456, -1.234567890123456e+20)},
	} {
		if len(c.text) != 40 || c.at != c.text || c.beyond != "s0" {
			t.Errorf("%q of %d characters, want %q; one beyond %q, want its number", c.at, len(c.at), c.text, c.beyond)
		}
	}
}
