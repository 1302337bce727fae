package page

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// sweeper is a store in which a test begins and releases runs, as a sweep does.
type sweeper struct {
	t     *testing.T
	store *tracker.Store
	w     *groupcommit.Writer
	begun int
}

func newSweeper(t *testing.T) *sweeper {
	t.Helper()
	s := &sweeper{t: t, store: tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})}
	s.must(s.store.Create(t.Context()))
	s.w = groupcommit.Start(t.Context(), s.store)
	t.Cleanup(func() { _ = s.w.Close(t.Context()) })
	return s
}

func (s *sweeper) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// begin works on one more run of the tag.
func (s *sweeper) begin(tag string) *groupcommit.RunWriter {
	s.t.Helper()
	spec := pod.PaperSpec()
	spec.Seed = uint64(s.begun)
	s.begun++
	run, _, err := s.w.Acquire(s.t.Context(), tracker.Claim{Spec: spec, Target: 1, Tags: []string{tag}})
	s.must(err)
	s.must(s.w.Flush(s.t.Context()))
	return run
}

// end makes the only iteration of a run, of no records.
func (s *sweeper) end(run *groupcommit.RunWriter) {
	s.t.Helper()
	s.must(run.SealIteration(0, schema.Iteration{Link: schema.Name([]byte(fmt.Sprint(s.begun)))},
		tracker.Cost{Stages: map[string]int64{}}))
	run.Release(nil)
	s.must(s.w.Flush(s.t.Context()))
}
