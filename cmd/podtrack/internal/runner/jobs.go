package runner

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// ParseJobs turns the flags of podtrack run into jobs, and returns the launcher of their
// environment, as [ParseEnv] does. It checks each of them before anything is written.
func (f *Flags) ParseJobs(c *cli.Context) ([]replay.Job, replay.EnvLauncher, error) {
	plan, err := f.readStudy(c)
	if err != nil {
		return nil, nil, err
	}
	spec, launcher, err := f.ParseSpec(c)
	if err != nil {
		return nil, nil, err
	}
	target, err := f.ParseIterations()
	if err != nil {
		return nil, nil, err
	}
	seeds := runset.SeedSet(spec.Seed)
	_, one := f.Given("seed")
	if f.Seeds != nil {
		if one {
			return nil, nil, schema.Hint(fmt.Errorf("--seed and --seeds together"), "give one of them")
		}
		if seeds, err = runset.ParseSeeds(*f.Seeds); err != nil {
			return nil, nil, err
		}
	}
	if plan != nil {
		if f.Seeds == nil && !one {
			seeds = plan.Seeds
		}
		target = plan.Iterations
		if err := f.checkPlace(plan, spec, seeds); err != nil {
			return nil, nil, err
		}
	}
	keep, err := ReadKeep(f.Keep)
	if err != nil {
		return nil, nil, err
	}
	if err := memory.Check(int64(seeds.Len()) * jobMemory); err != nil {
		return nil, nil, fmt.Errorf("%d seeds: %w", seeds.Len(), err)
	}
	runs := sweep.Plan{Name: f.Name, Keep: keep,
		Plan: runset.Plan{Specs: []schema.Spec{spec}, Seeds: seeds, Iterations: target}}
	jobs, err := runs.Jobs(c.Context)
	return jobs, launcher, err
}

// jobMemory is roughly the memory of a job and its outcome, in bytes.
const jobMemory = 1 << 10

// ParseIterations returns the value of --iterations, by default the paper's.
func (f *Flags) ParseIterations() (int, error) {
	if f.Iterations == nil {
		return pod.PaperIterations, nil
	}
	return ReadIterations(*f.Iterations)
}

// ReadIterations reads a number of iterations.
func ReadIterations(text string) (int, error) {
	n, err := strconv.Atoi(textfmt.PlainInteger(text))
	if err != nil || n < 1 || n > tracker.MaxIterations {
		return 0, schema.Hint(fmt.Errorf("invalid number of iterations %q", text),
			"use a whole number from 1 to %d; the paper's is %d", tracker.MaxIterations, pod.PaperIterations)
	}
	return n, nil
}

// KeepFlag returns the flag --keep, which chooses what is kept of runs.
func (f *Flags) KeepFlag() cli.Flag {
	return cmdline.Optional(&f.Keep, "keep", "record only these kinds: `LIST` of "+strings.Join(report.KeepKinds(), ", ")+
		", or none, or all; digests and measures always", "")
}

// ReadKeep reads a list of kinds. It returns nil if there is none.
func ReadKeep(kinds *string) (*tracker.Retention, error) {
	if kinds == nil {
		return nil, nil
	}
	keep, err := report.ParseKeep(*kinds)
	return &keep, err
}
