package api

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// semaphore is a bound on how much work is under way at once.
type semaphore struct {
	tokens chan struct{}
	turn   time.Duration // how long to wait for a place
}

// newSemaphore returns a semaphore with n places.
func newSemaphore(n int, turn time.Duration) semaphore {
	return semaphore{make(chan struct{}, n), turn}
}

// acquire takes a place. It waits up to s.turn for one, then returns the error of
// [busy].
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

// tryAcquire takes a place if one is free, and reports whether it did.
func (s semaphore) tryAcquire() bool {
	select {
	case s.tokens <- struct{}{}:
		return true
	default:
		return false
	}
}

// release gives a place back.
func (s semaphore) release() { <-s.tokens }

// busy returns the error for requests that found no place in time.
func busy() error {
	return schema.Hint(reply.Errorf(http.StatusServiceUnavailable, "too much is asked at once"), "ask again in a moment")
}

// Limits on concurrent requests, and how long others wait for their turn.
const (
	maxLight   = 16
	lightTurn  = 5 * time.Second
	maxHeavy   = 2
	heavyTurn  = 30 * time.Second
	maxStreams = 64

	maxDrawings = 2 // they wait for as long as heavy ones
)
