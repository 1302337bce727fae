package textform

import (
	"os/exec"
	"testing"
)

func TestShellQuote(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	for in, want := range map[string]string{
		"k1-s3": "k1-s3", "a/b.db": "a/b.db", "run:2/1+": "run:2/1+", "": "''", "two words": "'two words'",
		"it's":       `'it'\''s'`,
		"$(touch x)": "'$(touch x)'", "`x`": "'`x`'", "=ls": "'=ls'", "~": "'~'", "distance>3": "'distance>3'",
		"läufe.db":   "'läufe.db'",
		"two\nlines": `$'two\012lines'`, "\x1b[2J'\\": `$'\033[2J\'\\'`, "\u202edb.x": `$'\342\200\256db.x'`,
		"\xff": `$'\377'`, "a!b": "'a!b'",
	} {
		got := ShellQuote(in)
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
		if err != nil {
			continue // and is not asked
		}
		read, err := exec.Command(bash, "-c", "printf %s "+got).Output()
		if err != nil || string(read) != in {
			t.Errorf("%s is %q to bash: %v", got, read, err)
		}
	}
	if got := ShellPath("-rf x"); got != "'./-rf x'" {
		t.Errorf("a path that looks like a flag: %s", got)
	}
}
