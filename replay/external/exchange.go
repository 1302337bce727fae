package external

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// answer is a line of a program, of any kind. Missing fields are nil.
type answer struct {
	ID    *uint64 `json:"id"`
	Error *string `json:"error"`

	Protocol   *int              `json:"protocol"`
	Name       *string           `json:"name"`
	Version    *string           `json:"version"`
	Actions    []string          `json:"actions"`
	Observes   *observes         `json:"observes"`
	Parameters map[string]string `json:"parameters"`
	Extensions []string          `json:"extensions"`
	Code       *codeAnswer       `json:"code"`

	Observation json.RawMessage `json:"observation"`
	Terminated  *bool           `json:"terminated"`
	Truncated   *bool           `json:"truncated"`

	Reward json.RawMessage `json:"reward"` // of hello: whether steps have one; of a step: the number

	Steps        *int              `json:"steps"`
	Bytes        *int              `json:"bytes"`
	More         bool              `json:"more"`
	Observations []json.RawMessage `json:"observations"`
	Ends         []uint            `json:"ends"`
	Rewards      []*float64        `json:"rewards"`

	Stages  stageDeclarations `json:"stages"` // of hello
	Sigma   []float64         `json:"sigma"`
	Vectors [][]float64       `json:"vectors"`
	Keep    []bool            `json:"keep"`
	Reasons []string          `json:"reasons"`
	Numbers []float64         `json:"numbers"`
	Nearest []int32           `json:"nearest"`
	Signs   []schema.Sign     `json:"signs"`
	Values  []float64         `json:"values"`
	Weights [][]float64       `json:"weights"`
	Policy  []int             `json:"policy"`
	Taken   []int             `json:"taken"`   // actions
	Options []int32           `json:"options"` // one for each action

	Measures schema.ExternalMeasures `json:"measures"`
	End      bool                    `json:"end"`   // there are no more iterations
	Ahead    int                     `json:"ahead"` // how many answers to the next requests follow

	payload []byte // after the line, valid until the next request; nil if there is none
}

// codeAnswer is a program's own description of its code.
type codeAnswer struct {
	Packages map[string]string `json:"packages"` // versions
	Files    []string          `json:"files"`    // paths
	Digests  map[string]string `json:"digests"`  // SHA-256, in hexadecimal, of code that is in no file
}

// observes describes the observations of an environment.
type observes struct {
	Kind     string   `json:"kind"`
	N        int64    `json:"n,omitempty"`
	Features []string `json:"features,omitempty"`
}

const (
	hintStdout = "a program may write only answers to stdout: print everything else to stderr"
	hintFinite = "observations and rewards must be finite numbers: nothing else can be recorded"
)

// An object is one of JSON: names and values in turn, in the order in which they are written.
type object []any

// encode returns the members of o and its end.
func (o object) encode() (b []byte, err error) {
	for i := 0; i < len(o); i += 2 {
		value, err := json.Marshal(o[i+1])
		if err != nil {
			return nil, err
		}
		b = append(fmt.Appendf(b, ",%q:", o[i]), value...)
	}
	return append(b[1:], '}'), nil
}

// ask sends a request, unless the program has answered it ahead, and reads the answer. Once ctx is done it
// waits no longer than grace.
func (p *process) ask(ctx context.Context, request object) (answer, error) {
	if p.failed == nil && p.closed {
		p.failed = errors.New("the environment is closed")
	}
	if p.failed != nil {
		return answer{}, p.failed
	}
	p.id++
	if p.ahead > 0 {
		p.ahead--
		return p.readPart(ctx)
	}
	members, err := request.encode()
	if err != nil {
		return answer{}, err
	}
	defer p.limitTime(ctx)()
	_, err = fmt.Fprintf(p.stdin, "{\"id\":%d,%s\n", p.id, members)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return answer{}, p.timeoutError(ctx)
	}
	return p.readAnswer(ctx) // also after a failed write: the answer says why the program exited
}

// limitTime sets the deadline of an exchange, and moves it forward when ctx is done, until stop is called.
func (p *process) limitTime(ctx context.Context) (stop func() bool) {
	p.setDeadline(p.timeout)
	stop = context.AfterFunc(ctx, func() { p.setDeadline(min(grace, p.timeout)) })
	if ctx.Err() != nil || p.hasEnded(0) {
		p.setDeadline(min(grace, p.timeout))
	}
	return stop
}

// readPart reads the next part of the answer to the last request.
func (p *process) readPart(ctx context.Context) (answer, error) {
	if p.failed != nil {
		return answer{}, p.failed
	}
	defer p.limitTime(ctx)()
	return p.readAnswer(ctx)
}

// readAnswer reads the answer to the last request, and its payload if it has one. A failure after ctx is done is
// reported as its error: the program may have ended for the same reason.
func (p *process) readAnswer(ctx context.Context) (answer, error) {
	a, err := p.read(ctx)
	if err == nil && a.Bytes != nil {
		a.payload, err = p.readPayload(ctx, *a.Bytes)
	}
	if p.mayAnswerAhead && err == nil && a.Ahead > 0 {
		p.ahead = a.Ahead
	}
	if extra := p.lines.Buffered(); err == nil && extra > 0 && !a.More && p.ahead == 0 {
		text, _ := p.lines.Peek(extra) // no error: the bytes are buffered
		return a, p.fail(hintStdout, "it wrote more than its answer to request %d: %s", p.id, excerpt(text))
	}
	if cancelled := ctx.Err(); err != nil && cancelled != nil && !errors.Is(err, cancelled) {
		err = errors.Join(cancelled, err)
	}
	return a, err
}

// read reads the line of the answer to the last request.
func (p *process) read(ctx context.Context) (a answer, err error) {
	line, err := p.readLine(ctx)
	if err != nil {
		return a, err
	}
	if err := wire.DecodeJSON(line, &a); err != nil {
		if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
			return a, p.fail(hintFinite, "an answer with a number that is not finite: %s", excerpt(line))
		}
		if json.Valid(line) {
			return a, p.fail(AdviceProtocol, "an answer that violates the protocol: %s (%w)", excerpt(line), err)
		}
		if errors.Is(err, wire.ErrTrailing) {
			return a, p.fail(AdviceProtocol, "something follows an answer on its line: %s", excerpt(line))
		}
		return a, p.fail(hintStdout, "a line that is not an answer: %s (%w)", excerpt(line), err)
	}
	if p.kind == pod.ErrStageFailed && bytes.Contains(line, []byte("null")) {
		return a, p.fail(AdviceStages, "an answer with null: %s", excerpt(line))
	}
	switch {
	case a.ID == nil || *a.ID != p.id:
		return a, p.fail(hintStdout, "the answer to request %d is not the next line, which is %s", p.id, excerpt(line))
	case a.Error != nil:
		return a, p.reported(truncate(*a.Error))
	}
	return a, nil
}

// reported returns the error that a program reports. If the adapter for Gymnasium refuses to declare its environment,
// the user's name or options are wrong; no environment has failed.
func (p *process) reported(text string) error {
	err := p.fail(AdviceReported, "it says %s", quoted(text))
	if p.asksAdapter {
		p.failed = schema.Hint(fmt.Errorf("%s: %s%s", p.name, text, p.stderrSuffix(text)), AdviceGym)
		return p.failed
	}
	return err
}

// quoted returns a text in quotes. It does not escape quotes within, so that a command in it can be copied.
func quoted(text string) string {
	if strings.ContainsAny(text, "\"\\") {
		return "‘" + text + "’"
	}
	return strconv.Quote(text)
}

// readLine returns the next line without its end.
func (p *process) readLine(ctx context.Context) (line []byte, err error) {
	for {
		part, err := p.lines.ReadSlice('\n')
		switch {
		case len(line)+len(part) > cmp.Or(p.maxLine, lineBytes):
			return nil, p.fail(AdviceProtocol, "a line of more than %d MiB", cmp.Or(p.maxLine, lineBytes)>>20)
		case err == nil && line == nil:
			return bytes.TrimSpace(part), nil
		case err == nil:
			return bytes.TrimSpace(append(line, part...)), nil
		case errors.Is(err, bufio.ErrBufferFull):
			line = append(line, part...)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, p.timeoutError(ctx)
		default:
			return nil, p.exitError(append(line, part...))
		}
	}
}

// readPayload reads the bytes that follow the line of an answer, and the end of line after them. The latter reveals a
// wrong length at once.
func (p *process) readPayload(ctx context.Context, n int) ([]byte, error) {
	if n < 0 || n > p.maxPayload {
		return nil, p.fail(AdviceProtocol, "a payload of %d bytes; at most %d are allowed", n, p.maxPayload)
	}
	p.payload = slices.Grow(p.payload[:0], n+1)[:n+1]
	switch read, err := io.ReadFull(p.lines, p.payload); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, p.withinPayload(p.timeoutError(ctx), read, n)
	case err != nil:
		return nil, p.withinPayload(p.exitError(nil), read, n)
	case p.payload[n] != '\n':
		return nil, p.fail(AdviceProtocol, "a payload of %d bytes that no end of line follows", n)
	}
	return p.payload[:n:n], nil
}

// withinPayload adds to an error how much of the payload was read, and notes it as the failure.
func (p *process) withinPayload(err error, read, n int) error {
	p.failed = fmt.Errorf("%w (got %d of the payload's %d bytes)", err, min(read, n), n)
	return p.failed
}

// timeoutError returns the error of a program that does not answer.
func (p *process) timeoutError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errors.Join(err, p.fail(AdviceTimeout, "the command was cancelled"))
	}
	if p.hasEnded(0) {
		return p.exitError(nil)
	}
	return p.fail(AdviceTimeout, "no answer to request %d within %v", p.id, p.timeout)
}

// exitError returns the error of a program that has exited or closed its stdout.
func (p *process) exitError(unfinished []byte) error {
	how := p.describeExit()
	if p.asksAdapter {
		return p.fail(AdvicePython, "%s before the adapter answered; is it a Python?", how)
	}
	if len(unfinished) > 0 {
		return p.fail(AdviceCrashed, "%s within a line: %s", how, excerpt(unfinished))
	}
	return p.fail(AdviceCrashed, "%s before it answered request %d", how, p.id)
}

// describeExit describes how a program exited. It waits for a program that closed its stdout to exit: its own exit
// status says more than that it was killed.
func (p *process) describeExit() string {
	itself := detectsExit && p.hasEnded(grace)
	p.failed = io.ErrUnexpectedEOF // so that close does not wait
	_, _ = p.close()
	switch {
	case p.cmd.ProcessState == nil:
		return "it ended"
	case !itself && detectsExit:
		return "it closed its stdout"
	}
	return fmt.Sprintf("it ended (%v)", p.cmd.ProcessState)
}

// excerpt returns the beginning of a program's output, quoted.
func excerpt(text []byte) string { return strconv.Quote(truncate(string(text))) }
