package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// recordedRules are the rules that leave a record of each selection.
var recordedRules = []schema.Select{"threshold:sigma2", "threshold:rms", "top=3", "energy=0.9", "sample=2", "novel=0.8"}

// selecting returns a small spec with that rule, in which κ rejects something.
func selecting(t testing.TB, rule schema.Select) schema.Spec {
	t.Helper()
	s := small()
	s.Select = rule
	if rule == "threshold:rms" {
		s.Kappa = 0.1
	}
	ok(t, s.Validate())
	return s
}

// TestSelectionsReplay: each rule leaves a record an iteration that a replay judges,
// by itself or as a part of a sample.
func TestSelectionsReplay(t *testing.T) {
	for _, rule := range recordedRules {
		for _, reading := range schema.Readings() {
			t.Run(fmt.Sprint(rule, ", ", reading), func(t *testing.T) {
				spec := selecting(t, rule)
				ok(t, spec.SetReading(reading))
				store, run := perform(t, replay.Job{Spec: spec, Target: 4})
				wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(4, "====="))
				wantVerdicts(t, judge(t, store, run, only(2)), "=====")
				for n := 1; n <= 3; n++ {
					if j := judge(t, store, run, sampled(n, 3)); strings.ContainsAny(drawn(j), "≠!?") {
						t.Errorf("part %d of 3: %s", n, drawn(j))
					}
				}
			})
		}
	}
}

// TestForgedSelections forges a selection of iteration 1: that stage differs, and the stages after it are judged from
// the forged record.
func TestForgedSelections(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  schema.Select
		lie   func(*schema.Direction)
		field string
		want  string
	}{
		{
			"a number", "novel=0.8", func(d *schema.Direction) { d.Number = 0.5 }, "directions.number",
			"===== ==≠== ===== =====",
		},
		{
			"what it is like", "novel=0.8", func(d *schema.Direction) { d.Nearest = 7 }, "directions.nearest",
			"===== ==≠== ===== =====",
		},
		{
			"a direction kept", "top=3", func(d *schema.Direction) { d.Reason = schema.Rank }, "directions.reason",
			"===== ==≠≠≠ ===== =====",
		},
		{
			"a reason", "sample=2", func(d *schema.Direction) { d.Reason = schema.Known }, "directions.reason",
			"===== ==≠≠≠ ===== =====",
		},
		{
			"σ that is not the factors'", "top=3", func(d *schema.Direction) { d.Sigma *= 2 }, "directions.sigma",
			"===== ==≠?? ===== =====",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, run := perform(t, replay.Job{Spec: selecting(t, c.rule), Target: 4})
			r := record(t, store, run)
			edit(t, r, 1, schema.KindSelection, 0, schema.DecodeSelection, func(s *schema.Selection) {
				i := 0
				for c.rule == "sample=2" && s.Directions[i].Reason != schema.Kept {
					i++
				}
				c.lie(&s.Directions[i])
			})
			store, run = r.write(t, nil)
			j := judge(t, store, run, replay.Scope{})
			wantVerdicts(t, j, c.want)
			if j.First == nil || j.First.Stage != stages.Select || j.First.Record != schema.KindSelection ||
				j.First.Field != c.field {
				t.Errorf("first difference %s, want one of %s", describe(j.First), c.field)
			}
		})
	}
}

// TestForgedSelectionLists: a selection twice, or where none belongs, is no link of
// such a run.
func TestForgedSelectionLists(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: selecting(t, "top=3"), Target: 3})
	r := record(t, store, run)
	donor := r.iterations[1][r.at(t, 1, schema.KindSelection, 0)]
	r.insert(t, 1, schema.KindSelection, 0)
	twice, run := r.write(t, nil)
	wantVerdicts(t, judge(t, twice, run, replay.Scope{}), "===== ==≠== =====")

	plain := smallRun(t)
	plain.iterations[1] = append(plain.iterations[1], donor)
	more, run := plain.write(t, nil)
	wantVerdicts(t, judge(t, more, run, replay.Scope{}), "==== ====! ==== ====")
}

// TestDamagedSelection destroys the selection of iteration 1: the rest of that iteration cannot be judged, while the
// next selection, which compares with the recorded options, can.
func TestDamagedSelection(t *testing.T) {
	for _, rule := range []schema.Select{"top=3", "novel=0.8"} {
		whole, run := perform(t, replay.Job{Spec: selecting(t, rule), Target: 4})
		its := iterationsOf(t, whole, run.ID)
		for how, damage := range damages {
			t.Run(fmt.Sprint(rule, ", ", how), func(t *testing.T) {
				store := copyStore(t, whole.Path())
				spoil(t, store, damage(its[1].RecordsOf(schema.KindSelection)[0]))
				wantVerdicts(t, judge(t, store, run, replay.Scope{}), "===== ==!?? ===== =====")
			})
		}
		store := copyStore(t, whole.Path())
		spoil(t, store, damages["missing"](its[1].RecordsOf(schema.KindOption)[0]))
		want := map[schema.Select]string{"top=3": "===== ===!? ??==? ??==?", "novel=0.8": "===== ===!? ???=? ???=?"}[rule]
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), want)
	}
}

// TestSelectionsComeBack: lost records are computed again, and pruning drops no
// selection.
func TestSelectionsComeBack(t *testing.T) {
	for _, rule := range recordedRules {
		whole, run := perform(t, replay.Job{Spec: selecting(t, rule), Target: 4})
		its := iterationsOf(t, whole, run.ID)
		random := rand.New(rand.NewPCG(8, 4))
		for round := range 6 {
			store := copyStore(t, whole.Path())
			var names []schema.Digest
			for k := range its {
				names = append(names, its[k].RecordsOf(schema.KindSelection)...)
			}
			if round > 0 {
				names = namesOf(its)
				random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				names = names[:1+random.IntN(len(names))]
			}
			lose(t, store, random, names...)
			restored, err := replay.Restore(context.Background(), store, run, everything, replay.Options{})
			ok(t, err)
			if len(restored.Lost) > 0 {
				t.Errorf("%s, round %d: lost %v", rule, round, restored.Lost)
			}
			wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(4, "====="))
		}
		for name, keep := range keepings {
			store := copyStore(t, whole.Path())
			prune(t, store, run, keep)
			wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(4, "====="))
			view(t, store, func(tx *tracker.Tx) error {
				if _, err := tx.ReadRecord(its[1].RecordsOf(schema.KindSelection)[0]); err != nil {
					t.Errorf("%s, pruned to %s: %v", rule, name, err)
				}
				return nil
			})
		}
	}
}

// TestSelectionForks: a fork may go on with another rule, with a record or without.
func TestSelectionForks(t *testing.T) {
	for _, c := range []struct {
		from, to schema.Select
		want     string
	}{
		{"novel=0.8", schema.Threshold, "===== ===== ==== ===="},
		{schema.Threshold, "novel=0.8", "==== ==== ===== ====="},
		{"top=3", "sample=2", all(4, "=====")},
	} {
		store, parent := perform(t, replay.Job{Spec: selecting(t, c.from), Target: 4})
		child := fork(t, store, parent, 2, 4, func(s *schema.Spec) { s.Select, s.Kappa = c.to, 1 })
		wantVerdicts(t, judge(t, store, child, replay.Scope{}), c.want)
	}
}
