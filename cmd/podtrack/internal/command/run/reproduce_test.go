package run

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
)

// TestExplorationRows: each row of the study's numbers has a cell for each column.
func TestExplorationRows(t *testing.T) {
	variants := []study.VariantResult{{Name: "primitives"}, {Name: "complement", Against: []study.Against{{}, {}}}}
	for _, v := range variants {
		g := newExplorationTable(&study.Result{Settings: []study.SettingResult{{Variants: []study.VariantResult{v}}}})
		for _, row := range g.Rows {
			if len(row) != len(g.Columns) {
				t.Errorf("%s: %d cells in %d columns", v.Name, len(row), len(g.Columns))
			}
		}
		if len(g.Rows) != max(len(v.Against), 1) {
			t.Errorf("%s: %d rows", v.Name, len(g.Rows))
		}
	}
}
