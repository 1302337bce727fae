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
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

const (
	// lineBytes bounds a line of an answer.
	lineBytes = 16 << 20
	// grace is how long to wait for a pending answer after the context is done.
	grace = time.Second
	// exitTimeout is how long a program may take to exit after its stdin is closed, also on a busy machine.
	exitTimeout = 5 * time.Second
)

// process is a running program. It cannot be used after its first failure.
type process struct {
	timeout time.Duration
	name    string // the environment's name; before that is known, the program's
	cmd     *programs.Cmd
	mark    string // environment variable that everything the program starts inherits
	stdin   *os.File
	stdout  *os.File
	lines   *bufio.Reader
	stderr  stderrTail
	ended   chan struct{} // closed when the program has exited, if the system can detect that
	id      uint64        // of the last request
	failed  error
	kind    error // wrapped by every failure
	closed  bool

	asksAdapter bool // hello asks the adapter for Gymnasium for its environment, outside a run

	extensions []string // offered to the program
	asksCode   bool     // hello asks for the program's code

	mayAnswerAhead bool // whether the program may answer requests that have not been made
	ahead          int  // how many it has answered

	maxPayload int    // limit of the next answer's payload, in bytes
	maxLine    int    // limit of the next answer's line, in bytes; 0 for lineBytes
	payload    []byte // of the last answer
}

// setDeadline sets the deadline of reads and writes. It ignores errors, which mean that a pipe is closed.
func (p *process) setDeadline(in time.Duration) {
	at := time.Now().Add(in)
	_ = p.stdin.SetDeadline(at)
	_ = p.stdout.SetDeadline(at)
}

// startAs starts a program. Its failures wrap kind. The program runs until it exits or close ends it, even if ctx is
// done, so that a pending answer can still be read.
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
	cmd, err := programs.Environment.Command(context.WithoutCancel(ctx), c.Words[0], c.Words[1:]...)
	if err == nil {
		p.cmd = cmd
		p.cmd.Env = slices.Concat(os.Environ(), []string{hashSeedVariable + "=" + hashSeed()}, c.Vars, []string{p.mark})
		p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, grace
		setProcessGroup(p.cmd)
		err = p.launch()
	}
	if err == nil && c.input != "" {
		p.setDeadline(p.timeout)
		_, _ = p.stdin.WriteString(c.input) // what fails shows with the first request
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

// launch starts the program. Its pipes are files, which have deadlines.
func (p *process) launch() error {
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.stdin, p.stdout = stdin.(*os.File), stdout.(*os.File)
	enlargePipe(p.stdin)
	enlargePipe(p.stdout)
	started := make(chan error)
	go p.supervise(started)
	return <-started
}

// supervise starts the program and waits for its exit, which it detects even if a child holds the
// program's stdout open. It keeps its thread until then: Linux kills the program when the thread that
// started it ends.
func (p *process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil && awaitExit(p.cmd.Process.Pid) {
		close(p.ended)
		p.setDeadline(grace)
	}
}

// hasEnded reports whether the program has exited, or exits within the given time.
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

// close ends the program and everything that it started. It closes the program's stdin, waits up to exitTimeout for it
// to exit, and then kills what is left. It returns the beginning of the output that was not read.
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
			exitTimeout), "the program must exit when its stdin ends")
	}
	p.killAll(held)
	_ = p.cmd.Wait() // its error only says how the program ended
	_ = p.stdout.Close()
	return extra, err
}

// fail ends the program and returns an error that this and every later request returns. advice is written for an
// environment; for the program of a stage, fail replaces it by the corresponding one.
func (p *process) fail(advice, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	p.failed = what // close does not wait for a failed program
	_, _ = p.close()
	p.failed = fmt.Errorf("%w: %s: %w%s", p.kind, p.name, what, p.stderrSuffix(what.Error()))
	if p.kind == pod.ErrStageFailed && advice != "" && advice != AdviceTimeout {
		advice = AdviceStages
	}
	if advice != "" {
		p.failed = &schema.HintedError{Err: p.failed, Format: advice}
	}
	return p.failed
}

// stderrSuffix returns the end of the program's stderr as the end of an error that so far reads said.
func (p *process) stderrSuffix(said string) string {
	if text := p.stderr.lastLines(said); text != "" {
		return "; its stderr ends in: " + text
	}
	return ""
}

// hashSeedVariable is the environment variable that decides how Python hashes texts, and so in which order it has the
// members of a set.
const hashSeedVariable = "PYTHONHASHSEED"

// hashSeed returns the value of that variable for programs: the user's, or one that is the same for each process.
func hashSeed() string { return cmp.Or(os.Getenv(hashSeedVariable), "0") }

// newMark returns a unique environment variable, which everything that a program starts inherits. Its
// name is unique too: if the program is itself a podtrack, the programs that it starts inherit both marks.
func newMark() string { return "PODTRACK_STARTED_" + rand.Text() + "=1" }

// The end of a program's stderr tells most: there a Python traceback names the exception and the line.
const (
	tailBytes = 4 << 10 // kept
	tailLines = 3       // shown in an error
)

// stderrTail keeps the last tailBytes bytes written to it.
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

// lastLines returns the last tailLines lines, joined into one, or "" if there are none. It leaves out the lines of ^
// and ~ in a Python traceback, long base64 text, and the last line if said contains it.
func (s *stderrTail) lastLines(said string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var last []string
	for line := range bytes.Lines(bytes.TrimSpace(s.kept)) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), "?"))
		if strings.Trim(text, "^~ ") != "" {
			last = append(last, truncate(base64Text().ReplaceAllString(text, "…")))
		}
	}
	n := tailLines
	if end := len(last) - 1; end > 0 && strings.Contains(said, last[end]) {
		last, n = last[:end], n-1
	}
	return strings.Join(last[max(0, len(last)-n):], " / ")
}

// base64Text matches long base64 text. The adapter for Gymnasium is passed to Python in this form, and a program that
// is not Python may print it.
var base64Text = textfmt.Pattern(`[A-Za-z0-9+/=]{80,}`)

// truncate shortens a program's output for an error text.
func truncate(text string) string {
	const most = 300
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
