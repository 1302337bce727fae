package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce paper", Place: 4,
	Example: "podtrack reproduce paper --runs 2 -o artefact",
	Usage:   "write what an evaluation of a paper's artefact needs into a folder",
	Description: `Writes Table 1, Figure 1, the study of exploration, the specs and heads of all
runs of Table 1, and a script that proves these heads on another machine. Runs of Table 1
and Figure 1 that are missing are made. The study is shown as it was published, unless
--recompute makes its 16,560 runs, too, which takes 50 minutes of processor time.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var a artefact
		return []cli.Flag{cmdline.StoreFlag(), runner.RunsFlag(&a.runs),
				&cli.StringFlag{Name: "o", Usage: "make the folder `DIR`", Destination: &a.folder},
				cmdline.Flag(&a.recompute, "recompute", "make all runs of the study, too"),
			}, cmdline.Interruptible(a.write, "runs made so far are in the store; no folder was made",
				"rerun the command to continue")
	},
})

// artefact is the command reproduce paper, with its flags.
type artefact struct {
	runs      *string
	folder    string
	recompute bool
	made      map[string][]byte // files by their names
}

// files lists the files of an artefact that commands make, with these commands, which print them.
func (a *artefact) files(runs int) [][]string {
	table := []string{"reproduce", "table1", "--runs", fmt.Sprint(runs)}
	study, plot := []string{"reproduce", "exploration"}, []string{"plot", "outcomes"}
	if a.recompute {
		plot = append(plot, "study=held-out")
	} else {
		study, plot = append(study, "--published"), append(plot, "--published")
	}
	as := func(file string, args []string, more ...string) []string {
		return append(append([]string{file}, args...), more...)
	}
	return [][]string{
		as("table1.txt", table), as("table1.csv", table, "--format", "csv"), as("table1.tex", table, "--format", "latex"),
		as("figure1.svg", []string{"reproduce", "figure1"}),
		as("study.toml", []string{"reproduce", "exploration", "--file"}),
		as("study.txt", study), as("study.csv", study, "--format", "csv"), as("study.tex", study, "--format", "latex"),
		as("study.svg", plot, "--overall"),
	}
}

func (a *artefact) write(c *cli.Context) error {
	if err := cmdline.NoArgs(c, "podtrack reproduce paper -o DIR"); err != nil {
		return err
	}
	if a.folder == "" {
		return schema.Hint(errors.New("reproduce paper needs a folder"), "podtrack reproduce paper -o DIR")
	}
	runs, err := runner.ParseRuns(a.runs)
	if err != nil {
		return err
	}
	err = cmdline.CheckNewFolder(a.folder) // before runs that take long
	if err == nil {
		err = a.make(c, runs)
	}
	if err == nil {
		err = cmdline.WriteFolder(a.folder, a.made)
	}
	if err != nil {
		return fmt.Errorf("reproduce paper: %w", err)
	}
	cmdline.PrintLine(c.App.Writer, "%s: begin with README.md; prove.sh proves all heads on another machine", a.folder)
	return nil
}

// make makes all files of the artefact.
func (a *artefact) make(c *cli.Context, runs int) error {
	a.made = map[string][]byte{}
	var rows strings.Builder
	for _, file := range a.files(runs) {
		name, args := file[0], file[1:]
		to := ">"
		if strings.HasSuffix(name, ".svg") {
			to = "-o"
		}
		fmt.Fprintf(&rows, "| [%s](%[1]s) | `podtrack %s %s %[1]s` |\n", name, strings.Join(args, " "), to)
		data, err := output(c, name, args)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		a.made[name] = data
	}
	proofs, err := a.makeProofs(c.Context, cmdline.OpenStore(c), runs)
	a.made["README.md"] = fmt.Appendf(nil, artefactReadme, schema.Version, rows.String(), proofs)
	return err
}

// output returns what a command prints.
func output(c *cli.Context, name string, args []string) ([]byte, error) {
	if !slices.Contains(args, "--file") && !slices.Contains(args, "--published") { // they read no store
		args = append(args, "--store", cmdline.StorePath(c))
	}
	if strings.HasSuffix(name, ".svg") {
		args = append(args, "--format", "svg", "-o", "-")
	}
	var printed bytes.Buffer
	app := *c.App
	app.Writer = &printed
	args, err := cmdline.ReorderArgs(&app, append([]string{app.Name}, args...))
	if err == nil {
		err = app.RunContext(c.Context, args)
	}
	return printed.Bytes(), err
}

// makeProofs makes the spec of each run of Table 1, and a script that runs each again from its spec alone and compares
// its head. It returns how many there are.
func (a *artefact) makeProofs(ctx context.Context, store *tracker.Store, runs int) (int, error) {
	specs, err := table1.AllSpecs(runs)
	if err != nil {
		return 0, err
	}
	script := []byte("#!/bin/sh\n# Runs each spec from nothing, and compares its head.\nset -e\n" +
		"cd \"$(dirname \"$0\")\"\n")
	err = store.View(ctx, func(tx *tracker.Tx) error {
		for _, spec := range specs {
			id, err := schema.RunID(spec, nil)
			if err != nil {
				return err
			}
			last, err := tx.ReadIteration(id, table1.Columns-1)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := cmdline.PrintJSON(&text, spec); err != nil {
				return err
			}
			name := fmt.Sprintf("specs/%s-hide%s-seed%d.json", spec.Reading(), field(spec, "hide"), spec.Seed)
			a.made[name] = text.Bytes()
			script = fmt.Appendf(script,
				"podtrack run --store proved.db --spec %s --iterations %d --expect %s >/dev/null\n", name,
				table1.Columns, last.Link)
		}
		return nil
	})
	a.made["prove.sh"] = script
	return len(specs), err
}

func field(spec schema.Spec, name string) string {
	value, _ := spec.Get(name)
	return value
}

const artefactReadme = `# Artefact

What podtrack %s makes of Machado & Bowling, *Learning Purposeful Behaviour in the Absence of Rewards* (2016).

| file | made by |
|---|---|
%s| specs/, prove.sh | the specs of the %d runs of Table 1, and a script that proves their heads |

1. Put the program podtrack on PATH; nothing else is needed.
2. sh prove.sh executes each spec from nothing, and ends with an error at the first head that differs.
3. The commands above make each file again; podtrack help table1 and podtrack help methods say what they mean.
`
