package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxLeaveOut is the largest number of options that a spec leaves out.
const maxLeaveOut = 1000

// noOptions is the text of a spec that leaves no option out.
const noOptions = "none"

// optionSeparator stands between the numbers of options in a spec's text. It is not a comma, since commas
// separate the values of a grid.
const optionSeparator = "+"

// formatOptions returns the numbers of options as text, "" for none.
func formatOptions(numbers []uint64) string {
	return strings.Join(textfmt.Map(numbers, func(n uint64) string { return strconv.FormatUint(n, 10) }), optionSeparator)
}

// parseOptions parses what formatOptions returns, or "none".
func parseOptions(text string) (numbers []uint64, err error) {
	if text == noOptions || text == "" {
		return nil, nil
	}
	for _, digits := range strings.Split(text, optionSeparator) {
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// checkLeaveOut does the part of [Spec.Validate] that concerns options that are left out.
func (s *Spec) checkLeaveOut() error {
	before := -1
	for _, n := range s.LeaveOut {
		if n > math.MaxInt32 || int(n) <= before || len(s.LeaveOut) > maxLeaveOut {
			return Invalid("leave_out", formatOptions(s.LeaveOut[:min(len(s.LeaveOut), 10)]),
				"give up to %d numbers of options in ascending order, such as 3+17", maxLeaveOut)
		}
		before = int(n)
	}
	return nil
}
