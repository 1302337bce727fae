package runner

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// KeepFlags returns the flags --keep and --last, which choose what is kept of runs.
func KeepFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "keep",
			Usage: "retain only these record kinds: `LIST` of " + strings.Join(report.KeepKinds(), ", ") +
				", or none, or all; digests and measures always stay"},
		&cli.StringFlag{Name: "last", Usage: "with --keep: and everything of the last `N` iterations",
			DefaultText: "0"},
	}
}

// ParseKeep reads --keep and --last. It returns nil if neither is given.
func ParseKeep(c *cli.Context) (*tracker.Retention, error) {
	if !c.IsSet("keep") && !c.IsSet("last") {
		return nil, nil
	}
	return ReadKeep(c.IsSet("keep"), c.String("keep"), c.String("last"))
}

// ReadKeep reads a list of kinds, which must be given (has), and a number of
// iterations, "" for 0.
func ReadKeep(has bool, kinds, iterations string) (*tracker.Retention, error) {
	if !has {
		return nil, schema.Hint(errors.New("--last without --keep"),
			"say what to keep of the iterations before: --keep options, or --keep none")
	}
	last := 0
	if iterations != "" {
		var err error
		if last, err = strconv.Atoi(iterations); err != nil || last < 0 || last > tracker.MaxIterations {
			return nil, schema.Hint(fmt.Errorf("last %q", iterations), "use a whole number of iterations, up to %d",
				tracker.MaxIterations)
		}
	}
	keep, err := report.ParseKeep(kinds, last)
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
