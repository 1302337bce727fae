package external

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

const (
	// lineBytes bounds a line of an answer: snapshots are the longest.
	lineBytes = 16 << 20
	// grace is how long an answer under way is waited for after the context has ended.
	grace = time.Second
	// farewell is how long a program may take to end once its stdin is closed.
	exitTimeout = 2 * time.Second
)

// process is a running program. It cannot be used after its first failure.
type process struct {
	timeout time.Duration
	name    string // of the environment, or of the program before that is known
	cmd     *programs.Cmd
	mark    string // of all that the program starts
	stdin   *os.File
	stdout  *os.File
	lines   *bufio.Reader
	stderr  stderrTail
	ended   chan struct{} // closed once the program has ended, where that is noticed
	buffer  []byte
	id      uint64 // of the last request
	failed  error
	closed  bool
}

// start starts the program. Only close ends it, unless it exits by itself.
func (c Command) start(ctx context.Context) (*process, error) {
	p := &process{timeout: c.Timeout, name: c.Words[0], ended: make(chan struct{}), mark: newMark()}
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
		return nil, schema.Hint(fmt.Errorf("%w: start %q: %w", pod.ErrEnvFailed, c.Words[0], err),
			"%s", cmp.Or(schema.Remedy(err),
				"check that the program exists and is executable; podtrack starts it without a shell"))
	}
	p.lines = bufio.NewReaderSize(p.stdout, 1<<16)
	return p, nil
}

// setDeadline sets the deadline of reads and writes. Errors of closed pipes are ignored.
func (p *process) setDeadline(in time.Duration) {
	at := time.Now().Add(in)
	_ = p.stdin.SetDeadline(at)
	_ = p.stdout.SetDeadline(at)
}

// close ends the program and everything it started. The program may exit by itself after its stdin
// is closed; then it is killed. It returns what the program still wrote.
func (p *process) close() (extra []byte, err error) {
	if p.closed {
		return nil, nil
	}
	p.closed = true
	held := p.childHandles()
	_ = p.stdin.Close()
	if p.failed == nil {
		_ = p.stdout.SetDeadline(time.Now().Add(exitTimeout))
		extra, err = io.ReadAll(io.LimitReader(p.lines, 1<<10))
	}
	p.killAll(held)
	_ = p.cmd.Wait() // says only how it ended
	_ = p.stdout.Close()
	return extra, err
}

// fail ends the program and returns the error of this and every later request.
func (p *process) fail(advice schema.Advice, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	p.failed = what // so that close does not wait
	_, _ = p.close()
	p.failed = fmt.Errorf("%w: %s: %w%s", pod.ErrEnvFailed, p.name, what, p.stderrSuffix())
	if advice != "" {
		p.failed = schema.Advise(p.failed, advice)
	}
	return p.failed
}

func (p *process) stderrSuffix() string {
	if text := p.stderr.String(); text != "" {
		return "; its stderr ends in: " + text
	}
	return ""
}
