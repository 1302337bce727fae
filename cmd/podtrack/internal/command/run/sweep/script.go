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
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep/slurm"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// output returns the path of a job's output file. It doubles percent signs in the path itself.
func (s sweepRun) output(name string) string {
	logs := filepath.Join(absolutePath(s.folder.Path), logsDir)
	return "--output=" + strings.ReplaceAll(logs, "%", "%%") + "/" + name
}

// checkPaths returns an error if a script or sbatch would misinterpret the path of the folder or
// the store.
func (s sweepRun) checkPaths() error {
	folder := absolutePath(s.folder.Path)
	if err := checkWords([]string{folder, absolutePath(s.path)}); err != nil {
		return err
	}
	if strings.Contains(folder, `\`) {
		return schema.Hint(fmt.Errorf("the folder %q has a backslash in its path, which sbatch interprets", folder),
			"name another: --folder DIR")
	}
	return nil
}

// checkWords returns an error for words that do not fit on one line of a job's script.
func checkWords(words []string) error {
	for _, word := range words {
		if strings.ContainsFunc(word, unicode.IsControl) {
			return schema.Hint(fmt.Errorf("%q has a line break or another control character, and cannot be in a job's script",
				word),
				"use paths without them; a command of several lines can be a file that --env names")
		}
	}
	return nil
}

func (s sweepRun) taskFlags(indices string, flags []string) []string {
	return append([]string{"--array=" + indices, s.output("%A_%a.log")}, flags...)
}

func (s sweepRun) behindFlags(after, flags []string) []string {
	return append(append(after, s.output("gather-%j.log")), flags...)
}

// reservedFlags are the sbatch flags that a sweep sets itself, and those that change what sbatch does or
// make it wait.
var reservedFlags = []string{"--array", "-a", "--dependency", "-d", "--output", "-o", "--signal", "--parsable",
	"--wait", "-W",
	"--wrap", "--test-only", "--help", "-h"}

func (s sweepRun) sbatchFlags() ([]string, error) {
	if s.flags.sbatch == nil || *s.flags.sbatch == "" {
		return nil, nil
	}
	flags, err := programs.SplitCommand(*s.flags.sbatch)
	if err != nil {
		return nil, fmt.Errorf("--sbatch: %w", err)
	}
	for _, f := range flags {
		if slices.ContainsFunc(reservedFlags, func(name string) bool { return isFlag(f, name) }) {
			return nil, schema.Hint(fmt.Errorf("--sbatch with %s", f),
				"the sweep sets the flags %s itself; --tasks sets the number of tasks", strings.Join(reservedFlags, " "))
		}
	}
	return flags, checkWords(flags)
}

// isFlag reports whether a word is the flag according to getopt: a long flag may be abbreviated, a
// short one may have its value attached.
func isFlag(word, name string) bool {
	if !strings.HasPrefix(word, "--") {
		return strings.HasPrefix(word, name)
	}
	word, _, _ = strings.Cut(word, "=")
	return len(word) > 3 && strings.HasPrefix(name, word)
}

// scripts returns the scripts of the jobs, with that many tasks. They use absolute paths, also for this program.
func (s sweepRun) scripts(tasks int) (slurm.Scripts, error) {
	program, err := os.Executable()
	if err != nil {
		return slurm.Scripts{}, err
	}
	if strings.Contains(program, string(filepath.Separator)+"go-build") {
		return slurm.Scripts{}, schema.Hint(errors.New("a program built by go run no longer exists when a job begins"),
			"go install ./cmd/podtrack, and submit with the program that it installs")
	}
	words := []string{textfmt.ShellQuote(program), "sweep", "--folder", absolutePath(s.folder.Path), "--store",
		absolutePath(s.path)}
	worker := slices.Concat(words, s.flags.ExternalWords(s.env), s.flags.StageWords(s.programs))
	if s.flags.scratch != nil {
		worker = append(worker, "--scratch", *s.flags.scratch)
	}
	if s.flags.saveEvery != nil {
		worker = append(worker, "--save-every", s.flags.saveEvery.String())
	}
	if err := checkWords(worker); err != nil {
		return slurm.Scripts{}, err
	}
	name := slices.Concat(s.plan.Tags, []string{strings.TrimPrefix(filepath.Base(s.folder.Path), ".")})[0]
	return slurm.Scripts{
		Name: "podtrack-" + name, Tasks: tasks,
		Worker: fmt.Sprintf(`%s --shard "$SLURM_ARRAY_TASK_ID/%d" --parallel "${SLURM_CPUS_PER_TASK:-1}"`,
			cmdline.CommandLine(worker), tasks),
		Gather: cmdline.CommandLine(append(words, "--gather")),
	}, nil
}

// printScripts prints the scripts that would be submitted.
func (s sweepRun) printScripts(scripts slurm.Scripts, flags []string) error {
	all := make([]int, scripts.Tasks)
	for i := range all {
		all[i] = i
	}
	task := append([]string{"sbatch"}, append(s.taskFlags(slurm.FormatIndices(all), flags), "task.sh")...)
	behind := append([]string{"sbatch"}, append(s.behindFlags([]string{"--dependency=afterany:ARRAY"}, flags),
		"gather.sh")...)
	_, err := fmt.Fprintf(s.App.Writer, "# %s\n# task.sh\n%s\n# %s\n# gather.sh\n%s", cmdline.CommandLine(task),
		scripts.TaskScript(), cmdline.CommandLine(behind), scripts.GatherScript())
	return err
}
