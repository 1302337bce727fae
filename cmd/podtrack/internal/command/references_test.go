package command

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"

	"github.com/urfave/cli/v2"
)

// A referencing is a command line with REF in the place of a reference, and what REF may name.
type referencing struct{ line, takes string }

// referencingLines are those of commands that take several references, or flags beside one.
var referencingLines = []referencing{
	{"compare REF REF", "a run"},
	{"diff REF REF", "a run, an iteration or an option"},
	{"evaluate REF --task goal=1", "a run or an iteration"},
	{"export REF -o exported", "a run"},
	{"fork REF --set kappa=8", "an iteration"},
	{"label REF --name other-name", "a run"},
	{"label REF --note text", "a run"},
	{"label REF --tag a-tag", "a run"},
	{"plot diff REF REF -o drawn.csv", "a run or an iteration"},
	{"repair --pruned REF", "a run"},
	{"rm REF --yes", "a run"},
	{"show REF", "a run"},
	{"show --group REF", "a run"},
	{"status REF", "a run"},
}

// allReferencing returns the lines of all commands that take references: those of the others follow from the arguments
// in their help.
func allReferencing() []referencing {
	all := slices.Clone(referencingLines)
	for _, d := range cmdline.Commands() {
		listed := func(r referencing) bool { return strings.HasPrefix(r.line, d.Name+" ") }
		if slices.ContainsFunc(referencingLines, listed) || !strings.Contains(d.Args, "RUN") && d.Args != "FILTER" {
			continue
		}
		var takes []string
		for _, kind := range []struct{ name, form string }{
			{"a run", `RUN([^:]|$)|FILTER`}, {"an iteration", `RUN(:K|\[:K\])([^/]|$)`}, {"an option", `RUN:#N|RUN:K/J`},
		} {
			if regexp.MustCompile(kind.form).MatchString(d.Args) {
				takes = append(takes, kind.name)
			}
		}
		line := d.Name + " REF"
		if strings.HasPrefix(line, "plot ") {
			line += " -o drawn.csv"
		}
		all = append(all, referencing{line, strings.Join(takes, " or ")})
	}
	return all
}

// referenceForms has what follows the name of a run, and the kind of what is named so.
var referenceForms = map[string]string{
	"": "a run", ":1": "an iteration", ":#1": "an option", ":0/1+": "an option", ":0/1-": "an option",
}

// TestReferences: each command says the same of each form of reference that it does not take, whichever way the run is
// named, and what to write instead. What has no form is said to be none, in the same words everywhere.
func TestReferences(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	store := filepath.Join(folder, "podtrack.db")
	execute := func(line string) (code int, stderr string) {
		var errs bytes.Buffer
		args := append([]string{"podtrack", "--store", store}, strings.Fields(line)...)
		code = Execute(t.Context(), args, io.Discard, &errs)
		return code, errs.String()
	}
	for _, line := range []string{"run --bits 5 --steps 50 --iterations 2 --name gone", "rm gone --yes",
		"run --bits 5 --steps 50 --iterations 2 --seed 1 --name s0"} {
		if code, stderr := execute(line); code != cmdline.ExitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	var id bytes.Buffer
	Execute(t.Context(), []string{"podtrack", "ls", "--columns", "run", "--format", "csv"}, &id, io.Discard)
	runs := []string{"s0", "@1", strings.Fields(id.String())[1]}

	for _, c := range allReferencing() {
		for _, run := range runs {
			for form, kind := range referenceForms {
				if strings.Contains(c.takes, kind) {
					continue
				}
				checkRefused(t, execute, c.line, run+form, run+form+" is "+kind+", and "+c.takes+" is expected\n")
			}
			for form, part := range map[string]string{":": `iteration ""`, ":x": `iteration "x"`, ":-1": `iteration "-1"`,
				":#x": `option number "x"`, ":0/1": `option "1"`, ":0/0+": `option "0+"`} {
				checkRefused(t, execute, c.line, run+form, part+` in "`+run+form+"\"\n")
			}
		}
	}
}

// checkRefused checks that a command ends with what it says of a reference, and a remedy.
func checkRefused(t *testing.T, execute func(string) (int, string), line, ref, says string) {
	t.Helper()
	code, stderr := execute(strings.ReplaceAll(line, "REF", ref))
	_, said, _ := strings.Cut(stderr, "invalid reference: ")
	remedy, found := strings.CutPrefix(said, says)
	if code != cmdline.ExitFailure || !found || !strings.HasPrefix(remedy, "  ") {
		t.Errorf("%s, %s: code %d, %swant %s", line, ref, code, stderr, says)
	}
}

// TestUsageOfFlags: what is said of a flag without a value begins with the flag, whatever form its help has, and no
// flag is described by the name that a spec has in place of a program's.
func TestUsageOfFlags(t *testing.T) {
	flags := 0
	var visit func(commands []*cli.Command)
	visit = func(commands []*cli.Command) {
		for _, c := range commands {
			visit(c.Subcommands)
			for _, f := range c.Flags {
				name := f.Names()[0]
				said := usageOfFlag(c.Flags, name)
				if !strings.HasPrefix(said, "--"+name+" ") || strings.Contains(said, "`") ||
					strings.Contains(said, "or external") {
					t.Errorf("%s --%s: %q", c.Name, name, said)
				}
				flags++
			}
		}
	}
	visit(NewApp(io.Discard, io.Discard).Commands)
	if flags < 300 {
		t.Errorf("only %d flags", flags)
	}
}
