package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// held is an executor whose commands take as long as a test wants.
type held struct {
	mu      sync.Mutex
	begun   []string      // the first arguments of commands
	ended   []string      // and of those that were cancelled
	release chan struct{} // closed when commands may go on
}

func hold() *held { return &held{release: make(chan struct{})} }

func (h *held) execute(ctx context.Context, words []string, stdout, stderr io.Writer) error {
	h.mu.Lock()
	h.begun = append(h.begun, words[len(words)-1])
	h.mu.Unlock()
	if p, told := stderr.(interface{ Progress(string, int64, int64) }); told {
		p.Progress("learn <options>", 30, 120)
	}
	select {
	case <-h.release:
		return echo(ctx, words, stdout, stderr)
	case <-ctx.Done():
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ended = append(h.ended, words[len(words)-1])
		return ctx.Err()
	}
}

// list returns one of the lists.
func (h *held) list(of *[]string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(*of)
}

// bubble runs a test in a bubble of time with a server of a filled store, whose commands are held.
func bubble(t *testing.T, test func(t *testing.T, h http.Handler, commands *held)) {
	t.Helper()
	o := local(filled(t))
	synctest.Test(t, func(t *testing.T) {
		commands := hold()
		o.Execute = commands.execute
		test(t, newSite(o), commands)
	})
}

// asking asks on another goroutine, and returns the answer once it is there.
func asking(h http.Handler, target string, change ...func(*http.Request)) func() *httptest.ResponseRecorder {
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() { answer <- ask(h, target, change...) }()
	return func() *httptest.ResponseRecorder { return <-answer }
}

// TestComputedOnce: what many ask for at once is computed once.
func TestComputedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		var answers []func() *httptest.ResponseRecorder
		for range 20 {
			answers = append(answers, asking(h, "/diff?of=@1&of=@2&json=true"))
		}
		synctest.Wait()
		close(commands.release)
		for _, answer := range answers {
			if w := answer(); w.Code != 200 || !strings.Contains(w.Body.String(), "diff") {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
		if len(commands.list(&commands.begun)) != 1 {
			t.Errorf("computed %d times", len(commands.list(&commands.begun)))
		}
	})
}

// TestTakesLong: of a document that takes long a browser is told at once how far it is, and asks again until it is
// there. A program waits.
func TestTakesLong(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		begin := time.Now()
		program := asking(h, "/diff?of=@1&of=@2&json=true")
		for range 3 {
			w := ask(h, "/diff?of=@1&of=@2", browsing)
			if w.Code != http.StatusAccepted || w.Header().Get("Refresh") != "1" || w.Header().Get("ETag") != "" ||
				!strings.Contains(w.Body.String(), "learn &lt;options&gt;") ||
				!strings.Contains(w.Body.String(), `value="25"`) {
				t.Errorf("status %d, %v: %s", w.Code, w.Header(), w.Body)
			}
		}
		if waited := time.Since(begin); waited != 3*patience {
			t.Errorf("three answers took %v", waited)
		}
		close(commands.release)
		if w := ask(h, "/diff?of=@1&of=@2", browsing); w.Code != 200 || !strings.Contains(w.Body.String(), "diff") {
			t.Errorf("at the end: status %d: %s", w.Code, w.Body)
		}
		if w := program(); w.Code != 200 {
			t.Errorf("the program got status %d", w.Code)
		}
		if len(commands.list(&commands.begun)) != 2 {
			t.Errorf("two documents were computed by %d commands", len(commands.list(&commands.begun)))
		}
	})
}

// TestGoesOnMeanwhile: the page of a run that goes on while its page is made is there after all, once, in the time that
// it takes.
func TestGoesOnMeanwhile(t *testing.T) {
	store := filled(t)
	o := local(store)
	run := idOf(t, small(0))
	synctest.Test(t, func(t *testing.T) {
		executed := 0
		o.Execute = func(_ context.Context, _ []string, stdout, _ io.Writer) error {
			executed++
			for range 10 {
				time.Sleep(patience)
				ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error { // stands for an iteration
					id, err := schema.RunID(small(0), nil)
					if err != nil {
						return err
					}
					return tx.UpdateAnnotation(id, func(a *tracker.Annotation) { a.Note = time.Now().String() })
				}))
			}
			_, err := fmt.Fprint(stdout, "made")
			return err
		}
		h, begin := newSite(o), time.Now()
		for w := ask(h, "/show?of="+run, browsing); w.Code != 200; w = ask(h, "/show?of="+run, browsing) {
			if w.Code != 202 || time.Since(begin) > time.Minute {
				t.Fatalf("status %d after %v: %s", w.Code, time.Since(begin), w.Body)
			}
			time.Sleep(time.Second)
		}
		if executed != 1 {
			t.Errorf("executed %d times", executed)
		}
	})
}

// TestAbandoned: what nobody waits for, or asks for again, is cancelled; what somebody comes back to is not.
func TestAbandoned(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		ctx, leave := context.WithCancel(t.Context())
		left := asking(h, "/diff?of=@1&of=@2&json=true", within(ctx))
		synctest.Wait()
		leave()
		left()
		time.Sleep(abandoned - time.Second)
		if w := ask(h, "/diff?of=@2&of=@1", browsing); w.Code != 202 { // of another document, within patience
			t.Errorf("status %d", w.Code)
		}
		synctest.Wait()
		if len(commands.list(&commands.ended)) != 1 || commands.list(&commands.ended)[0] != "@2" {
			t.Errorf("cancelled after %v: %q", abandoned, commands.list(&commands.ended))
		}
		for range 5 { // it comes back each time
			time.Sleep(abandoned - patience)
			if w := ask(h, "/diff?of=@2&of=@1", browsing); w.Code != 202 {
				t.Errorf("status %d", w.Code)
			}
		}
		if len(commands.list(&commands.ended)) != 1 || len(commands.list(&commands.begun)) != 2 {
			t.Errorf("begun %q, cancelled %q", commands.list(&commands.begun), commands.list(&commands.ended))
		}
		time.Sleep(abandoned)
		synctest.Wait()
		if len(commands.list(&commands.ended)) != 2 {
			t.Errorf("nobody came back, and only %q are cancelled", commands.list(&commands.ended))
		}
		close(commands.release)
		if w := ask(h, "/diff?of=@2&of=@1"); w.Code != 200 {
			t.Errorf("asked for after it was cancelled: status %d: %s", w.Code, w.Body)
		}
	})
}

// takePlaces asks for as many comparisons as are made at once.
func takePlaces(h http.Handler) (all []func() *httptest.ResponseRecorder) {
	for _, refs := range []string{"of=@1&of=@2", "of=@2&of=@3"} {
		all = append(all, asking(h, "/diff?json=true&"+refs))
	}
	synctest.Wait()
	return all
}

// TestBusy: where all places for work are taken for long, a request is told to ask again; what is light or a drawing
// has other places.
func TestBusy(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		all := takePlaces(h)
		begin := time.Now()
		w := ask(h, "/compare?of=seed%3D0&of=seed%3D1&json=true")
		wantFailure(t, w, http.StatusServiceUnavailable)
		if w.Header().Get("Retry-After") == "" || time.Since(begin) != turn {
			t.Errorf("after %v: %v", time.Since(begin), w.Header())
		}
		for _, target := range []string{"/show?of=@1&json=true", "/plot-walk?of=@1&format=svg", "/ls?json=true"} {
			all = append(all, asking(h, target))
		}
		synctest.Wait()
		if len(commands.list(&commands.begun)) != 5 {
			t.Errorf("beside heavy work only %q have begun", commands.list(&commands.begun))
		}
		close(commands.release)
		for _, answer := range all {
			if w := answer(); w.Code != 200 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
		if w := ask(h, "/compare?of=seed%3D0&of=seed%3D1&json=true"); w.Code != 200 {
			t.Errorf("afterwards: status %d", w.Code)
		}
	})
}

// TestNamesBeforePlaces: what cannot be or is not there is refused at once, though all places are taken.
func TestNamesBeforePlaces(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		all := takePlaces(h)
		begin := time.Now()
		for target, want := range map[string]int{"/diff?of=nobody&of=@1": 404, "/diff?of=x:::&of=@1": 400,
			"/compare?of=moon%3D1&of=@1": 400, "/diff?of=@1&x=y": 400} {
			wantFailure(t, ask(h, target), want)
		}
		if waited := time.Since(begin); waited > 0 {
			t.Errorf("they waited %v", waited)
		}
		close(commands.release)
		for _, answer := range all {
			answer()
		}
	})
}

// TestAnswersBounded keeps no answer that would take the place of all others, no more bytes than there may be, and what
// was asked for last.
func TestAnswersBounded(t *testing.T) {
	js := newJobs()
	kept := func(key string) bool { return js.places[key] != nil }
	for i, size := range []int{1 << 20, maxKept/2 + 1, maxKept / 2, maxKept/2 - 1<<20} {
		js.keep(reply{Tag: fmt.Sprint(i), Body: make([]byte, size)})
		if i == 2 {
			if _, j := js.find("0", "/", light, nil); j != nil {
				t.Error("a small answer is not kept")
			}
		}
	}
	for key, want := range map[string]bool{"0": true, "1": false, "2": false, "3": true} {
		if kept(key) != want {
			t.Errorf("answer %s: kept is %v", key, !want)
		}
	}
	if js.size > maxKept || len(js.places) != js.order.Len() {
		t.Errorf("%d bytes, %d places, %d answers", js.size, len(js.places), js.order.Len())
	}
}

// TestCosts: lists and single runs do not wait for what takes long.
func TestCosts(t *testing.T) {
	got := map[cost][]string{}
	for _, page := range servedCommands() {
		got[page.cost] = append(got[page.cost], page.Name)
	}
	want := map[cost][]string{light: {"ls", "show", "status"}, heavy: {"compare", "diff"}, drawing: {"plot walk"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("costs %v", got)
	}
}

// TestFileWaits: who saves a document waits for it, however long it takes, and never saves how far it is.
func TestFileWaits(t *testing.T) {
	bubble(t, func(t *testing.T, h http.Handler, commands *held) {
		answer := asking(h, "/diff?of=@1&of=@2&format=html&file=true")
		time.Sleep(2 * patience)
		close(commands.release)
		if w := answer(); w.Code != 200 || w.Header().Get("Refresh") != "" {
			t.Errorf("status %d, %v", w.Code, w.Header())
		}
	})
}
