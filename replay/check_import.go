package replay

import (
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// CheckImport refuses a run that comes from elsewhere if its environment is none that
// this program has, or if it is a fork in which that changes on the way.
func CheckImport(run tracker.Run) error {
	if _, err := pod.NewEnvForSpec(run.Spec); err != nil {
		return err
	}
	for _, a := range run.Ancestors {
		if !reflect.DeepEqual(a.Spec.Env, run.Spec.Env) || a.Spec.Dataset != run.Spec.Dataset || a.Spec.Method != run.Spec.Method {
			return fmt.Errorf("%w: before iteration %d the fork has another environment, dataset or method", schema.ErrSpec, a.Until)
		}
	}
	return nil
}
