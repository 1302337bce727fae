package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
)

// FuzzRef: a reference to an option or an iteration that is read is written as
// one that reads the same.
func FuzzRef(f *testing.F) {
	for _, text := range []string{"@1", "1e2f:3", "name:0/2+", "x:1/1−", ":1/1-", "a:99999999999/1+", "a:1:2", "a:1/+",
		"x:#37", ":#0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := report.ParseRef(text)
		if err != nil {
			return
		}
		written := r.Run
		switch {
		case r.ByNumber:
			written = fmt.Sprintf("%s:#%d", r.Run, r.Number)
		case !r.WholeRun:
			written = fmt.Sprintf("%s:%d", r.Run, r.K)
		}
		if r.J > 0 {
			written += "/" + report.OptionName(r.J, r.Sign)
		}
		if back, err := report.ParseRef(written); err != nil || back != r {
			t.Fatalf("%q is %+v, written %q, which is %+v, %v", text, r, written, back, err)
		}
	})
}

// FuzzFilter: a filter that is read matches or does not, whatever patterns and
// ranges it has, and a run matches the value that it has itself.
func FuzzFilter(f *testing.F) {
	for _, terms := range []string{"seed=0-29 tag=*", "gamma=.9-1e3", "note=?(*[", "seed=-5--1", "run=ab,", "k=",
		"seed=1-1-1", "tolerance=1e-9-1e-3", "distance>2 kappa.le=3", "tag~!", "purposes!=6,7-9"} {
		f.Add(terms)
	}
	run := sample(7, nil)
	f.Fuzz(func(t *testing.T, terms string) {
		filter, err := report.ParseFilter(strings.Fields(terms))
		if err != nil {
			return
		}
		if _, err := filter.Match(nil, &run); err != nil {
			t.Fatal(err)
		}
		for _, term := range strings.Fields(terms) {
			key, _, _ := strings.Cut(term, "=")
			fact, has := run.Field(key)
			if !has || fact == "" || key == "tag" || strings.ContainsAny(fact, ",*?") {
				continue
			}
			own, err := report.ParseFilter([]string{key + "=" + fact})
			if err != nil {
				t.Fatal(err)
			}
			if matched, err := own.Match(nil, &run); err != nil || !matched {
				t.Fatalf("%s=%s does not match its run: %v", key, fact, err)
			}
		}
	})
}
