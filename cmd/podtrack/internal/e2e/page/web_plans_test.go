package page

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// sweeper is a store in which a test plans, begins and releases runs, as a sweep does.
type sweeper struct {
	t     *testing.T
	store *tracker.Store
	w     *groupcommit.Writer
	begun int
}

func newSweeper(t *testing.T) *sweeper {
	t.Helper()
	s := &sweeper{t: t, store: tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})}
	s.must(s.store.Create(t.Context()))
	s.w = groupcommit.Start(t.Context(), s.store)
	t.Cleanup(func() { _ = s.w.Close(t.Context()) })
	return s
}

func (s *sweeper) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// addPlan adds to a tag a plan of the paper's spec.
func addPlan(tx *tracker.Tx, tag, seeds string, iterations int, folder string) error {
	p := &runset.Plan{Specs: []schema.Spec{pod.PaperSpec()}, Iterations: iterations}
	if err := p.Seeds.UnmarshalText([]byte(seeds)); err != nil {
		return err
	}
	_, err := tx.AddPlan(p, tag, tracker.Planned{Folder: folder})
	return err
}

func (s *sweeper) plan(tag, seeds string) {
	s.t.Helper()
	s.must(s.store.Update(s.t.Context(), func(tx *tracker.Tx) error { return addPlan(tx, tag, seeds, 1, "") }))
}

// begin works on one more run of the tag.
func (s *sweeper) begin(tag string) *groupcommit.RunWriter {
	s.t.Helper()
	spec := pod.PaperSpec()
	spec.Seed = uint64(s.begun)
	s.begun++
	run, _, err := s.w.Acquire(s.t.Context(), tracker.Claim{Spec: spec, Target: 1, Tags: []string{tag}})
	s.must(err)
	s.must(s.w.Flush(s.t.Context()))
	return run
}

// end makes the only iteration of a run, of no records.
func (s *sweeper) end(run *groupcommit.RunWriter) {
	s.t.Helper()
	s.must(run.SealIteration(0, schema.Iteration{Link: schema.Name([]byte(fmt.Sprint(s.begun)))},
		tracker.Cost{Stages: map[string]int64{}}))
	run.Release(nil)
	s.must(s.w.Flush(s.t.Context()))
}

// TestPagePlans follows a plan on the page while its runs begin and end.
func TestPagePlans(t *testing.T) {
	schematest.SkipUnlessLong(t)
	chromium(t)
	s := newSweeper(t)
	b := newBrowser(t, s.store.Path())
	b.look(1200, "light")
	b.open("/")
	b.sees("no runs in this store yet", "live")
	b.eval("window.same = true")
	s.plan("STUDY", "0-1")
	s.plan("STUDY", "1-3") // the tag has four runs, one of them in both plans
	b.sees("0 of 4 complete, 4 missing")
	first, second := s.begin("STUDY"), s.begin("STUDY")
	b.sees("0 of 4 complete, 2 running, 2 missing")
	s.end(first)
	b.sees("1 of 4 complete, 1 running, 2 missing")
	second.Fail(fmt.Errorf("it broke"), nil)
	s.must(s.w.Flush(t.Context()))
	b.sees("1 of 4 complete, 1 failed, 2 missing")
	const told = `(() => { const p = document.querySelector('[role=progressbar]'); ` +
		`return [p.getAttribute('aria-label'), p.ariaValueNow, p.ariaValueText, ` +
		`p.firstElementChild.style.width].join('; ') })()`
	if got, want := b.eval(told), "STUDY; 25; 1 of 4 complete, 1 failed, 2 missing; 25%"; got != want {
		t.Errorf("a reader of screens is told %q, want %q", got, want)
	}

	for i := range 6 {
		s.plan(fmt.Sprint("later", i), "100")
	}
	b.sees("3 more plans")
	if shown := b.eval("document.querySelector('.plans').innerText"); shown[:len("later5")] != "later5" {
		t.Errorf("the first plan is %q", shown)
	}
	b.press("summary")
	b.press(`a[href="/?q=tag%3DSTUDY"]`)
	b.sees("2 runs")
	b.until("document.querySelectorAll('[role=progressbar]').length === 1")
	if b.eval("window.same") != "true" {
		t.Error("the page was loaded again")
	}
	for _, width := range []int64{400, 1600} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, scheme)
			for address, want := range map[string]string{"/": "3 more plans", "/?q=tag%3DSTUDY": "1 of 4 complete, 1 failed"} {
				b.open(address)
				b.sees(want)
				b.proper()
			}
		}
	}
}
