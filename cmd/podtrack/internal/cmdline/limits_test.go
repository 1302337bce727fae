package cmdline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is printed or read whole, and of one more it is said that there is more.
func TestLimits(t *testing.T) {
	lines := func(n int) string {
		var out bytes.Buffer
		PrintSome(&out, 8, make([]string, n))
		return out.String()
	}
	const more = "… and 1 more, which --json lists\n"
	if at, beyond := lines(8), lines(9); at != strings.Repeat("\n", 8) || beyond != at+more {
		t.Errorf("lines are printed as %q and %q", at, beyond)
	}
	long := strings.Repeat("a", 1025)
	if at, beyond := shorten(long[:1024], 1024), shorten(long, 1024); at != long[:1024] ||
		!strings.Contains(beyond, " … 1 bytes … ") {
		t.Errorf("texts are printed as %q and %q", at, beyond)
	}
	for at, beyond := range map[int]int{2: 3, 0: -1} {
		runs := []report.Run{{Name: "a", Iterations: 3}}
		if err := CheckIteration(&at, runs); err != nil {
			t.Errorf("iteration %d of 3: %v", at, err)
		}
		err := CheckIteration(&beyond, runs)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("no iteration ", beyond)) ||
			!strings.Contains(schema.Remedy(err), "iterations 0 to 2") {
			t.Errorf("iteration %d of 3: %v", beyond, err)
		}
	}
}

// TestWaitLimit: the shortest time is one, and none is refused.
func TestWaitLimit(t *testing.T) {
	for text, allowed := range map[string]bool{"1ns": true, "0s": false, "-1s": false} {
		t.Setenv(waitVariable, text)
		if d, err := WaitTime(); (err == nil) != allowed || allowed && d != 1 {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

// TestReadTextLimit: a character at the limit is whole, or the file is refused; one behind it may be cut.
func TestReadTextLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	for text, valid := range map[string]bool{"aa\xc3": false, "aaa\xc3": true} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadText(t.Context(), path, 3); (err == nil) != valid || valid && len(got) != 4 {
			t.Errorf("%q of at most 3 bytes: %q, %v", text, got, err)
		}
	}
}
