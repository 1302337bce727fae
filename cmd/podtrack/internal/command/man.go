package command

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/help"
	"github.com/podtrack/podtrack/schema"

	"github.com/urfave/cli/v2"
)

// roff is a manual page in the macros of man(7).
type roff struct{ strings.Builder }

// manualPage returns podtrack(1), made of the same texts as --help.
func manualPage(app *cli.App) string {
	var r roff
	r.macro("TH", "PODTRACK", "1", "", "podtrack "+schema.Version, "User Commands")
	r.macro("SH", "NAME")
	r.text("podtrack - " + app.Usage)
	r.macro("SH", "SYNOPSIS")
	r.macro("B", "podtrack COMMAND")
	r.text("[FLAG…] [ARGUMENT…]")
	r.macro("SH", "DESCRIPTION")
	r.text(app.Description)
	r.macro("SH", "OPTIONS")
	r.flags(app.Flags)
	group := cmdline.Group("")
	for i, d := range cmdline.Commands()[:len(app.Commands)] {
		if d.Group != group {
			group = d.Group
			r.macro("SH", strings.ToUpper(string(group)))
		}
		r.command(app.Commands[i], "podtrack")
	}
	r.macro("SH", "EXIT STATUS")
	r.exitCodes()
	r.macro("SH", "SEE ALSO")
	r.text("podtrack help TOPIC shows a topic:")
	for _, t := range help.Topics() {
		r.entry(t.Name, t.Summary)
	}
	return r.String()
}

// command writes a command and its subcommands; path is what stands before its name.
func (r *roff) command(c *cli.Command, path string) {
	name := path + " " + c.Name
	r.macro("SS", strings.TrimSpace(name+" "+c.ArgsUsage))
	r.text(c.Usage)
	if c.Description != "" {
		r.macro("PP")
		r.text(c.Description)
	}
	r.flags(c.Flags)
	for _, d := range cmdline.Commands() {
		if "podtrack "+d.Name == name {
			r.macro("PP")
			r.text("Example:")
			r.literal([]string{d.Example})
		}
	}
	for _, sub := range c.Subcommands {
		r.command(sub, name)
	}
}

// flags writes flags with what they do, as --help has them.
func (r *roff) flags(flags []cli.Flag) {
	for _, f := range flags {
		if visible, ok := f.(cli.VisibleFlag); ok && !visible.IsVisible() {
			continue
		}
		name, usage, _ := strings.Cut(f.String(), "\t")
		r.entry(name, strings.TrimSuffix(usage, " (default: false)"))
	}
}

// exitCodes writes the table of the topic about them.
func (r *roff) exitCodes() {
	text, _ := help.Text("exit-codes") // it is part of the program
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && !strings.Contains(line, "code |") {
			r.entry(strings.TrimPrefix(cells[0], "| "), cells[1])
		}
	}
}

// entry writes a term and its explanation.
func (r *roff) entry(term, explanation string) {
	r.macro("TP")
	r.macro("B", term)
	r.text(explanation)
}

// text writes paragraphs. Lines that are indented stay as they are.
func (r *roff) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		lines := strings.Split(paragraph, "\n")
		if strings.HasPrefix(lines[0], "  ") {
			r.literal(lines)
			continue
		}
		for _, line := range lines {
			fmt.Fprintln(r, escapeRoff(line))
		}
	}
}

// literal writes lines that are not filled.
func (r *roff) literal(lines []string) {
	r.macro("EX")
	for _, line := range lines {
		fmt.Fprintln(r, escapeRoff(line))
	}
	r.macro("EE")
}

// macro writes a call of a macro.
func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, arg := range args {
		r.WriteString(` "` + strings.ReplaceAll(escapeRoff(arg), `"`, `\(dq`) + `"`)
	}
	r.WriteByte('\n')
}

// escapeRoff returns a line of text so that it is shown as it is.
func escapeRoff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
