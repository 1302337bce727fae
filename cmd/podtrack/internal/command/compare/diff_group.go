package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diffview"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// matrices lists what --matrix prints.
var matrices = []string{"options", "purposes", "runs", "iterations"}

// mostDraws limits the time that p-values take.
const mostDraws = 1_000_000

// compareGroup returns what the runs of a group discovered. It exits 0 whatever the result.
func (d *diffing) compareGroup(c *cli.Context, limits diff.Limits) (a cmdline.Answer, err error) {
	options, matrix, err := d.groupOptions(c, limits)
	if err == nil {
		err = cmdline.SomeArgs(c)
	}
	if err != nil {
		return a, err
	}
	selected, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return a, err
	}
	bar := cmdline.StartBar(c.App.ErrWriter, "compared")
	options.Progress = func(done, total int64) { bar.Show(done, total, "") }
	g, err := diff.ClusterRuns(c.Context, cmdline.OpenStore(c), selected, options)
	bar.Stop()
	if err != nil {
		return a, err
	}
	return diffview.AnswerGroup(g, matrix), nil
}

// groupOptions returns what to compare, and the matrix to print, "" for none. It returns an error for flags that
// apply to two runs only.
func (d *diffing) groupOptions(c *cli.Context, limits diff.Limits) (o diff.GroupOptions, matrix string, err error) {
	if name := cmdline.FirstSet(c, "other", "all", "gap"); name != "" {
		return o, "", schema.Hint(fmt.Errorf("--%s together with --group", name),
			"a group is compared within one store, by --cosine and --agreement; leave --%s out", name)
	}
	if d.matrix != nil {
		if matrix = *d.matrix; !slices.Contains(matrices, matrix) {
			return o, "", schema.Hint(fmt.Errorf("unknown matrix %q", matrix), "the matrices are %s",
				strings.Join(matrices, ", "))
		}
	}
	o.Limits = limits
	if d.by != nil {
		if o.By, err = diffview.ParseKind(*d.by); err != nil {
			return o, "", err
		}
	}
	if matrix == string(diff.Purposes) && o.By == "" {
		o.By = diff.Purposes // options would be compared for nothing
	}
	if matrix == string(diff.Options) && o.By == diff.Purposes {
		return o, "", schema.Hint(fmt.Errorf("--matrix options together with --by purposes"), "leave --by out")
	}
	o.Draws, err = parseDraws(d.draws)
	return o, matrix, err
}

func parseDraws(text *string) (int, error) {
	if text == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(textfmt.PlainInteger(*text))
	if err != nil || n < 1 || n > mostDraws {
		return 0, schema.Hint(fmt.Errorf("--draws: invalid value %q", *text), "give a whole number from 1 to %d", mostDraws)
	}
	return n, nil
}
