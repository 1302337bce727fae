package tracker_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// used counts the transactions of each writer.
type used struct {
	count []int
	wait  []time.Duration // the longest
}

// saturate runs writers until they have committed total transactions, and readers beside them.
func saturate(
	t testing.TB, s *tracker.Store, writers, readers int, write func(tx *tracker.Tx, n int) error, total int,
) used {
	t.Helper()
	u := used{count: make([]int, writers), wait: make([]time.Duration, writers)}
	var mu sync.Mutex
	left := total
	more := func() bool {
		mu.Lock()
		defer mu.Unlock()
		left--
		return left >= 0
	}
	stop := make(chan struct{})
	var reading, writing sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := SecondStore(s).View(t.Context(), func(tx *tracker.Tx) error {
					_, err := tx.ReadAnnotation(RunID(t, 1))
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range writers {
		writing.Go(func() {
			for other := SecondStore(s); more(); u.count[i]++ {
				begun := time.Now()
				if err := other.Update(t.Context(), func(tx *tracker.Tx) error {
					return write(tx, u.count[i]*writers+i)
				}); err != nil {
					t.Error(err)
				}
				u.wait[i] = max(u.wait[i], time.Since(begun))
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	return u
}

// TestSaturatedWritersGetTheirTurn: no writer is starved by others, or by readers that follow each
// other.
func TestSaturatedWritersGetTheirTurn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no gate before the lock")
	}
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 1)
	const writers, each = 8, 40
	u := saturate(t, s, writers, 3, func(tx *tracker.Tx, n int) error {
		return tx.SetNote(id, fmt.Sprint(n))
	}, writers*each)
	for i, n := range u.count {
		if n < each/8 {
			t.Errorf("writer %d committed %d of %d transactions", i, n, writers*each)
		}
	}
	t.Logf("transactions %v, longest waits %v", u.count, u.wait)
}
