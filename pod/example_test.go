package pod_test

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
)

// CheckEnv finds what is wrong in an environment of one's own: here a feature that is infinite in a state.
func ExampleCheckEnv() {
	env, err := pod.Graph{
		States: 5, Actions: []string{"left", "right"}, Features: []string{"place"},
		Observe: func(s int, dst []float64) { dst[0] = 1 / float64(s) },
		Step:    func(s, a int) int { return min(max(s+2*a-1, 0), 4) },
	}.Env()
	if err == nil {
		err = pod.CheckEnv(context.Background(), env)
	}
	fmt.Println(err)
	// Output:
	// invalid spec: the environment: feature "place" is +Inf: not finite, in state 0
}
