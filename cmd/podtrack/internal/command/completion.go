package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "completion", Group: cmdline.GroupProgram, Place: 2,
	Example: "podtrack completion bash > ~/.local/share/bash-completion/completions/podtrack",
	Usage:   "print a script that completes commands and flags in a shell",
	Args:    "bash | zsh | fish",
	Description: `The script holds the names of this version's commands and flags; it executes nothing.
zsh: podtrack completion zsh > ~/.podtrack.zsh, and source that file in ~/.zshrc.
fish: podtrack completion fish > ~/.config/fish/completions/podtrack.fish`,
	Make: func() ([]cli.Flag, cli.ActionFunc) { return nil, printCompletion },
})

// printCompletion prints the completion script for one shell.
func printCompletion(c *cli.Context) error {
	switch shell := c.Args().First(); {
	case c.NArg() == 1 && shell == "bash":
		return writeBashCompletion(c.App.Writer, c.App)
	case c.NArg() == 1 && shell == "zsh":
		if _, err := fmt.Fprintln(c.App.Writer, "autoload -U +X bashcompinit && bashcompinit"); err != nil {
			return err
		}
		return writeBashCompletion(c.App.Writer, c.App)
	case c.NArg() == 1 && shell == "fish":
		script, err := c.App.ToFishCompletion()
		if err == nil {
			_, err = fmt.Fprint(c.App.Writer, script)
		}
		return err
	}
	return schema.Hint(fmt.Errorf("completion takes the name of one shell"), "podtrack completion bash, zsh or fish")
}

// writeBashCompletion writes a bash function that completes commands, subcommands and flags. The
// shell completes file names if none matches.
func writeBashCompletion(w io.Writer, app *cli.App) error {
	var cases strings.Builder
	for _, c := range app.Commands {
		for _, sub := range c.Subcommands {
			writeCase(&cases, c.Name+" "+sub.Name, flagNames(sub))
		}
		writeCase(&cases, c.Name, append(commandNames(c.Subcommands), flagNames(c)...))
	}
	_, err := fmt.Fprintf(w, `_podtrack() {
  local current=${COMP_WORDS[COMP_CWORD]} words='%s'
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
%s    *) words= ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _podtrack podtrack
`, strings.Join(commandNames(app.Commands), " "), cases.String())
	return err
}

// writeCase writes the completions of one command. Subcommands must be written before their
// parent.
func writeCase(b *strings.Builder, path string, words []string) {
	pattern := `"` + path + `"`
	if !strings.Contains(path, " ") {
		pattern = `"` + path + ` "*`
	}
	fmt.Fprintf(b, "    %s) words='%s' ;;\n", pattern, strings.Join(words, " "))
}

func commandNames(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

// flagNames returns the flags of a command, with their dashes.
func flagNames(c *cli.Command) (names []string) {
	for _, f := range c.Flags {
		name := f.Names()[0]
		if len(name) == 1 {
			names = append(names, "-"+name)
		} else {
			names = append(names, "--"+name)
		}
	}
	return names
}
