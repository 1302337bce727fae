package runner

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// TestLimits: a number at a limit is accepted, and one beyond is refused by an error that names both.
func TestLimits(t *testing.T) {
	iterations := func(text string) error {
		_, err := ReadIterations(text)
		return err
	}
	parallel := func(text string) error {
		n, err := strconv.Atoi(text)
		if err == nil {
			_, err = (&Flags{parallel: &n}).ParseParallel()
		}
		return err
	}
	timeout := func(text string) error {
		d, err := time.ParseDuration(text)
		if err == nil {
			_, err = (&Flags{timeout: &d}).ExternalCommand("exec:true")
		}
		return err
	}
	stage := func(text string) error {
		d, err := time.ParseDuration(text)
		if err == nil {
			_, err = (&Flags{timeout: &d}).ParseStages()
		}
		return err
	}
	for _, limit := range []struct {
		read             func(string) error
		at, beyond, says string
	}{
		{iterations, "2147483647", "2147483648", "from 1 to 2147483647"},
		{iterations, "1", "0", "from 1 to 2147483647"},
		{parallel, "1", "0", "at least 1"},
		{timeout, "1ns", "0s", "such as 60s"},
		{stage, "1ns", "0s", "such as 60s"},
	} {
		if err := limit.read(limit.at); err != nil {
			t.Errorf("%s: %v", limit.at, err)
		}
		if err := limit.read(limit.beyond); err == nil || !strings.Contains(err.Error(), limit.beyond) ||
			!strings.Contains(schema.Remedy(err), limit.says) {
			t.Errorf("%s: %v (%s), want %s", limit.beyond, err, schema.Remedy(err), limit.says)
		}
	}
}
