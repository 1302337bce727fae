package external

import (
	"encoding/json"
	"fmt"
	"math"
)

// declaresReward returns what an answer to hello says about rewards.
func declaresReward(raw json.RawMessage) (bool, error) {
	switch string(raw) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fmt.Errorf("its answer to hello has the reward %s, which is neither true nor false", excerpt(raw))
}

// readReward returns the reward of a step, which has one if the program declared that it has, and never
// −0.
func readReward(declared bool, raw json.RawMessage) (float64, error) {
	switch {
	case !declared && raw == nil:
		return 0, nil
	case !declared:
		return 0, fmt.Errorf("the reward %s, but its answer to hello does not declare a reward", excerpt(raw))
	case raw == nil:
		return 0, fmt.Errorf("an answer to a step without a reward, which its answer to hello declares")
	}
	var reward *float64 // null is no number, and not 0
	if err := json.Unmarshal(raw, &reward); err != nil || reward == nil || math.IsInf(*reward, 0) {
		return 0, fmt.Errorf("the reward %s, which is not a finite number", excerpt(raw))
	}
	return *reward + 0, nil // −0 + 0 = 0
}
