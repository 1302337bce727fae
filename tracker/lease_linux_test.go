package tracker

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
)

func TestParseStat(t *testing.T) {
	line := "42 (a) b ) R " + strings.Repeat("0 ", 18) + "777 0 0"
	state, start, err := parseStat([]byte(line))
	ok(t, err)
	equal(t, "state", state, 'R')
	equal(t, "start", start, 777)
	for _, bad := range []string{"", "42 (a) R", "42 (a) R " + strings.Repeat("x ", 30)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestBootNamesNamespaces: in the initial time namespace a lease is as older programs write it, so
// that both can tell whether the other's owner is gone.
func TestBootNamesNamespaces(t *testing.T) {
	clock, err := os.Readlink("/proc/self/ns/time")
	if err != nil {
		t.Skip("there are no time namespaces: ", err)
	}
	words := strings.Fields(bootID())
	if clock != initialTime {
		equal(t, "time namespace", words[len(words)-1], clock)
		words = words[:len(words)-1]
	}
	if len(words) != 2 || !strings.HasPrefix(words[1], "pid:[") {
		t.Errorf("boot %q", words)
	}
}

// TestHeldSaysWhen: the error of a lease whose owner is not visible tells when it ends.
func TestHeldSaysWhen(t *testing.T) {
	s, c := newTestStore(t)
	w := closeAtEnd(t, s.StartWriter(t.Context()))
	r, _ := acquire(t, w, 1, 1)
	c.advance(12 * time.Second)
	for boot, want := range map[string]string{selfLease().Boot: "or end it", "elsewhere": "can be taken over in 19 s"} {
		ok(t, s.Update(t.Context(), func(tx *Tx) error {
			l, err := tx.ReadLease(r.ID())
			ok(t, err)
			l.Boot = boot
			return writeRow(tx, bucketLeases, r.id[:], *l)
		}))
		_, _, err := closeAtEnd(t, secondStore(s).StartWriter(t.Context())).Acquire(t.Context(),
			Claim{Spec: spec(1), Target: 1})
		wantErr(t, err, ErrLocked)
		if !strings.Contains(err.Error(), "last heard of 12 s ago") || !strings.Contains(schema.Remedy(err), want) {
			t.Errorf("%v: %s", err, schema.Remedy(err))
		}
	}
}
