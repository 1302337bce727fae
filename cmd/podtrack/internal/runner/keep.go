package runner

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// KeepFlags returns the flags --keep and --last, which choose what is kept of runs.
func (f *Flags) KeepFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.Optional(&f.Keep, "keep", "retain only these record kinds: `LIST` of "+strings.Join(report.KeepKinds(), ", ")+
			", or none, or all; digests and measures always stay", ""),
		cmdline.Optional(&f.Last, "last", "with --keep: and everything of the last `N` iterations", "0"),
	}
}

// ParseKeep reads --keep and --last. It returns nil if neither is given.
func (f *Flags) ParseKeep() (*tracker.Retention, error) { return ReadKeep(f.Keep, f.Last) }

// ReadKeep reads a list of kinds and a number of iterations, which may be nil. It returns nil if both are.
func ReadKeep(kinds, iterations *string) (*tracker.Retention, error) {
	switch {
	case kinds == nil && iterations == nil:
		return nil, nil
	case kinds == nil:
		return nil, schema.Hint(errors.New("--last without --keep"),
			"say what to keep of the iterations before: --keep options, or --keep none")
	}
	last := 0
	if iterations != nil && *iterations != "" {
		var err error
		if last, err = strconv.Atoi(*iterations); err != nil || last < 0 || last > tracker.MaxIterations {
			return nil, schema.Hint(fmt.Errorf("last %q", *iterations), "use a whole number of iterations, up to %d",
				tracker.MaxIterations)
		}
	}
	keep, err := report.ParseKeep(*kinds, last)
	return &keep, err
}

// KeepText describes in words what is kept.
func KeepText(k *tracker.Retention) string {
	words := report.FormatKeep(&tracker.Retention{Kinds: k.Kinds})
	if words == "none" {
		words = "digests and measures"
	} else {
		words = strings.ReplaceAll(words, "+", ", ")
	}
	switch k.Last {
	case 0:
		return words
	case 1:
		return words + "; everything of the last iteration"
	}
	return fmt.Sprintf("%s; everything of the last %d iterations", words, k.Last)
}
