package textfmt

import (
	"fmt"
	"os/exec"
	"strings"
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

func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "as-written": "as-written", "0.5": "0.5", "-1.5e-9": "-1.5e-9", "+Inf": "+Inf", "-NaN": "'-NaN",
		"-": "-", "+": "+",
		`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(A1)": "'@SUM(A1)", "-2+3": "'-2+3", "+a": "'+a",
		"\t=1": `\t=1`, "\r=1": `\u000d=1`, "=1\n": `'=1\n`, "＝1+1": "'＝1+1", "−1": "−1", "1/2-": "1/2-",
	} {
		if got := CSVCell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	commands := []string{"run", "resume", "replay", "repair", "show", "sweep"}
	for word, want := range map[string]string{
		"repaly": "replay", "rseume": "resume", "sho": "show", "sweeep": "sweep", "": "", "xyz": "", "run": "run",
		"RUN": "run", "Repaly": "replay", "SHO": "show",
		"rn": "run", "shw": "show", "un": "run", "rnu": "run", "urn": "run", "nur": "",
	} {
		if got := Suggest(word, commands); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Suggest("sead", []string{"head", "seed", "lead"}); got != "seed" {
		t.Errorf("sead: %q, want seed, which begins so", got)
	}
	if got := Suggest("FOUR", []string{"Flour", "Four", "fourth"}); got != "Four" {
		t.Errorf("FOUR: %q, want Four as it is written", got)
	}
}

// TestShortenEchoes: only quoted texts and words are shortened.
func TestShortenEchoes(t *testing.T) {
	blanks, letters := strings.Repeat("ab ", 20), strings.Repeat("x", 60)
	for text, want := range map[string]string{
		"":                         "",
		"it's what the run's is":   "it's what the run's is",
		"it's " + blanks + "run's": "it's " + blanks + "run's", // apostrophes
		fmt.Sprintf("name %q: not allowed", letters): `name "xxxxx…xx": not allowed`,
		fmt.Sprintf("tag %q: not allowed", blanks):   `tag "ab ab…b ": not allowed`,
		"--set '" + blanks + "': no field":           "--set 'ab ab…b ': no field",
		strings.Repeat("日", 60) + ": missing":        "日日日日日日…日日: missing",
		`"a\"` + letters + `": x`:                    `"a\"xx…xx": x`,
		`"` + letters:                                `"xxxxxx…xxx`,
	} {
		if got := ShortenEchoes(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := ShortenEchoes(letters, 60); got != letters {
		t.Errorf("at the limit: %q", got)
	}
}

func TestRoughly(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "1 s", 99: "99 s", 100: "2 min", 3600: "60 min", 2 * 3600: "2 h", 71 * 3600: "71 h", 72 * 3600: "3 days",
		1e9: "11574 days",
	} {
		if got := Roughly(seconds); got != want {
			t.Errorf("%g s is %s, want %s", seconds, got, want)
		}
	}
}
