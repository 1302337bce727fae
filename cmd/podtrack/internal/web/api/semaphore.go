package api

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// places bound how much work is under way at once.
type places struct {
	*semaphore.Weighted
	turn time.Duration // how long to wait for a place
}

// newPlaces returns n places.
func newPlaces(n int64, turn time.Duration) places { return places{semaphore.NewWeighted(n), turn} }

// acquire takes a place. It waits up to p.turn for one, then returns the error of [busy].
func (p places) acquire(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, p.turn)
	defer cancel()
	if p.Acquire(wait, 1) != nil {
		return busy()
	}
	return nil
}

// release gives a place back.
func (p places) release() { p.Release(1) }

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
