package command

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"

	"github.com/urfave/cli/v2"
)

// TestManualPage: the manual page has each command with its flags and its example, and roff takes it as it is meant.
func TestManualPage(t *testing.T) {
	var out bytes.Buffer
	if code := Execute(t.Context(), []string{"podtrack", "help", "--man"}, &out, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	page := out.String()
	unescape := strings.NewReplacer(`\-`, "-", `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\(dq`, `"`, `\e`, `\`)
	for _, d := range cmdline.Commands() {
		_, section, _ := strings.Cut(page, `.SS "podtrack `+strings.ReplaceAll(d.Name, "-", `\-`))
		section, _, _ = strings.Cut(section, "\n.S")
		section = unescape.Replace(section)
		flags, _ := d.Make()
		want := []string{d.Usage, d.Args, d.Example}
		for _, f := range flags {
			if f.(cli.VisibleFlag).IsVisible() {
				name, _, _ := strings.Cut(f.String(), "\t") // as --help has it
				want = append(want, ".B \""+name)
			}
		}
		for _, text := range want {
			if !strings.Contains(section, text) {
				t.Errorf("%s: the page does not have %q", d.Name, text)
			}
		}
	}
	known := regexp.MustCompile(`(?m)^\.(?:TH|SH|SS|PP|TP|B|EX|EE)\b.*\n|^[^.'\n].*\n`)
	if other := known.ReplaceAllString(page, ""); other != "" {
		t.Errorf("lines that roff takes for something else:\n%s", other)
	}
	schematest.NeedsPrograms(t, "groff")
	groff := exec.CommandContext(t.Context(), "groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z")
	groff.Stdin = &out
	if said, err := groff.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("groff: %v\n%s", err, said)
	}
}

func TestEscapeRoff(t *testing.T) {
	for text, want := range map[string]string{
		".TH": `\&.TH`, "'s": `\(aqs`, `a\b`: `a\eb`, "--x": `\-\-x`, "": "", "N₁ ≤ κ": "N₁ ≤ κ",
	} {
		if got := escapeRoff(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}
