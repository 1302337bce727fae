package replay_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// audit asks why of an option.
func audit(t testing.TB, store *tracker.Store, run tracker.Run, k, j, sign int) (*why.Report, error) {
	t.Helper()
	ctx := context.Background()
	opened, err := report.Open(ctx, store, run.ID.String())
	ok(t, err)
	return why.Explain(ctx, opened, why.Question{Ref: report.Ref{K: k, J: j, Sign: sign}})
}

// told returns a chain with a word a link: k, what, and a mark where it does not hold.
func told(r *why.Report) string {
	var words []string
	for _, p := range r.Chain {
		word := fmt.Sprintf("%d:%s", p.K, p.What)
		if !p.Verified {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestChains names every record and link from the data to the head, those of ancestors among them.
func TestChains(t *testing.T) {
	written, published := small(), small()
	ok(t, published.SetReading("as-published"))
	for name, c := range map[string]struct {
		spec schema.Spec
		want string
	}{
		"ancestors": {
			written, "0:transitions 0:factors 1:transitions 1:factors 1:value 1:option 0:link 1:link 2:head",
		},
		"cumulative": {
			published, "0:transitions 0:factors 1:transitions 1:factors 1:value 1:option 0:link 1:link 2:head",
		},
	} {
		store, run := perform(t, replay.Job{Spec: c.spec, Target: 3})
		r, err := audit(t, store, run, 1, 1, -1)
		ok(t, err)
		if got := told(r); got != c.want || !r.Verified() {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		its := iterationsOf(t, store, run.ID)
		if last := r.Chain[len(r.Chain)-1]; last.Digest != its[2].Link {
			t.Errorf("%s: the chain ends at %s, the head is %s", name, last.Digest, its[2].Link)
		}
		for _, p := range r.Chain {
			entry := func(e schema.Entry) bool { return e.Name == p.Digest && string(e.Kind) == p.What }
			if p.What != "link" && p.What != "head" && !slices.ContainsFunc(its[p.K].Records, entry) {
				t.Errorf("%s: iteration %d lists no %s record %s", name, p.K, p.What, p.Digest)
			}
		}
	}
}

// TestForkChains audits options from before and after the iteration that a fork
// begins with, each by the spec that made it.
func TestForkChains(t *testing.T) {
	for name, change := range map[string]func(*schema.Spec){
		"kappa": kappa(9),
		"basis": func(s *schema.Spec) { s.Basis = schema.RowsOfV },
	} {
		store, parent := perform(t, replay.Job{Spec: small(), Target: 3})
		child := fork(t, store, parent, 2, 4, change)
		for k := range 4 {
			r, err := audit(t, store, child, k, 1, 1)
			ok(t, err)
			if made := child.SpecAt(k); r.Purpose.Kappa != made.Kappa || r.Purpose.Basis != made.Basis ||
				!r.Verified() {
				t.Errorf("%s, iteration %d: κ %v, basis %s: %s", name, k, r.Purpose.Kappa, r.Purpose.Basis, told(r))
			}
			if k > 2 && len(r.Ancestors) == 0 {
				t.Errorf("%s, iteration %d: no ancestors", name, k)
			}
		}
	}
}

// TestInterruptedChain audits what a run that was stopped has recorded, and
// refuses the iteration that it was at.
func TestInterruptedChain(t *testing.T) {
	store := newStore(t, tracker.Options{})
	job := replay.Job{Spec: small(), Target: 3}
	out, done := interrupt(t, store, job, 25)
	if done || out.Iterations < 1 || out.Iterations > 2 {
		t.Fatalf("stopped after %d iterations", out.Iterations)
	}
	run := runOf(t, store, out.Run)
	r, err := audit(t, store, run, out.Iterations-1, 1, 1)
	ok(t, err)
	if !r.Verified() || r.Chain[len(r.Chain)-1].Digest != out.Head {
		t.Errorf("%s, to %s", told(r), r.Chain[len(r.Chain)-1].Digest)
	}
	if _, err := audit(t, store, run, out.Iterations, 1, 1); err == nil ||
		!strings.Contains(schema.Remedy(err), "until it has") {
		t.Errorf("the iteration under way: %v, %q", err, schema.Remedy(err))
	}
}

// TestForgedChains plants one lie at a time, with digests and links that follow
// from it.
func TestForgedChains(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	honest := record(t, store, run)
	first := func(t testing.TB, r *recording, k int, change func(*schema.Factors)) {
		edit(t, r, k, schema.KindFactors, 0, schema.DecodeFactors, change)
	}
	for name, c := range map[string]struct {
		forge func(testing.TB, *recording)
		want  string // what does not hold
	}{
		"a purpose": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) {
				o.Purpose.Vector[2] = flip(o.Purpose.Vector[2], 0)
			})
		}, "1:option!"},
		"its σ": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) { o.Purpose.Sigma++ })
		}, "1:option!"},
		"a cycle": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) {
				o.Policy[9], o.Policy[10] = 1, 0
			})
		}, "1:option!"},
		"its reach": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) { *o.Certificate.Reach++ })
		}, "1:option!"},
		"its longest path": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) { o.Certificate.Longest-- })
		}, "1:option!"},
		"counts": {func(t testing.TB, r *recording) {
			first(t, r, 1, func(f *schema.Factors) {
				f.Counts[0]++
				f.Counts[slices.Index(f.Counts, slices.Max(f.Counts[1:]))]--
			})
		}, "1:factors!"},
		"a row": {func(t testing.TB, r *recording) {
			first(t, r, 1, func(f *schema.Factors) { f.Rows[len(f.Rows)-1] = schema.SparseRow{{Value: 2}} })
		}, "1:factors!"},
		"a direction": {func(t testing.TB, r *recording) {
			first(t, r, 1, func(f *schema.Factors) { f.V[len(f.V)-1] = flip(f.V[len(f.V)-1], 0) })
		}, "1:factors!"},
		"a direction that was selected": {func(t testing.TB, r *recording) {
			first(t, r, 1, func(f *schema.Factors) { f.V[0] = flip(f.V[0], 0) })
		}, "1:factors! 1:option!"},
		"a policy": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) {
				for s, a := range o.Policy {
					if a != schema.Terminate {
						o.Policy[s] = 1 - a
					}
				}
			})
		}, "1:option!"},
		"a certificate": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) { *o.Certificate.Reach++ })
		}, "1:option!"},
		"a value": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindValue, 0, schema.DecodeValue, func(v *schema.Value) { clear(*v) })
		}, "1:option!"},
		"factors of an ancestor": {func(t testing.TB, r *recording) {
			edit(t, r, 0, schema.KindFactors, 0, schema.DecodeFactors, func(f *schema.Factors) {
				f.V[0] = flip(f.V[0], 0)
			})
		}, "0:factors!"},
		"a step": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindTransitions, 0, schema.DecodeTransitions, func(x *schema.Transitions) {
				x.Actions[len(x.Actions)-1] ^= 1
			})
		}, "1:factors!"},
	} {
		t.Run(name, func(t *testing.T) {
			forged := honest.clone()
			c.forge(t, forged)
			store, run := forged.write(t, nil)
			r, err := audit(t, store, run, 1, 1, 1)
			ok(t, err)
			broken := slices.DeleteFunc(strings.Fields(told(r)), func(word string) bool {
				return !strings.HasSuffix(word, "!")
			})
			if got := strings.Join(broken, " "); got != c.want || r.Verified() {
				t.Errorf("does not hold: %s, want %s", got, c.want)
			}
		})
	}
}

// TestForgedLinks replaces a link by another. Links before it do not matter to an option that was found after it,
// unless its ancestors are asked for.
func TestForgedLinks(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	honest := record(t, store, run)
	store, run = honest.write(t, func(k int, link schema.Digest) schema.Digest {
		if k == 1 {
			link[0]++
		}
		return link
	})
	for _, c := range []struct {
		k    int
		want string
	}{
		{0, "0:transitions 0:factors 0:value 0:option 0:link 1:link! 2:head"},
		{1, "0:transitions 0:factors 1:transitions 1:factors 1:value 1:option 0:link 1:link! 2:head"},
		{
			2,
			"0:transitions 0:factors 1:transitions 1:factors 2:transitions 2:factors 2:value 2:option 0:link " +
				"1:link! 2:head",
		},
	} {
		r, err := audit(t, store, run, c.k, 1, 1)
		ok(t, err)
		if got := told(r); got != c.want {
			t.Errorf("option of iteration %d: %s, want %s", c.k, got, c.want)
		}
	}
}

// TestUnusableRecords refuses what cannot be audited, as damage, and says where.
func TestUnusableRecords(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 3})
	honest := record(t, store, run)
	for name, c := range map[string]struct {
		forge func(testing.TB, *recording)
		where string
	}{
		"fewer options than purposes": {func(t testing.TB, r *recording) {
			last := r.count(0, schema.KindOption) - 1
			r.iterations[0] = slices.Delete(r.iterations[0], r.at(t, 0, schema.KindOption, last),
				r.at(t, 0, schema.KindOption, last)+1)
		}, "iteration 0"},
		"fewer purposes than options": {func(t testing.TB, r *recording) {
			edit(t, r, 0, schema.KindFactors, 0, schema.DecodeFactors, func(f *schema.Factors) { clear(f.Sigma[1:]) })
		}, "iteration 0"},
		"fewer values": {func(t testing.TB, r *recording) {
			r.iterations[1] = slices.Delete(r.iterations[1], r.at(t, 1, schema.KindValue, 0),
				r.at(t, 1, schema.KindValue, 0)+1)
		}, "iteration 1"},
		"no factors": {func(t testing.TB, r *recording) {
			r.iterations[1] = slices.Delete(r.iterations[1], r.at(t, 1, schema.KindFactors, 0),
				r.at(t, 1, schema.KindFactors, 0)+1)
		}, "iteration 1"},
		"an option there is not": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindTransitions, 0, schema.DecodeTransitions, func(x *schema.Transitions) {
				x.Spans[0].Option = 999
			})
		}, "iteration 1"},
		"states there are not": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindTransitions, 0, schema.DecodeTransitions, func(x *schema.Transitions) {
				x.Start = 1 << 40
			})
		}, "iteration 1"},
		"a resetting agent": {func(t testing.TB, r *recording) {
			edit(t, r, 0, schema.KindTransitions, 0, schema.DecodeTransitions,
				func(x *schema.Transitions) { x.Episodes = []schema.Episode{{Step: 3}} })
		}, "iteration 0"},
		"another model's option": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindOption, 0, schema.DecodeOption, func(o *schema.Option) { o.Policy = o.Policy[1:] })
		}, "iteration 1"},
		"another model's values": {func(t testing.TB, r *recording) {
			edit(t, r, 1, schema.KindValue, 0, schema.DecodeValue, func(v *schema.Value) { *v = (*v)[1:] })
		}, "iteration 1"},
		"bytes that are no record": {func(t testing.TB, r *recording) {
			r.iterations[1][r.at(t, 1, schema.KindOption, 0)].data = []byte("no record")
		}, "iteration 1"},
	} {
		t.Run(name, func(t *testing.T) {
			forged := honest.clone()
			c.forge(t, forged)
			store, run := forged.write(t, nil)
			_, err := audit(t, store, run, 1, 1, 1)
			if !errors.Is(err, tracker.ErrDamaged) || !strings.Contains(err.Error(), c.where) ||
				schema.Remedy(err) == "" {
				t.Errorf("%v, %q; want damage in %s", err, schema.Remedy(err), c.where)
			}
		})
	}
}

// TestCancelledAudit ends without a report.
func TestCancelledAudit(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: small(), Target: 2})
	ctx, cancel := context.WithCancel(context.Background())
	opened, err := report.Open(ctx, store, run.ID.String())
	ok(t, err)
	cancel()
	if r, err := why.Explain(ctx, opened, why.Question{Ref: report.Ref{K: 1, J: 1, Sign: 1}}); r != nil ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
}
