package faults

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/schematest/envserver"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// hostile is text that steers a terminal, hides what it says, begins a line that looks
// like the program's own, and is a formula, markup and a command besides.
const hostile = "=x\x1b[2J\u202e\u2066\u200b\u061c\ufeff\u2028\U000e0041\u009b31m\x07\r\nFAKE line\n" +
	"  FAKE remedy\t$(touch PWNED) `x` <b>&|*_[1] \"q\" 'q' \\"

// hostileName is what a name may be, which has neither blanks nor control characters.
const hostileName = "+x\u202e\u200b\U000e0041$(touch;PWNED)`x`&|*_[1]\"'\\"

// hostileCalls are calls of every command. STORE is a hostile store, OUT a file that is
// not there, NAME the name of its complete run, FORGED the reference of a run that has
// hostile text in its spec.
var hostileCalls = []string{
	"run --bits 5 --steps 50 --iterations 2", "run --bits 5 --steps 50 --iterations 3 --json", "run --spec OUT",
	"run --env NAME", "run --bits 5 --name NAME",
	"resume", "resume NAME --iterations 3", "resume FORGED", "resume NONE", "ls", "ls --format csv",
	"ls --format markdown", "ls --format latex", "ls --json",
	"ls --columns run,name,note,tags,env,host,actions", "ls --columns name,tags,status --format csv", "ls tag=NAME",
	"ls name=NAME", "ls --sort NAME", "ls NONE", "ls @1",
	"ls --best NAME", "ls distance>NAME", "status", "status NAME",
	"status --json", "label NAME", "label FORGED --name NAME",
	"show NAME", "show NAME --json", "show NAME --format csv", "show NAME --exploration",
	"diff NAME NAME --exploration",
	"show NAME --spec", "show FORGED", "show FORGED --json",
	"show FORGED --spec", "show NONE",
	"options NAME", "options NAME --json", "options NAME --format csv", "options NAME --rejected",
	"options NAME --format markdown", "options FORGED", "options WORLD", "options NONE",
	"replay NAME", "replay NAME --json", "replay", "replay FORGED", "replay WORLD", "replay NONE",
	"diff NAME WORLD", "diff NAME TWIN", "diff NAME TWIN --json", "diff NAME:0/1+ TWIN:0/1+", "diff WORLD:0/1+ WORLD:0/1-",
	"diff NAME:0 TWIN:0", "diff NAME FORGED", "diff --group tag=NAME", "diff NONE NAME",
	"compare name=NAME seed=1", "compare name=NAME seed=1 --format csv", "compare NAME NONE",
	"why NAME:0/1+", "why NAME:0/1+ --json", "why WORLD:0/1+",
	"why WORLD:1/1+ --json", "why NAME", "why NAME:9/1+", "why NAME:0/1+ -o -",
	"why WORLD:1/1+ -o -", "why NONE:0/1+ -o OUT.html", "check OUT.html",
	"check NAME.html", "check STORE OUT.html", "check OUT.html --expect NAME", "why FORGED:0/1+",
	"fork NAME:1 --set kappa=0.5", "fork NAME:1 --set kappa=1", "fork NAME:0", "fork NAME", "fork FORGED:1", "fork NONE:1",
	"label NAME --tag new", "label NONE --tag new", "label NAME --tag HOSTILE", "label NAME --note HOSTILE",
	"label FORGED", "label NONE --note x", "label NAME --name HOSTILE", "rm NAME", "rm NAME --yes",
	"ls --columns name,stored,exclusive", "rm tag=NAME", "rm seed=0 --yes", "rm NONE", "check", "check --json",
	"check --read-data", "backup OUT", "backup OUT --json", "backup STORE", "compact", "compact --json",
	"export NAME -o OUT",
	"export NAME --format csv", "export NAME --format csv --only options", "export NAME --format bundle -o OUT",
	"export NAME -o STORE --force", "export NAME -o OUT --mappable --iterations 1",
	"export FORGED --format csv", "export NONE --format csv",
	"import --npz STORE", "import --npz OUT", "merge STORE", "merge OUT", "merge COPY", "merge COPY --json", "repair",
	"repair --json", "repair --pruned NAME", "repair NONE",
	"plot", "plot walk NAME --format csv", "plot walk NAME --format svg", "plot walk FORGED --format csv",
	"plot coverage NAME --format csv", "plot coverage NAME --by name --format csv",
	"plot walk FORGED --by seed --format csv",
	"plot outcomes study=NAME --format csv",
	"plot purposes NAME --format csv",
	"plot purposes WORLD --format csv", "plot purposes WORLD --format svg", "plot purposes FORGED --format csv",
	"plot option NAME:0/1+ --format csv", "plot option NAME --format csv", "plot option NAME:9/1+ --format csv",
	"plot diff NAME TWIN --format csv",
	"plot diff NAME WORLD --format csv",
	"plot measures NAME --format csv", "plot measures --by name NAME",
	"plot walk NAME -o STORE",
	"evaluate NAME --task goal=3 --seeds 0-1 --episodes 3",
	"evaluate NAME --task goal=3 --seeds 0 --episodes 2 -o OUT.svg",
	"evaluate NAME:9 --task goal=3",
	"evaluate FORGED --task goal=3", "env", "env --json", "run check --env exec:OUT --learner empirical",
	"run check --select exec:OUT", "run check NAME",
	"reproduce", "reproduce NAME", "reproduce table1 --runs NAME", "reproduce figure1 NAME",
	"serve", "serve NAME", "serve --addr NAME",
	"sweep OUT --dry-run", "sweep STORE --dry-run",
	"sweep --seeds 0-1 --set bits=5,6 --steps 50 --iterations 1 --dry-run", "sweep --seeds 0-1 --slurm OUT",
	"sweep --seeds 0-1 --shard NAME", "sweep --seeds 0-1 --tag NAME --bits 5 --steps 50 --iterations 1",
	"--version", "--version --json", "help", "completion fish", "NAME",
}

// TestHostileText executes all commands on a store that is hostile wherever it can hold text, under a hostile name, and
// checks all that they print. Where nothing can be printed, those that print something say so, and exit 2.
func TestHostileText(t *testing.T) {
	t.Parallel()
	hostileCalls := append(hostileCalls, missingExamples(hostileCalls, "NAME", "TWIN", " --format csv")...)
	made := makeHostileStore(t)
	for _, call := range hostileCalls {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := executeIn(t, made, call, &stdout, &stderr)
			checkShown(t, "stdout", stdout.String())
			checkShown(t, "stderr", stderr.String())
			if why := e2e.CheckMessage(stderr.String()); code > cmdline.ExitDifference && why != "" {
				t.Errorf("exit code %d: %s: %s", code, why, stderr.String())
			}
			if code > cmdline.ExitDifference {
				return
			}
			if strings.Contains(call, "--json") && !strings.HasPrefix(call, "run ") {
				checkJSON(t, stdout.Bytes())
			}
			if strings.Contains(call, "csv") {
				checkNoFormula(t, stdout.String())
			}
			if stdout.Len() > 0 {
				stderr.Reset()
				code = executeIn(t, made, call, fullDisk{}, &stderr)
				if code != cmdline.ExitFailure || !strings.Contains(stderr.String(), "the output could not be written: no room\n") {
					t.Errorf("nothing can be printed: exit code %d: %s", code, stderr.String())
				}
			}
		})
	}
}

// executeIn executes a call on a copy of a store.
func executeIn(t *testing.T, made, call string, stdout, stderr io.Writer) int {
	dir := filepath.Join(t.TempDir(), "a"+strings.ReplaceAll(hostile, "/", "")) // which no flag looks like
	e2e.Must(t, os.Mkdir(dir, 0o777))
	store, other := filepath.Join(dir, "store"), filepath.Join(dir, "copy")
	e2e.Must(t, os.WriteFile(store, e2e.ContentOf(t, made), 0o666))
	e2e.Must(t, os.WriteFile(other, e2e.ContentOf(t, made), 0o666))
	words := strings.NewReplacer("STORE", store, "COPY", other, "OUT", filepath.Join(dir, "out"), "NAME", hostileName,
		"HOSTILE", hostile,
		"NONE", "none"+hostile, "FORGED", "@1", "TWIN", "@2", "WORLD", "@3")
	args := []string{"podtrack"}
	for _, word := range strings.Fields(call) {
		args = append(args, words.Replace(word))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if args[1] == "serve" {
		stdout = cancelling{stdout, cancel}
	}
	if takesStore(command.NewApp(io.Discard, io.Discard).Commands, args[1:]) {
		args = append(args, "--store", store)
	}
	return command.Execute(ctx, args, stdout, stderr)
}

// cancelling ends a command once it has printed something.
type cancelling struct {
	io.Writer
	cancel func()
}

func (c cancelling) Write(p []byte) (int, error) {
	defer c.cancel()
	return c.Writer.Write(p)
}

// takesStore reports whether the command has --store.
func takesStore(commands []*cli.Command, args []string) bool {
	c := commandNamed(commands, args[0])
	if c == nil {
		return false
	}
	if len(args) > 1 && commandNamed(c.Subcommands, args[1]) != nil {
		return takesStore(c.Subcommands, args[1:])
	}
	return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "store" })
}

// checkShown checks that no text of a store controls the terminal.
func checkShown(t *testing.T, where, text string) {
	t.Helper()
	indented := strings.HasPrefix(text, "<?xml")
	if !utf8.ValidString(text) || strings.ContainsFunc(text, textfmt.IsHidden) || strings.Contains(text, "\t") &&
		!indented {
		t.Errorf("%s has hidden characters: %q", where, text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "FAKE") {
			t.Errorf("%s has a line of others: %q", where, text)
		}
		if command := strings.Index(line, "podtrack "); command >= 0 && unquoted(line[command:]) {
			t.Errorf("%s has a command to copy that does more than it says: %q", where, line)
		}
	}
}

// unquoted reports whether a command of podtrack has a word of the hostile name that a
// shell would execute.
func unquoted(line string) bool {
	_, verb, _ := strings.Cut(line, " ")
	_, rest, _ := strings.Cut(verb, " ")
	return strings.HasPrefix(rest, "+x") || strings.HasPrefix(rest, "--store /") &&
		strings.HasPrefix(rest[strings.LastIndex(rest, "/")+1:], "a=x")
}

// checkJSON checks that notes come through JSON as they are.
func checkJSON(t *testing.T, text []byte) {
	t.Helper()
	documents := json.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if err := documents.Decode(&v); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v: %.300s", err, text)
		}
		runs, _ := v.([]any)
		for _, run := range append(runs, v) {
			fields, _ := run.(map[string]any)
			if note, has := fields["note"].(string); has && note != "" && note != hostile {
				t.Errorf("the note is %q", note)
			}
		}
	}
}

// checkNoFormula checks that no cell is one to a spreadsheet.
func checkNoFormula(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != textfmt.CSVCell(cell) {
				t.Errorf("the cell %q is a formula", cell)
			}
		}
	}
}

// makeHostileStore makes a store with, from the oldest, a run called hostileName, one
// in an environment with hostile names, one without a name, and one that is forged.
func makeHostileStore(t *testing.T) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "made.db")
	for _, args := range []string{
		"--bits 5 --steps 50 --iterations 2 --seed 0 --name NAME",
		"--env exec:hostile-world --seed 0 --steps 60 --iterations 2",
		"--bits 5 --steps 50 --iterations 2 --seed 1",
	} {
		words := append([]string{"podtrack", "run", "--store", store},
			strings.Fields(strings.ReplaceAll(args, "NAME", hostileName))...)
		var stderr bytes.Buffer
		if code := command.Execute(t.Context(), words, io.Discard, &stderr); code != cmdline.ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
	}
	ctx, s := t.Context(), tracker.New(store, tracker.Options{})
	spec := pod.PaperSpec()
	spec.Env = schema.Env{Name: hostile, Text: map[string]string{hostile: hostile}, External: &schema.External{
		Version: hostile, Actions: []string{hostile, "b"}, Observes: schema.Binary, Features: []string{hostile}, Size: 1,
	}}
	w := groupcommit.Start(ctx, s)
	_, forged, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: 2})
	e2e.Must(t, err)
	e2e.Must(t, w.Close(ctx))
	e2e.Must(t, s.Update(ctx, func(tx *tracker.Tx) error {
		var ids []schema.Digest
		for r, err := range tx.Runs() {
			e2e.Must(t, err)
			ids = append(ids, r.ID)
		}
		for _, id := range ids {
			e2e.Must(t, errors.Join(tx.SetNote(id, hostile), tx.AddTag(id, hostileName)))
		}
		return tx.SetFailure(forged.Run.ID, hostile)
	}))
	forgeSessions(t, store)
	return store
}

// forgeSessions makes every text of every session hostile.
func forgeSessions(t *testing.T, store string) {
	t.Helper()
	db, err := bbolt.Open(store, 0, &bbolt.Options{Timeout: time.Second})
	e2e.Must(t, err)
	e2e.Must(t, db.Update(func(tx *bbolt.Tx) error {
		rows := map[string][]byte{}
		e2e.Must(t, tx.Bucket([]byte("sessions")).ForEach(func(key, _ []byte) error {
			_, value := rowOf(t, tx, "sessions", key)
			var session map[string]any
			e2e.Must(t, wire.Unmarshal(value, &session))
			for name, v := range session {
				if _, isText := v.(string); isText {
					session[name] = hostile
				}
			}
			value, err := wire.Marshal(session)
			rows[string(key)] = value
			return err
		}))
		for key, value := range rows {
			putRow(t, tx, "sessions", []byte(key), value)
		}
		return nil
	}))
	e2e.Must(t, db.Close())
}

// commandNamed returns the command of that name, nil if there is none.
func commandNamed(commands []*cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
	if i < 0 {
		return nil
	}
	return commands[i]
}

// fullDisk is a writer that has no room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no room") }

// missingExamples returns a call of each command that none of the calls is of: the example in the command's help, with
// the runs of a test in place of its runs. In calls that draw a figure, plotFlags replace the name of the file.
func missingExamples(calls []string, run, other, plotFlags string) (missing []string) {
	runs := strings.NewReplacer("ring0", run, "ring1", other, "rooms", run, "bits=7", "seed=0-9", "'", "")
	for _, d := range cmdline.Commands() {
		if d.Name == "help" ||
			slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", d.Name+" ") }) {
			continue
		}
		call := runs.Replace(strings.TrimPrefix(d.Example, "podtrack "))
		if strings.HasPrefix(d.Name, "plot ") {
			call, _, _ = strings.Cut(call, " -o ")
			call += plotFlags
		}
		missing = append(missing, call)
	}
	return missing
}

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, map[string]func(){
		"hostile-world": envserver.HostileWorld,
	})
}
