package replay_test

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// plain returns a run of a plain D: (3,0) four times, (0,2) once. DᵀD is (36 0; 0 4).
func plain(t testing.TB) (*tracker.Store, tracker.Run) {
	t.Helper()
	rows := schema.Rows{Dims: 2, Total: 5, Rows: []float64{0, 2, 3, 0}, Counts: []int64{1, 4}}
	record, err := rows.Encode()
	ok(t, err)
	spec := pod.PaperSpec()
	spec.Env, err = envs.DefaultEnv(envs.RowsName)
	ok(t, err)
	spec.Env.Params[envs.FeaturesParameter], spec.Steps = 2, rows.Total
	spec.Data, err = schema.DataDigest([]schema.Entry{{Kind: schema.KindRows, Name: schema.Name(record)}})
	ok(t, err)
	return perform(t, replay.Job{Spec: spec, Target: 1, Data: [][]byte{record}})
}

// TestPlainChain audits a purpose without an option, of rows without steps.
func TestPlainChain(t *testing.T) {
	store, run := plain(t)
	r, err := audit(t, store, run, 0, 1, 1)
	ok(t, err)
	if got := told(r); got != "0:rows 0:factors 0:head" || !r.Verified() {
		t.Errorf("the chain is %s", got)
	}
	if r.Number != nil || r.Acts != nil || len(r.Sources)+len(r.After)+len(r.Ancestors) != 0 ||
		math.Abs(r.Purpose.Sigma-6) > 1e-12 {
		t.Errorf("σ is 6, and there is nothing to act: %+v", r)
	}
	if e := r.Evidence[0]; e.Share != 1 || e.Support != 1 || e.Count != 4 || len(e.Steps) != 0 {
		t.Errorf("(3,0) is all of the evidence: %+v", e)
	}
}

// TestForgedRows changes what was given, or what was made of it.
func TestForgedRows(t *testing.T) {
	store, run := plain(t)
	for name, forge := range map[string]func(*recording){
		"counts": func(r *recording) {
			edit(t, r, 0, schema.KindRows, 0, schema.DecodeRows, func(x *schema.Rows) { x.Counts = []int64{2, 3} })
		},
		"a row": func(r *recording) {
			edit(t, r, 0, schema.KindRows, 0, schema.DecodeRows, func(x *schema.Rows) { x.Rows[1] = 3 })
		},
		"factors": func(r *recording) {
			edit(t, r, 0, schema.KindFactors, 0, schema.DecodeFactors,
				func(f *schema.Factors) { f.Counts = []int64{2, 3} })
		},
	} {
		forged := record(t, store, run)
		forge(forged)
		there, run := forged.write(t, nil)
		r, err := audit(t, there, run, 0, 1, 1)
		ok(t, err)
		if got := told(r); got != "0:rows 0:factors! 0:head" || r.Verified() {
			t.Errorf("%s: the chain is %s", name, got)
		}
	}
}
