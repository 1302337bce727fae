package plot

import (
	"testing"

	"github.com/podtrack/podtrack/replay/figure"
)

// TestFlagsOfAllFigures: the command itself knows the flags of every figure, so that it reports a figure that it does
// not know, whatever flags stand beside it.
func TestFlagsOfAllFigures(t *testing.T) {
	names := map[string]int{}
	for _, f := range plotCommand().Flags {
		names[f.Names()[0]]++
	}
	for _, k := range plotted() {
		for _, f := range commandOf(k).Flags {
			if name := f.Names()[0]; names[name] != 1 {
				t.Errorf("--%s of %s is known %d times", name, k.Name, names[name])
			}
		}
	}
}

// TestKinds: each figure says what it shows, and none of its choices is a flag that all figures have.
func TestKinds(t *testing.T) {
	all := figure.Kinds()
	if len(all) < 15 {
		t.Errorf("there are %d figures", len(all))
	}
	for _, k := range all {
		names := map[string]bool{"store": true}
		for _, f := range new(picture).flags() {
			names[f.Names()[0]] = true
		}
		if k.Usage == "" || k.Read == nil {
			t.Errorf("%s has no usage, or cannot be read", k.Name)
		}
		for _, c := range k.Choices {
			if names[c.Name] {
				t.Errorf("%s has two flags --%s", k.Name, c.Name)
			}
			names[c.Name] = true
		}
	}
}
