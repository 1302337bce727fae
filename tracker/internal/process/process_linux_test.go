package process

import (
	"os"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	line := "42 (a) b ) R " + strings.Repeat("0 ", 18) + "777 0 0"
	state, start, err := parseStat([]byte(line))
	if err != nil || state != 'R' || start != 777 {
		t.Errorf("state %c, start %d, error %v", state, start, err)
	}
	for _, bad := range []string{"", "42 (a) R", "42 (a) R " + strings.Repeat("x ", 30)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestBootNamesNamespaces: in the initial time namespace a lease is as older programs write it, so
// that both can tell whether the other's owner is gone.
func TestBootNamesNamespaces(t *testing.T) {
	clock, err := os.Readlink("/proc/self/ns/time")
	if err != nil {
		t.Skip("there are no time namespaces: ", err)
	}
	words := strings.Fields(bootID())
	if clock != initialTime {
		if words[len(words)-1] != clock {
			t.Errorf("time namespace %s, want %s", words[len(words)-1], clock)
		}
		words = words[:len(words)-1]
	}
	if len(words) != 2 || !strings.HasPrefix(words[1], "pid:[") {
		t.Errorf("boot %q", words)
	}
}
