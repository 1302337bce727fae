package tracker_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

func init() {
	tracker.NewStore = func(t testing.TB) (*tracker.Store, tracker.Clock) { return storetest.NewStore(t) }
	tracker.NewStoreWithRun = func(t testing.TB, record string) (*tracker.Store, tracker.Clock, schema.Digest) {
		return storetest.NewStoreWithRun(t, record)
	}
	tracker.NewStoreWithCompleteRun = func(t testing.TB, n int) (*tracker.Store, tracker.Clock, schema.Digest) {
		return storetest.NewStoreWithCompleteRun(t, n)
	}
	tracker.SkipUnlessReplaceable, tracker.LinkOf = storetest.SkipUnlessReplaceable, storetest.LinkOf
	tracker.SealAllKinds, tracker.DrawRecords = storetest.SealAllKinds, storetest.DrawRecords
	tracker.NewStoreOfManyRuns = storetest.NewStoreOfManyRuns
	tracker.SecondStore, tracker.NewClock = storetest.SecondStore, func() tracker.Clock { return storetest.NewClock() }
	tracker.Spec, tracker.TinySpec, tracker.RunID = storetest.Spec, storetest.TinySpec, storetest.RunID
	tracker.Acquire, tracker.Begin = storetest.Acquire, storetest.Begin
	tracker.CloseAtEnd, tracker.Iterate = storetest.CloseAtEnd, storetest.Iterate
	tracker.Chain, tracker.Extend = storetest.Chain, storetest.Extend
	tracker.Entries, tracker.Unpacked = storetest.Entries, storetest.Unpacked
	tracker.RandomBytes, tracker.ReadFile = storetest.RandomBytes, storetest.ReadFile
	tracker.ListFiles, tracker.Content = storetest.ListFiles, storetest.Content
	tracker.SessionsOf, tracker.PruneTo = storetest.SessionsOf, storetest.PruneTo
	tracker.UnreferencedRecords = storetest.UnreferencedRecords
	tracker.MergeStores = func(ctx context.Context, from, to *tracker.Store) error {
		_, err := merge.Run(ctx, from, to, merge.Options{})
		return err
	}
}
