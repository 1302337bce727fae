package faults

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// writing are commands that write, in a folder DIR with the store STORE of three runs,
// and what they may make or change in it beside that.
var writing = []struct {
	name   string
	code   int
	makes  []string
	before func(t *testing.T, dir string)
	args   []string
}{
	{name: "run", args: seeded("STORE", "7")},
	{name: "run makes a store", makes: []string{"new.db"}, args: seeded("DIR/new.db", "7")},
	{name: "resume", args: []string{"resume", "--store", "STORE", "seed=0", "--iterations", "3"}},
	{name: "fork", args: []string{"fork", "--store", "STORE", "@1:1", "--set", "kappa=0.5"}},
	{name: "import", args: []string{"import", "--store", "STORE", "--npz", "DIR/data.npz", "--bits", "4", "--prefix",
		"0/"}},
	{name: "merge", args: []string{"merge", "--store", "STORE", "DIR/other.db"}},
	{name: "rm", args: []string{"rm", "--yes", "--store", "STORE", "seed=1"}},
	{name: "repair --pruned", args: []string{"repair", "--pruned", "--store", "STORE"}},
	{name: "label", args: []string{"label", "--store", "STORE", "@1", "--tag", "good", "--name", "other", "--note",
		"good"}},
	{name: "evaluate", args: []string{"evaluate", "--store", "STORE", "@1", "--task", "goal=0", "--episodes", "2",
		"--seeds", "0"}},
	{name: "compact", args: []string{"compact", "--store", "STORE"}},
	{name: "compact of something else", code: cmdline.ExitNotStore, args: []string{"compact", "--store",
		"DIR/paper.pdf"}},
	{name: "repair", makes: []string{storeOfLookalikes + ".damaged"}, before: spoilStoreIn,
		args: []string{"repair", "--store", "STORE"}},
	{name: "repair of something else", code: cmdline.ExitNotStore, args: []string{"repair", "--store", "DIR/paper.pdf"}},
	{name: "backup", makes: []string{"copy.db"}, args: []string{"backup", "--store", "STORE", "DIR/copy.db"}},
	{name: "export", makes: []string{"out.npz"},
		args: []string{"export", "--store", "STORE", "seed=0-1", "-o", "DIR/out.npz"}},
	{name: "export of a bundle", makes: []string{"out.db"},
		args: []string{"export", "--store", "STORE", "seed=0-1", "--format", "bundle", "-o", "DIR/out.db"}},
	{name: "plot", makes: []string{"out.svg"},
		args: []string{"plot", "walk", "--store", "STORE", "@1", "-o", "DIR/out.svg"}},
	{name: "why of a document", makes: []string{"out.html"},
		args: []string{"why", "--store", "STORE", "@1:0/1+", "-o", "DIR/out.html"}},
	{name: "sweep", args: append([]string{"sweep", "--store", "STORE", "--seeds", "5-6"}, tinyRun...)},
	{name: "sweep of a shard", args: append([]string{"sweep", "--store", "STORE", "--seeds", "5-6", "--shard", "1/2"},
		tinyRun...)},
	{name: "script of a sweep", makes: []string{"job.sh", "job-parts"},
		args: []string{"sweep", "--store", "STORE", "--seeds", "5-6", "--slurm", "DIR/job.sh"}},
}

// reading are the commands that write nothing but what they print.
var reading = []string{"ls", "status", "show", "options", "replay", "diff", "compare", "why",
	"check", "env", "reproduce", "serve", "completion"}

// The names of the store and of its folder are patterns, too.
const (
	folderOfLookalikes = "t [1-9]*?"
	storeOfLookalikes  = "r[1].db"
)

// TestWritesNothingElse plants files that look like leftovers of a killed podtrack, two days old, and compares the
// folder before and after every command that writes.
func TestWritesNothingElse(t *testing.T) {
	template := filepath.Join(t.TempDir(), folderOfLookalikes)
	e2e.Must(t, os.Mkdir(template, 0o777))
	for _, args := range [][]string{
		seeded("STORE", "0-2"), seeded("DIR/other.db", "2-4"), {"export", "--store", "STORE", "seed=0", "-o",
			"DIR/data.npz"},
	} {
		if code, _, stderr := e2e.Podtrack(inLookalikes(template, args)...); code != 0 {
			t.Fatal(stderr)
		}
	}
	plantLookalikes(t, template)
	covered := slices.Clone(reading)
	for _, w := range writing {
		covered = append(covered, w.args[0])
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), folderOfLookalikes)
			e2e.Must(t, os.CopyFS(dir, os.DirFS(template)))
			living, err := tempfile.New(filepath.Join(dir, storeOfLookalikes), "compact")
			e2e.Must(t, err)
			defer living.Remove()
			if w.before != nil {
				w.before(t, dir)
			}
			makeOld(t, dir)
			before := digestsBelow(t, dir)
			if code, _, stderr := e2e.Podtrack(inLookalikes(dir, w.args)...); code != w.code {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			after := digestsBelow(t, dir)
			for path, what := range before {
				if path != storeOfLookalikes && after[path] != what && !slices.Contains(w.makes, strings.Split(path, "/")[0]) {
					t.Errorf("%s was %s, is %q", path, what, after[path])
				}
			}
			for path := range after {
				if before[path] == "" && !slices.Contains(w.makes, strings.Split(path, "/")[0]) {
					t.Errorf("%s was made", path)
				}
			}
			for path, what := range before { // also in what it may change
				if strings.Contains(path, "mine") && after[path] != what {
					t.Errorf("%s was %s, is %q", path, what, after[path])
				}
			}
		})
	}
	for _, c := range command.NewApp(io.Discard, io.Discard).Commands {
		if !slices.Contains(covered, c.Name) && !isHelp(c) {
			t.Errorf("no list says whether %s writes", c.Name)
		}
	}
}

func isHelp(c *cli.Command) bool { return c.Name == "help" }

func inLookalikes(dir string, args []string) (words []string) {
	replace := strings.NewReplacer("STORE", filepath.Join(dir, storeOfLookalikes), "DIR", dir)
	for _, a := range args {
		words = append(words, replace.Replace(a))
	}
	return words
}

func spoilStoreIn(t *testing.T, dir string) { spoilStore(t, filepath.Join(dir, storeOfLookalikes)) }

// tempProcess is where the name of a temporary folder tells the process.
var tempProcess = regexp.MustCompile(`-([0-9]+)-[0-9]+-([0-9a-f]{16})$`)

// plantLookalikes plants users' own files whose names are like podtrack's.
func plantLookalikes(t *testing.T, dir string) {
	t.Helper()
	store, err := os.ReadFile(filepath.Join(dir, storeOfLookalikes))
	e2e.Must(t, err)
	name := func(store string) string {
		temp, err := tempfile.New(filepath.Join(dir, store), "compact")
		e2e.Must(t, err)
		e2e.Must(t, temp.Remove())
		folder := filepath.Base(filepath.Dir(temp.ContentPath()))
		return tempProcess.ReplaceAllString(folder, "-$1-1-$2") // started at 1: it has ended
	}
	mine := name(storeOfLookalikes)
	for path, content := range map[string]string{
		"paper.pdf":                          "%PDF-1.7\n" + strings.Repeat("text ", 20_000),
		".podtrack-main.db":                  string(store),
		".podtrack-notes/mine":               "mine",
		".podtrack-temp-notes":               "mine",
		mine:                                 "a file of that name",
		mine + "0/content":                   "mine",
		name(storeOfLookalikes) + "/content": "mine, without a marker",
		name("other.db") + "/owner":          "mine, of another store",
		"r1.db":                              string(store),
		"r1.db.damaged":                      "mine",
		storeOfLookalikes + ".damaged.mine":  "mine",
	} {
		path = filepath.Join(dir, path)
		e2e.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		e2e.Must(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

// makeOld makes everything below a folder two days old.
func makeOld(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-48 * time.Hour)
	e2e.Must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(path, old, old)
		}
		return err
	}))
}

// digestsBelow returns the kinds and the digests of all that is below a folder.
func digestsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	e2e.Must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, what := filepath.ToSlash(path[len(dir)+1:]), e.Type().String()
		if e.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%d bytes %x", len(content), sha256.Sum256(content))
		}
		tree[name] = what
		return nil
	}))
	return tree
}
