package merge_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestMergeNeverFillsItsTransactions merges more runs than fit into one transaction: rows count,
// however small they are.
func TestMergeNeverFillsItsTransactions(t *testing.T) {
	t.Parallel()
	from := NewStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 1500, 2)
	writes := 0
	to := tracker.New(NewEmptyStore(t, from).Path(), tracker.Options{OnUnlock: func(write bool, _ time.Duration) {
		if write {
			writes++
		}
	}})
	Equal(t, "outcomes", Outcomes(Merge(t, from, to)), "1500 new")
	if least := 1500 * (rows.RunBytes + 4*tracker.RowCost) / tracker.MaxTxBytes; writes < least {
		t.Errorf("%d transactions, and not at least %d", writes, least)
	}
}
