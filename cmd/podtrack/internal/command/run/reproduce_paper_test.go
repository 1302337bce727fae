package run

import (
	"slices"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestArtefactOfRecomputed executes the command that draws the study where its runs are made: its term of a filter
// stands before flags, as people write it.
func TestArtefactOfRecomputed(t *testing.T) {
	var terms []string
	flags := map[string]string{}
	app := &cli.App{Name: "podtrack", Commands: []*cli.Command{{Name: "plot", Subcommands: []*cli.Command{{
		Name: "outcomes",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "overall"}, &cli.StringFlag{Name: "store"},
			&cli.StringFlag{Name: "format"}, &cli.StringFlag{Name: "o"}},
		Action: func(c *cli.Context) error {
			terms = c.Args().Slice()
			for _, name := range []string{"overall", "store", "format", "o"} {
				flags[name] = c.String(name)
			}
			_, err := c.App.Writer.Write([]byte("drawn"))
			return err
		},
	}}}}}
	app.Action = func(c *cli.Context) error {
		a := artefact{recompute: true}
		files := a.files(30)
		study := files[slices.IndexFunc(files, func(f []string) bool { return f[0] == "study.svg" })]
		drawn, err := output(c, study[0], study[1:])
		if err != nil || string(drawn) != "drawn" {
			t.Errorf("printed %q, %v", drawn, err)
		}
		return nil
	}
	if err := app.Run([]string{"podtrack"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(terms, []string{"study=held-out"}) || flags["format"] != "svg" || flags["o"] != "-" {
		t.Errorf("%q with %q", terms, flags)
	}
}
