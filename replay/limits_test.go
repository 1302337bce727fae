package replay_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestLimits: the first and the last iteration or option of a run are found, and one beyond is refused by an error that
// says how many there are.
func TestLimits(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store, err := replay.Create(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run(ctx, replay.Job{Spec: smallRing(), Target: 2}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	options := 0
	for k := range 2 {
		all, err := run.Options(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		options += len(all)
	}
	measures := func(k int) error {
		_, err := run.Measures(ctx, k)
		return err
	}
	fork := func(k int, change func(*schema.Spec)) error {
		spec := smallRing()
		change(&spec)
		_, err := run.Fork(ctx, k, spec)
		return err
	}
	before := func(k int) error { return fork(k, func(s *schema.Spec) { s.Kappa = 2 }) }
	without := func(option int) error {
		return fork(2, func(s *schema.Spec) { s.LeaveOut = []uint64{uint64(option)} })
	}
	target := func(n int) error {
		_, err := store.RunAll(ctx, []replay.Job{{Spec: smallRing(), Target: n}}, 1, replay.Options{})
		return err
	}
	verify := func(k int) error {
		_, err := replay.Verify(ctx, tracker.New(path, tracker.Options{}), run.Run, replay.Scope{Iteration: &k},
			replay.Options{})
		return err
	}
	for _, limit := range []struct {
		name       string
		at, beyond error
		says       string // of the one beyond, with its remedy
	}{
		{"the last iteration", measures(1), measures(2), "no iteration 2: it has 2,"},
		{"the first iteration", measures(0), measures(-1), "no iteration -1: it has 2,"},
		{"the last verified iteration", verify(1), verify(2), "no iteration 2: it has 2,"},
		{"the first verified iteration", verify(0), verify(-1), "no iteration -1: it has 2,"},
		{"a fork of all", before(2), before(3), "before iteration 3: at most all"},
		{"a fork of one", before(1), before(0), "before iteration 0: at least one"},
		{"an option left out", without(options - 1), without(options), fmt.Sprintf("option %d: it has %[1]d,", options)},
		{"iterations of a job", target(1), target(0), "0 iterations: at least 1"},
	} {
		if limit.at != nil {
			t.Errorf("%s: at the limit %v", limit.name, limit.at)
		}
		text := fmt.Sprintf("%v (%s)", limit.beyond, schema.Remedy(limit.beyond))
		for part := range strings.SplitSeq(limit.says, ": ") {
			if limit.beyond == nil || !strings.Contains(text, part) {
				t.Errorf("%s: one beyond %s, want %q", limit.name, text, part)
			}
		}
	}
	for d, want := range map[time.Duration]string{9900 * time.Millisecond: "9.9 s", 10 * time.Second: "10 s"} {
		if got := replay.AboveSeconds(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	if !errors.Is(measures(2), tracker.ErrMissing) {
		t.Error("an iteration that there is not is not missing")
	}
}
