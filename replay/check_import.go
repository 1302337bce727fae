package replay

import (
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// CheckImport returns an error for an imported run whose environment this program does not know,
// or for a fork in which the environment changes.
func CheckImport(run tracker.Run) error {
	if _, err := pod.NewEnvForSpec(run.Spec); err != nil {
		return err
	}
	for _, a := range run.Ancestors {
		if !reflect.DeepEqual(a.Spec.Env, run.Spec.Env) || a.Spec.Dataset != run.Spec.Dataset ||
			a.Spec.Method != run.Spec.Method {
			return fmt.Errorf("%w: before iteration %d the fork has another environment, dataset or method",
				schema.ErrSpec, a.Until)
		}
	}
	return nil
}
