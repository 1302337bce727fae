package external

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

// start starts the program of an environment. Only close ends it, unless it exits by itself.
func (c Command) start(ctx context.Context) (*process, error) {
	return c.startAs(ctx, pod.ErrEnvFailed)
}

// startAs does what start does for a program whose failures are of the given kind.
func (c Command) startAs(ctx context.Context, kind error) (*process, error) {
	p := &process{timeout: c.Timeout, name: cmp.Or(c.Name, c.Words[0]), ended: make(chan struct{}), mark: newMark(),
		kind: kind}
	p.extensions = c.Extensions
	if p.extensions == nil {
		p.extensions = Extensions()
	}
	if p.timeout <= 0 {
		p.timeout = DefaultTimeout
	}
	// close alone ends it, so that an answer under way can still be read
	cmd, err := programs.Environment.Command(context.WithoutCancel(ctx), c.Words[0], c.Words[1:]...)
	if err == nil {
		p.cmd = cmd
		p.cmd.Env = append(append(os.Environ(), c.Vars...), p.mark)
		p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, grace
		setProcessGroup(p.cmd)
		err = p.launch()
	}
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("%w: start %q: %w", kind, c.Words[0], err),
			"%s", cmp.Or(schema.Remedy(err),
				"check that the program exists and is executable; it is started without a shell, so a path with blanks "+
					"goes in quotes, and ~ stands for nothing"))
	}
	p.lines = bufio.NewReaderSize(p.stdout, 1<<16)
	return p, nil
}
