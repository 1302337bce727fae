package schema

import (
	"fmt"
	"strconv"
)

// invalid returns [ErrSpec] for the value of a field, with how to mend it.
func invalid(name, value, hint string, args ...any) error {
	return Hint(fmt.Errorf("%w: %s %q", ErrSpec, name, value), hint, args...)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
