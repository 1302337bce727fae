package replay_test

import (
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

var updateGolden = flag.Bool("update-golden", false, "make the golden store of this format version, if there is none")

// golden is what the stores hold, one of each format version. A run is named;
// it has a status, a number of iterations and a head, and reaches another head
// with one iteration more.
var golden = []struct {
	path string
	runs map[string]goldenRun
}{
	{"format-1.db", map[string]goldenRun{
		"written": {
			tracker.Complete, 2, "4657a9034d6240a41e9ab049640fc151c261ad367aae33b7588b05bdc78a9d16",
			"1e880a83096b7047474aa3d46f956823fa1b921a53fce00d6b360871cc643fbd",
		},
		"published": {
			tracker.Complete, 2, "a87f5ce6c6257f6baa92fb81da9134b9153729db1f0ff4bda33544e30af661ed",
			"0c43e966448de2cdce06d0cc7fbe9727692af8527c06cebb8ff06bb62047abfc",
		},
		"forked": {
			tracker.Complete, 3, "ef341864904363ec640a1fab2453a1f4ae66274b32654b690b0ee10ae9b72015",
			"a8ae4e7c5387b1144e7f8e833ad1626762fcf02ac9800ad6d9f9d4b789114e51",
		},
		"stopped": {
			tracker.Interrupted, 1, "7135ec2a99d67176f52ba2c1bbc4cf10f24bc74b997e1848e4f83b18827a279b",
			"53853176fb4f9ad1745749ce5f40e06978b79926076aa2de379b78dde2d286c2",
		},
	}},
	{"format-2.db", map[string]goldenRun{
		"whole": {
			tracker.Complete, 2, "4657a9034d6240a41e9ab049640fc151c261ad367aae33b7588b05bdc78a9d16",
			"1e880a83096b7047474aa3d46f956823fa1b921a53fce00d6b360871cc643fbd",
		},
		"pruned": {
			tracker.Complete, 3, "45ebbe3244b86935e6940395f4d558955c2287099524290acfe07f8a4ed7237d",
			"f7ee9b13db9fe2cb768ff755be11383487df73b287ce6d662990f065752612ba",
		},
	}},
	{"format-3.db", map[string]goldenRun{
		"whole": {
			tracker.Complete, 2, "aad61db84b1cbffaf30a215ac7f38a2a1aa386aa76e974da0c969cc8f608ac7c",
			"d62591a9e568076698bce82402b2322188900974b8671673116cf85ebdd55ac9",
		},
		"pruned": {
			tracker.Complete, 3, "58d1d137d88790ae70a71b798aadf03d730aeda67887dd5afcf3d105b2a837df",
			"4cf35820a3ebe990857984b1385c519ab333a15eb02a59e48842c8fa99546197",
		},
	}},
	{"format-4.db", map[string]goldenRun{ // the same runs, and evaluations of the whole one
		"whole": {
			tracker.Complete, 2, "aad61db84b1cbffaf30a215ac7f38a2a1aa386aa76e974da0c969cc8f608ac7c",
			"d62591a9e568076698bce82402b2322188900974b8671673116cf85ebdd55ac9",
		},
		"pruned": {
			tracker.Complete, 3, "58d1d137d88790ae70a71b798aadf03d730aeda67887dd5afcf3d105b2a837df",
			"4cf35820a3ebe990857984b1385c519ab333a15eb02a59e48842c8fa99546197",
		},
	}},
	{"format-5.db", runsOfFormat5},
	{"format-6.db", runsOfFormat6},
	{"format-7.db", runsOfFormat7},
	{"format-8.db", runsOfFormat8},
	{"format-9.db", runsOfFormat9},
	{"format-10.db", runsOfFormat10},
	{"format-11.db", runsOfFormat11},
}

// The runs of the latest stores: those of format 4, and some that were left; and for each format since
// then the run that needs it.
var (
	runsOfFormat5 = map[string]goldenRun{
		"whole": {
			tracker.Complete, 2, "aad61db84b1cbffaf30a215ac7f38a2a1aa386aa76e974da0c969cc8f608ac7c",
			"d62591a9e568076698bce82402b2322188900974b8671673116cf85ebdd55ac9",
		},
		"pruned": {
			tracker.Complete, 3, "58d1d137d88790ae70a71b798aadf03d730aeda67887dd5afcf3d105b2a837df",
			"4cf35820a3ebe990857984b1385c519ab333a15eb02a59e48842c8fa99546197",
		},
		"stopped": {
			tracker.Interrupted, 1, "06321de04302b07a888da7feade89ac8253b0dac4bd9e882d25c4e774ee28d02",
			"0dd7357b5409790b76e518af7bf0921023b1f0742ad999c29da9afa8a412b0bf",
		},
		"vanished": {
			tracker.Interrupted, 1, "f2a9c11862e459a914e6396ca1626a5fee0378cd9fc1eea49e520d44507f5552",
			"fd990fdc0b7e293024d3df32e9d9a95be76b90e4678610a741d0c2a68757c941",
		},
	}
	runsOfFormat6 = withRun(runsOfFormat5, "left-out", goldenRun{
		tracker.Complete, 2, "14876d808c6bf2eabee50a48fabd6d8fa22bd653a8aceaf80a9ab439789eb531",
		"afc52901b3460fcb165a594acd91ec6257c8052cfb424294dd32ec70be24b9b1",
	})
	runsOfFormat7 = withRun(runsOfFormat6, "numerics-2", goldenRun{
		tracker.Complete, 2, "dbc0f82dd49094ee42b4a0274ef62246b8d99ce700aa3f6d3e20ea4d5d94b195",
		"1d258701c84b6ac1abf0205c308096daf69a586e80154e1c14aae8752cbe84c4",
	})
	runsOfFormat8 = withRun(runsOfFormat7, "scaled", goldenRun{
		tracker.Complete, 2, "a8647dfc99b10c3a69c03f956f201a1fa64cc682cbadff82a37e98ec8f52ae96",
		"ae2527ec97fd0a51e6cd57b67250a64439e8c54359700712cdd8b44ef17874c7",
	})
	runsOfFormat9 = withRun(runsOfFormat8, "rewarded", goldenRun{
		tracker.Complete, 2, "a30a92161a51060d1153b279da89bfb49747109b2142db33bc2125d6ecd06acb",
		"378f574dad11f3157208f1e30cc252727fea6d11e40b46bf30569ee537ba2f0b",
	})
	runsOfFormat10 = withRun(runsOfFormat9, "external-stages", goldenRun{
		tracker.Complete, 2, "605b2c7b59c281ee75b92e4b97840423652974e487980c4f42751ed88326555b",
		"c62ca3dfae18d41cb89d12e78e5e5a9a11166ee94c02ecbbd1ea61a9159f5e44",
	})
	runsOfFormat11 = withRun(runsOfFormat10, "measured", goldenRun{
		tracker.Complete, 2, "5c0941a93a6afc31d905b7bc8fe0e9aef3745a92f4d6b634ab1805c9d16ddfce",
		"d12cee1366f258393414caa4b52a45378ec178186dd85fc2c4a0479f31285fe4",
	})
)

func withRun(runs map[string]goldenRun, name string, run goldenRun) map[string]goldenRun {
	runs = maps.Clone(runs)
	runs[name] = run
	return runs
}

// goldenSessions are how the sessions of the runs in format-5.db ended.
var goldenSessions = map[string][]tracker.SessionState{
	"whole": {tracker.SessionComplete}, "pruned": {tracker.SessionComplete},
	"stopped": {tracker.SessionSignal}, "vanished": {tracker.SessionComplete, tracker.SessionVanished},
}

func TestGoldenSessions(t *testing.T) {
	store := copyStore(t, filepath.Join("testdata", "format-5.db"))
	for _, r := range selected(t, store) {
		view(t, store, func(tx *tracker.Tx) error {
			sessions, err := tx.ReadSessions(r.ID)
			var states []tracker.SessionState
			for _, s := range sessions {
				states = append(states, s.State)
			}
			if !slices.Equal(states, goldenSessions[r.Name]) {
				t.Errorf("%s: sessions %v", r.Name, states)
			}
			if last := sessions[len(sessions)-1]; r.Name == "stopped" &&
				(last.Signal != "SIGTERM" || last.Stage != replay.StageLearn || last.Part == 0 || last.To != 1) {
				t.Errorf("%s: %+v", r.Name, last)
			}
			return err
		})
	}
}

// goldenEvaluations are the evaluations of the run "whole" in format-4.db, and their
// record.
var goldenEvaluations = map[schema.Algorithm]string{
	schema.SMDP:        "7f682d83a5a38d6e6ec01068757accca7e14d526fbdd0bf328542b6a1511fb61",
	schema.IntraOption: "d489252850513c8493d5fccb93751a40d4463ef84459e95f74331512a31b2ea5",
}

// goldenEvaluation returns the spec of one.
func goldenEvaluation(algorithm schema.Algorithm) schema.EvaluationSpec {
	spec := schema.DefaultEvaluation(9)
	spec.Algorithm, spec.Interrupt = algorithm, algorithm == schema.SMDP
	spec.Start, spec.Episodes, spec.Seeds, spec.LeaveOut = 100, 20, []uint64{0, 1, 2}, true
	spec.Schedule, spec.Against = schema.Constant, schema.Baselines[:2] // those that there were
	return spec
}

// TestGoldenEvaluations: what a version computed is what every later one computes.
func TestGoldenEvaluations(t *testing.T) {
	store := copyStore(t, filepath.Join("testdata", "format-4.db"))
	for _, r := range selected(t, store) {
		judged, err := evaluate.Verify(t.Context(), store, r.Source, nil, nil)
		ok(t, err)
		if want := map[string]int{"whole": len(goldenEvaluations)}[r.Name]; len(judged) != want {
			t.Errorf("%s: %d evaluations, want %d", r.Name, len(judged), want)
		}
		for _, j := range judged {
			if !j.Identical {
				t.Errorf("evaluation %s: %s, %s", j.Digest, j.Verdict, j.Reason)
			}
		}
		if r.Name != "whole" {
			continue
		}
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		for algorithm, want := range goldenEvaluations {
			e, err := s.Evaluate(t.Context(), goldenEvaluation(algorithm), nil)
			ok(t, err)
			record, err := e.Encode()
			ok(t, err)
			if name := schema.Name(record).String(); name != want {
				t.Errorf("%s: record %s, want %s", algorithm, name, want)
			}
		}
	}
}

// goldenLaterEvaluations are records of evaluations of the same run that no store of format 4 can have.
var goldenLaterEvaluations = map[schema.Algorithm]string{
	schema.SMDP:        "baa2e43824da4387bdd935e5eb26f21ca195c8d05d45140f4565973cd2bfc368",
	schema.IntraOption: "585716367b556073dcb2b7b6d8e606b0ab01bd2fe6d70e750301498af097b54b",
	schema.Published:   "26c50c8bc64c28e0002da07cae2b315e85e7f2b0f1e4b86b54479d02fc3d71c1",
}

// TestGoldenLaterEvaluations: each algorithm on many tasks. TestNumpyLearns in package e2e holds the
// algorithms to an independent program.
func TestGoldenLaterEvaluations(t *testing.T) {
	store := copyStore(t, filepath.Join("testdata", "format-4.db"))
	for _, r := range selected(t, store) {
		if r.Name != "whole" {
			continue
		}
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		for algorithm, want := range goldenLaterEvaluations {
			spec := schema.DefaultEvaluation(0)
			spec.Algorithm, spec.Episodes, spec.Seeds = algorithm, 12, []uint64{0, 5}
			if algorithm == schema.Published {
				spec.Schedule, spec.Epsilon = schema.Constant, schema.PublishedEpsilon
			}
			spec.Against = slices.DeleteFunc(slices.Clone(schema.Baselines), func(name string) bool {
				return name == schema.AgainstHallways // the ring has none
			})
			spec = spec.NewTasks([]schema.TaskStates{{Goal: 9, Start: 30}, {Goal: 40, Start: schema.AnyStart}})
			e, err := s.Evaluate(t.Context(), spec, nil)
			ok(t, err)
			record, err := e.Encode()
			ok(t, err)
			if name := schema.Name(record).String(); name != want {
				t.Errorf("%s: record %s, want %s", algorithm, name, want)
			}
		}
	}
}

type goldenRun struct {
	status     tracker.Status
	iterations int
	head, next string
}

// TestGoldenStores opens the stores that programs of all format versions made:
// for ever, every run in them replays identical, can be read and goes on.
func TestGoldenStores(t *testing.T) {
	if *updateGolden {
		makeGolden(t)
	}
	if len(golden) != schema.FormatVersion {
		t.Fatalf("%d golden stores for %d format versions", len(golden), schema.FormatVersion)
	}
	for _, g := range golden {
		t.Run(g.path, func(t *testing.T) {
			store := copyStore(t, filepath.Join("testdata", g.path))
			runs := selected(t, store)
			if len(runs) != len(g.runs) {
				t.Errorf("%d runs, want %d", len(runs), len(g.runs))
			}
			for _, r := range runs {
				want := g.runs[r.Name]
				if r.Head == nil || r.Head.String() != want.head || r.Iterations != want.iterations ||
					r.Status != want.status {
					t.Errorf("%s: %s, %d iterations, head %s, want %v", r.Name, r.Status, r.Iterations, r.Head, want)
				}
				judgeGolden(t, store, r, r.Iterations)
				readGolden(t, store, r)
				out, _ := runStopped(t, goldenEnv, store,
					replay.Job{Spec: r.Spec, Start: r.Source.Start, Target: r.Iterations + 1}, 0)
				ok(t, out.Err)
				if out.Run != r.ID || out.Head.String() != want.next {
					t.Errorf("%s: one iteration more gives head %s of run %s, want %s", r.Name, out.Head, out.Run,
						want.next)
				}
				judgeGolden(t, store, r, r.Iterations+1)
			}
		})
	}
}

// goldenEnv is the environment of runs in another process. It must not change.
var goldenEnv = elsewhere{cells: 30, rewards: true}

// judgeGolden replays a run, of which so many iterations are to be identical.
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
		options, err := report.LoadOptions(tx, r)
		if pruned := r.Name == "pruned"; pruned || err != nil {
			if n, _ := d.Pruned(); !pruned || !errors.Is(err, tracker.ErrPruned) || n == 0 || r.Keep == nil ||
				len(r.Keep.Kinds) != 1 || r.Keep.Last != 1 {
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
	if noted := len(r.Tags) == 1 && r.Tags[0] == "small" && r.Note == "the first"; noted != (r.Name == "written") {
		t.Errorf("%s: tags %v, note %q", r.Name, r.Tags, r.Note)
	}
}

// leaveGolden runs one that a signal stops while it learns, and one that a process
// takes and never lets go of.
func leaveGolden(t *testing.T, store *tracker.Store, spec schema.Spec) {
	spec.Seed = 2
	ctx, stop := context.WithCancelCause(t.Context())
	w := store.StartWriter(t.Context())
	engine := replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
		if e.K == 1 && e.Stage == replay.StageLearn && e.Done == 2 {
			stop(replay.SignalError{Name: "SIGTERM"})
		}
	}})
	engine.Run(ctx, replay.Job{Spec: spec, Target: 2, Name: "stopped"}, func(replay.Outcome) {})
	ok(t, w.Close(t.Context()))
	spec.Seed = 3
	runJobs(t, store, []replay.Job{{Spec: spec, Target: 1, Name: "vanished"}}, 1)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	w = store.StartWriter(ctx)
	_, _, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: 2, Session: &tracker.Session{}})
	ok(t, err)
	ok(t, w.Flush(ctx))
}

// makeGolden runs one that is whole, and one that is pruned, as small as they can
// be and still have tables that are stored by their stretches. The store of format 1 has, made likewise, both
// readings, a fork, and a run
// that was stopped while it learned.
func makeGolden(t *testing.T) {
	path := filepath.Join("testdata", golden[len(golden)-1].path)
	if _, err := os.Stat(path); err == nil {
		t.Fatalf("%s is there: what a version wrote is never written again", path)
	}
	store := newStore(t, tracker.Options{})
	spec := small()
	spec.Env.Params["bits"], spec.Steps, spec.Numerics = 7, 200, 1
	whole := replay.Job{Spec: spec, Target: 2, Name: "whole"}
	spec.Seed = 1
	ok(t, spec.SetReading("as-published"))
	keep := tracker.Retention{Kinds: []schema.Kind{schema.KindOption}, Last: 1}
	runJobs(t, store, []replay.Job{whole, {Spec: spec, Target: 3, Name: "pruned", Keep: &keep}}, 1)
	for _, r := range selected(t, store) {
		if r.Name != "whole" {
			continue
		}
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		for algorithm := range goldenEvaluations {
			e, err := s.Evaluate(t.Context(), goldenEvaluation(algorithm), nil)
			ok(t, err)
			ok(t, s.Record(t.Context(), e))
		}
	}
	leaveGolden(t, store, spec)
	whole.Spec.LeaveOut, whole.Name = []uint64{0, 3}, "left-out"
	runJobs(t, store, []replay.Job{whole}, 1)
	whole.Spec.LeaveOut, whole.Spec.Numerics, whole.Name = nil, 2, "numerics-2"
	runJobs(t, store, []replay.Job{whole}, 1)
	whole.Spec.FeatureScale, whole.Name = schema.RMS, "scaled"
	runJobs(t, store, []replay.Job{whole}, 1)
	runStopped(t, goldenEnv, store,
		replay.Job{Spec: goldenEnv.spec(schema.Empirical), Target: 2, Name: "rewarded"}, 0)
	runStopped(t, goldenEnv, store, replay.Job{Spec: goldenStagesSpec, Target: 2, Name: "external-stages"}, 0)
	runStopped(t, goldenEnv, store, replay.Job{Spec: goldenMeasuredSpec, Target: 2, Name: "measured"}, 0)
	_, err := store.Compact(context.Background(), nil)
	ok(t, err)
	data := readFile(t, store.Path())
	ok(t, os.WriteFile(path, data, 0o666))
	t.Logf("%s: %d bytes", path, len(data))
}
