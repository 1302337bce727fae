package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// loadFactors reads an iteration's factors and checks them against the environment.
func loadFactors(tx *tracker.Tx, env pod.Env, name schema.Digest) (schema.Factors, error) {
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	if err == nil && !pod.FitsFeatures(env, f.Features()) {
		err = fmt.Errorf("record %s: %w: factors of %d features", name, schema.ErrMalformed, f.Features())
	}
	return f, err
}
