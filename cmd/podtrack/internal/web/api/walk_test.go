package api

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// shownWalk is a walk as a client reads it.
type shownWalk struct {
	walkHead
	low, high []float64
}

func readWalk(t rapid.TB, body []byte) (w shownWalk) {
	t.Helper()
	line, numbers, found := bytes.Cut(body, []byte("\n"))
	if err := json.Unmarshal(line, &w.walkHead); err != nil || !found || len(numbers)%16 != 0 {
		t.Fatalf("%v: %d bytes of numbers behind %.200s", err, len(numbers), line)
	}
	for ; len(numbers) > 0; numbers = numbers[16:] {
		w.low = append(w.low, math.Float64frombits(binary.LittleEndian.Uint64(numbers)))
		w.high = append(w.high, math.Float64frombits(binary.LittleEndian.Uint64(numbers[8:])))
	}
	return w
}

// naive returns all points of iterations of a run, step by step.
func naive(t *testing.T, store *tracker.Store, id string, first, last int) []float64 {
	t.Helper()
	run, err := report.Open(t.Context(), store, id)
	ok(t, err)
	x := []float64{0}
	for k := first; k < last; k++ {
		ok(t, run.View(func(tx *tracker.Tx) error {
			_, err := run.With(tx.View).VisitSteps(k, func(s recorded.Step) {
				x = append(x, x[len(x)-1]+float64(run.Env.(envs.Line).Offset(s.Action)))
			})
			return err
		}))
	}
	return x
}

// TestWalk asks for random parts of a walk and compares each bucket with the points that it is of.
func TestWalk(t *testing.T) {
	store := filled(t)
	h, id := New(optionsFor(store)), idOf(t, small(1))
	all, middle := naive(t, store, id, 0, 3), naive(t, store, id, 1, 2)
	rapid.Check(t, func(t *rapid.T) {
		target, points := "/api/runs/"+id+"/walk?", all
		boundaries := []int64{200, 400}
		if rapid.Bool().Draw(t, "iteration") {
			target, points, boundaries = target+"k=1&", middle, []int64{}
		}
		from := rapid.IntRange(0, len(points)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(points)+50).Draw(t, "to")
		width := rapid.IntRange(1, maxWalkWidth).Draw(t, "width")
		w := readWalk(t, ask(h, fmt.Sprintf("%sfrom=%d&to=%d&width=%d", target, from, to, width)).Body.Bytes())
		points = points[from:min(to, len(points))]
		bucket := (len(points) + width - 1) / width
		if w.Bucket != int64(bucket) || w.From != int64(from) || w.To != int64(from+len(points)) ||
			!slices.Equal(w.Boundaries, boundaries) {
			t.Fatalf("head %+v for %d to %d in %d buckets", w.walkHead, from, to, width)
		}
		i := 0
		for part := range slices.Chunk(points, bucket) {
			if w.low[i] != slices.Min(part) || w.high[i] != slices.Max(part) {
				t.Fatalf("bucket %d: %v to %v, want %v to %v", i, w.low[i], w.high[i], slices.Min(part), slices.Max(part))
			}
			i++
		}
		if i != len(w.low) {
			t.Errorf("%d buckets, want %d", len(w.low), i)
		}
	})
}

// TestWalkOfChunks goes through a walk of several records, with no memory for them
// and with enough.
func TestWalkOfChunks(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	long := small(4)
	long.Steps = schema.ChunkSteps + 1000
	perform(t, store, 2, long)
	id := idOf(t, long)
	points := naive(t, store, id, 0, 2)
	s := &server{Options: optionsFor(store), walks: newWalkCache(store)}
	for _, limit := range []int64{0, maxTrackBytes} {
		s.walks.kept = newLRU[trackKey, *track](limit)
		for _, from := range []int64{schema.ChunkSteps - 5, 0, schema.ChunkSteps + 995, 2*schema.ChunkSteps + 995} {
			run, err := report.Open(t.Context(), store, id)
			ok(t, err)
			p, err := newLayout(run, 0, 2)
			ok(t, err)
			e := newEnvelope(walkHead{Steps: p.steps, From: from, To: from + 10, Bucket: 1, Shows: showsPosition})
			ok(t, s.walks.read(t.Context(), run, p, e))
			if want := points[from : from+10]; !slices.Equal(e.low, want) || !slices.Equal(e.high, want) {
				t.Errorf("from %d: %v to %v, want %v", from, e.low, e.high, want)
			}
		}
	}
	if kept := s.walks.kept.size; kept == 0 || kept > maxTrackBytes {
		t.Errorf("%d bytes kept", kept)
	}
}

// TestWalkOfDistances: parts of a walk of several records with episodes are those of the whole.
func TestWalkOfDistances(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	spec := pod.NewSpec(schema.Env{Name: "grid", Version: 1, Params: map[string]int64{"episode": 70, "goal": 0, "slip": 0},
		Text: map[string]string{"map": "four-rooms", "observe": envs.OneHot}})
	spec.Kappa, spec.Steps = 1e9, schema.ChunkSteps+1000
	perform(t, store, 2, spec)
	target := "/api/runs/" + idOf(t, spec) + "/walk?"
	h := New(optionsFor(store))
	run, err := report.Open(t.Context(), store, idOf(t, spec))
	ok(t, err)
	whole, position := []float64{0}, figure.Source{Records: run, WholeRun: true}.Positions()
	_, err = run.VisitAllSteps(0, 2, func(s recorded.Step) { whole = append(whole, float64(position(s))) })
	ok(t, err)
	for _, from := range []int64{0, 1, 69, 70, 71, 5000, schema.ChunkSteps - 1, schema.ChunkSteps, schema.ChunkSteps + 1,
		spec.Steps - 10, spec.Steps, spec.Steps + 1, 2*spec.Steps - 99} {
		w := readWalk(t, ask(h, fmt.Sprintf("%sfrom=%d&to=%d", target, from, from+100)).Body.Bytes())
		if !slices.Equal(w.low, whole[from:from+100]) {
			t.Errorf("from %d: %v, want %v", from, w.low, whole[from:from+100])
		}
	}
	// without options the run's steps are primitive actions, and so are those of the same seed
	spec.Steps = 1000
	perform(t, store, 1, spec)
	target = "/api/runs/" + idOf(t, spec) + "/walk?"
	own, primitive := ask(h, target).Body.Bytes(), ask(h, target+"primitive=true").Body.Bytes()
	if w := readWalk(t, own); !slices.Equal(own, primitive) || w.Episodes < 10 || int64(len(w.Resets)) != w.Episodes {
		t.Errorf("primitive actions: %.300q, want %.300q", primitive, own)
	}
}

// TestWalkRefused asks for what is no part of a walk.
func TestWalkRefused(t *testing.T) {
	store := filled(t)
	h, id := New(optionsFor(store)), idOf(t, small(0))
	for query, status := range map[string]int{
		"k=3": 404, "k=-1": 400, "k=x": 400, "from=601": 400, "from=-1": 400, "from=5&to=5": 400, "to=0": 400, "width=0": 400,
		"width=4001": 400,
		"from=1e3":   400, "to=99999999999999999999": 400, "k=0&k=1": 400, "steps=3": 400,
	} {
		wantFailure(t, ask(h, "/api/runs/"+id+"/walk?"+query), status)
	}
}

// TestLRU compares the cache with a list that is searched.
func TestLRU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newLRU[int, int](10)
		var model []int // keys, the last asked for at the end; a key's size is itself
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			key := rapid.IntRange(0, 12).Draw(t, "key")
			_, found := c.get(key)
			if found != slices.Contains(model, key) {
				t.Fatalf("key %d: found %v", key, found)
			}
			model = slices.DeleteFunc(model, func(k int) bool { return k == key })
			model = append(model, key)
			if !found {
				c.put(key, key, int64(key))
			}
			for sum(model) > 10 {
				model = model[1:]
			}
		}
		if c.size != int64(sum(model)) || c.order.Len() != len(c.places) {
			t.Errorf("size %d of %v", c.size, model)
		}
	})
}

func sum(keys []int) (n int) {
	for _, k := range keys {
		n += k
	}
	return n
}
