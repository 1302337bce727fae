package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/tracker/check"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "look for damage in the store, or verify an audit document",
		ArgsUsage: "[RUN… | FILTER | FILE.html]",
		Description: `Verifies the file's structure, each row's checksum, what rows refer to, the chain
of each run from its spec to its head, and that each record is in its place. A part
of the records that takes about a second, another one each time, is unpacked, hashed
and decoded too; with --read-data all are. A record that was read has to have as many
states, actions, features and steps as its run's spec makes.
Nothing is recomputed, which replay does; where stages need programs for that, it
says how many are recomputed, verified or claimed without them.
Without arguments all runs are checked, and what is of no run. Nothing is changed.
Exits 1 where there is damage, and says how to mend it.
FILE.html is an audit document, which podtrack why --format html writes. It is verified
without the store: the records in it, the chain from them to the head, and its text. Only
a head known from elsewhere, --expect HEAD, protects against a forged document.`,
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			&cli.BoolFlag{Name: "read-data", Usage: "read each record to the last bit"},
			&cli.StringFlag{Name: "sample", Usage: "read part `N/T` of the records, or a share such as 10%, at random",
				DefaultText: "as much as takes about a second"},
			&cli.StringFlag{Name: "expect", Usage: "exit 1 unless the document is about a run of head `HEAD`"},
		},
		Action: checkStore,
	}
}

func checkStore(c *cli.Context) error {
	if slices.ContainsFunc(c.Args().Slice(), isDocument) {
		return checkDocument(c)
	}
	if c.IsSet("expect") {
		return schema.Hint(errors.New("--expect without an audit document"),
			"name one, FILE%s; podtrack run --spec FILE --expect HEAD proves a run", documentEnding)
	}
	sample, err := parseSample(c.String("sample"))
	if err != nil {
		return err
	}
	if sample == nil && c.Bool("read-data") {
		sample = &replay.Sample{N: 1, T: 1}
	}
	o := check.Options{Size: sampleSize, CheckShape: replay.NewFitFunc}
	if sample != nil {
		o.Read = check.SelectPart(sample.N, sample.T)
	}
	if c.NArg() > 0 {
		runs, err := cmdline.SelectSomeRuns(c)
		if err != nil {
			return err
		}
		o.Runs = []schema.Digest{}
		for _, r := range runs {
			o.Runs = append(o.Runs, r.ID)
		}
	}
	levels := newLevelsReport()
	o.Visit = levels.add
	found, err := showCheck(c, o)
	switch {
	case errors.Is(err, context.Canceled):
		return schema.Hint(fmt.Errorf("%w; a check changes nothing", replay.ErrInterrupted),
			"the same command begins it again; --sample reads part of the records")
	case err != nil:
		return err
	}
	r := checkReport{Store: cmdline.StorePath(c), Report: found, Levels: levels}
	if sample != nil {
		r.Report.Sample = fmt.Sprintf("%d/%d", sample.N, sample.T)
	}
	if err := r.print(c); err != nil {
		return err
	}
	return r.verdict()
}

// sampleSize is the number of unpacked bytes of records that a check reads by default.
const sampleSize = 512 << 20

// showCheck checks the store and shows its progress.
func showCheck(c *cli.Context, o check.Options) (check.Report, error) {
	bar := cmdline.StartBar(c.App.ErrWriter, "records")
	defer bar.Stop()
	o.Progress = bar.Count
	return check.Run(c.Context, cmdline.OpenStore(c), o)
}
