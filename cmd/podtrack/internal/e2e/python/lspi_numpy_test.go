package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
)

// TestNumpyLSPI lets NumPy learn the options of a run by least-squares policy iteration: see
// testdata/check_lspi.py. On 24×24 cells there are 2308 weights, more than are eliminated: with few
// steps few of them are unknown, and with many more than that.
func TestNumpyLSPI(t *testing.T) {
	t.Parallel()
	python := testenv.NumPy(t)
	dir := t.TempDir()
	side := 24
	rows := strings.Repeat(strings.Repeat(".", side)+"\n", side-1)
	room := filepath.Join(dir, "room.mdp")
	if err := os.WriteFile(room, []byte("24,24\nS"+strings.Repeat(".", side-1)+"\n"+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		flags []string
		want  string
		long  bool
	}{
		"few":  {[]string{"--steps", "500", "--slip", "100"}, "2 options of 2308 weights agree", false},
		"many": {[]string{"--steps", "60000"}, "2 options of 2308 weights agree", true},
	} {
		if tt.long && !testenv.Long() {
			continue
		}
		store, file := filepath.Join(dir, name+".db"), filepath.Join(dir, name+".npz")
		e2e.Perform(t, append([]string{"run", "--store", store, "--env", "grid:" + room, "--learner", "lspi", "--select",
			"top=1", "--iterations", "1", "--name", "room"}, tt.flags...)...)
		e2e.Perform(t, "export", "room", "--store", store, "-o", file)
		out, err := exec.Command(python, "-B", "testdata/check_lspi.py", file).Output()
		if err != nil || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
