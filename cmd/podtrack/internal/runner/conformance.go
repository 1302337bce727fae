package runner

import (
	"cmp"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
)

// AnswerChecks answers with the results of the checks of a program, which document specifies.
func AnswerChecks(found any, checks []external.CheckResult, document string) cmdline.Answer {
	for i, k := range checks {
		checks[i].Remedy = hints.Of(k.Err)
	}
	return cmdline.Answer{
		JSON: found, Tables: func() table.List { return table.List{NewCheckTable(checks)} },
		Verdict: nonconforming(checks, document),
	}
}

// NewCheckTable returns a table with a row for each check.
func NewCheckTable(checks []external.CheckResult) *table.Table {
	g := table.New(table.Left("check"), table.Left("verdict"), table.Left("what was found"))
	for _, k := range checks {
		if k.Verdict == external.Failed {
			g.Add(k.Name, string(k.Verdict), "see below")
			continue
		}
		g.Add(k.Name, string(k.Verdict), k.Found)
	}
	return g
}

// nonconforming returns an error that names the first failed check and its remedy, or where to look for one.
func nonconforming(checks []external.CheckResult, document string) error {
	for _, k := range checks {
		if k.Verdict == external.Failed {
			return schema.Hint(fmt.Errorf("%w: %s: %s", cmdline.ErrDifference, k.Name, k.Found), "%s",
				cmp.Or(k.Remedy, document))
		}
	}
	return nil
}
