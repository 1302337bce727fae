package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// hostileSite is a store, a TOML file, a spec and a bundle, in a folder
// with programs and modules of Python, all of which would have something executed.
type hostileSite struct {
	dir   string
	traps string // the one folder of PATH: whatever is executed there leaves a line
	evil  string // a trap by its path, or by its name, which PATH finds, where the path has a blank: names have none
}

// trapNames are programs that something might execute.
var trapNames = []string{
	"sh", "bash", "env", "python", "python3", "git", "sbatch", "squeue", "scontrol", "scancel", "srun", "xdg-open", "open",
	"evil",
	"dot", "less", "more", "vi", "ssh", "mount", "df", "ps", "kill", "setsid", "sleep", "ulimit", "go", "podtrack",
}

func newHostileSite(t *testing.T) *hostileSite {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("traps are shell scripts")
	}
	h := &hostileSite{dir: t.TempDir(), traps: t.TempDir()}
	if h.evil = filepath.Join(h.traps, "evil"); strings.Contains(h.evil, " ") {
		h.evil = "evil"
	}
	h.plantTraps(t)
	store := h.path("podtrack.db")
	h.setUp(t, "run", "--store", store, "--name", "$("+h.evil+")", "--bits", "4", "--steps", "40", "--iterations", "2")
	h.setUp(t, "run", "--store", store, "--name", "outside", "--env", h.environment(t), "--steps", "40", "--iterations",
		"1")
	h.setUp(t, "label", "$("+h.evil+")", "--tag", "`"+h.evil+"`", "--store", store)
	h.setUp(t, "label", "outside", "--tag", ";"+h.evil+";", "--store", store)
	h.setUp(t, "label", "outside", "--note", "exec:"+h.evil+"\n$("+h.evil+")", "--store", store)
	h.setUp(t, "export", "outside", "--format", "bundle", "-o", h.path("bundle.db"), "--store", store)
	h.setUp(t, "why", "outside:0/1+", "-o", h.path("outside.html"), "--store", store)
	spec := h.setUp(t, "show", "--spec", "outside", "--store", store)
	h.write(t, "spec.json", spec)
	h.write(t, "hostile.toml", fmt.Sprintf("env = %q\nseeds = \"0-1\"\nname = \"$(evil){seed}\"\ntag = \"`evil`\"\n",
		"exec:"+h.evil))
	h.write(t, "gym.toml", "env = \"gym:evil:Walk-v0\"\nseeds = \"0-1\"\n")
	h.write(t, "grid.toml", "bits = 4\nsteps = 40\niterations = 1\nseeds = \"0-1\"\n")
	h.write(t, "data.npz", "PK\x03\x04 "+h.evil)
	return h
}

func (h *hostileSite) path(name string) string { return filepath.Join(h.dir, name) }

func (h *hostileSite) write(t *testing.T, name, text string) {
	t.Helper()
	e2e.Must(t, os.MkdirAll(filepath.Dir(h.path(name)), 0o755))
	e2e.Must(t, os.WriteFile(h.path(name), []byte(text), 0o755))
}

// plantTraps makes programs on PATH and in the current folder, and modules there.
func (h *hostileSite) plantTraps(t *testing.T) {
	t.Helper()
	for _, name := range trapNames {
		text := "#!/bin/sh\necho " + name + " >>\"$PODTRACK_TEST_RAN\"\necho 7\n"
		e2e.Must(t, os.WriteFile(filepath.Join(h.traps, name), []byte(text), 0o755))
		h.write(t, name, text)
	}
	for _, name := range []string{"json.py", "gymnasium.py", "sitecustomize.py"} {
		h.write(t, name, "import os\nopen(os.environ['PODTRACK_TEST_RAN'], 'a').write('"+name+"')\n")
	}
}

// environment returns one whose name is the path of a trap, and that declares commands.
func (h *hostileSite) environment(t *testing.T) string {
	t.Helper()
	h.write(t, "environment", `
while read -r line; do
	id=${line#*:}; id=${id%%,*}
	case $line in
	*hello*) echo "{\"id\":$id,\"protocol\":1,\"name\":\"bin/evil\",`+
		`\"version\":\"exec:EVIL\",\"actions\":[\"exec:EVIL\",\"\$(EVIL)\"],`+
		`\"observes\":{\"kind\":\"discrete\",\"n\":2},\"parameters\":{\"command\":\"exec:EVIL\"}}";;
	*reset*) echo "{\"id\":$id,\"observation\":0}";;
	*) echo "{\"id\":$id,\"observation\":1,\"terminated\":false,\"truncated\":false}";;
	esac
done
`)
	text, err := os.ReadFile(h.path("environment"))
	e2e.Must(t, err)
	h.write(t, "environment", strings.ReplaceAll(string(text), "EVIL", h.evil))
	h.write(t, "bin/evil", "#!/bin/sh\necho bin/evil >>\"$PODTRACK_TEST_RAN\"\n")
	return "exec:/bin/sh '" + h.path("environment") + "'"
}

// setUp makes everything that the commands work on, before there are traps.
func (h *hostileSite) setUp(t *testing.T, args ...string) string {
	t.Helper()
	p := e2e.Start(t, args...)
	p.Exit(t, cmdline.ExitDone)
	return p.Printed.String()
}

// trapCalls are calls of every command. Words in capitals stand for paths.
var trapCalls = []string{
	"run --spec spec.json", "run --spec spec.json --iterations 2 --seed 5", "run --env bin/evil", "run --env grid:EVIL",
	"run --bits 4 --steps 40 --iterations 1 --name $(EVIL){seed}",
	"resume --all", "resume outside --iterations 3", "ls", "ls --json", "ls env=bin/evil --format csv", "status",
	"status outside",
	"label @2", "label @2 --name other", "show outside", "show --spec outside",
	"show @2 --json", "show @2 --exploration", "ls --columns name,covered,end_sets",
	"options outside", "replay outside", "replay @2", "diff @1 @2", "compare @1 @2", "why @2:1/1+",
	"why outside:0/1+ -o out.html", "check outside.html", "check outside.html --json", "fork @2:1 --set kappa=5",
	"fork outside:0 --set kappa=5",
	"label outside --tag x", "label outside --note exec:EVIL", "rm outside --yes",
	"check", "check --read-data", "compact",
	"export @2 --format npz -o out.npz", "export outside --format bundle -o out.db", "export --format csv -o out",
	"import --npz data.npz",
	"merge bundle.db --store other.db", "merge podtrack.db --store other.db", "repair",
	"repair --store bundle.db",
	"plot walk @2 -o w.svg", "plot coverage @2 -o w.svg",
	"plot outcomes @2 -o w.svg",
	"plot purposes @2 -o w.svg", "plot option @2:1/1+ -o w.svg",
	"plot diff @1 @2 -o w.svg",
	"plot measures @2 -o w.svg", "ls --columns name,stored,exclusive",
	"evaluate @2 --diffusion", "evaluate outside --task goal=1", "evaluate outside --task all",
	"plot", "env", "run check --select threshold",
	"reproduce table1 --runs 1 --store r.db", "reproduce figure1 --store r.db -o f.svg", "--version", "help",
	"completion bash",
	"sweep hostile.toml", "sweep hostile.toml --dry-run", "sweep hostile.toml --slurm job.sh",
	"sweep hostile.toml --shard 0/1", "sweep gym.toml", "sweep gym.toml --dry-run", "sweep grid.toml --slurm job.sh",
	"sweep grid.toml --spec spec.json", "sweep --spec spec.json --seeds 0-1",
	"sweep grid.toml", "serve", "backup backup.db",
}

// typedCalls are calls in which the user typed what is to be executed, and what that is.
var typedCalls = map[string]string{
	"run --env exec:EVIL": "evil", "run check --env exec:EVIL": "evil",
	"run check --select exec:EVIL": "evil",
	"run --env gym:Walk-v0":        "python3", "replay outside --env exec:EVIL": "evil",
	"sweep hostile.toml --allow-exec --dry-run": "evil", "sweep hostile.toml --env exec:EVIL --slurm job.sh": "evil",
	"serve --open": "xdg-open",
}

// TestNothingIsExecuted executes all commands on what others wrote, in a folder that others filled: nothing is executed
// but what the user typed.
func TestNothingIsExecuted(t *testing.T) {
	trapCalls := append(trapCalls, missingExamples(trapCalls, "@2", "@1", " -o w.svg")...)
	h := newHostileSite(t)
	before := filesBelow(t, h.dir)
	t.Run("calls", func(t *testing.T) {
		for _, call := range trapCalls {
			t.Run(call, func(t *testing.T) { t.Parallel(); h.call(t, call, "") })
		}
		for call, program := range typedCalls {
			t.Run(call, func(t *testing.T) { t.Parallel(); h.call(t, call, program) })
		}
	})
	if after := filesBelow(t, h.dir); !slices.Equal(before, after) { // the stores of all calls name this folder
		t.Errorf("files\n%v\nwere\n%v", after, before)
	}
}

// call executes a command in a copy of all that, with the traps on PATH, and compares what was executed with what the
// user typed.
func (h *hostileSite) call(t *testing.T, call, typed string) {
	dir := t.TempDir()
	e2e.Must(t, os.CopyFS(dir, os.DirFS(h.dir)))
	ran := filepath.Join(dir, "ran")
	call = strings.ReplaceAll(call, "EVIL", h.evil)
	self, err := exec.LookPath("podtrack") // by a name that a job can have
	e2e.Must(t, err)
	p := &e2e.Program{Cmd: exec.CommandContext(t.Context(), self, strings.Fields(call)...)}
	p.Args[0], p.Dir = "podtrack", dir
	p.Env = append(os.Environ(), "PATH="+h.traps, "PODTRACK_TEST_RAN="+ran, "PODTRACK_STORE=", "PYTHONPATH=",
		"PODTRACK_PYTHON=", "TMPDIR="+dir)
	p.Stderr = &p.Said
	if strings.HasPrefix(call, "serve") {
		h.browse(t, p, func() bool { return typed == "" || len(executed(t, ran)) > 0 })
	} else {
		_ = p.Run() // whatever it says of what it is given
	}
	t.Logf("exit code %d: %s", p.ProcessState.ExitCode(), p.Said.String())
	for _, trace := range []string{"goroutine ", "unknown flag", "unknown command"} {
		if strings.Contains(p.Said.String(), trace) {
			t.Errorf("podtrack %s:\n%s", call, p.Said.String())
		}
	}
	// For the commit of the current folder git is started, which needs no typing.
	isGit := func(name string) bool { return slices.Contains(programs.Commit.Programs, name) }
	if got := slices.DeleteFunc(executed(t, ran), isGit); typed == "" && len(got) > 0 || typed != "" &&
		!slices.Equal(slices.Compact(got), []string{typed}) {
		t.Errorf("podtrack %s executed %q, and was to execute %q\n%s", call, got, typed, p.Said.String())
	}
}

// executed returns the traps that something fell into.
func executed(t *testing.T, ran string) []string {
	t.Helper()
	text, err := os.ReadFile(ran)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// browse looks at the page and at what it is made of, until enough was seen.
func (h *hostileSite) browse(t *testing.T, p *e2e.Program, enough func() bool) {
	t.Helper()
	out, err := p.StdoutPipe()
	e2e.Must(t, err)
	e2e.Must(t, p.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	e2e.Must(t, err)
	address := strings.TrimSpace(line)
	for _, path := range []string{"", "api/runs", "api/runs/outside", "api/progress", "api/runs/outside/options"} {
		response, err := http.Get(address + path)
		e2e.Must(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		e2e.Must(t, errors.Join(err, response.Body.Close()))
	}
	for !enough() && t.Context().Err() == nil {
	}
	e2e.Must(t, p.Process.Signal(os.Interrupt))
	_ = p.Wait() // it was interrupted
}

// filesBelow lists the files of a folder with their sizes.
func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	e2e.Must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			info, err = e.Info()
			files = append(files, fmt.Sprintf("%s %d", path, info.Size()))
		}
		return err
	}))
	return files
}
