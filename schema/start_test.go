package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestInitiationField reads where options start, of which any is absent from the spec's bytes. Only linear learners
// take the other.
func TestInitiationField(t *testing.T) {
	for text, want := range map[string]schema.Start{"any": "", "": "", "observed": schema.StartObserved} {
		s := paper()
		s.Learner = schema.LSPI
		err := errors.Join(s.Set("initiation", text), s.Validate())
		if err != nil || s.Initiation != want {
			t.Errorf("%q: %q, %v", text, s.Initiation, err)
		}
	}
	for learner, text := range map[schema.Learner]string{schema.LSPI: "everywhere", schema.Empirical: "observed",
		schema.Sweeps: "observed"} {
		s := paper()
		s.Learner = learner
		if err := errors.Join(s.Set("initiation", text), s.Validate()); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s, %s: %v", learner, text, err)
		}
	}
}
