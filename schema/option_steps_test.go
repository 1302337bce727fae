package schema_test

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestAutoOptionSteps: a twentieth of an iteration, a fifth of an episode, from 2 up to the default.
func TestAutoOptionSteps(t *testing.T) {
	for _, c := range []struct{ steps, episode, want int64 }{
		{1000, 0, 50}, {1000, 500, 50}, {1000, 200, 40}, {1000, 100, 20}, {10, 0, 2}, {1000, 3, 2},
		{1 << 40, 0, schema.DefaultMaxOptionSteps}, {20000, 256, 51},
	} {
		if got := schema.AutoOptionSteps(c.steps, c.episode); got != c.want {
			t.Errorf("%d steps, episodes of %d: %d, want %d", c.steps, c.episode, got, c.want)
		}
	}
}
