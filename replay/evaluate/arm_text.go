package evaluate

import "github.com/podtrack/podtrack/schema"

// ArmText returns what an agent of an arm has, in words.
func ArmText(name string) string {
	switch name {
	case schema.AgainstPrimitives:
		return "primitive actions"
	case schema.AgainstRandom:
		return "random options"
	case schema.AgainstHallways:
		return "hallway options"
	}
	return name
}
