package external

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

//go:embed podtrack_gym.py
var gymAdapter string

// isolation removes the current folder from Python's path, where -c puts it, before anything but
// built-in modules is imported.
const isolation = "import sys; sys.path[:] = [folder for folder in sys.path if folder]\n"

// Gym returns the command that starts a Gymnasium environment through the adapter, which is passed
// to Python as text so that no file is written. text is NAME[,KEY=VALUE…]. Nothing is imported
// from the current folder, unless PYTHONPATH names it.
func Gym(text, python string, timeout time.Duration) (Command, error) {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		if key, _, _ := strings.Cut(p, "="); key == "" || i == 0 && key != p {
			return Command{}, schema.Hint(fmt.Errorf("%w %q", ErrCommand, "gym:"+text),
				"write gym:NAME, followed by options after commas, as in gym:CartPole-v1,bins=8,range=-4:4")
		}
	}
	path, err := programs.Find(python)
	if err != nil {
		err = fmt.Errorf("environments of Gymnasium need Python: %w", err)
		if schema.Remedy(err) == "" {
			err = schema.Advise(err, AdvicePython)
		}
		return Command{}, err
	}
	return Command{Words: append([]string{path, "-c", isolation +
		gymAdapter}, parts...), Vars: pythonVars(), Timeout: timeout}, nil
}

// pythonVars returns variables that keep Python, and every Python that it starts, from importing
// from the current folder. An empty entry of PYTHONPATH means that folder, too.
func pythonVars() []string {
	vars := []string{"PYTHONSAFEPATH=1"}
	if path, ok := os.LookupEnv("PYTHONPATH"); ok {
		named := slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool { return folder == "" })
		vars = append(vars, "PYTHONPATH="+strings.Join(named, string(filepath.ListSeparator)))
	}
	return vars
}
