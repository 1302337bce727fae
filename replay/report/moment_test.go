package report_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// TestTimes: a time in a filter stands for all that it names, in UTC or its zone, and an age for the runs before or
// after.
func TestTimes(t *testing.T) {
	run := sample(1, func(r *report.Run) { r.Created = time.Date(2026, 11, 26, 23, 59, 40, 123456789, time.UTC) })
	for term, want := range map[string]bool{
		"created=2026-11-26": true, "created=2026-11-25": false, "created=2026-11-27": false, "created=2026-11": true,
		"created=2026": true, "created=2025": false, "created=2026-11-26T23": true, "created=2026-11-26T23+0000": true,
		"created=2026-11-26T23:59": true, "created=2026-11-26T23:58": false,
		"created=2026-11-26T23:59:40Z": true, "created=2026-11-26T23:59:41Z": false,
		"created=2026-11-27T00:59:40+01:00": true,
		"created=2026-11-26T18:29:40-05:30": true, "created=2026-11-26T23:59:40+01:00": false,
		"created=2026-11-26t23:59:40z": true, "created=2026-11-26 23:59:40": true,
		"created=2026-11-26 23:59:40 UTC": true,
		"created=2026-11-26T23:59:40.1Z":  true, "created=2026-11-26T23:59:40.2Z": false,
		"created=2026-11-26T23:59:40.123456789Z": true, "created=2026-11-26T23:59:40.123456788Z": false,
		"created<2026-11-26": false, "created<2026-11-27": true, "created<=2026-11-26": true,
		"created<=2026-11-25": false,
		"created>2026-11-26":  false, "created>2026-11-25": true, "created>=2026-11-26": true,
		"created>=2026-11-27":               false,
		"created<2026-11-27T00:59:40+01:00": false, "created<2026-11-27T00:59:41+01:00": true,
		"created>2026-11-26T23:59:40Z": false, "created>2026-11-26T23:59:40.123Z": false, "created!=2026-11-26": false,
		"created!=2026-11-25,2026-11-24": true, "created=2026-11-25,2026-11-26": true, "created=": false,
		"created!=":             true,
		"created.lt=2026-11-27": true, "created.ge=2026-12": false, "created=*": true,
	} {
		filter, err := report.ParseFilter([]string{term})
		if err != nil || matches(t, filter, run) != want {
			t.Errorf("%s: want %v, %v", term, want, err)
		}
	}
	old := sample(1, func(r *report.Run) { r.Created = time.Now().Add(-50 * time.Hour) })
	for term, want := range map[string]bool{
		"age<7d": true, "age>7d": false, "age>2d": true, "age<2d": false, "age<1w": true, "age>49h": true,
		"age>51h":  false,
		"age<=51h": true, "age>=51h": false, "age=2d": true, "age=1d": false, "age=3d": false, "age=50h": true,
		"age=0w":      true,
		"age>2999min": true, "age<3001min": true, "age>100000s": true, "age!=2d": false, "age>0s": true,
		"age.gt=1w": false,
	} {
		filter, err := report.ParseFilter([]string{term})
		if err != nil || matches(t, filter, old) != want {
			t.Errorf("%s: want %v, %v", term, want, err)
		}
	}
	if age, _ := old.Field("age"); age != "2d" {
		t.Errorf("an age of 50 h is %s", age)
	}
}

// TestValuesRefused: a value that no run can have is refused, with its key and the forms of values.
func TestValuesRefused(t *testing.T) {
	for term, hint := range map[string]string{
		"created<7d": "age<7d finds those of the last 7 days, age>7d those before", "created>1h": "age<7d",
		"created<26/11/2020": "created=2026-11-26", "created=11/26/2026": "is that day in UTC",
		"created=2026-02-30": "a month",
		"created=2026-13":    "2026-11-26T13:59", "created>2026-11-26T25:00": "+01:00",
		"created=2026-11-26T13:59+25:00": "times",
		"created=2026-11-26..2026-11-27": "times", "created>": "created<2026-11-26", "created=yesterday": "times",
		"created=1700000000": "times", "created=2026-11*": "a month", "created~2026": "a part of a text",
		"created==2026":    "for tags",
		"created=20261126": "times", "created=2026-11-26Z": "times", "created<2026-1-2": "times",
		"age=2026-11-26": "min, h, d and w", "age<1m": "min, h, d and w", "age<-1d": "units", "age>1.5d": "units",
		"age>7":             "units",
		"age>999999999999d": "units", "age>1d,2d": "units", "age=*": "units", "age>1mo": "units", "age>P7D": "units",
		"seed=1.5": "seed=1-5", "seed=18446744073709552000": "seed=3", "seed=18446744073709551616": "seed=3",
		"seed=-1":  "seed=3",
		"seed=abc": "seed=3", "seed<1.5": "seed>2", "seed=0-1.5": "seed=3", "seed=1e99": "seed=3", "seed=0x10": "seed=3",
		"seed>1-2": "seed>2", "seed~1": "a part of a text", "seed=1?": "seed=3", "seed>": "seed>2", "seed==1": "for tags",
		"steps=1.5": "steps=3", "steps=9223372036854775808": "steps=3", "iterations=-1": "iterations=3",
		"kappa=abc": "kappa=3", "kappa=nan": "kappa=3", "kappa=inf": "kappa=3", "kappa=1e999": "kappa=3",
		"kappa=1,x":    "kappa=3",
		"distance=far": "distance=3", "covered>half": "covered>2", "status=finished": "the values are running",
		"reading=published": "as-published", "proof_level=sure": "recomputed", "select=tup=1": "threshold",
		"lifetime=forever": "keep", "leave_out=a": "none", "keep=everything": "all", "keep=last-x": "all",
		"numerics=two": "numerics=3",
		"run=xyz":      "beginning of a digest", "head=deadbeefg": "beginning of a digest",
		"data=k1-s3": "beginning of a digest",
		"run>3":      "compares numbers", "tag>3": "compares numbers", "name==x": "for tags", `note="two`: `\"`,
		"seed=1,,2": `""`, "tag=study,": "leave the comma out", "tag==a,": "leave the comma out",
		"tag!==study": "the operators are", "note=>x": "double quotes", "name=~p": "the operators are",
		`note="two" words`: `\"`, `tag="a"b`: "both quotes", "sides=left": "the values are two, one",
	} {
		_, err := report.ParseFilter([]string{term})
		key, _, _ := strings.Cut(term, "=")
		key = strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("<>~", r) })[0]
		if !errors.Is(err, report.ErrFilter) || !strings.Contains(schema.Remedy(err), hint) ||
			!strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v (%s), want a hint of %q", term, err, schema.Remedy(err), hint)
		}
	}
}

// TestLargeNumbers: whole numbers are compared exactly.
func TestLargeNumbers(t *testing.T) {
	run := sample(1, func(r *report.Run) { r.Spec.Seed = 1<<53 + 1 })
	for term, want := range map[string]bool{
		"seed=9007199254740993": true, "seed=9007199254740992": false, "seed=9007199254740994": false,
		"seed>9007199254740992": true, "seed<9007199254740994": true, "seed<=9007199254740992": false,
		"seed=9.007199254740993e15": true, "seed=9007199254740993.0": true, "seed=9.007199254740992e15": false,
		"seed=9007199254740993-9007199254740993": true, "seed=9007199254740994-18446744073709551615": false,
		"seed!=9007199254740992": true, "seed=0-9007199254740992": false,
	} {
		filter, err := report.ParseFilter([]string{term})
		if err != nil || matches(t, filter, run) != want {
			t.Errorf("%s: want %v, %v", term, want, err)
		}
	}
}
