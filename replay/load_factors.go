package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// loadFactors reads the factors of an iteration with that spec and checks them against it and the
// environment.
func loadFactors(tx *tracker.Tx, env pod.Env, spec schema.Spec, name schema.Digest) (schema.Factors, error) {
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	if err == nil && !pod.FitsFeatures(env, f.Features()) {
		err = fmt.Errorf("record %s: %w: factors of %d features", name, schema.ErrMalformed, f.Features())
	}
	if err == nil && (f.Columns != nil) != (spec.StateSet == schema.VisitedStates) {
		err = fmt.Errorf("record %s: %w: factors of %d columns of %d features", name, schema.ErrMalformed, f.Dims,
			f.Features())
	}
	return f, err
}
