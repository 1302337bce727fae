package external

import (
	"fmt"
	"io"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

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
	p.failed = fmt.Errorf("%w: %s: %w%s", p.failure(), p.name, what, p.stderrSuffix(what.Error()))
	if p.kind == pod.ErrStageFailed && advice != "" {
		advice = adviceOfStages(advice)
	}
	if advice != "" {
		p.failed = schema.Advise(p.failed, advice)
	}
	return p.failed
}

// stderrSuffix returns the end of the program's stderr, without the line that said repeats.
func (p *process) stderrSuffix(said string) string {
	if text := p.stderr.lastLines(said); text != "" {
		return "; its stderr ends in: " + text
	}
	return ""
}
