package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// forking is the command fork, with its flags.
type forking struct{ runner.Flags }

var _ = cmdline.Register(cmdline.Command{
	Name: "fork", Group: cmdline.GroupRun, Place: 4,
	Example: "podtrack fork ring0:2 --set kappa=0.5",
	JSON:    []any{runResult{}},
	Usage:   "make a run that shares another's iterations before K and continues with a changed spec",
	Args:    "RUN:K",
	Description: `The new run shares the iterations 0 to K − 1 of RUN, and makes iteration K and all later
ones with what --set changes, or with --changed-code in its environment as that is now.
It stays as it is if RUN is removed.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f forking
		return append(f.ProgramFlags(), cmdline.StoreFlag(), cmdline.JsonFlag(), cmdline.QuietFlag(), f.ParallelFlag(),
			f.ChangedCodeFlag(), f.RecheckFlag(), f.SetFlag(), f.IterationsFlag("the other run's target"),
			cmdline.Flag(&f.Name, "name", "name the run `NAME`, as for podtrack run")), f.fork
	},
})

func (f *forking) fork(c *cli.Context) error {
	with, err := f.ParsePrograms()
	if err != nil {
		return err
	}
	ref, err := cmdline.OneRef(c, "RUN:K", report.RefIteration)
	if err != nil {
		return err
	}
	job, err := f.job(c, ref.Run, ref.K, with.Launcher)
	if err != nil {
		return err
	}
	_, err = runAndShow(c, &f.Flags, []replay.Job{job}, with.Launcher)
	return err
}

func (f *forking) job(c *cli.Context, ref string, k int, launcher replay.EnvLauncher) (job replay.Job, err error) {
	store := cmdline.OpenStore(c)
	parent, err := tracker.Read(store.Within(c.Context), func(tx *tracker.Tx) (report.Run, error) {
		return report.LoadRun(tx, ref)
	})
	if err != nil {
		return job, err
	}
	spec, err := f.forkedSpec(c, parent, k)
	if program, given := launcher.(*external.Program); err == nil && given && f.ChangedCode {
		spec.Env, err = program.VersionOf(c.Context, spec.Env)
	}
	if err != nil {
		return job, err
	}
	if n := len(spec.LeaveOut); n > 0 {
		records, err := report.Open(c.Context, store, parent.ID.String())
		if err == nil {
			_, _, err = report.FindOption(records, int(spec.LeaveOut[n-1]))
		}
		if err != nil {
			return job, err
		}
	}
	run, err := replay.NewStore(store).Find(c.Context, parent.ID.String())
	if err == nil {
		job, err = run.Fork(c.Context, k, spec)
	}
	if err != nil {
		return job, err
	}
	if f.Iterations != nil {
		if job.Target, err = f.ParseIterations(); err != nil {
			return job, err
		}
		if job.Target <= k {
			return job, schema.Hint(fmt.Errorf("--iterations %d of a fork before iteration %d", job.Target, k),
				"the fork shares %d already; ask for more", k)
		}
	}
	job.Name, err = sweep.ExpandName(f.Name, job.Spec)
	return job, err
}

// forkedSpec returns the parent's spec with the changes applied. It fails if a fork cannot make
// one of them.
func (f *forking) forkedSpec(c *cli.Context, parent report.Run, k int) (schema.Spec, error) {
	spec, fixed := parent.Spec, replay.FixedInForks(parent.Spec)
	free := slices.DeleteFunc(parent.Spec.Settable(),
		func(name string) bool { return slices.Contains(fixed, name) || name == "reading" })
	for _, change := range f.Changes {
		key, value := change.Name, change.Value
		if slices.Contains(fixed, key) {
			return spec, schema.Hint(fmt.Errorf("a fork cannot change %s", key),
				"the shared iterations depend on it; start a new run with podtrack run")
		}
		if !slices.Contains(free, key) && key != "reading" {
			return spec, schema.Hint(fmt.Errorf("no field %q", key), "%s",
				textfmt.DidYouMean(key, "fields that a fork can change", free))
		}
		if strings.HasPrefix(value, "exec:") && key != schema.MethodStage &&
			slices.Contains(schema.ExternalStages(), key) {
			if err := f.SetStage(c, &spec, key); err != nil {
				return spec, err
			}
			continue
		}
		if err := spec.Set(key, value); err != nil {
			return spec, err
		}
	}
	if spec.Dataset != parent.Spec.Dataset {
		return spec, schema.Hint(fmt.Errorf("a fork cannot change the dataset to %s", spec.Dataset),
			"set only basis, or start a new run with podtrack run")
	}
	if err := replay.CheckSpec(&spec); err != nil {
		return spec, err
	}
	if k == 0 {
		return spec, schema.Hint(fmt.Errorf("a fork before iteration 0 shares nothing"), "%s is that run",
			runCommandFor(spec))
	}
	return spec, nil
}

// runCommandFor returns the command that makes a new run with the spec.
func runCommandFor(spec schema.Spec) string {
	words := []string{"podtrack", "run"}
	if !spec.Data.IsZero() {
		words = []string{"podtrack", "import", "--npz", "FILE"}
	}
	paper := pod.PaperSpec()
	for _, f := range spec.Fields() {
		switch {
		case f.Name == "data", f.Name == schema.EnvVersion:
			continue
		case f.Name == "env" && spec.Env.External != nil:
			f.Value = "exec:CMD"
		}
		if standard, _ := paper.Get(f.Name); standard != f.Value {
			words = append(words, hints.FieldWords(f.Name, f.Value)...)
		}
	}
	return cmdline.CommandLine(words)
}
