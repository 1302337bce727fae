package web

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// slots are places for work at once.
type slots struct {
	places chan struct{}
	turn   time.Duration // how long to wait for one
}

func newSlots(n int, turn time.Duration) slots { return slots{make(chan struct{}, n), turn} }

// enter waits for a place, a little.
func (s slots) enter(ctx context.Context) error {
	if s.tryEnter() {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, s.turn)
	defer cancel()
	select {
	case s.places <- struct{}{}:
		return nil
	case <-wait.Done():
		return busy()
	}
}

func (s slots) tryEnter() bool {
	select {
	case s.places <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) leave() { <-s.places }

func busy() error {
	return schema.Hint(coded(http.StatusServiceUnavailable, "too much is asked at once"), "ask again in a moment")
}
