package replay_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// TestAJobsTags: a run that is complete already is tagged too.
func TestAJobsTags(t *testing.T) {
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	job := replay.Job{Spec: small(), Target: 1, Tags: []string{"one"}}
	runJobs(t, store, []replay.Job{job}, 1)
	job.Tags = []string{"two"}
	runJobs(t, store, []replay.Job{job}, 1)
	err := store.View(context.Background(), func(tx *tracker.Tx) error {
		id, err := job.ID()
		if err != nil {
			return err
		}
		tags, err := tx.ReadTags(id)
		if !slices.Equal(tags, []string{"one", "two"}) {
			t.Errorf("tags %q", tags)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
