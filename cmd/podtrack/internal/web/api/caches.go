package api

import (
	"container/list"
	"sync"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// lru is a cache of values up to a number of bytes. It drops the least recently used
// values first.
type lru[K comparable, V any] struct {
	limit, size int64
	order       *list.List // of entries, the most recently used in front
	places      map[K]*list.Element
}

// entry is a cached value with its key and its size in bytes.
type entry[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

// newLRU returns an empty cache for up to limit bytes.
func newLRU[K comparable, V any](limit int64) lru[K, V] {
	return lru[K, V]{limit: limit, order: list.New(), places: map[K]*list.Element{}}
}

// get returns a value and marks it as used.
func (l *lru[K, V]) get(key K) (value V, found bool) {
	place, found := l.places[key]
	if !found {
		return value, false
	}
	l.order.MoveToFront(place)
	return place.Value.(entry[K, V]).value, true
}

// put adds a value, whose key must be new.
func (l *lru[K, V]) put(key K, value V, size int64) {
	l.places[key] = l.order.PushFront(entry[K, V]{key, value, size})
	for l.size += size; l.size > l.limit; {
		last := l.order.Remove(l.order.Back()).(entry[K, V])
		l.size -= last.size
		delete(l.places, last.key)
	}
}

// maxAnswerBytes bounds how many bytes of answers are kept in memory.
const maxAnswerBytes = 64 << 20

// answerCache keeps the answers that were asked for last, by their tags: what has the same tag is the same.
type answerCache struct {
	mu   sync.Mutex
	kept lru[string, reply.Answer]
}

// newAnswerCache returns an empty cache.
func newAnswerCache() *answerCache {
	return &answerCache{kept: newLRU[string, reply.Answer](maxAnswerBytes)}
}

// find returns the answer with a tag, if it is in the cache.
func (a *answerCache) find(tag string) (reply.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.kept.get(tag)
}

// keep adds an answer that has a tag, unless it would take the place of all others.
func (a *answerCache) keep(answer reply.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, had := a.kept.get(answer.Tag); !had && len(answer.Body) <= maxAnswerBytes/2 {
		a.kept.put(answer.Tag, answer, int64(len(answer.Tag)+len(answer.Body)))
	}
}
