package study

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// Exploration is the file of the study of which discovery explores.
//
//go:embed exploration.toml
var Exploration string

//go:embed exploration.json
var published []byte

// Published returns what was measured of the whole study whose file is [Exploration], and whose plan that is: the
// comparison of the published values of all of its runs.
func Published(ctx context.Context, plan *runset.Plan) (*Comparison, error) {
	var values map[string]map[string][]float64 // by setting and variant, a value for each seed
	if err := json.Unmarshal(published, &values); err != nil {
		return nil, fmt.Errorf("published values: %w", err)
	}
	encoded, err := plan.Encode()
	if err != nil {
		return nil, err
	}
	c := NewComparison(plan, schema.Name(encoded))
	c.Complete = c.Planned
	for _, setting := range plan.Study.Settings {
		c.Settings = append(c.Settings, SettingComparison{Setting: setting})
	}
	for i, cell := range plan.Study.Cells {
		in := &c.Settings[cell.Setting]
		of := values[in.Name][plan.Study.Variants[cell.Variant].Name]
		if len(of) != plan.Seeds.Len() {
			return nil, fmt.Errorf("published values: %d of %s", len(of), plan.Study.Variants[cell.Variant].Name)
		}
		outcomes := make([]group.Outcome, len(of))
		for n := range of {
			spec := plan.At(i*len(of) + n)
			id, err := schema.RunID(spec, nil)
			if err != nil {
				return nil, err
			}
			outcomes[n] = group.Outcome{Member: group.Member{Run: id}, Seed: spec.Seed, Value: &of[n]}
		}
		if err := in.add(ctx, plan.Study, cell.Variant, outcomes); err != nil {
			return nil, err
		}
	}
	c.settle()
	return c, nil
}
