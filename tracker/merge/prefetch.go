package merge

import (
	"iter"
	"sync"
)

// prefetch yields the elements of seq, and produces the next one in a goroutine while the last one
// is processed. The goroutine ends with the loop.
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
