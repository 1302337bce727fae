package groupcommit_test

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
)

func init() {
	groupcommit.NewStore = func(t testing.TB) (*tracker.Store, groupcommit.Clock) { return storetest.NewStore(t) }
	groupcommit.NewStoreWithRun = func(t testing.TB, record string) (*tracker.Store, groupcommit.Clock, schema.Digest) {
		return storetest.NewStoreWithRun(t, record)
	}
	groupcommit.SkipUnlessReplaceable, groupcommit.LinkOf = storetest.SkipUnlessReplaceable, storetest.LinkOf
	groupcommit.SecondStore = storetest.SecondStore
	groupcommit.NewClock = func() groupcommit.Clock { return new(storetest.Clock) }
	groupcommit.Spec, groupcommit.RunID = storetest.Spec, storetest.RunID
	groupcommit.Acquire = storetest.Acquire
	groupcommit.CloseAtEnd, groupcommit.Iterate = storetest.CloseAtEnd, storetest.Iterate
	groupcommit.Entries, groupcommit.RandomBytes = storetest.Entries, storetest.RandomBytes
	groupcommit.SessionsOf = storetest.SessionsOf
	groupcommit.UnreferencedRecords = storetest.UnreferencedRecords
}
