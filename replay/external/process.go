package external

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

const (
	// lineBytes bounds a line of an answer: snapshots are the longest.
	lineBytes = 16 << 20
	// grace is how long to wait for a pending answer after the context is done.
	grace = time.Second
	// exitTimeout is how long a program may take to end once its stdin is closed.
	exitTimeout = 2 * time.Second
)

// process is a running program. It cannot be used after its first failure.
type process struct {
	timeout time.Duration
	name    string // of the environment, or of the program until that is known
	cmd     *programs.Cmd
	mark    string // variable inherited by everything that the program starts
	stdin   *os.File
	stdout  *os.File
	lines   *bufio.Reader
	stderr  stderrTail
	ended   chan struct{} // closed once the program has ended, if the system can detect that
	buffer  []byte
	id      uint64 // of the last request
	failed  error
	kind    error // wrapped by every failure
	closed  bool

	asksAdapter bool // hello asks the adapter for Gymnasium for its environment, outside a run

	extensions []string // that are offered
	asksCode   bool     // hello asks for the program's code
	maxPayload int      // of the next answer
	maxLine    int      // bytes of an answer's line, 0 for lineBytes
	payload    []byte   // of the last answer
}

// setDeadline sets the deadline of reads and writes. Errors of closed pipes are ignored.
func (p *process) setDeadline(in time.Duration) {
	at := time.Now().Add(in)
	_ = p.stdin.SetDeadline(at)
	_ = p.stdout.SetDeadline(at)
}

// start starts the program of an environment. Only close ends it, unless it exits by itself.
func (c Command) start(ctx context.Context) (*process, error) {
	return c.startAs(ctx, envs.ErrEnvFailed)
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
	// not ctx but close ends it, so that a pending answer can still be read
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
					"goes in quotes, and ~ is not expanded"))
	}
	p.lines = bufio.NewReaderSize(p.stdout, 1<<16)
	return p, nil
}

// launch starts the program between two pipes of package os, which have deadlines.
func (p *process) launch() error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, ourOut.Close())
	}
	defer theirOut.Close()
	enlargePipe(theirOut)
	enlargePipe(ourOut)
	p.cmd.Stdin, p.cmd.Stdout = theirIn, theirOut
	p.stdin, p.stdout = ourOut, ourIn
	started := make(chan error)
	go p.supervise(started)
	if err := <-started; err != nil {
		ourOut.Close()
		ourIn.Close()
		return err
	}
	return nil
}

// supervise starts the program in a thread that lasts as long as it does, and detects its exit
// even if a child still holds its stdout open.
func (p *process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	pid := p.cmd.Process.Pid
	started <- nil
	if awaitExit(pid) {
		close(p.ended)
		p.setDeadline(grace)
	}
}

// hasEnded reports whether the program has exited by itself, or does so within the given time.
func (p *process) hasEnded(within time.Duration) bool {
	select {
	case <-p.ended:
		return true
	default:
	}
	if within <= 0 {
		return false
	}
	select {
	case <-p.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// close ends the program and everything it started. The program may exit by itself after its stdin is closed; then it
// is killed. It returns the output that was not read.
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
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = schema.Hint(fmt.Errorf("%w: %s: it is still running %v after its stdin was closed", p.kind, p.name,
			exitTimeout), "the program must exit at the end of its stdin")
	}
	p.killAll(held)
	_ = p.cmd.Wait() // its error only says how the program ended
	_ = p.stdout.Close()
	return extra, err
}

// fail ends the program and returns the error of this and every later request. advice is the one for an environment;
// for the program of a stage it is replaced by the stage's.
func (p *process) fail(advice schema.Advice, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	p.failed = what // so that close does not wait
	_, _ = p.close()
	p.failed = fmt.Errorf("%w: %s: %w%s", p.kind, p.name, what, p.stderrSuffix(what.Error()))
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

// newMark returns a unique environment variable that everything a program starts inherits. Its
// name is unique as well, so that a podtrack within a podtrack passes on both.
func newMark() string { return "PODTRACK_STARTED_" + rand.Text() + "=1" }

// The part of a program's stderr that is kept, and the part that is shown: the end, where a Python traceback names the
// exception and its place.
const (
	tailBytes = 4 << 10
	tailLines = 3
)

// stderrTail keeps the last bytes written to it.
type stderrTail struct {
	mu   sync.Mutex
	kept []byte
}

func (s *stderrTail) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, p[max(0, len(p)-tailBytes):]...)
	s.kept = s.kept[max(0, len(s.kept)-tailBytes):]
	return len(p), nil
}

// lastLines returns the last lines joined into one, or "". It leaves out the marks under a line of a traceback, and the
// last line if said contains it.
func (s *stderrTail) lastLines(said string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last []string
	for line := range bytes.Lines(bytes.TrimSpace(s.kept)) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), "?"))
		if strings.Trim(text, "^~ ") != "" {
			last = append(last, truncate(withoutScript(text)))
		}
	}
	n := tailLines
	if end := len(last) - 1; end > 0 && strings.Contains(said, last[end]) {
		last, n = last[:end], n-1
	}
	return strings.Join(last[max(0, len(last)-n):], " / ")
}

// encoded matches a long text in base64, such as the adapter's, which a program other than Python may print.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/=]{80,}`)

func withoutScript(line string) string { return encoded.ReplaceAllString(line, "…") }

// truncate truncates a program's output. Error texts may be longer than other lines.
func truncate(text string) string {
	const most = 300
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
