package inspect

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
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
	schematest.Limits{
		{"runs to list", "--limit: invalid value 0 … at least 1", limit(1), limit(0)},
	}.Check(t)
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
