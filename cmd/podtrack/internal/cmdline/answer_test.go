package cmdline

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// TestAnswer: a command prints the form that is asked for and makes no other, and its verdict follows the answer.
func TestAnswer(t *testing.T) {
	verdict := errors.New("a verdict")
	for line, want := range map[string]string{
		"":                  "text\n",
		"--json":            "[\n  1\n]\n",
		"--format csv":      "a\n1\n\nb\n2\n",
		"--format markdown": "| a |\n|:--- |\n| 1 |\n\n| b |\n|:--- |\n| 2 |\n",
		"--format none":     "unknown format",
		"--json --format x": "--format together with --json",
	} {
		var out strings.Builder
		made := 0
		app := &cli.App{Writer: &out, Flags: []cli.Flag{JsonFlag(), table.FormatFlag()}}
		app.Action = Answering(func(*cli.Context) (Answer, error) {
			return Answer{
				JSON: []int{1},
				Text: func(w table.Text) { made, _ = made+1, must(io.WriteString(w, "text\n")) },
				Tables: func() table.List {
					made++
					a := table.Of([]struct{ A int }{{1}}, table.Left("A").As("a"))
					b := table.Of([]struct{ B int }{{2}}, table.Left("B").As("b"))
					return table.List{a, b}
				},
				Verdict: verdict,
			}, nil
		})
		err := app.RunContext(t.Context(), append([]string{"x"}, strings.Fields(line)...))
		if strings.HasPrefix(want, "unknown") || strings.HasPrefix(want, "--") {
			if err == nil || !strings.HasPrefix(err.Error(), want) || out.Len() > 0 {
				t.Errorf("%q: %v and %q, want %s", line, err, out.String(), want)
			}
			continue
		}
		if out.String() != want || err != verdict || made > 1 || made == 1 == strings.Contains(line, "json") {
			t.Errorf("%q: %q, %v, %d forms made; want %q", line, out.String(), err, made, want)
		}
	}
}

// TestTables: text without a form of its own is the tables.
func TestTables(t *testing.T) {
	var out strings.Builder
	app := &cli.App{Writer: &out, Action: Answering(func(*cli.Context) (Answer, error) {
		return Answer{Tables: func() table.List { return table.List{{Columns: []table.Column{table.Left("a")}}} }}, nil
	})}
	if err := app.RunContext(t.Context(), []string{"x"}); err != nil || out.String() != "a\n───\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// TestFlags: flags fill the struct that they are made of, whose values are their defaults.
func TestFlags(t *testing.T) {
	type flags struct {
		On    bool
		N     int
		Long  int64
		Seed  uint64
		Share float64
		Text  string
		List  []string
		K     *int
		Name  *string
	}
	parse := func(line string) (f flags, first string) {
		f = flags{N: 2, Long: 3, Seed: 4, Share: 0.5, Text: "a"}
		app := &cli.App{
			Flags: []cli.Flag{
				Flag(&f.On, "on", ""), Flag(&f.N, "n", ""), Flag(&f.Long, "long", ""), Flag(&f.Seed, "seed", ""),
				Flag(&f.Share, "share", ""), Flag(&f.Text, "text", ""), Flag(&f.List, "list", ""),
				Optional(&f.K, "k", "", "all"), Optional(&f.Name, "name", "", "none"),
			},
			Action: func(c *cli.Context) error {
				first = FirstSet(c, "k", "n", "list")
				return nil
			},
		}
		if err := app.RunContext(t.Context(), append([]string{"x"}, strings.Fields(line)...)); err != nil {
			t.Fatal(err)
		}
		return f, first
	}
	f, first := parse("")
	if f.On || f.N != 2 || f.Long != 3 || f.Seed != 4 || f.Share != 0.5 || f.Text != "a" || f.List != nil ||
		f.K != nil || f.Name != nil || first != "" {
		t.Errorf("defaults: %+v, %q", f, first)
	}
	f, first = parse("--on --n 3 --long 4 --seed 5 --share 0.25 --text b --list c --list d --k 0 --name=")
	if !f.On || f.N != 3 || f.Long != 4 || f.Seed != 5 || f.Share != 0.25 || f.Text != "b" ||
		strings.Join(f.List, " ") != "c d" || f.K == nil || *f.K != 0 || f.Name == nil || *f.Name != "" || first != "k" {
		t.Errorf("given: %+v, %q", f, first)
	}
}
