package tracker_test

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
)

func init() {
	tracker.NewStoreWithRun = func(t testing.TB, record string) (*tracker.Store, tracker.Clock, schema.Digest) {
		return storetest.NewStoreWithRun(t, record)
	}
	tracker.SecondStore, tracker.Spec = storetest.SecondStore, storetest.Spec
	tracker.Unpacked, tracker.ReadFile = storetest.Unpacked, storetest.ReadFile
}
