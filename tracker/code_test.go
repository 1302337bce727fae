package tracker

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema/wire"
)

// TestCodeBounded: the row of any command line is small, and can be read again.
func TestCodeBounded(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	packages := map[string]string{}
	for _, c := range long[:1000] {
		packages[strings.Repeat("p", len(packages))] = string(c) + long
	}
	code := Code{Args: []string{"podtrack", "\xff\x00", long}, Directory: "/\xc3", Programs: make([]Program, 20)}
	for range 1000 {
		code.Args = append(code.Args, long)
	}
	code.Programs[0].Packages = packages
	for _, text := range []string{boundText(long), boundText("a" + long)} {
		if len(text) > maxCodeText || !utf8.ValidString(text) {
			t.Errorf("%d bytes, valid UTF-8 %t", len(text), utf8.ValidString(text))
		}
	}
	row, err := wire.Marshal(Session{Code: code.Bounded()})
	if err != nil {
		t.Fatal(err)
	}
	if len(row) > 1<<20 {
		t.Errorf("a row of %d bytes", len(row))
	}
	var s Session
	if err := wire.Unmarshal(row, &s); err != nil {
		t.Fatal(err)
	}
	if got := s.Code.Args[1]; got != "�\x00" {
		t.Errorf("an argument is %q", got)
	}
	if len(code.Args) != 1003 {
		t.Error("bounding a code changes it")
	}
}
