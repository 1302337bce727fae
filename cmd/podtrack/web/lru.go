package web

import "container/list"

// lru keeps values up to a number of bytes, and drops first what was asked for
// longest ago.
type lru[K comparable, V any] struct {
	limit, size int64
	order       *list.List // of entries, the last asked for in front
	places      map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int64
}

func newLRU[K comparable, V any](limit int64) lru[K, V] {
	return lru[K, V]{limit: limit, order: list.New(), places: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(key K) (value V, found bool) {
	place, found := c.places[key]
	if !found {
		return value, false
	}
	c.order.MoveToFront(place)
	return place.Value.(entry[K, V]).value, true
}

// put keeps a value that was not there.
func (c *lru[K, V]) put(key K, value V, size int64) {
	c.places[key] = c.order.PushFront(entry[K, V]{key, value, size})
	for c.size += size; c.size > c.limit; {
		last := c.order.Remove(c.order.Back()).(entry[K, V])
		c.size -= last.size
		delete(c.places, last.key)
	}
}
