package external

import (
	"bufio"
	"os"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/programs"
)

const (
	// lineBytes bounds a line of an answer: snapshots are the longest.
	lineBytes = 16 << 20
	// grace is how long an answer under way is waited for after the context has ended.
	grace = time.Second
	// exitTimeout is how long a program may take to end once its stdin is closed.
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
	kind    error // that every failure is, nil for [pod.ErrEnvFailed]
	closed  bool

	asksAdapter bool // for Gymnasium, which environment it is; no run is under way

	extensions []string // that are offered
	asksCode   bool     // hello asks for the program's code
	maxPayload int      // of the next answer
	maxLine    int      // bytes of an answer's line, 0 for lineBytes
	payload    []byte   // of the last answer
}

// failure returns the error that every failure is.
func (p *process) failure() error {
	if p.kind == nil {
		return pod.ErrEnvFailed
	}
	return p.kind
}

// setDeadline sets the deadline of reads and writes. Errors of closed pipes are ignored.
func (p *process) setDeadline(in time.Duration) {
	at := time.Now().Add(in)
	_ = p.stdin.SetDeadline(at)
	_ = p.stdout.SetDeadline(at)
}
