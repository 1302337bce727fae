package api

import (
	"container/list"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
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
