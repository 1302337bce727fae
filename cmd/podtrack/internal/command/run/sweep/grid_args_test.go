package sweep

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"

	"pgregory.net/rapid"
)

// TestProgramsNeedPermission: a program that a file names is found at any place among the keys, and at any place among
// the values of its key. It is refused unless that key was typed, or all programs are allowed.
func TestProgramsNeedPermission(t *testing.T) {
	const program = "exec:touch evil"
	harmless := map[string][]string{"kappa": {"0.5", "1"}, "seeds": {"0-9"}, "bits": {"5"}, "env": {"ring"},
		"select": {"threshold", "all"}, "learner": {"sweeps"}, "tag": {"study"}, "name": {"exec:mere text"}}
	programs := append([]string{"env"}, schema.ExternalStages()...)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(programs).Draw(t, "key of the program")
		args := gridArgs{values: map[string][]string{}}
		for name, values := range harmless {
			args.values[name] = slices.Clone(values)
			args.keys = append(args.keys, name)
		}
		if !slices.Contains(args.keys, key) {
			args.keys = append(args.keys, key)
		}
		slices.Sort(args.keys)
		args.keys = rapid.Permutation(args.keys).Draw(t, "keys")
		args.values[key] = rapid.Permutation(append(args.values[key], program)).Draw(t, "values")
		typed := rapid.SampledFrom(append([]string{""}, args.keys...)).Draw(t, "typed")
		allowed := rapid.Bool().Draw(t, "allowed")

		var f flags
		f.AllowExec = allowed
		switch typed {
		case "seeds":
			f.Seeds = new("0")
		case "name":
			f.name = new("a")
		case "tag":
			f.tags = []string{"a"}
		default:
			if err := f.Give(typed, "0"); err != nil {
				t.Fatal(err)
			}
		}
		err := f.checkAllowed(args, "hostile.toml")
		switch want := key + ` = "` + program + `"`; {
		case (allowed || typed == key) != (err == nil):
			t.Fatalf("program of %s, typed %q, allowed %t: %v", key, typed, allowed, err)
		case err != nil && !strings.Contains(err.Error(), want):
			t.Fatalf("%v, want %s", err, want)
		}
	})
}

// TestFaultAnywhere: one invalid key or value is found at any place among the others.
func TestFaultAnywhere(t *testing.T) {
	faults := map[string][]string{"kapa": {"1"}, "seed": {"1", "2"}, "gamma": {"0.9", ""}, "sweeps": {},
		"iterations": {"1", "2"}, "collect": {"a" + nextProgram + "b"}}
	rapid.Check(t, func(t *rapid.T) {
		args := gridArgs{values: map[string][]string{"kappa": {"0.5", "1"}, "bits": {"5"}, "select": {"threshold", "all"},
			"learner": {"sweeps"}, "tag": {"study", "b"}, "tolerance": {"0"}}}
		for key := range args.values {
			args.keys = append(args.keys, key)
		}
		slices.Sort(args.keys)
		if err := args.check(); err != nil {
			t.Fatal(err)
		}
		fault := rapid.SampledFrom(slices.Sorted(maps.Keys(faults))).Draw(t, "fault")
		args.values[fault] = rapid.Permutation(faults[fault]).Draw(t, "values")
		args.keys = rapid.Permutation(append(args.keys, fault)).Draw(t, "keys")
		if err := args.check(); err == nil {
			t.Fatalf("%s = %q among %v is accepted", fault, args.values[fault], args.keys)
		}
	})
}

// TestDeepTOML: forty kilobytes of a key with dots made the decoder take gigabytes.
func TestDeepTOML(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a.", 20000) + "b = 1"
	for name, text := range map[string]string{
		"key":                   deep,
		"table":                 "[" + deep[:len(deep)-4] + "]",
		"in a table of a list":  "x = [{" + deep + "}]",
		"tables":                "x = " + strings.Repeat("{a = ", 20000) + "1",
		"lists":                 "x = " + strings.Repeat("[", 500000),
		"over lines":            "x = " + strings.Repeat("[\n", 20000),
		"behind an odd quote":   "x = {a = '''\n ' ''', " + deep + ", c = ''}",
		"behind four quotes":    `x = {a = """z"""", ` + deep + `, c = ""}`,
		"behind quotes escaped": `x = {a = "\"", ` + deep + `, c = "\""}`,
		"behind a comment":      "# it's\n" + deep,
		"of quoted keys":        strings.Repeat(`",".`, 20000) + "b = 1",
	} {
		path := filepath.Join(t.TempDir(), "sweep.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readGridFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), "deep") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// TestFlatTOML: dots and brackets that do not nest are accepted.
func TestFlatTOML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"kappa = [" + strings.Repeat("0.5, 1.5,\n", 1000) + "]",
		`name = "` + strings.Repeat("a.[{", 1000) + `" # ` + strings.Repeat("[.", 1000),
		"name = '" + strings.Repeat(`."[{`, 1000) + "'\nkappa = 1",
		`name = """` + strings.Repeat("\n.'[{\\\"", 1000) + `"""`,
		strings.Repeat("# [ . {\n", 1000),
	} {
		if err := checkDepth(text); err != nil {
			t.Errorf("%.40s …: %v", text, err)
		}
	}
}
