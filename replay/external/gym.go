package external

import (
	_ "embed"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

//go:embed podtrack_gym.py
var gymAdapter string

// PythonVariable names the variable that says which Python has Gymnasium.
const PythonVariable = "PODTRACK_PYTHON"

// Gym is the command that makes an environment of Gymnasium one of ours: the adapter,
// which Python is given whole, so that no file is written. text is
// NAME[,KEY=VALUE…], as the adapter says.
func Gym(text, python string, timeout time.Duration) (Command, error) {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		if key, _, _ := strings.Cut(p, "="); key == "" || i == 0 && key != p {
			return Command{}, schema.Hint(fmt.Errorf("%w %q", ErrCommand, "gym:"+text),
				"write gym:NAME, and what else to say of it behind commas, as in gym:CartPole-v1,bins=8,range=-4:4")
		}
	}
	if _, err := exec.LookPath(python); err != nil {
		return Command{}, schema.Hint(fmt.Errorf("environments of Gymnasium need Python: %w", err), "install it with gymnasium, or name it in %s", PythonVariable)
	}
	return Command{Words: append([]string{python, "-c", gymAdapter}, parts...), Timeout: timeout}, nil
}
