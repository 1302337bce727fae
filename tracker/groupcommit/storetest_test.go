package groupcommit_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

func init() {
	groupcommit.NewStore = func(t testing.TB) (*tracker.Store, groupcommit.Clock) { return storetest.NewStore(t) }
	groupcommit.NewStoreWithRun = func(t testing.TB, record string) (*tracker.Store, groupcommit.Clock, schema.Digest) {
		return storetest.NewStoreWithRun(t, record)
	}
	groupcommit.NewStoreWithCompleteRun = func(t testing.TB, n int) (*tracker.Store, groupcommit.Clock, schema.Digest) {
		return storetest.NewStoreWithCompleteRun(t, n)
	}
	groupcommit.SkipUnlessReplaceable, groupcommit.LinkOf = storetest.SkipUnlessReplaceable, storetest.LinkOf
	groupcommit.SealAllKinds, groupcommit.DrawRecords = storetest.SealAllKinds, storetest.DrawRecords
	groupcommit.NewStoreOfManyRuns = storetest.NewStoreOfManyRuns
	groupcommit.SecondStore = storetest.SecondStore
	groupcommit.NewClock = func() groupcommit.Clock { return storetest.NewClock() }
	groupcommit.Spec, groupcommit.TinySpec, groupcommit.RunID = storetest.Spec, storetest.TinySpec, storetest.RunID
	groupcommit.Acquire, groupcommit.Begin = storetest.Acquire, storetest.Begin
	groupcommit.CloseAtEnd, groupcommit.Iterate = storetest.CloseAtEnd, storetest.Iterate
	groupcommit.Chain, groupcommit.Extend = storetest.Chain, storetest.Extend
	groupcommit.Entries, groupcommit.Unpacked = storetest.Entries, storetest.Unpacked
	groupcommit.RandomBytes, groupcommit.ReadFile = storetest.RandomBytes, storetest.ReadFile
	groupcommit.ListFiles, groupcommit.Content = storetest.ListFiles, storetest.Content
	groupcommit.SessionsOf = storetest.SessionsOf
	groupcommit.UnreferencedRecords = storetest.UnreferencedRecords
	groupcommit.MergeStores = func(ctx context.Context, from, to *tracker.Store) error {
		_, err := merge.Run(ctx, from, to, merge.Options{})
		return err
	}
}
