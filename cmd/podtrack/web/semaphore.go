package web

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// semaphore are places for work at once.
type semaphore struct {
	tokens chan struct{}
	turn   time.Duration // how long to wait for one
}

func newSemaphore(n int, turn time.Duration) semaphore {
	return semaphore{make(chan struct{}, n), turn}
}

// acquire waits for a place, a little.
func (s semaphore) acquire(ctx context.Context) error {
	if s.tryAcquire() {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, s.turn)
	defer cancel()
	select {
	case s.tokens <- struct{}{}:
		return nil
	case <-wait.Done():
		return busy()
	}
}

func (s semaphore) tryAcquire() bool {
	select {
	case s.tokens <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s semaphore) release() { <-s.tokens }

func busy() error {
	return schema.Hint(coded(http.StatusServiceUnavailable, "too much is asked at once"), "ask again in a moment")
}
