package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/urfave/cli/v2"
)

// servedFlags are the commands that pages show, with the flags that their addresses may give. Whoever adds one has seen
// that it only reads the store, opens no file, starts no program, and takes no longer than the rest.
const servedFlags = `
ls: columns sort best limit
status:
show: spec exploration group measure by iteration
options: iteration rejected sort
why: forward
diff: all exploration cosine agreement gap group by matrix draws
compare: paired baseline label overall measure by iteration
evaluate: task protocol seeds iteration all against diffusion episodes
plot coverage: by
plot diff: group shared by cosine agreement
plot measures: by measure smooth
plot option:
plot outcomes: profile overall
plot purposes:
plot scatter: x y color
plot spectrum:
plot visits:
plot walk:
`

// TestServed compares what pages may ask for with the list above. Every figure takes its look, too.
func TestServed(t *testing.T) {
	var got strings.Builder
	got.WriteString("\n")
	looks := []string{"format", "theme", "width", "no-title"}
	app := NewApp(nil, nil)
	for _, c := range cmdline.Commands() {
		if c.Served == nil {
			continue
		}
		flags := flagsOf(app, c.Name)
		for _, name := range c.Served {
			if !slices.Contains(flags, name) {
				t.Errorf("pages may give %s --%s, which it does not have", c.Name, name)
			}
		}
		for _, name := range []string{"o", "store", "json", "force", "q", "quiet", "env", "help", "allow-exec", "collect"} {
			if slices.Contains(c.Served, name) {
				t.Errorf("pages may give %s --%s", c.Name, name)
			}
		}
		shown := slices.DeleteFunc(slices.Clone(c.Served), func(flag string) bool {
			return strings.HasPrefix(c.Name, "plot ") && slices.Contains(looks, flag)
		})
		fmt.Fprintln(&got, strings.TrimSuffix(c.Name+": "+strings.Join(shown, " "), " "))
	}
	if got.String() != servedFlags {
		t.Errorf("pages may ask for\n%s", got.String())
	}
}

// flagsOf returns the names of a command's flags.
func flagsOf(app *cli.App, name string) (names []string) {
	commands := app.Commands
	var c *cli.Command
	for _, word := range strings.Fields(name) {
		c = cmdline.FindCommand(commands, word)
		commands = c.Subcommands
	}
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return names
}
