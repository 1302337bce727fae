package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Default size of an array. Each task has several runs, since Slurm takes about a second to start one.
const (
	runsPerTask = 8
	usualTasks  = 100
)

// usualTasksFor returns the number of tasks that make so many runs if the user names none.
func usualTasksFor(runs int) int { return max(1, min(usualTasks, (runs+runsPerTask-1)/runsPerTask)) }

// scriptText is the script of a job array. Its verbs are the file's name, the numbers of runs and of tasks, the job's
// name, the last task, the output of the tasks, the folder in which the user works, that of the parts, and the words of
// the program, of the store, of the sweep and of its flags.
const scriptText = `#!/bin/sh
# %[1]s makes %[2]s in %[3]s, each in a store of its own, and merges these stores. To submit it:
#   sbatch %[1]s                                               # it prints a number, ARRAY
#   sbatch --dependency=afterany:ARRAY --array=0 %[1]s merge   # begins when all tasks have ended
# The merge says what is missing; both again make that. A task goes on from what its store has.
# Lines to change: the time limit, processors of a task, and what else your site asks for.
#SBATCH --time=4:00:00
#SBATCH --cpus-per-task=1
#SBATCH --job-name=podtrack-%[4]s
#SBATCH --array=0-%[5]d
#SBATCH --output=%[6]s
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
# Two minutes before its limit a task is told to save what it has.

cd %[7]s || exit
parts=%[8]s
podtrack=%[9]s

if [ "$1" = merge ]; then
  "$podtrack" merge "$parts"/*.db --store %[10]s || exit
  exec "$podtrack" sweep %[11]s --store %[10]s --dry-run
fi
exec "$podtrack" sweep %[11]s \
  --shard "$SLURM_ARRAY_TASK_ID/%[12]d" --store "$parts/$SLURM_ARRAY_TASK_ID.db" \
  --parallel "${SLURM_CPUS_PER_TASK:-1}"
`

// writeScript writes the script of a job array that makes the sweep, for the user to submit.
func (s sweepRun) writeScript() error {
	file := *s.flags.slurm
	text, parts, err := s.script(file)
	if err == nil {
		err = os.MkdirAll(parts, 0o777) // Slurm makes no folder for the output of its tasks
	}
	if err == nil {
		err = tempfile.WriteAtomic(file, []byte(text), 0o777, false)
	}
	if errors.Is(err, fs.ErrExist) {
		err = schema.Hint(fmt.Errorf("%s exists, and you may have changed it", file), "remove it, or name another file")
	}
	if err != nil {
		return schema.Hint(fmt.Errorf("write %s: %w", file, err), "%s", cmp.Or(schema.Remedy(err),
			"name a file in a folder that can be written to"))
	}
	return cmdline.Answer{JSON: file, Text: func(w table.Text) {
		fmt.Fprintf(w, "%s makes %s in %s: read it, and submit it as it says\n", textfmt.EscapeLine(file),
			cmdline.Plural(s.plan.Len(), "run"), cmdline.Plural(s.tasks(), "task"))
	}}.Print(s.Context)
}

func (s sweepRun) tasks() int {
	if s.flags.tasks != nil {
		return *s.flags.tasks
	}
	return usualTasksFor(s.plan.Len())
}

// script returns the text of the script in a file, and the folder of the parts.
func (s sweepRun) script(file string) (text, parts string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	if strings.Contains(program, string(filepath.Separator)+"go-build") {
		return "", "", schema.Hint(errors.New("a program built by go run no longer exists when a job begins"),
			"go install ./cmd/podtrack, and give the command with the program that it installs")
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	store, words := cmdline.StorePath(s.Context), cmdline.WordsWithout(s.Context, "slurm", "tasks", "store", "parallel", "json")
	parts = strings.TrimSuffix(file, filepath.Ext(file)) + "-parts"
	logs := filepath.Join(parts, "%A_%a.log")
	if !filepath.IsAbs(logs) {
		logs = filepath.Join(strings.ReplaceAll(dir, "%", "%%"), strings.ReplaceAll(parts, "%", "%%"), "%A_%a.log")
	}
	if err := checkWords(slices.Concat(words, []string{program, dir, file, store})); err != nil {
		return "", "", err
	}
	if strings.Contains(logs, `\`) {
		return "", "", schema.Hint(fmt.Errorf("%q has a backslash, which sbatch interprets", logs), "name another file")
	}
	sweep := textfmt.ShellQuote(words[0])
	for _, word := range words[1:] {
		sweep += " " + textfmt.ShellQuote(word)
	}
	quote, base, n := textfmt.ShellQuote, filepath.Base(file), s.tasks()
	name := strings.TrimSuffix(base, filepath.Ext(base))
	return fmt.Sprintf(scriptText, quote(base), cmdline.Plural(s.plan.Len(), "run"), cmdline.Plural(n, "task"),
		jobName(name), n-1, quote(logs), quote(dir), quote(parts), quote(program), quote(store), sweep, n), parts, nil
}

// checkWords returns an error for words that do not fit on one line of a script, or that a job cannot read.
func checkWords(words []string) error {
	for _, word := range words {
		if strings.ContainsFunc(word, unicode.IsControl) {
			return schema.Hint(fmt.Errorf("%q has a line break or another control character, and cannot be in a script", word),
				"use paths without them; a command of several lines can be a file that --env names")
		}
		if word == "-" {
			return schema.Hint(errors.New("a job has no standard input"), "name a file in place of -")
		}
	}
	return nil
}

// jobName replaces characters that some tools do not print.
func jobName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 &&
			(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_.", r)) {
			return r
		}
		return '-'
	}, name)
}
