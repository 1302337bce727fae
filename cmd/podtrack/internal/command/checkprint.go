package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"

	"github.com/urfave/cli/v2"
)

// checkReport is the output of check.
type checkReport struct {
	Store string `json:"store"`
	check.Report
	Levels levelsReport `json:"levels"`
	Repair string       `json:"repair,omitempty"` // the command that repairs the damage
}

func (r *checkReport) print(c *cli.Context) error {
	r.Repair = r.repair()
	if c.Bool("json") {
		return cmdline.PrintJSON(c.App.Writer, r)
	}
	return r.text(c.App.Writer)
}

func (r *checkReport) text(w io.Writer) error {
	var lines []string
	for _, d := range r.Damaged {
		lines = append(lines, damageLine(d))
	}
	cmdline.PrintSome(w, cmdline.MaxLines, lines)
	if r.More > 0 {
		fmt.Fprintf(w, "… and %d more, which are not listed\n", r.More)
	}
	fmt.Fprintf(w, "checked: %s, %s, %s of %d bytes\n", cmdline.Plural(r.Runs, "run"),
		cmdline.Plural(r.Iterations, "iteration"), cmdline.Plural(r.Records, "record"), r.Bytes)
	switch {
	case r.Sample != "" && r.Sample != "1/1":
		fmt.Fprintf(w, "read:    %s of %d bytes (--sample %s); --read-data reads all\n", cmdline.Plural(r.Read, "record"),
			r.ReadBytes, r.Sample)
	default:
		fmt.Fprintln(w, "read:    all of them")
	}
	if r.Pruned > 0 {
		fmt.Fprintf(w, "pruned:  %s\n", cmdline.Plural(r.Pruned, "record"))
	}
	switch {
	case r.Unused > 0 && !r.Intact():
		fmt.Fprintf(w, "unused:  %s, which nothing names that could be read\n", cmdline.Plural(r.Unused, "record"))
	case r.Unused > 0:
		fmt.Fprintf(w, "unused:  %s, which no run names; they are no damage\n", cmdline.Plural(r.Unused, "record"))
	}
	if r.Removed > 0 {
		fmt.Fprintf(w, "removed: %s of removed runs, not read; podtrack rm --removed shows them\n",
			cmdline.Plural(r.Removed, "record"))
	}
	r.Levels.print(w)
	if !r.Intact() {
		return nil
	}
	_, err := fmt.Fprintln(w, "no damage was found")
	return err
}

func runText(id *schema.Digest, name string) string {
	if name == "" {
		return fmt.Sprintf("run %.12s", id)
	}
	return fmt.Sprintf("run %.12s (%s)", id, name)
}

// damageLine describes damage by run, iteration and kind.
func damageLine(d check.Damage) string {
	where := ""
	if d.Run != nil {
		where = runText(d.Run, d.Name)
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

// repair returns the command that repairs the damage, restricted to one run if no other is
// affected.
func (r *checkReport) repair() string {
	if r.Intact() {
		return ""
	}
	command := "podtrack repair"
	if !slices.ContainsFunc(r.Damaged, func(d check.Damage) bool { return !d.Misfit }) {
		command = "podtrack rm" // unchanged since they were written, so their correct content is unknown
		var named []schema.Digest
		for _, d := range r.Damaged {
			if !slices.Contains(named, *d.Run) && len(named) < cmdline.MaxLines {
				named = append(named, *d.Run)
				command += fmt.Sprintf(" %.12s", d.Run)
			}
		}
	} else if run := r.onlyRun(); run != nil {
		command += fmt.Sprintf(" %.12s", run)
	}
	if r.Store != cmdline.DefaultStore {
		command += " --store " + textform.ShellQuote(r.Store)
	}
	return command
}

func (r *checkReport) onlyRun() *schema.Digest {
	for _, d := range r.Damaged {
		if d.Run == nil || d.Digest == nil || *d.Run != *r.Damaged[0].Run {
			return nil
		}
	}
	return r.Damaged[0].Run
}

func (r *checkReport) verdict() error {
	if r.Intact() {
		return nil
	}
	return schema.Hint(fmt.Errorf("check %s: %w in %s", r.Store, tracker.ErrDamaged,
		cmdline.Plural(len(r.Damaged)+r.More, "place")), "%s", r.Repair)
}
