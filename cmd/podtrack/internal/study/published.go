package study

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

// A Published study is its file, with what was measured of all of its runs.
type Published struct {
	Name   string // of the file
	File   string
	Note   string // what to know of it, "" if nothing
	values []byte // JSON: by setting and variant, a value for each seed
}

//go:embed held-out.toml
var heldOutFile string

//go:embed held-out.json
var heldOutValues []byte

// HeldOut is the study of which discovery explores, with settings that nothing was chosen on.
var HeldOut = Published{Name: "held-out.toml", File: heldOutFile, values: heldOutValues}

//go:embed exploration.toml
var explorationFile string

//go:embed exploration.json
var explorationValues []byte

// Superseded is the first study, in place of which [HeldOut] was made.
var Superseded = Published{Name: "exploration.toml", File: explorationFile, values: explorationValues,
	Note: "Superseded by podtrack reproduce exploration --published: its variants were chosen on these settings, it has " +
		"no actions that persist as a control for distance on a ring, and its covering eigenoptions are not the published " +
		"ones (the sign by visits, one pass, no restart)."}

// compared has the comparisons of this process by their study's name, since a process may print one in several forms.
var compared sync.Map

// Compare returns the comparison of the published values, whose plan is that of the file. It must not be changed.
func (p Published) Compare(ctx context.Context, plan *runset.Plan) (*Comparison, error) {
	if c, made := compared.Load(p.Name); made {
		return c.(*Comparison), nil
	}
	c, err := p.compare(ctx, plan)
	if err == nil {
		compared.Store(p.Name, c)
	}
	return c, err
}

func (p Published) compare(ctx context.Context, plan *runset.Plan) (*Comparison, error) {
	var values map[string]map[string][]float64
	if err := json.Unmarshal(p.values, &values); err != nil {
		return nil, fmt.Errorf("published values: %w", err)
	}
	encoded, err := plan.Encode()
	if err != nil {
		return nil, err
	}
	c := NewComparison(plan, schema.Name(encoded))
	c.Complete, c.Settings = c.Planned, outcomesOf(plan.Study)
	for n := range c.Settings {
		in := &c.Settings[n]
		for i, cell := range plan.Study.Cells {
			if cell.Setting != in.Place {
				continue
			}
			outcomes, err := publishedOutcomes(plan, i, values[in.Text()][plan.Study.Variants[cell.Variant].Name])
			if err != nil {
				return nil, err
			}
			if err := in.add(ctx, plan.Study, cell.Variant, outcomes); err != nil {
				return nil, err
			}
		}
	}
	return c, c.settle(ctx, plan.Study)
}

// publishedOutcomes returns the outcomes of the runs of the i-th spec of a plan, whose values are given by seed.
func publishedOutcomes(plan *runset.Plan, i int, values []float64) ([]group.Outcome, error) {
	if len(values) != plan.Seeds.Len() {
		return nil, fmt.Errorf("published values: %d of spec %d, which has %d runs", len(values), i, plan.Seeds.Len())
	}
	outcomes := make([]group.Outcome, len(values))
	for n := range values {
		spec := plan.At(i*len(values) + n)
		id, err := schema.RunID(spec, nil)
		if err != nil {
			return nil, err
		}
		outcomes[n] = group.Outcome{Member: group.Member{Run: id}, Seed: spec.Seed, Value: &values[n]}
	}
	return outcomes, nil
}
