package web

import "sync"

// maxAnswerBytes bounds how many bytes of answers are kept in memory.
const maxAnswerBytes = 64 << 20

// answerCache keeps the answers that were asked for last, by their tags: what has the same tag is the same.
type answerCache struct {
	mu   sync.Mutex
	kept lru[string, answer]
}

// newAnswerCache returns an empty cache.
func newAnswerCache() *answerCache { return &answerCache{kept: newLRU[string, answer](maxAnswerBytes)} }

// find returns the answer with a tag, if it is in the cache.
func (c *answerCache) find(tag string) (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.get(tag)
}

// keep adds an answer that has a tag, unless it would take the place of all others.
func (c *answerCache) keep(a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, had := c.kept.get(a.tag); !had && len(a.body) <= maxAnswerBytes/2 {
		c.kept.put(a.tag, a, int64(len(a.tag)+len(a.body)))
	}
}
