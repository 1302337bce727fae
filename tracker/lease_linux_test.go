package tracker

import (
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	line := "42 (a) b ) R " + strings.Repeat("0 ", 18) + "777 0 0"
	state, start, err := parseStat([]byte(line))
	ok(t, err)
	equal(t, "state", state, 'R')
	equal(t, "start", start, 777)
	for _, bad := range []string{"", "42 (a) R", "42 (a) R " + strings.Repeat("x ", 30)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
