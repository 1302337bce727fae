package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// shownRows is the number of rows of a long table that an audit prints; --json has all.
const shownRows = 10

func signText(sign int) string {
	if sign < 0 {
		return "−"
	}
	return "+"
}

func basisText(b schema.Basis) string { return "a " + directionText(b) }

func directionText(b schema.Basis) string {
	if b == schema.RightSingular {
		return "row of Vᵀ"
	}
	return "row of V"
}

func more(w io.Writer, n int, what string) {
	if n > shownRows {
		fmt.Fprintf(w, "… and %d more %s, which --json has\n", n-shownRows, what)
	}
}

func iterationsText(i [2]int) string {
	if i[0] == i[1] {
		return fmt.Sprintf("iteration %d", i[0])
	}
	return fmt.Sprintf("iterations %d to %d", i[0], i[1])
}

// rowText returns the features that change in a row, with their changes.
func rowText(features []string, row []float64) string {
	var parts []string
	for i, x := range row {
		if x != 0 {
			parts = append(parts, fmt.Sprintf("%s %+.3g", features[i], x))
		}
	}
	if len(parts) > 6 {
		parts = append(parts[:6], fmt.Sprintf("… (%d)", len(parts)))
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing changes")
}

func stepsText(steps []why.StepRef) string {
	var parts []string
	for _, at := range steps {
		parts = append(parts, fmt.Sprintf("%d:%d", at.K, at.Step))
	}
	return cmp.Or(strings.Join(parts, " "), table.None)
}
