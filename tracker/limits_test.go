package tracker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestLimits: what a limit allows is accepted, and one more is refused.
func TestLimits(t *testing.T) {
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	update := func(f func(*tracker.Tx) error) error { return s.Update(t.Context(), f) }
	prove := func(stages int) error {
		return update(func(tx *tracker.Tx) error {
			it, err := tx.ReadIteration(id, 0)
			OK(t, err)
			p := tracker.Proof{Link: it.Link, Levels: map[string]schema.Level{}}
			for i := range stages {
				p.Levels[fmt.Sprint("stage ", i)] = schema.Levels()[0]
			}
			if err := tx.PutProof(id, 0, p); err != nil {
				return err
			}
			read, err := tx.ReadProof(id, 0)
			if err == nil && len(read.Levels) != stages {
				err = fmt.Errorf("%d stages, want %d", len(read.Levels), stages)
			}
			return err
		})
	}
	label := func(n int) string { return strings.Repeat("x", n) }
	name := func(n int) error { return update(func(tx *tracker.Tx) error { return tx.SetName(id, label(n)) }) }
	tag := func(n int) error { return update(func(tx *tracker.Tx) error { return tx.AddTag(id, label(n)) }) }
	resolve := func(digits int) error {
		return s.View(t.Context(), func(tx *tracker.Tx) error {
			found, err := tx.Resolve(id.String()[:digits])
			if err == nil && found.ID != id {
				err = fmt.Errorf("found %s", found.ID)
			}
			return err
		})
	}
	keep := func(n int) error { return tracker.ValidateRetention(tracker.Retention{Last: n}) }
	for _, limit := range []struct {
		name       string
		at, beyond error
	}{
		{"a name", name(tracker.MaxLabel), name(tracker.MaxLabel + 1)},
		{"a tag", tag(tracker.MaxLabel), tag(tracker.MaxLabel + 1)},
		{"no tag", tag(1), tag(0)},
		{"digits of an ID", resolve(4), resolve(3)},
		{"iterations kept", keep(tracker.MaxIterations), keep(tracker.MaxIterations + 1)},
		{"stages of a proof", prove(16), prove(17)},
		{"no stage of a proof", prove(1), prove(0)},
	} {
		if limit.at != nil || limit.beyond == nil {
			t.Errorf("%s: at the limit %v, one beyond %v", limit.name, limit.at, limit.beyond)
		}
	}
}

// TestSpecAtABorder: an ancestor's spec holds before the iteration at which it ends, and the next one from there on.
func TestSpecAtABorder(t *testing.T) {
	run := tracker.Run{Spec: Spec(3), Ancestors: []tracker.Ancestor{{Spec: Spec(1), Until: 2}, {Spec: Spec(2), Until: 3}}}
	for k, seed := range []uint64{1, 1, 2, 3, 3} {
		Equal(t, fmt.Sprint("seed of iteration ", k), run.SpecAt(k).Seed, seed)
	}
}
