package crash

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestLearnersKilled kills runs whose learners know no model after every other
// transaction: in collecting, between options, and where moves of earlier
// iterations are gathered. Each comes to the bytes that it would have come to.
func TestLearnersKilled(t *testing.T) {
	testenv.SkipUnlessLong(t)
	t.Parallel()
	e2e.NeedsFaults(t)
	small := []string{"--bits", "10", "--kappa", "20", "--iterations", "3"}
	for learner, more := range map[string][]string{
		"empirical":  {"--steps", "300000", "--reading", "as-published"},
		"lspi":       {"--steps", "300000", "--dataset", "cumulative"},
		"q-learning": {"--steps", "20000", "--sweeps", "5"},
	} {
		t.Run(learner, func(t *testing.T) {
			t.Parallel()
			args := append(append([]string{"--learner", learner}, small...), more...)
			want, kills := undisturbed(t, args), 0
			for n := 1; kills < 6 && killAt(t, args, "commit.after", n, n+1, want); n += 2 {
				kills++
			}
			if kills < 3 {
				t.Errorf("killed %d times", kills)
			}
		})
	}
}
