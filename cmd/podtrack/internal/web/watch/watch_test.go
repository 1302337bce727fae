package watch

import (
	"os"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/webtest"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestLook gives a looker files as they come and go, at times that the test says.
func TestLook(t *testing.T) {
	store := webtest.Filled(t)
	describe := func(*tracker.Tx) func(report.Run) (any, error) {
		return func(r report.Run) (any, error) { return r, nil }
	}
	l := poller{store: store, describe: describe}
	now := time.Now()
	look := func(what string, want bool) {
		t.Helper()
		if got := l.poll(t.Context(), now); got != want {
			t.Errorf("%s: anything new: %v", what, got)
		}
	}
	look("at first", true)
	look("once more", false)
	now = now.Add(2 * settled)
	look("settled", false)
	read := l.read
	now = now.Add(glance)
	if look("untouched", false); l.read != read {
		t.Error("an untouched file was read again")
	}

	schematest.Must(t, store.Update(t.Context(), func(*tracker.Tx) error { return nil }))
	look("after a commit", true)

	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: webtest.Small(9), Target: 1})
	schematest.Must(t, err)
	schematest.Must(t, w.Flush(t.Context())) // the claim is committed while the run begins
	look("a run at work", true)
	look("the same", false)
	read, now = l.read, l.read.Add(Inspect)
	if look("still at work", false); l.read == read {
		t.Error("a run at work was not looked after")
	}
	run.Release(nil)
	schematest.Must(t, w.Close(t.Context()))
	look("let go", true)
	if len(l.seen.Rows) != 1 || l.seen.atWork() {
		t.Errorf("%d rows, at work: %v", len(l.seen.Rows), l.seen.atWork())
	}

	schematest.Must(t, os.WriteFile(store.Path(), []byte("nothing"), 0o666))
	look("garbage", true)
	look("garbage still", false)
	schematest.Must(t, os.Remove(store.Path()))
	look("removed", true)
	look("removed still", false)
	webtest.Perform(t, store, 1, webtest.Small(1))
	look("made again", true)
}
