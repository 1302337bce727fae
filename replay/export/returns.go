package export

import (
	"strconv"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/returns"
	"github.com/podtrack/podtrack/tracker"
)

// returnRows returns what the agent earned in each iteration: nothing in an environment without a reward.
func returnRows(tx *tracker.Tx, r report.Run) ([][]string, error) {
	earned, err := returns.Read(tx.View, r.Source)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for k := range earned.Iterations {
		for _, name := range returns.MeasureNames() {
			value, _ := earned.Get(name, k)
			rows = append(rows, []string{strconv.Itoa(k), name, textform.FormatExact(value)})
		}
	}
	return rows, nil
}
