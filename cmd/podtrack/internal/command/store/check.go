// Package store has the commands that care for the store: check, repair, compact, label and rm.
package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"

	"github.com/urfave/cli/v2"
)

type verifying struct {
	readData bool
	sample   *string
	expect   *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "check", Group: cmdline.GroupCare, Place: 2,
	Example: "podtrack check --read-data",
	JSON:    []any{checkReport{}, audit.Verification{}},
	Usage:   "look for damage in the store, or verify an audit document",
	Args:    "[RUN… | FILTER | FILE.html]",
	Description: `Verifies the file's structure, each row's checksum, what rows refer to, the chain
of each run from its spec to its head, and that each record is in its place. For about
a second it also unpacks, hashes and decodes records, different ones each time; with
--read-data all of them. A record must have the states, actions, features and steps
that its run's spec implies.
Nothing is recomputed: podtrack replay does that. If stages need programs for it, check
says how many are recomputed, verified or claimed without them.
Without arguments it checks all runs, and records of no run. Nothing is changed.
Exits 1 if there is damage, and says how to repair it.
FILE.html is an audit document, which podtrack why -o FILE.html writes. It is verified
without the store: the records in it, the chain from them to the head, and its text. Only
a head known from elsewhere, --expect HEAD, protects against a forged document.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var v verifying
		return []cli.Flag{
				cmdline.StoreFlag(), cmdline.JsonFlag(),
				cmdline.Flag(&v.readData, "read-data", "read each record to the last bit"),
				cmdline.Optional(&v.sample, "sample", "read part `N/T` of the records, or a share such as 10%, at random",
					"as much as takes about a second"),
				cmdline.Optional(&v.expect, "expect", "exit 1 unless the document is about a run of head `HEAD`", ""),
			}, cmdline.Interruptible(cmdline.Answering(v.check), "a check changes nothing",
				"rerun the command to start again; --sample reads part of the records")
	},
})

func (v *verifying) check(c *cli.Context) (a cmdline.Answer, err error) {
	if slices.ContainsFunc(c.Args().Slice(), audit.IsDocument) {
		return v.checkDocument(c)
	}
	if v.expect != nil {
		return a, schema.Hint(errors.New("--expect without an audit document"),
			"name one, FILE%s; podtrack run --spec FILE --expect HEAD proves a run", audit.Ending)
	}
	sample, err := runner.ParseSample(v.sample)
	if err != nil {
		return a, err
	}
	if sample == nil && v.readData {
		sample = &replay.Sample{N: 1, T: 1}
	}
	o := check.Options{Size: sampleSize, CheckShape: recorded.NewFitFunc}
	if sample != nil {
		o.Read = check.SelectPart(sample.N, sample.T)
	}
	if c.NArg() > 0 {
		runs, err := cmdline.SelectSomeRuns(c)
		if err != nil {
			return a, err
		}
		o.Runs = []schema.Digest{}
		for _, r := range runs {
			o.Runs = append(o.Runs, r.ID)
		}
	}
	levels := newLevelsReport()
	o.Visit = levels.add
	found, err := showCheck(c, o)
	r := checkReport{Store: cmdline.StorePath(c), Report: found, Levels: levels}
	if sample != nil {
		r.Report.Sample = fmt.Sprintf("%d/%d", sample.N, sample.T)
	}
	r.Repair = r.repair()
	return cmdline.Answer{JSON: &r, Text: r.print, Verdict: r.verdict()}, err
}

// sampleSize is the number of unpacked bytes of records that a check reads by default.
const sampleSize = 512 << 20

func showCheck(c *cli.Context, o check.Options) (check.Report, error) {
	bar := cmdline.StartBar(c.App.ErrWriter, "records")
	defer bar.Stop()
	o.Progress = bar.Count
	return check.Run(c.Context, cmdline.OpenStore(c), o)
}

type checkReport struct {
	Store string `json:"store"`
	check.Report
	Levels levelsReport `json:"levels"`
	Repair string       `json:"repair,omitempty"` // the command that repairs the damage
}

func (c *checkReport) print(w table.Text) {
	cmdline.PrintSome(w, cmdline.MaxLines, textfmt.Map(c.Damaged, damageLine))
	if c.More > 0 {
		fmt.Fprintf(w, "… and %d more, which are not listed\n", c.More)
	}
	fmt.Fprintf(w, "checked: %s, %s, %s of %d bytes\n", textfmt.CountOf(c.Runs, "run"),
		textfmt.CountOf(c.Iterations, "iteration"), textfmt.CountOf(c.Records, "record"), c.Bytes)
	if c.Sample != "" && c.Sample != "1/1" {
		fmt.Fprintf(w, "read:    %s of %d bytes (--sample %s); --read-data reads all\n", textfmt.CountOf(c.Read, "record"),
			c.ReadBytes, c.Sample)
	} else {
		fmt.Fprintln(w, "read:    all of them")
	}
	if c.Pruned > 0 {
		fmt.Fprintf(w, "pruned:  %s\n", textfmt.CountOf(c.Pruned, "record"))
	}
	switch {
	case c.Unused > 0 && !c.Intact():
		fmt.Fprintf(w, "unused:  %s, which no readable row names\n", textfmt.CountOf(c.Unused, "record"))
	case c.Unused > 0:
		fmt.Fprintf(w, "unused:  %s, which no run names; this is not damage\n", textfmt.CountOf(c.Unused, "record"))
	}
	if c.File > 0 {
		fmt.Fprintf(w, "file:    %d bytes, %d of them unused until podtrack compact\n", c.File, c.Free)
	}
	c.Levels.print(w)
	if c.Intact() {
		fmt.Fprintln(w, "no damage was found")
	}
}

func damageLine(d check.Damage) string {
	where := ""
	if d.Run != nil {
		where = fmt.Sprintf("run %.12s", d.Run)
		if d.Name != "" {
			where += fmt.Sprintf(" (%s)", d.Name)
		}
		if d.K != nil {
			where += fmt.Sprintf(", iteration %d", *d.K)
		}
		where += ": "
	}
	if d.Digest != nil {
		return fmt.Sprintf("%s%s record %.12s: %s", where, d.Kind, d.Digest, d.Why)
	}
	return fmt.Sprintf("%s%s: %s", where, d.Kind, d.Why)
}

// repair returns the command that repairs the damage, restricted to one run if no other is affected.
func (c *checkReport) repair() string {
	if c.Intact() {
		return ""
	}
	command := "podtrack repair"
	if !slices.ContainsFunc(c.Damaged, func(d check.Damage) bool { return !d.Misfit }) {
		command = "podtrack rm" // unchanged since they were written, so their correct content is unknown
		var named []schema.Digest
		for _, d := range c.Damaged {
			if !slices.Contains(named, *d.Run) && len(named) < cmdline.MaxLines {
				named = append(named, *d.Run)
				command += fmt.Sprintf(" %.12s", d.Run)
			}
		}
	} else if run := c.onlyRun(); run != nil {
		command += fmt.Sprintf(" %.12s", run)
	}
	if c.Store != cmdline.DefaultStore {
		command += " --store " + textfmt.ShellQuote(c.Store)
	}
	return command
}

func (c *checkReport) onlyRun() *schema.Digest {
	for _, d := range c.Damaged {
		if d.Run == nil || d.Digest == nil || *d.Run != *c.Damaged[0].Run {
			return nil
		}
	}
	return c.Damaged[0].Run
}

func (c *checkReport) verdict() error {
	if c.Intact() {
		return nil
	}
	return schema.Hint(fmt.Errorf("check %s: %w in %s", c.Store, tracker.ErrDamaged,
		textfmt.CountOf(len(c.Damaged)+c.More, "place")), "%s", c.Repair)
}

// levelsReport counts runs, by the lowest level of their stages, and the stages of their iterations.
type levelsReport struct {
	Runs   map[schema.Level]int `json:"runs"`
	Stages map[schema.Level]int `json:"stages"`

	needs []string // flags of the programs without which podtrack does not recompute every stage
}

func newLevelsReport() levelsReport {
	r := levelsReport{Runs: map[schema.Level]int{}, Stages: map[schema.Level]int{}}
	for _, level := range schema.Levels() {
		r.Runs[level], r.Stages[level] = 0, 0
	}
	return r
}

func (l *levelsReport) add(run tracker.Run, n int) {
	if n == 0 {
		return
	}
	levels := stages.LevelsOf(run, n)
	l.Runs[stages.LowestLevel(levels)]++
	for level, count := range stages.CountLevels(run, n) {
		l.Stages[level] += count
	}
	for _, each := range levels {
		l.needs = append(l.needs, each.Needs)
	}
}

// print prints the counts, unless podtrack alone recomputes everything.
func (l *levelsReport) print(w table.Text) {
	if l.Runs[schema.Verified]+l.Runs[schema.Claimed] == 0 {
		return
	}
	with := ""
	if flags := hints.ProgramFlags(l.needs); flags != "" {
		with = " with " + flags
	}
	fmt.Fprintf(w, "levels:  runs: %s\n", runview.LevelCounts(func(level schema.Level) int { return l.Runs[level] }))
	fmt.Fprintf(w, "         stages: %s\n", runview.LevelCounts(func(level schema.Level) int { return l.Stages[level] }))
	fmt.Fprintf(w, "         a check recomputes nothing; podtrack replay RUN%s does\n", with)
}

// checkDocument verifies an audit document, without the store.
func (v *verifying) checkDocument(c *cli.Context) (a cmdline.Answer, err error) {
	path := c.Args().First()
	if c.NArg() > 1 || !audit.IsDocument(path) {
		return a, schema.Hint(fmt.Errorf("%s with %s", path, textfmt.CountOf(c.NArg()-1, "other argument")),
			"check one document at a time")
	}
	if name := cmdline.FirstSet(c, "store", "read-data", "sample"); name != "" {
		return a, schema.Hint(fmt.Errorf("--%s with the document %s", name, path),
			"leave --%s out: a document is read whole, and needs no store", name)
	}
	var expect *schema.Digest
	if v.expect != nil {
		head, err := cmdline.ParseHead(*v.expect)
		if err != nil {
			return a, err
		}
		expect = &head
	}
	r, err := audit.Verify(c, path, expect)
	if err != nil {
		return a, fmt.Errorf("check %s: %w", path, err)
	}
	return cmdline.Answer{
		JSON: r, Text: func(w table.Text) { r.Print(w, expect == nil) }, Verdict: r.Verdict(),
	}, nil
}
