package tracker

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkWaiting lets writers and readers, as of several processes, request the store without a
// pause, and reports the longest wait for one transaction.
func BenchmarkWaiting(b *testing.B) {
	for _, c := range []struct{ writers, readers int }{{1, 0}, {8, 0}, {8, 1}, {8, 4}, {1, 4}, {1, 8}} {
		b.Run(fmt.Sprintf("writers=%d/readers=%d", c.writers, c.readers), func(b *testing.B) {
			s, _ := newTestStore(b)
			id := extend(b, s, 1, 1)
			u := saturate(b, s, c.writers, c.readers, func(tx *Tx, n int) error {
				return tx.SetNote(id, fmt.Sprint(n))
			}, b.N)
			b.ReportMetric(float64(slices.Max(u.wait).Microseconds())/1000, "longest-ms")
			b.ReportMetric(float64(slices.Min(u.count)), "fewest")
		})
	}
}

// used counts the transactions of each writer.
type used struct {
	count []int
	wait  []time.Duration // the longest
}

// saturate runs writers until they have committed total transactions, and readers beside them.
func saturate(t testing.TB, s *Store, writers, readers int, write func(tx *Tx, n int) error, total int) used {
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
				if err := secondStore(s).View(t.Context(), func(tx *Tx) error {
					_, err := tx.ReadAnnotation(runID(t, 1))
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range writers {
		writing.Go(func() {
			for other := secondStore(s); more(); u.count[i]++ {
				begun := time.Now()
				if err := other.Update(t.Context(), func(tx *Tx) error {
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
	s, _ := newTestStore(t)
	id := extend(t, s, 1, 1)
	const writers, each = 8, 40
	u := saturate(t, s, writers, 3, func(tx *Tx, n int) error { return tx.SetNote(id, fmt.Sprint(n)) }, writers*each)
	for i, n := range u.count {
		if n < each/8 {
			t.Errorf("writer %d committed %d of %d transactions", i, n, writers*each)
		}
	}
	t.Logf("transactions %v, longest waits %v", u.count, u.wait)
}
