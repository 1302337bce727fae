package tracker

import (
	"iter"
	"sync"
)

// prefetch yields what seq yields, of which a goroutine makes the next element while
// the last one is looked at. It has ended when the loop has.
func prefetch[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	type step struct {
		v   T
		err error
	}
	return func(yield func(T, error) bool) {
		next, quit := make(chan step), make(chan struct{})
		var ended sync.WaitGroup
		defer ended.Wait()
		defer close(quit)
		ended.Go(func() {
			defer close(next)
			for v, err := range seq {
				select {
				case next <- step{v, err}:
				case <-quit:
					return
				}
			}
		})
		for s := range next {
			if !yield(s.v, s.err) {
				return
			}
		}
	}
}
