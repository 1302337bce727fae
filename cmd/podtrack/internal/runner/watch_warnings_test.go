package runner

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// TestSlowLearningIsNoted: as soon as the pace shows that learning takes minutes, it is said once, with what is faster.
func TestSlowLearningIsNoted(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Learner, spec.Steps, spec.MaxOptionSteps = schema.LSPI, 1000, 1000
	empirical := spec
	empirical.Learner = schema.Empirical
	for _, c := range []struct {
		name   string
		spec   schema.Spec
		states int
		step   time.Duration // an option takes
		want   []string      // nil if nothing is said
	}{
		{"slow", spec, 198, 3 * time.Second, []string{"note: run ",
			"iteration 0: Learning its 148 options takes about 7m20s more: lspi ",
			"up to 198 unknowns for each policy that it tries. Try --learner empirical, ",
			". Or --select top=10, which learns 20 options at most."}},
		{"fast", spec, 198, time.Second / 4, nil},
		{"no state recurs", spec, 990, 3 * time.Second, []string{" Try --select top=10, "}},
		{"empirical", empirical, 198, 3 * time.Second, []string{"over the values of 198 states. Try --select top=10, "}},
	} {
		var notes []string
		now := time.Now()
		w := watchWarnings(context.Background(), nil, func(line string) { notes = append(notes, line) })
		w.now = func() time.Time { return now }
		for i := range int64(40) {
			w.report(replay.Event{Stage: stages.Learn, Done: i, Total: 148,
				Learning: &replay.Learning{Spec: c.spec, States: c.states, Unknowns: c.states}})
			now = now.Add(c.step)
		}
		if len(notes) != min(len(c.want), 1) {
			t.Errorf("%s: %d notes: %q", c.name, len(notes), notes)
			continue
		}
		for _, text := range c.want {
			if !strings.Contains(notes[0], text) {
				t.Errorf("%s: %q, want %q", c.name, notes[0], text)
			}
		}
	}
}
