package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// maxObservationText is the length up to which an observation is used as the name of its state.
const maxObservationText = 40

// parseObservation parses a state of an environment that is only observed: the observation as text, s with
// the state's index, or start for the first one.
func parseObservation(x *envs.External, text string) (int, error) {
	if text == "start" && x.States() > 0 {
		return 0, nil
	}
	if index, ok := strings.CutPrefix(text, "s"); ok {
		if s, err := strconv.Atoi(index); err == nil && s >= 0 && s < x.States() {
			return s, nil
		}
	}
	for s := range x.States() {
		if x.StateText(s) == text {
			return s, nil
		}
	}
	example := "its number"
	if last := x.States() - 1; last >= 0 {
		example = "as in " + formatObservation(x, last)
	}
	return 0, schema.Hint(fmt.Errorf("%w: state %q is not among the %d that the run observed", schema.ErrSpec, text,
		x.States()), "write an observation, %s; or s0 to s%d in the order in which they were observed; or start, the first",
		example, x.States()-1)
}

// formatObservation returns the observation of a state, or its index if that is long.
func formatObservation(x *envs.External, s int) string {
	if x.Width() <= maxObservationText {
		if text := x.StateText(s); len(text) <= maxObservationText {
			return text
		}
	}
	return "s" + strconv.Itoa(s)
}
