package report_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// TestSpecFields merges the fields of two kinds of environment, each of them
// where its own spec has it.
func TestSpecFields(t *testing.T) {
	ring := sample(10, nil)
	grid := sample(9, func(r *report.Run) {
		r.Spec.Env.Name, r.Spec.Env.Params = "grid", map[string]int64{"goals": 2, "hide": 0, "walls": 7}
	})
	const rest = " seed steps kappa gamma sweeps tolerance basis dataset select learner numerics"
	for _, c := range []struct {
		runs []report.Run
		want string
	}{
		{nil, ""},
		{[]report.Run{ring, ring}, "env bits hide" + rest},
		{[]report.Run{ring, grid}, "env goals bits hide walls" + rest},
		{[]report.Run{grid, ring}, "env bits goals hide walls" + rest},
	} {
		if got := strings.Join(report.SpecFields(c.runs), " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for field, want := range map[string]string{"seed": "9 10", "walls": " 7", "env": "grid ring", "kappa": "1",
		"hide": "0"} {
		values := report.FieldValues([]report.Run{ring, grid, ring}, field)
		if got := strings.Join(values, " "); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
		at := slices.IndexFunc(report.Spreads([]report.Run{ring, grid}), func(s report.Spread) bool {
			return s.Field == field
		})
		if spread := report.Spreads([]report.Run{ring, grid})[at]; !slices.Equal(spread.Values, values) {
			t.Errorf("%s spreads over %v", field, spread.Values)
		}
	}
}

func TestExact(t *testing.T) {
	for want, x := range map[string]float64{
		"0": math.Copysign(0, -1), "-3": -3, "12345678": 12345678, "9007199254740991": 1<<53 - 1,
		"9.007199254740992e+15": 1 << 53,
		"0.1":                   0.1, "1e-09": 1e-9, "3.3e-05": 3.3e-5, "1e+300": 1e300,
	} {
		if got := textfmt.FormatExact(&x); got != want {
			t.Errorf("%g is %s, want %s", x, got, want)
		}
	}
	if got := textfmt.FormatExact(nil); got != "" {
		t.Errorf("nothing is %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if back, err := strconv.ParseFloat(textfmt.FormatExact(&x), 64); err != nil || back != x {
			t.Fatalf("%g came back as %g: %v", x, back, err)
		}
	})
}

// TestReading: a run has the reading of its basis and dataset, unless its method factors no D.
func TestReading(t *testing.T) {
	for want, change := range map[string]func(*schema.Spec){
		"as-written":   func(*schema.Spec) {},
		"as-published": func(s *schema.Spec) { schematest.Must(t, s.SetReading("as-published")) },
		"":             func(s *schema.Spec) { s.Method = schema.Laplacian },
		"covering-eigenoptions": func(s *schema.Spec) {
			schematest.Must(t, s.SetReading(schema.CoveringEigenoptions))
		},
	} {
		spec := pod.PaperSpec()
		change(&spec)
		if got := report.Of(&recorded.Records{Run: tracker.Run{Spec: spec}}).Reading; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
