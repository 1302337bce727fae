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

// TestFlagsOfAllFigures: the command itself knows the flags of every figure, so that it reports a figure that it does
// not know, whatever flags stand beside it.
func TestFlagsOfAllFigures(t *testing.T) {
	known := Command()
	names := map[string]int{}
	for _, f := range known.Flags {
		names[f.Names()[0]]++
	}
	for _, sub := range known.Subcommands {
		for _, f := range sub.Flags {
			if name := f.Names()[0]; names[name] != 1 {
				t.Errorf("--%s of %s is known %d times", name, sub.Name, names[name])
			}
		}
	}
}
