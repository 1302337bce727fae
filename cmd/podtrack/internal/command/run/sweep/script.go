package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Default size of an array. Each task has several runs, since Slurm takes about a second to start one.
const (
	runsPerTask = 8
	usualTasks  = 100
)

// usualTasksFor returns the number of tasks that make so many runs if the user names none.
func usualTasksFor(runs int) int { return max(1, min(usualTasks, (runs+runsPerTask-1)/runsPerTask)) }

// A script starts a job array, whose tasks make the runs of a sweep.
type script struct {
	file, dir, program, store string   // the script's name, and what it names
	sweep                     []string // the words of the sweep
	runs, tasks               int
}

// scriptText is the text of a script. What stands in < > is filled in, quoted for a shell.
const scriptText = `#!/bin/sh
# This script makes <runs> in <tasks>, each in a store of its own, and merges these stores:
#   sbatch <file>                                               # prints the number of the ARRAY
#   sbatch --dependency=afterany:ARRAY --array=0 <file> merge   # begins when all tasks have ended
# The merge says what is missing; both commands again make that. A task goes on from what its store has.
# Lines to change: the time limit, the processors of a task, and what else your site asks for.
#SBATCH --time=4:00:00
#SBATCH --cpus-per-task=1
#SBATCH --job-name=<name>
#SBATCH --array=0-<last>
#SBATCH --output=<output>
#SBATCH --open-mode=append
#SBATCH --requeue
# Two minutes before the limit a task is told to save what it has.
#SBATCH --signal=B:TERM@120

cd <dir> || exit
parts=<parts>
podtrack=<program>

if [ "$1" = merge ]; then
  "$podtrack" merge "$parts"/*.db --store <store> || exit
  exec "$podtrack" sweep <sweep> --store <store> --dry-run
fi
exec "$podtrack" sweep <sweep> \
  --shard "$SLURM_ARRAY_TASK_ID/<n>" --store "$parts/$SLURM_ARRAY_TASK_ID.db" \
  --parallel "${SLURM_CPUS_PER_TASK:-1}"
`

func (s script) String() string {
	logs := filepath.Join(s.parts(), "TASK.log")
	if !filepath.IsAbs(logs) {
		logs = filepath.Join(s.dir, logs)
	}
	logs = strings.TrimSuffix(strings.ReplaceAll(logs, "%", "%%"), "TASK.log") + "%A_%a.log"
	quote := textfmt.ShellQuote
	name := filepath.Base(s.file)
	job := "podtrack-" + unusual().ReplaceAllString(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	return strings.NewReplacer("<runs>", textfmt.CountOf(s.runs, "run"), "<tasks>", textfmt.CountOf(s.tasks, "task"),
		"<n>", fmt.Sprint(s.tasks), "<last>", fmt.Sprint(s.tasks-1), "<file>", quote(s.file),
		"<name>", job, "<output>", quote(logs),
		"<dir>", quote(s.dir), "<parts>", quote(s.parts()), "<program>", quote(s.program), "<store>", quote(s.store),
		"<sweep>", strings.Join(textfmt.Map(s.sweep, quote), " ")).Replace(scriptText)
}

// parts returns the folder of the stores that the tasks make, and of what they print.
func (s script) parts() string { return strings.TrimSuffix(s.file, filepath.Ext(s.file)) + "-parts" }

// check returns an error for words that do not fit on one line of a script, or that a job would misread.
func (s script) check() error {
	if dir := filepath.Dir(s.program); strings.Contains(dir, "go-build") && filepath.Base(dir) == "exe" {
		return schema.Hint(errors.New("a program built by go run no longer exists when a job begins"),
			"go install ./cmd/podtrack, and give the command with the program that it installs")
	}
	for _, word := range slices.Concat(s.sweep, []string{s.file, s.dir, s.program, s.store}) {
		switch {
		case strings.ContainsFunc(word, unicode.IsControl):
			return schema.Hint(fmt.Errorf("%q has a line break or another control character, and cannot be in a script", word),
				"use paths without them; a command of several lines can be a file that --env names")
		case word == "-":
			return schema.Hint(errors.New("a job has no standard input"), "name a file in place of -")
		}
	}
	if strings.Contains(s.dir+s.file, `\`) {
		return schema.Hint(fmt.Errorf("%q has a backslash, which sbatch interprets", filepath.Join(s.dir, s.file)),
			"name another file, or work in another folder")
	}
	return nil
}

// writeScript writes the script of a job array that makes the sweep, for the user to submit.
func (s sweepRun) writeScript() error {
	x := script{file: *s.flags.slurm, store: cmdline.StorePath(s.Context), runs: s.plan.Len(),
		tasks: usualTasksFor(s.plan.Len()),
		sweep: cmdline.WordsWithout(s.Context, "slurm", "tasks", "store", "parallel", "json")}
	if s.flags.tasks != nil {
		x.tasks = *s.flags.tasks
	}
	var err error
	if x.program, err = os.Executable(); err == nil {
		x.dir, err = os.Getwd()
	}
	if err == nil {
		err = x.check()
	}
	if _, e := os.Lstat(x.file); e == nil && err == nil {
		err = schema.Hint(fmt.Errorf("%s exists, and you may have changed it", x.file), "remove it, or name another file")
	}
	if err == nil { // Slurm makes no folder for the output of its tasks
		if err = os.MkdirAll(x.parts(), 0o777); err != nil {
			err = schema.Hint(err, "name a file in a folder that can be written to")
		}
	}
	if err == nil {
		err = cmdline.WriteAtomic(s.App.ErrWriter, x.file, false, cmdline.WriteFile(func(f *os.File) error {
			_, err := f.WriteString(x.String())
			return err
		}))
	}
	if err != nil {
		return err
	}
	return cmdline.Answer{JSON: x.file, Text: func(w table.Text) {
		fmt.Fprintf(w, "%s makes %s in %s: read it, and submit it as it says\n", textfmt.EscapeLine(x.file),
			textfmt.CountOf(x.runs, "run"), textfmt.CountOf(x.tasks, "task"))
	}}.Print(s.Context)
}

// unusual matches a character of a job's name that some tools do not print.
var unusual = textfmt.Pattern(`[^0-9A-Za-z\-_.]`)
