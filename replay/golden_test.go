package replay_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

var updateGolden = flag.Bool("update-golden", false, "make the golden store of this format version, if there is none")

// goldenPath is the store that the first program of this format version made.
var goldenPath = filepath.Join("testdata", fmt.Sprintf("format-%d.db", schema.FormatVersion))

// goldenRun is what a run has in that store, and the head that it reaches with one iteration more.
type goldenRun struct {
	status     tracker.Status
	iterations int
	head, next string
}

// goldenRuns are the runs in the store, by name.
var goldenRuns = map[string]goldenRun{
	"whole": {
		tracker.Complete, 2, "dbc0f82dd49094ee42b4a0274ef62246b8d99ce700aa3f6d3e20ea4d5d94b195",
		"1d258701c84b6ac1abf0205c308096daf69a586e80154e1c14aae8752cbe84c4",
	},
	"forked": {
		tracker.Complete, 3, "99e46f346d45d83419403ac34f5c1806a2d2ff9143ed3fa884a5748c9979bbae",
		"d9c71b319a41b93ab641dfb24105a7b43ab371bcf8519084e36ed32d971a751e",
	},
	"pruned": {
		tracker.Complete, 3, "f89d3053da969a057c2b4bca3712ad4b07560707231ae46722cfff430047d5f5",
		"2c4f277c6ae6b93d2ea41f344ed76fb227177f417248500852ca76a700da55c6",
	},
	"stopped": {
		tracker.Interrupted, 1, "68d7dad4afe9e1b8b465f23068bb1b3a38a35b808338a822ea73b1c1edfee38b",
		"42f8e7b9364107a0fd7199070511df06f3d3e83b6cde40c0bd3a28ac98961bb9",
	},
	"vanished": {
		tracker.Interrupted, 1, "8f0d6611203b081fa450de988f053a5f97dd184e300e579a0efd477a62f0a81e",
		"c9b551ee2dc274d431117a3edda34111ca08b36f0235e6806a8530ea1b79a6d6",
	},
	"left-out": {
		tracker.Complete, 2, "8d44711eab9e5a2284a3c38e3b32da49ebbc5794972d4605c8129994e57d5d4f",
		"932d5d6efad1fb54439f2b85fc49cc9ca347708a281f6e5cf7b3cc6c0f61652e",
	},
	"scaled": {
		tracker.Complete, 2, "a8647dfc99b10c3a69c03f956f201a1fa64cc682cbadff82a37e98ec8f52ae96",
		"ae2527ec97fd0a51e6cd57b67250a64439e8c54359700712cdd8b44ef17874c7",
	},
	"rewarded": {
		tracker.Complete, 2, "a30a92161a51060d1153b279da89bfb49747109b2142db33bc2125d6ecd06acb",
		"378f574dad11f3157208f1e30cc252727fea6d11e40b46bf30569ee537ba2f0b",
	},
	"external-stages": {
		tracker.Complete, 2, "605b2c7b59c281ee75b92e4b97840423652974e487980c4f42751ed88326555b",
		"c62ca3dfae18d41cb89d12e78e5e5a9a11166ee94c02ecbbd1ea61a9159f5e44",
	},
	"measured": {
		tracker.Complete, 2, "5c0941a93a6afc31d905b7bc8fe0e9aef3745a92f4d6b634ab1805c9d16ddfce",
		"d12cee1366f258393414caa4b52a45378ec178186dd85fc2c4a0479f31285fe4",
	},
}

// goldenSessions says how the sessions of runs ended. A run that is not listed had one session, which completed it.
var goldenSessions = map[string][]tracker.SessionState{
	"stopped": {tracker.SessionSignal}, "vanished": {tracker.SessionComplete, tracker.SessionVanished},
}

func TestGoldenSessions(t *testing.T) {
	store := copyStore(t, goldenPath)
	for _, r := range selected(t, store) {
		view(t, store, func(tx *tracker.Tx) error {
			sessions, err := tx.ReadSessions(r.ID)
			var states []tracker.SessionState
			for _, s := range sessions {
				states = append(states, s.State)
			}
			want := goldenSessions[r.Name]
			if want == nil {
				want = []tracker.SessionState{tracker.SessionComplete}
			}
			if !slices.Equal(states, want) {
				t.Errorf("%s: sessions %v", r.Name, states)
			}
			if last := sessions[len(sessions)-1]; r.Name == "stopped" &&
				(last.Signal != "SIGTERM" || last.Stage != stages.Learn || last.Part == 0 || last.To != 1) {
				t.Errorf("%s: %+v", r.Name, last)
			}
			return err
		})
	}
}

// goldenEvaluations are the SHA-256 of the steps, u32 little-endian, that agents take with the options of the run
// "whole": one goal by "one", two tasks by "many".
var goldenEvaluations = []struct {
	tasks     string
	algorithm task.Algorithm
	steps     string
}{
	{"one", task.SMDP, "8fe6027299873c173b23eff768ea91dad8974cfa943f630b91bccc7f3c4a9c4d"},
	{"one", task.IntraOption, "a5ae93e4da271e41fefec1a8d1efb1d90c901c1b340d760aef334f7727072c19"},
	{"many", task.SMDP, "424d5b2e04b833caf6888e0c4d4b7246141f571902f126738575d6b405dde0c8"},
	{"many", task.IntraOption, "89aee8b2983e8e9bcd79cc510ebcd054917f3791c86675679f53ea4f8ea9d26e"},
	{"many", task.Published, "ac05df50729555782b646de5f1bf260bcd91b611725b9f7e807c67de5fdd57bf"},
}

// goldenEvaluation returns the spec of one.
func goldenEvaluation(tasks string, algorithm task.Algorithm) task.Spec {
	spec := task.DefaultSpec(9)
	spec.Algorithm, spec.Against = algorithm, []string{task.AgainstPrimitives, task.AgainstRandom}
	if tasks == "one" {
		spec.Interrupt = algorithm == task.SMDP
		spec.Start, spec.Episodes, spec.Seeds = 100, 20, []uint64{0, 1, 2}
		return spec
	}
	spec.Episodes, spec.Seeds = 12, []uint64{0, 5}
	if algorithm == task.Published {
		spec.Epsilon = task.PublishedEpsilon
	}
	return spec.NewTasks([]task.TaskStates{{Goal: 9, Start: 30}, {Goal: 40, Start: task.AnyStart}})
}

// TestGoldenEvaluations: what a version computed is what every later one computes. TestNumpyLearns in package e2e
// compares the algorithms with an independent program.
func TestGoldenEvaluations(t *testing.T) {
	store := copyStore(t, goldenPath)
	runs := selected(t, store)
	whole := runs[slices.IndexFunc(runs, func(r report.Run) bool { return r.Name == "whole" })]
	s, err := evaluate.Open(t.Context(), store, whole.Source, evaluate.Choice{})
	ok(t, err)
	for _, g := range goldenEvaluations {
		e, err := s.Evaluate(t.Context(), goldenEvaluation(g.tasks, g.algorithm), nil)
		ok(t, err)
		var steps []byte
		for _, n := range e.Steps {
			steps = binary.LittleEndian.AppendUint32(steps, n)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(steps)); got != g.steps {
			t.Errorf("%s, %s: steps %s, want %s", g.tasks, g.algorithm, got, g.steps)
		}
	}
}

// TestGoldenStore opens the store that the first program of this format version made: every run in it
// replays identical, can be read and goes on, and leaves the store sound.
func TestGoldenStore(t *testing.T) {
	if *updateGolden {
		makeGolden(t)
		return // one of its runs is being worked on, by this process
	}
	store := copyStore(t, goldenPath)
	checkGoldenStudy(t, store)
	runs := selected(t, store)
	if len(runs) != len(goldenRuns) {
		t.Errorf("%d runs, want %d", len(runs), len(goldenRuns))
	}
	for _, r := range runs {
		want := goldenRuns[r.Name]
		if r.Head == nil || r.Head.String() != want.head || r.Iterations != want.iterations || r.Status != want.status {
			t.Errorf("%s: %s, %d iterations, head %s, want %v", r.Name, r.Status, r.Iterations, r.Head, want)
		}
		judgeGolden(t, store, r, r.Iterations)
		readGolden(t, store, r)
		if r.Keep != nil { // it is complete, and lacks what it needs to go on
			_, err := replay.Unprune(t.Context(), store, r.Source, replay.Options{})
			ok(t, err)
		}
		out, _ := runStopped(t, goldenEnv, store,
			replay.Job{Spec: r.Spec, Start: r.Source.Start, Target: r.Iterations + 1}, 0)
		ok(t, out.Err)
		if out.Run != r.ID || out.Head.String() != want.next {
			t.Errorf("%s: one iteration more gives head %s of run %s, want %s", r.Name, out.Head, out.Run, want.next)
		}
		judgeGolden(t, store, r, r.Iterations+1)
	}
	found, err := check.Run(t.Context(), store, check.Options{})
	ok(t, err)
	if !found.Intact() {
		t.Errorf("damaged: %v", found.Damaged)
	}
}

// goldenEnv is the environment of runs in another process. It must not change.
var goldenEnv = elsewhere{cells: 30, rewards: true}

// judgeGolden replays a run, which must have that many identical iterations.
func judgeGolden(t *testing.T, store *tracker.Store, r report.Run, iterations int) {
	t.Helper()
	with := replay.Options{Launcher: goldenEnv, Stages: goldenStages}
	j, err := replay.Verify(t.Context(), store, r.Source, replay.Scope{}, with)
	ok(t, err)
	stages := "===="
	if r.Spec.RecordsSelection() {
		stages = "====="
	}
	wantVerdicts(t, j, all(iterations, stages))
}

func selected(t *testing.T, store *tracker.Store) (runs []report.Run) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) (err error) {
		runs, err = report.Select(tx, nil)
		return err
	})
	return runs
}

// readGolden reads what ls, show and options print.
func readGolden(t *testing.T, store *tracker.Store, r report.Run) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) error {
		d, err := report.Describe(tx, r)
		if err != nil {
			return err
		}
		options, err := report.LoadOptions(tx.View, r.Source)
		if pruned := r.Name == "pruned"; pruned || err != nil {
			if n, _ := d.Pruned(); !pruned || !errors.Is(err, tracker.ErrPruned) || n == 0 || r.Keep == nil ||
				len(r.Keep.Kinds) != 1 {
				t.Errorf("%s: options %v, %d records pruned, kept %v", r.Name, err, n, r.Keep)
			}
			return nil
		}
		total := 0
		for _, it := range d.History {
			total += int(it.Options)
		}
		if len(d.History) != r.Iterations || len(d.Sessions) == 0 || len(options) != total || total == 0 {
			t.Errorf("%s: %d iterations, %d sessions, %d of %d options", r.Name, len(d.History), len(d.Sessions),
				len(options), total)
		}
		checkpoint, err := tx.ReadCheckpoint(r.ID)
		if (checkpoint != nil) != (r.Name == "stopped") {
			t.Errorf("%s: checkpoint %v", r.Name, checkpoint)
		}
		return err
	})
	if parent := r.Parent(); (parent != "") != (r.Name == "forked") {
		t.Errorf("%s: parent %q", r.Name, parent)
	}
	if noted := len(r.Tags) == 1 && r.Tags[0] == "small" && r.Note == "the first"; noted != (r.Name == "whole") {
		t.Errorf("%s: tags %v, note %q", r.Name, r.Tags, r.Note)
	}
}

// leaveGolden leaves a run that a signal stopped while it learned, and a run whose lease a process took and never
// released.
func leaveGolden(t *testing.T, store *tracker.Store, spec schema.Spec) {
	spec.Seed = 2
	ctx, stop := context.WithCancelCause(t.Context())
	w := groupcommit.Start(t.Context(), store)
	engine := replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
		if e.K == 1 && e.Stage == stages.Learn && e.Done == 2 {
			stop(replay.SignalError{Name: "SIGTERM"})
		}
	}})
	engine.Run(ctx, replay.Job{Spec: spec, Target: 2, Name: "stopped"}, func(replay.Outcome) {})
	ok(t, w.Close(t.Context()))
	spec.Seed = 3
	runJobs(t, store, []replay.Job{{Spec: spec, Target: 1, Name: "vanished"}}, 1)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	w = groupcommit.Start(ctx, store)
	_, _, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: 2, Session: &tracker.Session{}})
	ok(t, err)
	ok(t, w.Flush(ctx))
}

// makeGolden makes a complete run, a pruned one, and one of each other kind. They are as small as they can be while
// some of their tables are stored by their stretches.
func makeGolden(t *testing.T) {
	if _, err := os.Stat(goldenPath); err == nil {
		t.Fatalf("%s is there: what a version wrote is never written again", goldenPath)
	}
	store := newStore(t, tracker.Options{})
	spec := small()
	spec.Env.Params["bits"], spec.Steps = 7, 200
	whole := replay.Job{Spec: spec, Target: 2, Name: "whole"}
	spec.Seed = 1
	ok(t, spec.SetReading("as-published"))
	keep := tracker.Retention{Kinds: []schema.Kind{schema.KindOption}}
	runJobs(t, store, []replay.Job{whole, {Spec: spec, Target: 3, Name: "pruned", Keep: &keep}}, 1)
	for _, r := range selected(t, store) {
		if r.Name == "whole" {
			describeGolden(t, store, r)
		}
	}
	whole.Spec.LeaveOut, whole.Name = []uint64{0, 3}, "left-out"
	runJobs(t, store, []replay.Job{whole}, 1)
	whole.Spec.LeaveOut, whole.Spec.FeatureScale, whole.Name = nil, schema.RMS, "scaled"
	runJobs(t, store, []replay.Job{whole}, 1)
	for name, spec := range map[string]schema.Spec{
		"rewarded": goldenEnv.spec(schema.Empirical), "external-stages": goldenStagesSpec, "measured": goldenMeasuredSpec,
	} {
		runStopped(t, goldenEnv, store, replay.Job{Spec: spec, Target: 2, Name: name}, 0)
	}
	_, err := backup.Compact(t.Context(), store, nil)
	ok(t, err)
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error { return tx.SetStudy(goldenStudy()) }))
	leaveGolden(t, store, spec)
	data := readFile(t, store.Path())
	ok(t, os.WriteFile(goldenPath, data, 0o666))
	t.Logf("%s: %d bytes", goldenPath, len(data))
}

// goldenStudy is a study of one setting, whose first variant has the runs of small.
func goldenStudy() *runset.Plan {
	other := small()
	other.Env.Params["bits"], other.Steps = 7, 200
	spec := other
	other.Kappa = 2
	return &runset.Plan{Specs: []schema.Spec{spec, other}, Seeds: runset.SeedSet(0), Iterations: 2, Study: &runset.Study{
		Name: "golden", Title: "Which κ?", Baselines: []string{"κ 1"}, Correction: runset.Holm,
		Settings: []runset.Setting{{Name: "ring", Outcome: runset.Outcome{Measure: "distance", Over: runset.OverMean}}},
		Variants: []runset.Variant{{Name: "κ 1", Label: "POD"}, {Name: "κ 2"}},
		Cells:    []runset.Cell{{Variant: 0}, {Variant: 1}},
	}}
}

// checkGoldenStudy checks the study of a golden store.
func checkGoldenStudy(t *testing.T, store *tracker.Store) {
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		got, _, err := tx.ReadStudy("golden")
		if err != nil {
			return err
		}
		want, err := goldenStudy().Encode()
		ok(t, err)
		if encoded, err := got.Encode(); err != nil || !bytes.Equal(encoded, want) {
			t.Errorf("another study: %+v, %v", got.Study, err)
		}
		places, err := tx.MembershipsOf(tracker.Run{Spec: goldenStudy().Specs[0]})
		if len(places) != 1 || places[0].Variant.Name != "κ 1" {
			t.Errorf("the run of small is at %v", places)
		}
		return err
	}))
}

// describeGolden gives a run a tag, a note and a fork.
func describeGolden(t *testing.T, store *tracker.Store, r report.Run) {
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		return errors.Join(tx.AddTag(r.ID, "small"), tx.SetNote(r.ID, "the first"))
	}))
	job := forkJob(t, store, r.Source, 1, 3, kappa(3))
	job.Name = "forked"
	runJobs(t, store, []replay.Job{job}, 1)
}
