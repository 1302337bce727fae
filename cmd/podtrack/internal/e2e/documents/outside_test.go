package documents

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"
	"go.etcd.io/bbolt"
)

var updateOutside = flag.Bool("update-outside", false, "write what programs of other people can rely on")

// An outside is what programs of other people can rely on, as the scripts in testdata/outside find it.
type outside struct {
	mu    sync.Mutex                 // scripts run beside each other
	lines map[string]map[string]bool // sets of lines, by the golden file that has them
	specs []schema.Spec              // of the runs that were exported
}

// TestOutside compares with golden files the paths and types of all that --json prints, the headers of all
// CSV, the names of all flags, and each array that is exported of a run of each method.
func TestOutside(t *testing.T) {
	o := &outside{lines: map[string]map[string]bool{}}
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"json": o.recordJSON, "csv": o.recordHeaders, "npz": o.recordArrays, "spoil": spoil,
	}
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{Dir: "testdata/outside", Cmds: commands})
	})
	if t.Failed() {
		return
	}
	if missing := o.listMissing(t); len(missing) > 0 {
		t.Run("registered", func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "registered.txtar")
			e2e.Must(t, os.WriteFile(script, []byte(strings.Join(missing, "\n")), 0o600))
			testscript.Run(t, testscript.Params{Files: []string{script}, Cmds: commands})
		})
	}
	o.recordFlags()
	for _, name := range slices.Sorted(maps.Keys(o.lines)) {
		compareOutside(t, name, slices.Sorted(maps.Keys(o.lines[name])))
	}
}

// compareOutside compares lines with a golden file, which it writes if that was asked for.
func compareOutside(t *testing.T, name string, lines []string) {
	t.Helper()
	path, got := filepath.Join("testdata", "outside", name+".golden"), strings.Join(lines, "\n")+"\n"
	if *updateOutside {
		e2e.Must(t, os.WriteFile(path, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	e2e.Must(t, err)
	var changed []string
	for _, line := range missingLines(string(want), got) {
		changed = append(changed, "- "+line)
	}
	for _, line := range missingLines(got, string(want)) {
		changed = append(changed, "+ "+line)
	}
	if n := len(changed); n > 0 {
		slices.SortStableFunc(changed, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
		t.Errorf("%s: %d lines changed (go test ./cmd/podtrack/internal/e2e/documents -run Outside -update-outside "+
			"renews it):\n%s", path, n, strings.Join(changed[:min(n, 50)], "\n"))
	}
}

// spoil changes the last byte of the N-th record of a store.
func spoil(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	db, err := bbolt.Open(ts.MkAbs(args[0]), 0o666, nil)
	ts.Check(err)
	ts.Check(db.Update(func(tx *bbolt.Tx) error {
		records := tx.Bucket([]byte("records"))
		c := records.Cursor()
		key, row := c.First()
		for range n {
			key, row = c.Next()
		}
		bad := bytes.Clone(row)
		bad[len(bad)-1] ^= 0xff
		return records.Put(key, bad)
	}))
	ts.Check(db.Close())
}

func (o *outside) add(name, line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lines[name] == nil {
		o.lines[name] = map[string]bool{}
	}
	o.lines[name][line] = true
}

// recordJSON executes a command with --json and records the paths in what it prints.
func (o *outside) recordJSON(ts *testscript.TestScript, _ bool, args []string) {
	label, stdout := perform(ts, args, "--json")
	o.addDocuments(ts, label, stdout)
}

// addDocuments records the paths in JSON documents. Where each has a type, the paths begin with that.
func (o *outside) addDocuments(ts *testscript.TestScript, label, text string) {
	n := 0
	for documents := json.NewDecoder(strings.NewReader(text)); documents.More(); n++ {
		var document any
		ts.Check(documents.Decode(&document))
		root := ""
		if line, isObject := document.(map[string]any); isObject && line["type"] != nil {
			root = fmt.Sprintf("<%v>", line["type"])
		}
		if root == "<progress>" {
			continue // printed only by a machine that is busy
		}
		o.addPaths(label+" => "+root, document)
	}
	if n == 0 {
		ts.Fatalf("%s prints no JSON", label)
	}
}

// namedByData are the fields that are objects whose names are data.
var namedByData = regexp.MustCompile(`\.(params|arrays|external_measures)$`)

// addPaths records the paths of what is in a value, and of what type it is; a list has the paths of all its elements.
func (o *outside) addPaths(path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			o.add("json", path+" {}")
		}
		for field, v := range value {
			if namedByData.MatchString(path) {
				field = "*"
			}
			o.addPaths(path+"."+field, v)
		}
	case []any:
		if len(value) == 0 {
			o.add("json", path+"[]")
		}
		for _, v := range value {
			o.addPaths(path+"[]", v)
		}
	case nil:
		o.add("json", path+" null")
	case float64:
		o.add("json", path+" number")
	default:
		o.add("json", fmt.Sprintf("%s %T", path, value))
	}
}

// recordHeaders executes a command with --format csv and records the header of each table that it prints.
func (o *outside) recordHeaders(ts *testscript.TestScript, _ bool, args []string) {
	label, stdout := perform(ts, args, "--format", "csv")
	for table := range strings.SplitSeq(stdout, "\n\n") {
		header, _, _ := strings.Cut(table, "\n")
		o.add("csv", label+" => "+header)
	}
}

// perform executes a command that must answer, and returns what names it and what it prints.
func perform(ts *testscript.TestScript, args []string, flags ...string) (label, stdout string) {
	label = strings.Join(args, " ")
	var exit *exec.ExitError
	if err := ts.Exec("podtrack", append(args, flags...)...); !errors.As(err, &exit) {
		ts.Check(err)
	} else if code := exit.ExitCode(); code == cmdline.ExitDifference || code == cmdline.ExitUnverified {
		label += fmt.Sprintf(" (exit %d)", code)
	} else {
		ts.Fatalf("%s: exit code %d", label, code)
	}
	return label, ts.ReadFile("stdout")
}

// recordArrays makes a run of a name, by a command, and records the arrays that are exported of it.
func (o *outside) recordArrays(ts *testscript.TestScript, _ bool, args []string) {
	name := args[0]
	ts.Check(ts.Exec("podtrack", append(args[1:], "--name", name)...))
	ts.Check(ts.Exec("podtrack", "export", name, "-o", name+".npz"))
	archive, err := zip.OpenReader(ts.MkAbs(name + ".npz"))
	ts.Check(err)
	defer archive.Close()
	for _, file := range archive.File {
		reader, err := file.Open()
		ts.Check(err)
		array, err := io.ReadAll(reader)
		ts.Check(err)
		form := npyForm.FindSubmatchIndex(array)
		if form == nil {
			ts.Fatalf("%s of %s begins with %.100q", file.Name, name, array)
		}
		data := array[form[1]:]
		if file.Name == "podtrack.json.npy" {
			o.addAbout(ts, data)
			continue
		}
		o.add("npz", fmt.Sprintf("%s %s %s %.8x", name, strings.TrimSuffix(file.Name, ".npy"),
			npyForm.Expand(nil, []byte("$1 ($2)"), array, form), sha256.Sum256(data)))
	}
}

// npyForm finds the type and the shape in the header of an array.
var npyForm = regexp.MustCompile(`'descr': '(.*?)', 'fortran_order': False, 'shape': \((.*?)\), \} *\n`)

// addAbout records what an archive says of its runs.
func (o *outside) addAbout(ts *testscript.TestScript, document []byte) {
	o.addDocuments(ts, "export --format npz: podtrack.json", string(document))
	var about struct{ Runs []struct{ Spec schema.Spec } }
	ts.Check(json.Unmarshal(document, &about))
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, run := range about.Runs {
		o.specs = append(o.specs, run.Spec)
	}
}

// runsOf are commands that make a run of something that a spec can name, by what that is.
var runsOf = map[string]string{
	"environment": "run --env %s", "method": "run --env grid:open --kappa 0 --method %s",
	"selection": "run --bits 6 --select %s", "learner": "run --bits 6 --learner %s",
}

// listMissing returns commands of a script that export what a spec can name and was not exported, and print the JSON
// and the CSV of commands that were not tried.
func (o *outside) listMissing(t *testing.T) (commands []string) {
	exported := map[string]bool{}
	for _, s := range o.specs {
		rule, err := s.Select.ParseRule()
		e2e.Must(t, err)
		for _, name := range []string{"environment " + s.Env.Name, "method " + string(cmp.Or(s.Method, schema.POD)),
			"selection " + string(rule.By), "learner " + string(s.Learner)} {
			exported[name] = true
		}
	}
	for kind, names := range map[string][]string{"environment": envs.EnvNames(), "method": schema.Methods.Names(),
		"selection": schema.Selections.Names(), "learner": schema.Learners.Names()} {
		for _, name := range names {
			if !exported[kind+" "+name] {
				commands = append(commands, fmt.Sprintf("npz %s "+runsOf[kind]+" --steps 120 --iterations 2", name, name))
			}
		}
	}
	commands = append(commands, "exec podtrack run --bits 5 --steps 60 --iterations 2 --seeds 0-1 --name ring{seed}")
	all := allCommands()
	for _, form := range []string{"json", "csv"} {
		for _, call := range missingExamples(slices.Collect(maps.Keys(o.lines[form]))) {
			if hasForm(all[commandOf(all, call+" ")], form) {
				commands = append(commands, form+" "+call)
			}
		}
	}
	return commands
}

// recordFlags records the flags of each command.
func (o *outside) recordFlags() {
	for name, c := range allCommands() {
		for _, f := range c.Flags {
			for _, n := range f.Names() {
				o.add("flags", name+" "+n)
			}
		}
	}
}

// hasForm reports whether a command prints JSON or CSV.
func hasForm(c *cli.Command, form string) bool {
	return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool {
		format, isText := f.(*cli.StringFlag)
		return f.Names()[0] == form ||
			isText && format.Name == "format" && form == "csv" && strings.Contains(format.Usage, "csv")
	})
}

// commandOf returns the name of the command with which a line begins.
func commandOf(commands map[string]*cli.Command, line string) (name string) {
	for c := range commands {
		if len(c) > len(name) && strings.HasPrefix(line, c+" ") {
			name = c
		}
	}
	return name
}
