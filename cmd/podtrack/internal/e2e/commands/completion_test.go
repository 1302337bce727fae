package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// shellCompletions print, in each shell, what completes the line in $LINE, after the script of podtrack completion.
var shellCompletions = map[string]string{
	"bash": `COMP_LINE=$LINE COMP_POINT=${#LINE}; compopt() { :; }; _podtrack; printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `words=("${(@s: :)LINE}"); CURRENT=${#words}; _files() { print files }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- "$@" }; _podtrack`,
	"fish": `complete -C "$LINE"`,
}

// TestCompletion asks each shell for completions of commands, flags, topics and runs.
func TestCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "a store.db")
	e2e.Perform(t, "run", "--bits", "4", "--steps", "20", "--iterations", "1", "--seeds", "0-1", "--name", "ring{seed}",
		"--store", store)
	e2e.Perform(t, "label", "ring0", "--tag", "first", "--store", store)
	e2e.Perform(t, "run", "--bits", "4", "--steps", "20", "--iterations", "1", "--name", "other", "--store",
		filepath.Join(dir, "another store.db"))
	self, err := os.Executable()
	e2e.Must(t, err)
	e2e.Must(t, os.Symlink(self, filepath.Join(dir, "podtrack")))
	for shell, complete := range shellCompletions {
		t.Run(shell, func(t *testing.T) {
			schematest.NeedsPrograms(t, shell)
			for line, want := range map[string]string{
				"podtrack re":                       "repair replay reproduce resume",
				"podtrack plot wa":                  "walk",
				"podtrack plot walk --the":          "--theme",
				"podtrack run --kap":                "--kappa",
				"podtrack run --set psi_g":          "psi_gamma=",
				"podtrack help stud":                "studies",
				"podtrack show ring":                "ring0 ring1",
				"podtrack show nothing-of-the-kind": "",
				"podtrack no-command x":             "",
				"podtrack ls --store none.db ring":  "",
				"podtrack ls --format csv ring1":    "ring1",

				"podtrack show --store 'another store.db' oth":    "other",
				`podtrack show oth --store another\ store.db oth`: "other",
			} {
				c := exec.Command(shell, "-c", script(shell)+complete)
				c.Dir = dir
				c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "LINE="+line,
					"PODTRACK_STORE="+store, "HOME="+dir)
				out, err := c.CombinedOutput()
				e2e.Must(t, err)
				got := strings.Fields(strings.TrimSuffix(string(out), "files\n"))
				if slices.Sort(got); strings.Join(got, " ") != want {
					t.Errorf("%s: %q, want %q", line, got, want)
				}
			}
		})
	}
}

// TestCompletionAutoloads: zsh calls the script itself when it is the file _podtrack of fpath, as packages install it.
func TestCompletionAutoloads(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "zsh")
	dir := t.TempDir()
	self, err := os.Executable()
	e2e.Must(t, err)
	e2e.Must(t, os.Symlink(self, filepath.Join(dir, "podtrack")))
	c := exec.Command("zsh", "-fc", "podtrack completion zsh > _podtrack; fpath=(. $fpath); autoload -U _podtrack; "+
		"compdef() { : }; "+shellCompletions["zsh"])
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "LINE=podtrack plot wa")
	if out, err := c.CombinedOutput(); err != nil || string(out) != "walk\n" {
		t.Errorf("%v, %q", err, out)
	}
}

// script returns what a shell does to load the completions.
func script(shell string) string {
	switch shell {
	case "zsh":
		return "compdef() { : }; source <(podtrack completion zsh); "
	case "fish":
		return "podtrack completion fish | source; "
	}
	return "source <(podtrack completion bash); "
}
