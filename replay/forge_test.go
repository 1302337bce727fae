package replay_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// item is one record of an iteration with its bytes.
type item struct {
	kind schema.Kind
	data []byte
}

// recording is a run as it is recorded. Changed and written into another store
// it makes a forgery: every digest and link follows from the changed bytes, so
// that only executing the run again can tell.
type recording struct {
	run        tracker.Run
	iterations [][]item
}

var ok = schematest.Must

// small returns a spec of which an iteration takes about a millisecond.
func small() schema.Spec {
	s := pod.PaperSpec()
	s.Env.Params["bits"], s.Steps = 8, 400
	return s
}

// perform runs a job into a new store.
func perform(t testing.TB, job replay.Job) (*tracker.Store, tracker.Run) {
	t.Helper()
	store := newStore(t, tracker.Options{})
	return store, runOf(t, store, runJobs(t, store, []replay.Job{job}, 1)[0].Run)
}

func runOf(t testing.TB, store *tracker.Store, id schema.Digest) (run tracker.Run) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) (err error) {
		run, err = tx.ReadRun(id)
		return err
	})
	return run
}

func view(t testing.TB, store *tracker.Store, fn func(*tracker.Tx) error) {
	t.Helper()
	ok(t, store.View(context.Background(), fn))
}

func iterationsOf(t testing.TB, store *tracker.Store, id schema.Digest) (its []schema.Iteration) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) (err error) {
		its, err = tx.ReadIterations(id)
		return err
	})
	return its
}

// record reads a run with all its bytes.
func record(t testing.TB, store *tracker.Store, run tracker.Run) *recording {
	t.Helper()
	r := &recording{run: run}
	view(t, store, func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(run.ID)
		for _, it := range its {
			var items []item
			for _, e := range it.Records {
				data, err := tx.ReadRecord(e.Name)
				if err != nil {
					return err
				}
				items = append(items, item{e.Kind, data})
			}
			r.iterations = append(r.iterations, items)
		}
		return err
	})
	return r
}

// clone returns a recording to be changed; the bytes of records are replaced, never
// written to.
func (r *recording) clone() *recording {
	c := &recording{run: r.run}
	for _, items := range r.iterations {
		c.iterations = append(c.iterations, slices.Clone(items))
	}
	return c
}

// at returns the position in iteration k of the part-th record of a kind.
func (r *recording) at(t testing.TB, k int, kind schema.Kind, part int) int {
	t.Helper()
	for i, x := range r.iterations[k] {
		if x.kind != kind {
			continue
		}
		if part == 0 {
			return i
		}
		part--
	}
	t.Fatalf("iteration %d has no such %s record", k, kind)
	return 0
}

func (r *recording) count(k int, kind schema.Kind) int {
	n := 0
	for _, x := range r.iterations[k] {
		if x.kind == kind {
			n++
		}
	}
	return n
}

// encoder is a value of a kind of records.
type encoder interface{ Encode() ([]byte, error) }

// get decodes a record of a recording.
func get[T encoder](t testing.TB, r *recording, k int, kind schema.Kind, part int, decode func([]byte) (T, error)) T {
	t.Helper()
	v, err := decode(r.iterations[k][r.at(t, k, kind, part)].data)
	ok(t, err)
	return v
}

// edit changes a record of a recording.
func edit[T encoder](
	t testing.TB, r *recording, k int, kind schema.Kind, part int, decode func([]byte) (T, error), change func(*T),
) {
	t.Helper()
	v := get(t, r, k, kind, part, decode)
	change(&v)
	data, err := v.Encode()
	ok(t, err)
	at := r.at(t, k, kind, part)
	if string(data) == string(r.iterations[k][at].data) {
		t.Fatal("the forgery changes nothing")
	}
	r.iterations[k][at].data = data
}

// write puts the recording into a new store. links, if not nil, may replace the
// link of iteration k.
func (r *recording) write(
	t testing.TB, links func(k int, link schema.Digest) schema.Digest,
) (*tracker.Store, tracker.Run) {
	t.Helper()
	store := newStore(t, tracker.Options{})
	ctx := context.Background()
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	rw, held, err := w.Acquire(ctx, tracker.Claim{Spec: r.run.Spec, Target: len(r.iterations)})
	ok(t, err)
	link := held.Run.ID
	for k, items := range r.iterations {
		entries := []schema.Entry{}
		for _, x := range items {
			name, err := rw.Put(x.data)
			ok(t, err)
			entries = append(entries, schema.Entry{Kind: x.kind, Name: name})
		}
		link, err = schema.Link(k, link, entries)
		ok(t, err)
		if links != nil {
			link = links(k, link)
		}
		ok(t, rw.SealIteration(k, schema.Iteration{Link: link, Records: entries}, tracker.Cost{}))
	}
	ok(t, w.Close(ctx))
	return store, runOf(t, store, held.Run.ID)
}

// only is the scope of one iteration.
func only(k int) replay.Scope { return replay.Scope{Iteration: &k} }

// sampled is the scope of a sample of all stages.
func sampled(n, parts int) replay.Scope { return replay.Scope{Sample: &replay.Sample{N: n, T: parts}} }

// judge replays a run.
func judge(t testing.TB, store *tracker.Store, run tracker.Run, scope replay.Scope) replay.Verification {
	t.Helper()
	j, err := replay.Verify(context.Background(), store, run, scope, replay.Options{})
	ok(t, err)
	return j
}

var marks = map[replay.Verdict]string{
	replay.Identical: "=", replay.Different: "≠", replay.Damaged: "!", replay.Unverified: "?", replay.Skipped: "-",
}

// drawn returns a judgement with a word an iteration and a mark a stage, in the order
// collect, factor, learn, measure and, only where it is broken, the link:
// = identical, ≠ different, ! damaged, ? unjudged, - skipped.
func drawn(j replay.Verification) string {
	var words []string
	for _, it := range j.Iterations {
		word := ""
		for _, s := range it.Stages {
			word += marks[s.Verdict]
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// wantVerdicts compares a judgement with a drawing of it, and its summaries with its stages.
func wantVerdicts(t testing.TB, j replay.Verification, want string) {
	t.Helper()
	if got := drawn(j); got != want {
		t.Errorf("judged %s, want %s", got, want)
		for _, it := range j.Iterations {
			for _, s := range it.Stages {
				if s.Reason != "" {
					t.Logf("iteration %d, %s: %s", it.K, s.Stage, s.Reason)
				}
			}
		}
	}
	for _, it := range j.Iterations {
		clean := !slices.ContainsFunc(it.Stages, func(s replay.StageResult) bool {
			return s.Verdict != replay.Identical && s.Verdict != replay.Skipped
		})
		if it.Identical != clean {
			t.Errorf("iteration %d: identical is %v", it.K, it.Identical)
		}
		for _, s := range it.Stages {
			if (s.Reason == "") != (s.Verdict == replay.Identical || s.Verdict == replay.Skipped) {
				t.Errorf("iteration %d, %s: %s because of %q", it.K, s.Stage, s.Verdict, s.Reason)
			}
		}
	}
	for v, mark := range marks {
		if got, want := j.Count(v), strings.Count(want, mark); got != want {
			t.Errorf("%d stages are %s, want %d", got, v, want)
		}
	}
}

// all returns the drawing of n iterations that are judged alike.
func all(n int, word string) string {
	return strings.TrimSpace(strings.Repeat(word+" ", n))
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	ok(t, err)
	return data
}

// copyStore returns another file with the same bytes.
func copyStore(t testing.TB, path string) *tracker.Store {
	t.Helper()
	to := filepath.Join(t.TempDir(), "podtrack.db")
	ok(t, os.WriteFile(to, readFile(t, path), 0o600))
	return tracker.New(to, tracker.Options{})
}

// ulps returns the distance that a difference of floats names.
func ulps(n uint64) *uint64 { return &n }

// flip returns x with one bit of its representation changed.
func flip(x float64, bit int) float64 { return math.Float64frombits(math.Float64bits(x) ^ 1<<bit) }

func describe(d *replay.Difference) string {
	if d == nil {
		return "nothing"
	}
	apart := "–"
	if d.Ulps != nil {
		apart = fmt.Sprint(*d.Ulps)
	}
	return fmt.Sprintf("%d %s %s/%d %s[%d] %v (%T) → %v (%T), %s ulps",
		d.K, d.Stage, d.Record, d.Part, d.Field, d.Index, d.Recorded, d.Recorded, d.Recomputed, d.Recomputed, apart)
}
