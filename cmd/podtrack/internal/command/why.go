package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

var whyFormats = []string{"text", "json", "dot", "html"}

// explain audits an option. As text, it prints each stage once it is known.
func explain(c *cli.Context, run *diff.Run, q why.Question, format string) (*why.Report, error) {
	bar := cmdline.StartLateBar(c.App.ErrWriter, "why", why.Stages)
	defer bar.End()
	q.Progress = func(s why.Stage) { bar.Begin(int(s), s.String()) }
	return why.ExplainInStages(c.Context, run, q, func(stage why.Stage, r *why.Report) error {
		bar.End()
		if format != whyFormats[0] {
			return nil
		}
		return printWhyStage(c.App.Writer, stage, r, q.State != nil)
	})
}

// whyError returns err; for an interruption, an error that says that there was nothing to save.
func whyError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; an audit changes nothing", replay.ErrInterrupted),
			"the same command begins it again")
	}
	return err
}

func parseQuestion(c *cli.Context) (q why.Question, err error) {
	if q.Ref, err = cmdline.OneRef(c, "RUN:#N", report.RefOption); err != nil {
		return q, err
	}
	if c.IsSet("depth") {
		depth, err := strconv.Atoi(c.String("depth"))
		if err != nil || depth < 0 {
			return q, schema.Hint(fmt.Errorf("--depth %q", c.String("depth")),
				"give a number of generations, 0 for no ancestors")
		}
		q.Depth = &depth
	}
	if c.IsSet("ablate") {
		if q.AllAblations = true; c.String("ablate") != "all" {
			return q, schema.Hint(fmt.Errorf("--ablate %q", c.String("ablate")), "write --ablate all, or leave it out")
		}
	}
	if c.IsSet("state") {
		s, err := strconv.Atoi(c.String("state"))
		if err != nil {
			return q, schema.Hint(fmt.Errorf("--state %q", c.String("state")), "give the index of a state, from 0")
		}
		q.State = &s
	}
	return q, nil
}
