package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestUnknownKeys: where no environment declares a parameter, a key that could be one is unknown.
func TestUnknownKeys(t *testing.T) {
	store := labelledRuns(t)
	for term, hint := range map[string]string{
		"colour=red": "the keys are", "sees=1-2": "the keys are", "option_lengths=1": "did you mean option_length?",
	} {
		err := store.View(t.Context(), func(tx *tracker.Tx) error {
			_, err := report.Select(tx, []string{"bits=12", term})
			return err
		})
		if !errors.Is(err, report.ErrFilter) || !strings.Contains(schema.Remedy(err), hint) {
			t.Errorf("%s: %v (%s), want a hint of %q", term, err, schema.Remedy(err), hint)
		}
	}
}

// TestCheckParameters: a parameter with the name of a fact or a measure is refused, and podtrack's environments have
// none.
func TestCheckParameters(t *testing.T) {
	for _, name := range append(report.MeasureNames(), report.RunFields...) {
		env := schema.Env{Name: "lake", Text: map[string]string{"map_name": "8x8", name: "1"}, External: &schema.External{}}
		if err := report.CheckParameters(env); !errors.Is(err, schema.ErrSpec) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		own := schema.Env{Name: "example.org/maze", Version: 1, Params: map[string]int64{name: 1}}
		if err := report.CheckParameters(own); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s of an own environment: %v", name, err)
		}
		delete(env.Text, name)
		if err := report.CheckParameters(env); err != nil {
			t.Error(err)
		}
	}
	for _, name := range envs.EnvNames() {
		env, err := envs.DefaultEnv(name)
		if err == nil {
			err = report.CheckParameters(env)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
