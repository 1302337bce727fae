package sweep

import (
	"slices"
	"testing"
)

// TestOurFlags: getopt takes long flags that are cut short, and values that are
// attached to short ones.
func TestOurFlags(t *testing.T) {
	for word, want := range map[string]bool{
		"--array=1": true, "--arr=1": true, "-a0-1": true, "-a": true, "--output": true, "-o/tmp/x": true, "--wait": true,
		"-W": true, "--dep=x": true,
		"--time=1": false, "--partition": false, "-p": false, "cpu": false, "-D": false, "--deadline=now": false,
		"--account=a": false, "-A": false, "--": false, "--a": false, "--wckey=x": false,
	} {
		if got := slices.ContainsFunc(reservedFlags, func(name string) bool { return isFlag(word, name) }); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
