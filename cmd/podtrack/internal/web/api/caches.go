package api

import (
	"container/list"
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// maxAnswerBytes bounds how many bytes of answers are kept in memory.
const maxAnswerBytes = 64 << 20

// answerCache keeps the answers that were asked for last, by their tags: what has the same tag is the same. It drops
// the least recently used ones first.
type answerCache struct {
	mu     sync.Mutex
	size   int       // in bytes
	order  list.List // of answers, the most recently used in front
	places map[string]*list.Element
}

// find returns the answer with a tag, if it is in the cache, and marks it as used.
func (a *answerCache) find(tag string) (reply.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	place, found := a.places[tag]
	if !found {
		return reply.Answer{}, false
	}
	a.order.MoveToFront(place)
	return place.Value.(reply.Answer), true
}

// sizeOf returns the bytes that an answer takes.
func sizeOf(answer reply.Answer) int { return len(answer.Tag) + len(answer.Body) }

// keep adds an answer that has a tag, unless it would take the place of all others.
func (a *answerCache) keep(answer reply.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.places[answer.Tag] != nil || len(answer.Body) > maxAnswerBytes/2 {
		return
	}
	a.places[answer.Tag] = a.order.PushFront(answer)
	for a.size += sizeOf(answer); a.size > maxAnswerBytes; {
		last := a.order.Remove(a.order.Back()).(reply.Answer)
		a.size -= sizeOf(last)
		delete(a.places, last.Tag)
	}
}

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
