package report

import (
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// FilterKeys returns the keys of filters: facts of a run, fields of a spec, parameters of the
// environments, and measures, which are those of a run's last iteration.
func FilterKeys() []string { return append(factKeys(), MeasureNames()...) }

// factKeys returns the keys for which no record has to be read.
func factKeys() []string {
	keys := slices.Clone(RunFields)
	for _, b := range pod.RegisteredEnvs() {
		env, err := pod.DefaultEnv(b.Name)
		if err != nil {
			continue
		}
		for _, f := range (schema.Spec{Env: env}).Fields() {
			if !slices.Contains(keys, f.Name) {
				keys = append(keys, f.Name)
			}
		}
	}
	return append(keys, schema.OptionalFields()...)
}
