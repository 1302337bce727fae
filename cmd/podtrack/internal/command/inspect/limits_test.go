package inspect

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// given returns the context of a command to which these flags and arguments are given.
func given(t *testing.T, flags map[string]string, args ...string) *cli.Context {
	t.Helper()
	set := flag.NewFlagSet("command", flag.ContinueOnError)
	for name, value := range flags {
		set.String(name, "", "")
		if err := set.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return cli.NewContext(nil, set, nil)
}

// TestLimits: what a limit allows is accepted, and one more is refused by an error that names both.
func TestLimits(t *testing.T) {
	limit := func(n int) error {
		_, err := (&lsFlags{limit: &n}).parse(given(t, map[string]string{"format": table.Formats[0]}))
		return err
	}
	depth := func(n int) error {
		_, err := (&auditFlags{depth: &n}).parseQuestion(given(t, nil, "a:#0"))
		return err
	}
	for _, limit := range []struct {
		name       string
		at, beyond error
		says       string // of the one beyond, with its remedy
	}{
		{"steps of a check", checkSteps(1 << 24), checkSteps(1<<24 + 1), "--steps: invalid value 16777217 … 1 to 16777216"},
		{"a step of a check", checkSteps(1), checkSteps(0), "--steps: invalid value 0 … 1 to 16777216"},
		{"runs to list", limit(1), limit(0), "--limit: invalid value 0 … at least 1"},
		{"generations", depth(0), depth(-1), `--depth -1 … 0 for no`},
	} {
		if limit.at != nil {
			t.Errorf("%s: at the limit %v", limit.name, limit.at)
		}
		text := fmt.Sprintf("%v (%s)", limit.beyond, schema.Remedy(limit.beyond))
		for part := range strings.SplitSeq(limit.says, " … ") {
			if limit.beyond == nil || schema.Remedy(limit.beyond) == "" || !strings.Contains(text, part) {
				t.Errorf("%s: one beyond %s, want %q", limit.name, text, part)
			}
		}
	}
}

// TestSessionsLimit: ten sessions are shown, and of eleven it is said how many are left out.
func TestSessionsLimit(t *testing.T) {
	sessions := func(n int) string {
		var out bytes.Buffer
		printSessions(table.Text{Writer: &out}, make([]report.Session, n))
		return out.String()
	}
	if at, beyond := sessions(10), sessions(11); strings.Contains(at, " before these") ||
		!strings.Contains(beyond, "1 session before these") {
		t.Errorf("10 sessions: %s\n11: %s", at, beyond)
	}
}
