package web

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/podtrack/podtrack/schema"
)

const (
	maxKept   = 64 << 20         // bytes of answers in memory
	abandoned = 30 * time.Second // after which an answer for which nobody asks again is not computed further
	turn      = 30 * time.Second
	fresh     = 3 * time.Second // an answer of other runs is given to whoever has waited for it, and asks again
	longest   = time.Hour       // of one answer
)

// jobs computes each answer once for all who ask for it, and keeps those that were asked for last.
type jobs struct {
	mu     sync.Mutex
	under  map[string]*job // by address, and for a while those that were done when nobody waited
	size   int             // in bytes
	order  list.List       // of answers, the most recently used in front
	places map[string]*list.Element
	turns  map[cost]*semaphore.Weighted
}

func newJobs() *jobs {
	return &jobs{under: map[string]*job{}, places: map[string]*list.Element{}, turns: map[cost]*semaphore.Weighted{
		light: semaphore.NewWeighted(16), drawing: semaphore.NewWeighted(int64(max(2, runtime.GOMAXPROCS(0)))),
		heavy: semaphore.NewWeighted(2)}}
}

// job is an answer that is computed.
type job struct {
	address string
	done    chan struct{} // closed when it is
	answer  reply
	err     error
	isDone  bool // under the lock of jobs
	ended   time.Time
	askers  int // that wait, under the lock of jobs
	idle    *time.Timer
	stop    context.CancelFunc
	percent atomic.Int64
	what    atomic.Value // string, what is under way
}

// Progress notes how far a command is, of which it is told through its messages.
func (j *job) Progress(what string, done, total int64) {
	j.what.Store(what)
	j.percent.Store(100 * done / max(total, 1))
}

// Write ignores the command's messages, which are part of the document.
func (j *job) Write(p []byte) (int, error) { return len(p), nil }

// find returns the kept answer with a tag, or the job that computes that of its address, which begins unless it is
// under way: also with another tag, since a run may go on before its page is there. A job that is returned has one
// asker more, until it is left.
func (js *jobs) find(tag, address string, c cost, compute func(context.Context, *job) (reply, error)) (reply, *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if place, kept := js.places[tag]; kept {
		js.order.MoveToFront(place)
		return place.Value.(reply), nil
	}
	j := js.under[address]
	if j != nil && j.isDone && time.Since(j.ended) > fresh && j.answer.Tag != tag {
		js.forget(j)
		j = nil
	}
	switch {
	case j == nil:
		ctx, stop := context.WithTimeout(context.Background(), longest)
		j = &job{address: address, done: make(chan struct{}), stop: stop}
		js.under[address] = j
		go js.compute(ctx, c, j, compute)
	case j.isDone:
		js.forget(j)
	}
	if j.askers++; j.idle != nil {
		j.idle.Stop()
	}
	return reply{}, j
}

// compute computes an answer in its turn, and keeps it.
func (js *jobs) compute(ctx context.Context, c cost, j *job, compute func(context.Context, *job) (reply, error)) {
	defer j.stop()
	wait, cancel := context.WithTimeout(ctx, turn)
	if js.turns[c].Acquire(wait, 1) == nil {
		j.answer, j.err = compute(ctx, j)
		js.turns[c].Release(1)
	} else {
		j.err = busy()
	}
	cancel()
	js.mu.Lock()
	defer js.mu.Unlock()
	j.ended = time.Now()
	if j.isDone = true; j.askers > 0 {
		js.forget(j)
	}
	if j.err == nil && j.answer.Tag != "" {
		js.keep(j.answer)
	}
	close(j.done)
}

// forget makes the next asker begin anew.
func (js *jobs) forget(j *job) {
	if js.under[j.address] == j {
		delete(js.under, j.address)
	}
}

// keep adds an answer, unless it would take the place of all others, and drops the least recently used ones.
func (js *jobs) keep(a reply) {
	if len(a.Body) > maxKept/2 {
		return
	}
	js.places[a.Tag] = js.order.PushFront(a)
	for js.size += a.bytes(); js.size > maxKept; {
		last := js.order.Remove(js.order.Back()).(reply)
		js.size -= last.bytes()
		delete(js.places, last.Tag)
	}
}

// leave ends an asker's waiting. What nobody waits for, or asks for again, is cancelled.
func (js *jobs) leave(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j.askers--; j.askers == 0 {
		j.idle = time.AfterFunc(abandoned, func() {
			js.mu.Lock()
			defer js.mu.Unlock()
			if j.askers == 0 {
				j.stop()
				js.forget(j)
			}
		})
	}
}

// busy returns the error for requests that found no place in time.
func busy() error {
	return schema.Hint(Errorf(http.StatusServiceUnavailable, "too much is asked at once"), "ask again in a moment")
}

// hashOf returns the SHA-256 of how parts are printed.
func hashOf(parts ...any) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%+v\x00", p)
	}
	return h.Sum(nil)
}
