package groupcommit

import (
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/process"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestHeldSaysWhen: the error of a lease whose owner is not visible tells when it ends.
func TestHeldSaysWhen(t *testing.T) {
	s, c := NewStore(t)
	w := CloseAtEnd(t, Start(t.Context(), s))
	r, _ := Acquire(t, w, 1, 1)
	c.Advance(12 * time.Second)
	for boot, want := range map[string]string{process.Self().Boot: "or end it",
		"elsewhere": "can be taken over in 19 s"} {
		ok(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			l, err := tx.ReadLease(r.ID())
			ok(t, err)
			l.Boot = boot
			return rows.Write(tx.Rows(), rows.BucketLeases, r.run.ID[:], *l)
		}))
		_, _, err := CloseAtEnd(t, Start(t.Context(), SecondStore(s))).Acquire(t.Context(),
			tracker.Claim{Spec: Spec(1), Target: 1})
		wantErr(t, err, tracker.ErrLocked)
		if !strings.Contains(err.Error(), "last heard of 12 s ago") || !strings.Contains(schema.Remedy(err), want) {
			t.Errorf("%v: %s", err, schema.Remedy(err))
		}
	}
}
