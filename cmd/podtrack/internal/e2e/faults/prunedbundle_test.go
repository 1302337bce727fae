package faults

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestPrunedBundles: a bundle of runs of which something was dropped is a sound
// store, from which all of it comes back; and what is there beats what was
// dropped, whichever of two stores is merged into the other.
func TestPrunedBundles(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	e2e.Perform(t, "run", "--bits", "5", "--steps", "80", "--iterations", "4", "--seeds", "0-1", "--name", "s{seed}",
		"--store", whole)
	e2e.Perform(t, "fork", "s1:2", "--set", "kappa=5", "--name", "child", "--store", whole)
	all := chainsIn(t, whole)
	for _, keep := range schematest.Size([]string{"none", "options"}, []string{
		"none", "transitions", "factors", "values", "options", "values,options", "transitions,factors",
		"transitions,factors,values,options",
	}) {
		t.Run(keep, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, name) }
			do := func(store string, args ...string) {
				t.Helper()
				e2e.Perform(t, append(args, "--store", store)...)
			}
			do(path("whole.db"), "merge", whole)
			do(path("pruned.db"), "merge", whole)
			pruneTo(t, path("pruned.db"), keep)
			lacking := chainsIn(t, path("pruned.db"))
			do(path("pruned.db"), "export", "s0", "s1", "child", "--format", "bundle", "-o", path("bundle.db"))
			do(path("bundle.db"), "check", "--read-data")
			do(path("bundle.db"), "replay", "name=s0,s1,child")
			stands(t, "the bundle", path("bundle.db"), lacking)

			do(path("target.db"), "merge", path("bundle.db"))
			do(path("target.db"), "check", "--read-data")
			stands(t, "what was merged", path("target.db"), lacking)
			do(path("target.db"), "repair", "--pruned")
			do(path("target.db"), "check", "--read-data")
			stands(t, "what was brought back", path("target.db"), all)

			do(path("whole.db"), "merge", path("bundle.db"))
			stands(t, "the whole store with the pruned", path("whole.db"), all)
			do(path("bundle.db"), "merge", path("whole.db"))
			do(path("bundle.db"), "check", "--read-data")
			stands(t, "the pruned store with the whole", path("bundle.db"), all)

			do(path("pruned.db"), "export", "child", "--format", "bundle", "-o", path("one.db"))
			do(path("one.db"), "repair", "--pruned")
			do(path("one.db"), "check", "--read-data")
			for id, c := range chainsIn(t, path("one.db")) {
				if !slices.Equal(c.Links, all[id].Links) || len(c.Pruned) > 0 {
					t.Errorf("a fork alone has %v", c)
				}
			}
		})
	}
}

// chainsIn returns what a store has, of which every record that is there was read.
func chainsIn(t *testing.T, store string) chains {
	t.Helper()
	c, err := look(t.Context(), store)
	e2e.Must(t, err)
	return c
}

func stands(t *testing.T, what, store string, want chains) {
	t.Helper()
	got := chainsIn(t, store)
	if got.Equal(want) {
		return
	}
	for id := range want {
		t.Errorf("%s, run %.12s: %d links and %d records pruned, want %d and %d",
			what, id, len(got[id].Links), len(got[id].Pruned), len(want[id].Links), len(want[id].Pruned))
	}
}
