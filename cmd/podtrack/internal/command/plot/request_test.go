package plot

import (
	"slices"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestOptionsOfAllFlags: each flag of a figure, but for those about files, is an option that a
// request can set.
func TestOptionsOfAllFlags(t *testing.T) {
	for _, k := range append(plotKinds(), plotKind{name: "figure1", flags: figure1Flags()}) {
		for _, f := range k.command().Flags {
			value := "x"
			if _, isBool := f.(*cli.BoolFlag); isBool {
				value = "true"
			}
			var o options
			if name := f.Names()[0]; !slices.Contains(unserved, name) && o.set(name, value) != nil {
				t.Errorf("%s: --%s is no option", k.name, name)
			}
		}
	}
}
