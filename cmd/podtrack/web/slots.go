package web

import (
	"context"
	"net/http"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// slots are places for work at once.
type slots chan struct{}

func newSlots(n int) slots { return make(slots, n) }

// turn is how long to wait for a place.
const turn = 5 * time.Second

// enter waits for a place, a little.
func (s slots) enter(ctx context.Context) error {
	if s.tryEnter() {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	select {
	case s <- struct{}{}:
		return nil
	case <-wait.Done():
		return busy()
	}
}

func (s slots) tryEnter() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) leave() { <-s }

func busy() error {
	return schema.Hint(coded(http.StatusServiceUnavailable, "too much is asked at once"), "ask again in a moment")
}
