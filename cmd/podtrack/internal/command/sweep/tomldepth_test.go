package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// TestFlatTOML: what is no nesting may have dots and brackets.
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
