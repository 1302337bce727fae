package documents

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var updateLicenses = flag.Bool("update-licenses", false, "write the licenses of all that the program is built of")

const licensesBegin = `podtrack is made of the software below, each under the license that follows its name.
Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved.
`

// TestLicenses: --licenses prints the license of every module in the program, of Go, and of the page's script, whose
// license begins with its name.
func TestLicenses(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "go")
	root := e2e.Repository(t, "")
	own, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	e2e.Must(t, err)
	texts := map[string]string{} // by what is under it
	for _, name := range linkedModules(t, root, texts) {
		if texts[name] == "" {
			t.Errorf("%s has no license", name)
		}
	}
	script, err := os.ReadFile(filepath.Join(root, "cmd/podtrack/internal/web/assets/idiomorph.txt"))
	e2e.Must(t, err)
	name, text, _ := strings.Cut(string(script), "\n")
	texts[name] = text
	under := map[string][]string{} // by text
	for name, text := range texts {
		under[text] = append(under[text], name)
	}
	var groups []string
	for text, names := range under {
		slices.Sort(names)
		groups = append(groups, licenseSection(strings.Join(names, "\n"), text))
	}
	slices.Sort(groups)
	want := licensesBegin + licenseSection("podtrack", string(own)) + strings.Join(groups, "")
	path := filepath.Join(root, "cmd/podtrack/internal/help/licenses.txt")
	if *updateLicenses {
		e2e.Must(t, os.WriteFile(path, []byte(want), 0o666))
	}
	if printed := mustRun(t, "podtrack", "--licenses"); printed != want {
		t.Errorf("podtrack --licenses does not print the licenses of its modules (-update-licenses renews them):\n%s",
			difference(printed, want))
	}
}

func licenseSection(names, text string) string {
	line := strings.Repeat("=", 72)
	return fmt.Sprintf("\n%s\n%s\n%s\n\n%s\n", line, names, line, strings.TrimSpace(text))
}

// linkedModules returns the modules that are linked on any system, and adds the licenses of their packages to texts.
func linkedModules(t *testing.T, root string, texts map[string]string) (modules []string) {
	t.Helper()
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", mainPackage)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
				name, top := fields[0], fields[1]
				modules = append(modules, name)
				for dir := fields[2]; strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
					part := strings.TrimSuffix(name+", "+filepath.ToSlash(strings.TrimPrefix(dir, top)), ", ")
					texts[part] = licensesIn(t, dir)
					if texts[part] == "" {
						delete(texts, part)
					}
				}
			}
		}
	}
	addGo(texts)
	return modules
}

// addGo adds Go itself, which is under the license of its other modules.
func addGo(texts map[string]string) {
	for name, text := range texts {
		if strings.HasPrefix(name, "golang.org/x/sys ") {
			texts["Go"] = text
			return
		}
	}
}

// licensesIn returns the licenses in a module's folder, one behind the other. Of FreeType's two licenses podtrack uses
// its own, and not the GPL.
func licensesIn(t *testing.T, dir string) string {
	t.Helper()
	var text bytes.Buffer
	for _, pattern := range []string{"LICENSE*", "COPYING*", "NOTICE*", "PATENTS*", "licenses/ftl.txt"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		e2e.Must(t, err)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			e2e.Must(t, err)
			text.Write(append(bytes.TrimSpace(data), "\n\n"...))
		}
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text.String(), "\r\n", "\n"), "©") // one is in Latin-1
}
