package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestPoll gives a poller files as they come and go, at times that the test says.
func TestPoll(t *testing.T) {
	now, reads := time.Now(), 0
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{
		Now: func() time.Time { return now },
		OnUnlock: func(write bool, _ time.Duration) {
			if !write {
				reads++
			}
		},
	})
	spec := pod.PaperSpec()
	spec.Steps, spec.Env.Params["bits"] = 200, 7
	run := func(seed uint64) {
		spec.Seed = seed
		schematest.Must(t, store.Create(t.Context()))
		_, err := replay.NewStore(store).Run(t.Context(), replay.Job{Spec: spec, Target: 1}, replay.Options{})
		schematest.Must(t, err)
	}
	run(0)
	describe := func(_ *tracker.Tx, r report.Run) (any, error) { return r, nil }
	p := poller{store: store.Follow(), describe: describe}
	look := func(what string, want bool) {
		t.Helper()
		if got := p.poll(t.Context()); got != want {
			t.Errorf("%s: anything new: %v", what, got)
		}
	}
	look("at first", true)
	look("once more", false)
	now = now.Add(time.Minute) // the file is so old that any change has another time
	look("settled", false)
	before := reads
	now = now.Add(time.Minute)
	if look("untouched", false); reads != before {
		t.Error("an untouched file was read again")
	}

	schematest.Must(t, store.Update(t.Context(), func(*tracker.Tx) error { return nil }))
	look("after a commit", true)

	w := groupcommit.Start(t.Context(), store)
	spec.Seed = 9
	held, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 1})
	schematest.Must(t, err)
	schematest.Must(t, w.Flush(t.Context())) // the claim is committed while the run begins
	look("a run at work", true)
	look("the same", false)
	before, now = reads, now.Add(Inspect)
	if look("still at work", false); reads == before {
		t.Error("a run at work was not looked after")
	}
	held.Release(nil)
	schematest.Must(t, w.Close(t.Context()))
	look("let go", true)
	if id, _ := schema.RunID(spec, nil); len(p.seen.Rows) != 1 || !p.seen.Rows[id].ended {
		t.Errorf("rows: %v", p.seen.Rows)
	}

	schematest.Must(t, os.WriteFile(store.Path(), []byte("nothing"), 0o666))
	look("garbage", true)
	look("garbage still", false)
	schematest.Must(t, os.Remove(store.Path()))
	look("removed", true)
	look("removed still", false)
	run(1)
	look("made again", true)
}
