package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "completion", Group: cmdline.GroupProgram, Place: 2,
	Example: "podtrack completion bash > ~/.podtrack.bash",
	Usage:   "print a script that completes commands, flags and runs in a shell",
	Args:    "bash | zsh | fish",
	Description: `The script asks podtrack what can be typed: commands, flags, topics, and the runs of
the store.
bash: podtrack completion bash > ~/.podtrack.bash, and source that file in ~/.bashrc.
zsh: podtrack completion zsh > ~/.podtrack.zsh, and source that file in ~/.zshrc.
fish: podtrack completion fish > ~/.config/fish/completions/podtrack.fish`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var line *string
		return []cli.Flag{cmdline.Optional(&line, "line", "print what the last word of the command line `TEXT` can be",
				"")}, func(c *cli.Context) error {
				if line != nil {
					return printCandidates(c, *line)
				}
				return printCompletion(c)
			}
	},
})

// shells has the completion script of each shell. Where nothing is printed, shells complete the names of files.
var shells = map[string]string{
	// Bash replaces only what follows the last : or =.
	"bash": `_podtrack() {
  local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} prefix
  prefix=${line##* }
  prefix=${prefix%"${prefix##*[:=]}"}
  COMPREPLY=($(podtrack completion --line="$line" 2>/dev/null))
  COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  case ${COMPREPLY-} in *[=/]) compopt -o nospace ;; esac
}
complete -o default -F _podtrack podtrack
`,
	// Zsh sources the script, or calls it where packages install it, as the function _podtrack of fpath.
	"zsh": `#compdef podtrack
_podtrack() {
  local -a candidates
  candidates=("${(@f)$(podtrack completion --line="${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -n $candidates ]]; then compadd -Q -S '' -- $candidates; else _files; fi
}
if [[ $funcstack[1] = _podtrack ]]; then
  _podtrack
else
  (( $+functions[compdef] )) || { autoload -Uz compinit; compinit -i; }
  compdef _podtrack podtrack
fi
`,
	"fish": `complete -c podtrack -a '(podtrack completion --line=(commandline -cp | string collect) 2>/dev/null)'
`,
}

// printCompletion prints the completion script for one shell.
func printCompletion(c *cli.Context) error {
	const hint = "podtrack completion bash, zsh or fish"
	if c.NArg() != 1 {
		return schema.Hint(errors.New("completion takes the name of one shell"), hint)
	}
	script, found := shells[c.Args().First()]
	if !found {
		return schema.Hint(fmt.Errorf("no completion for the shell %q", c.Args().First()), hint)
	}
	_, err := fmt.Fprint(c.App.Writer, script)
	return err
}

// printCandidates prints what the last word of a command line can be, one a line.
func printCandidates(c *cli.Context, line string) error {
	words, err := programs.SplitCommand(line)
	if err != nil { // within quotes, or where a shell would begin something else
		words = strings.Fields(line)
	}
	if line == "" || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	for _, word := range (completion{c, words}).candidates() {
		cmdline.PrintLine(c.App.Writer, "%s", word)
	}
	return nil
}
