package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is read, and one more is refused by an error that quotes it.
func TestLimits(t *testing.T) {
	ref := func(text string) error {
		_, err := ParseRef(text)
		return err
	}
	filter := func(kind schema.ValueKind, text string) error {
		v := value{text: text}
		return term{key: "key", holds: schema.FieldType{Kind: kind}, operator: equals, text: "key=" + text}.read(&v)
	}
	for _, limit := range []struct {
		name       string
		at, beyond error
		says       string
	}{
		{"an iteration", ref("a:2147483646"), ref("a:2147483647"), `iteration "2147483647"`},
		{"an option", ref("a:#2147483647"), ref("a:#2147483648"), `option number "2147483648"`},
		{"a direction", ref("a:0/2147483647+"), ref("a:0/2147483648+"), `option "2147483648+"`},
		{"an age in days", filter(ageKind, "73000d"), filter(ageKind, "73001d"), "73001d"},
		{"an age in hours", filter(ageKind, "1752000h"), filter(ageKind, "1752001h"), "1752001h"},
		{"a seed", filter(schema.Natural, "18446744073709551615"), filter(schema.Natural, "18446744073709551616"),
			"18446744073709551616"},
		{"a parameter", filter(schema.Integer, "9223372036854775807"), filter(schema.Integer, "9223372036854775808"),
			"9223372036854775808"},
		{"a range", filter(schema.Natural, "3-3"), filter(schema.Natural, "3-2"), "3-2"},
	} {
		if limit.at != nil {
			t.Errorf("%s: at the limit %v", limit.name, limit.at)
		}
		if err := limit.beyond; !errors.Is(err, ErrRef) && !errors.Is(err, ErrFilter) ||
			!strings.Contains(err.Error(), limit.says) || schema.Remedy(err) == "" {
			t.Errorf("%s: one beyond %v (%s), want %s", limit.name, err, schema.Remedy(err), limit.says)
		}
	}
}

// TestListedValuesLimit: six values of a field are listed, and of seven it is said how many there are.
func TestListedValuesLimit(t *testing.T) {
	describe := func(key string, n int, change func(r *Run, i int)) string {
		runs := make([]Run, n)
		for i := range runs {
			runs[i].Spec = pod.PaperSpec()
			change(&runs[i], i)
		}
		return describeValues(runs, key)
	}
	name := func(r *Run, i int) { r.Name = fmt.Sprint("n", i) }
	seed := func(r *Run, i int) { r.Spec.Seed = uint64(i) }
	for got, want := range map[string]string{
		describe("name", 6, name): "their name is n0, n1, n2, n3, n4, n5",
		describe("name", 7, name): "their name is n0, n1, n2, n3, n4, n5, … (7 values)",
		describe("seed", 6, seed): "their seed is 0, 1, 2, 3, 4, 5",
		describe("seed", 7, seed): "their seed is 0 to 6",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
