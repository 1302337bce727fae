package diff

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A Memo keeps the last results of comparisons, so that everything that shows one of them follows from one
// computation. Results are shared, and nobody may change them. The zero value is empty, and safe for concurrent use.
type Memo struct {
	mu   sync.Mutex
	last []*result // the oldest first
}

// result is what a comparison found, once it has.
type result struct {
	key   string
	turn  chan struct{} // holds a value while somebody computes or reads
	value any           // nil until then
}

const maxResults = 8 // that a [Memo] keeps

type memoKey struct{}

// Within returns a context in which [ClusterRuns] and [CompareRefs] compute each result once. A context that has a Memo
// keeps it.
func (m *Memo) Within(ctx context.Context) context.Context {
	if ctx.Value(memoKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, memoKey{}, m)
}

// remember returns what compute returns, or returned for the same key if the context has a [Memo]. Others who ask
// meanwhile wait; after an error, the next of them computes.
func remember[T any](ctx context.Context, key string, compute func() (T, error)) (value T, err error) {
	m, _ := ctx.Value(memoKey{}).(*Memo)
	if m == nil {
		return compute()
	}
	r := m.find(key)
	select {
	case <-ctx.Done():
		return value, ctx.Err()
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	}
	if r.value == nil {
		if value, err = compute(); err != nil {
			return value, err
		}
		r.value = value
	}
	return r.value.(T), nil
}

// find returns the result of that key, a new one if there is none.
func (m *Memo) find(key string) *result {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.last, func(r *result) bool { return r.key == key })
	if at < 0 {
		m.last = append(slices.Clone(m.last[max(0, len(m.last)+1-maxResults):]), &result{key, make(chan struct{}, 1), nil})
		at = len(m.last) - 1
	}
	return m.last[at]
}

// keyOf describes a comparison: the words that say what is compared and how, and of each run its head and what the
// result calls it.
func keyOf(runs []*Side, how ...any) string {
	key := fmt.Sprintf("%+v", how)
	for _, r := range runs {
		key += fmt.Sprintf("\n%s %q %v", r.ID, r.Label(), r.Iterations[max(0, len(r.Iterations)-1):])
	}
	return key
}
