package returns

// measures are the measures of an iteration by name.
var measures = []struct {
	name, title, unit string
	of                func(*Iteration) *float64
}{
	{"episodes", "episodes", "", func(it *Iteration) *float64 {
		n := float64(it.Episodes)
		return &n
	}},
	{"mean_return", "mean return", "reward", func(it *Iteration) *float64 { return it.MeanReturn }},
	{"median_return", "median return", "reward", func(it *Iteration) *float64 { return it.MedianReturn }},
	{"last_return", "last return", "reward", func(it *Iteration) *float64 { return it.LastReturn }},
	{"episode_steps", "episode steps", "steps", func(it *Iteration) *float64 { return it.EpisodeSteps }},
	{"mean_reward", "mean reward", "reward", func(it *Iteration) *float64 { return it.MeanReward }},
}

// MeasureNames returns the names that [Run.Get] knows.
func MeasureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// MeasureTitle returns what people read as the name of a measure, its unit, "" for a count, and whether it
// is a measure of this package.
func MeasureTitle(name string) (title, unit string, found bool) {
	for _, m := range measures {
		if m.name == name {
			return m.title, m.unit, true
		}
	}
	return "", "", false
}

// Get returns the named measure of iteration k, nil if it is undefined, and whether there is one of that
// name.
func (r *Run) Get(name string, k int) (*float64, bool) {
	for _, m := range measures {
		if m.name == name {
			if k < 0 || k >= len(r.Iterations) {
				return nil, true
			}
			return m.of(&r.Iterations[k]), true
		}
	}
	return nil, false
}
