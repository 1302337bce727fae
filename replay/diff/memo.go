package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Memo keeps the last results of comparisons, so that everything that shows one of them follows from one
// computation. Those who ask for a result that is being computed wait for it. Results are shared: nobody may change
// them. A Memo is safe for concurrent use.
type Memo struct {
	mu   sync.Mutex
	last []*result // the oldest first
}

// result is a comparison that is computed, or was. The other fields are set before done is closed.
type result struct {
	key    string
	done   chan struct{}
	value  any
	err    error
	broken bool // the computation was cancelled, or panicked: it says nothing
}

// maxResults is how many results a [Memo] keeps.
const maxResults = 8

// NewMemo returns a Memo without results.
func NewMemo() *Memo { return &Memo{} }

type memoKey struct{}

// Within returns a context in which [ClusterRuns] and [CompareRefs] compute each result once.
func (m *Memo) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoKey{}, m)
}

// remember returns what compute returns, or what it returned for the same key if the context has a [Memo].
func remember[T any](ctx context.Context, key string, compute func() (T, error)) (value T, err error) {
	m, _ := ctx.Value(memoKey{}).(*Memo)
	if m == nil {
		return compute()
	}
	for {
		r, isNew := m.find(key)
		if isNew {
			r.broken = true
			defer m.finish(r)
			value, err = compute()
			r.value, r.err, r.broken = value, err, err != nil && ctx.Err() != nil
			return value, err
		}
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-r.done:
		}
		if !r.broken {
			value, _ = r.value.(T)
			return value, r.err
		}
	}
}

// find returns the result of that key. If there is none, it returns a new one, which the caller computes.
func (m *Memo) find(key string) (r *result, isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.last {
		if r.key == key {
			return r, false
		}
	}
	r = &result{key: key, done: make(chan struct{})}
	m.last = append(slices.Clone(m.last[max(0, len(m.last)+1-maxResults):]), r)
	return r, true
}

// finish hands a result to those who wait for it. An error is not kept for others.
func (m *Memo) finish(r *result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.err != nil || r.broken {
		m.last = slices.DeleteFunc(m.last, func(kept *result) bool { return kept == r })
	}
	close(r.done)
}

// keyOf describes a comparison of runs: their heads, by what names the result calls them, and the words that say what
// is compared and how.
func keyOf(runs []*Side, how ...any) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%+v", how)
	for _, r := range runs {
		fmt.Fprintf(&key, "\n%s %q", r.ID, r.Label())
		if n := len(r.Iterations); n > 0 {
			fmt.Fprintf(&key, " %s", r.Iterations[n-1].Link)
		}
	}
	return key.String()
}
