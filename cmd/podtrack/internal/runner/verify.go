package runner

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// What an interrupted replay leaves behind, and how to go on.
const (
	ReplayLeft   = "a replay changes nothing"
	ReplayRemedy = "rerun the command; --sample verifies part of it"
)

// IterationsOf returns how many iterations a verification of the runs executes.
func IterationsOf(runs []report.Run, scope replay.Scope) int64 {
	if scope.Iteration != nil {
		return int64(*scope.Iteration) + 1
	}
	total := int64(0)
	for _, r := range runs {
		total += int64(r.Iterations)
	}
	return total
}

// ParseSample parses N/T, or P%, which is a random N of T = 100/P. It returns nil for nil.
func ParseSample(given *string) (*replay.Sample, error) {
	if given == nil {
		return nil, nil
	}
	text := *given
	if share, found := strings.CutSuffix(text, "%"); found {
		p, err := strconv.ParseFloat(share, 64)
		if err == nil && p > 0 && p <= 100 && p >= 1e-6 {
			t := int(math.Round(100 / p))
			return &replay.Sample{N: 1 + rand.IntN(t), T: t}, nil
		}
	}
	part, of, _ := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(part)
	t, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || n < 1 || n > t {
		return nil, schema.Hint(fmt.Errorf("--sample: invalid value %q", text),
			"write it as 1/10, the first of ten parts, or as 10%%; a share is from 0.000001%% to 100%%")
	}
	return &replay.Sample{N: n, T: t}, nil
}

const stageFlags = "--collect, --method, --select, --learner or --measure exec:CMD"

// Verdict returns the error for the verifications, with a hint to --env if a run needs an external environment. Whether
// one was given, and has changed since the runs were made, is a part of it.
func Verdict(verifications []replay.Verification, given, changed bool) error {
	bad, unverified, verified, outside, external, first, lacking := 0, 0, 0, 0, 0, "", ""
	for _, j := range verifications {
		if n := j.Count(replay.Different) + j.Count(replay.Damaged); n > 0 {
			bad += n
			first = cmp.Or(first, Reason(j))
		}
		unverified += j.Count(replay.Unverified)
		if n := j.CountWithoutEnv(); n > 0 {
			outside += n
			lacking = cmp.Or(lacking, Reason(j))
		}
		external += j.CountWithoutStage()
		verified += j.Count(replay.Identical)
	}
	switch {
	case bad > 0:
		blame := "these records were altered, damaged, or made by another program than the spec says"
		switch {
		case changed:
			blame = "the environment's code has changed, as the notes say: replay it with what it was made with"
		case given:
			blame += "; or the environment is not reproducible, which podtrack run check finds out"
		}
		return schema.Hint(fmt.Errorf("%w: stages that do not hold: %d; the first: %s", cmdline.ErrDifference, bad, first),
			"%s", blame)
	case unverified > 0 && unverified == external:
		return schema.Hint(fmt.Errorf("a stage that %w (%d times) %w", pod.ErrNoStage, external, replay.ErrUnverifiable),
			"name the programs to recompute them too: %s; all other stages hold, and the records of these pass all checks "+
				"that need no program", stageFlags)
	case unverified > 0 && unverified == outside && given:
		return schema.Hint(fmt.Errorf("stages that %w: %d; the first: %s", replay.ErrUnverifiable, outside, lacking),
			"give the program as it was when they were made; all other stages hold")
	case unverified > 0 && unverified == outside:
		return schema.Hint(fmt.Errorf("stages in an environment that %w (%d) %w", stages.ErrNoEnvLauncher, outside,
			replay.ErrUnverifiable),
			"name the program to verify them too: --env exec:CMD or --env gym:NAME; all other stages hold")
	case unverified > 0 && unverified == external+outside:
		return schema.Hint(fmt.Errorf("stages in an environment that %w (%d), and a stage that %w (%d times), %w",
			stages.ErrNoEnvLauncher, outside, pod.ErrNoStage, external, replay.ErrUnverifiable),
			"name the programs to verify them too: --env exec:CMD or --env gym:NAME, and %s; all other stages hold",
			stageFlags)
	case unverified > 0:
		return schema.Hint(fmt.Errorf("stages whose inputs are damaged (%d) %w", unverified, replay.ErrUnverifiable),
			"replay the runs that share those records, or make the run again")
	case verified == 0:
		return schema.Hint(fmt.Errorf("nothing was verified, so the runs %w", replay.ErrUnverifiable),
			"take a larger sample, or runs that have iterations")
	}
	return nil
}

// Reason returns the first reason given for a stage's verdict.
func Reason(j replay.Verification) string {
	for _, it := range j.Iterations {
		for _, s := range it.Stages {
			if s.Reason != "" {
				return s.Reason
			}
		}
	}
	return ""
}
