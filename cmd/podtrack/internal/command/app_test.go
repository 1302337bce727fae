package command

import (
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

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
