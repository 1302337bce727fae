package evaluate

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// ArmText returns what an agent of an arm has, in words.
func ArmText(spec schema.EvaluationSpec, name string) string {
	switch name {
	case schema.AgainstPrimitives:
		return "primitive actions"
	case schema.AgainstRandom:
		if slices.Contains(spec.Against, schema.AgainstLearned) {
			return "random options, by the model"
		}
		return "random options"
	case schema.AgainstLearned:
		return "random options"
	case schema.AgainstHallways:
		return "hallway options"
	}
	return name
}
