package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// answersVariable is the variable by which this test's binary becomes a program that answers with the lines in it, one
// a request, ID standing for the request's number and \n for an end of line, and then stays silent.
const answersVariable = "PODTRACK_TEST_ANSWERS"

func TestMain(m *testing.M) {
	text, ok := os.LookupEnv(answersVariable)
	if !ok {
		os.Exit(m.Run())
	}
	requests := json.NewDecoder(os.Stdin)
	for _, line := range strings.Split(text, "\n") {
		var request struct{ ID int }
		if requests.Decode(&request) != nil {
			return
		}
		line = unescape(strings.ReplaceAll(line, "ID", fmt.Sprint(request.ID)))
		if before, _, ends := strings.Cut(line, "\x1f"); ends { // it exits within the answer
			fmt.Print(before)
			return
		}
		fmt.Println(line)
	}
	for requests.Decode(new(any)) == nil { // until stdin is closed
	}
}

// speaking returns a program that gives these answers.
func speaking(t *testing.T, answers ...string) Command {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answers = slices.Clone(answers)
	for i, a := range answers {
		answers[i] = escape(a)
	}
	return Command{
		Words: []string{program}, Vars: []string{answersVariable + "=" + strings.Join(answers, "\n")},
		Timeout: time.Minute,
	}
}

// escape writes bytes that cannot stand in a variable as \xHH.
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape undoes escape, and makes \n an end of line.
func unescape(text string) string {
	return regexp.MustCompile(`\\n|\\x[0-9a-f]{2}`).ReplaceAllStringFunc(text, func(s string) string {
		if s == `\n` {
			return "\n"
		}
		n, _ := strconv.ParseUint(s[2:], 16, 8)
		return string([]byte{byte(n)})
	})
}

const hello = `{"id":ID,"protocol":1,"name":"lamp","version":"1","actions":["off","on"],` +
	`"observes":{"kind":"binary","features":["a","b"]}}`

// TestSeed: the numbers are those of Python's hashlib, of the domain and the CBOR of
// the pair by hand: 82 00 00 and 82 1b ffffffffffffffff 03.
func TestSeed(t *testing.T) {
	if got := rng.ResetSeed(0, 0); got != 2820950798569117 {
		t.Errorf("seed 0, iteration 0: %d", got)
	}
	if got := rng.ResetSeed(1<<64-1, 3); got != 532497822892967 {
		t.Errorf("the largest seed, iteration 3: %d", got)
	}
}

func TestAsk(t *testing.T) {
	env, err := speaking(t, hello).queryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envs.NewEnv(env); err != nil || env.Name != "lamp" || env.External.Size != 2 ||
		env.External.Observes != schema.Binary {
		t.Errorf("%+v, %v", env, err)
	}
	for name, answer := range map[string]string{
		"no answer at all":     `{}`,
		"another id":           strings.Replace(hello, "ID", "7", 1),
		"another protocol":     strings.Replace(hello, `"protocol":1`, `"protocol":2`, 1),
		"no version":           strings.Replace(hello, `"version":"1",`, "", 1),
		"an empty version":     strings.Replace(hello, `"version":"1"`, `"version":""`, 1),
		"a built-in name":      strings.Replace(hello, "lamp", "ring", 1),
		"a name with a space":  strings.Replace(hello, "lamp", "a lamp", 1),
		"a name of controls":   strings.Replace(hello, "lamp", `\u001b[31m`, 1),
		"no actions":           strings.Replace(hello, `"off","on"`, "", 1),
		"an action twice":      strings.Replace(hello, `"off","on"`, `"on","on"`, 1),
		"another kind":         strings.Replace(hello, "binary", "boxes", 1),
		"no features":          strings.Replace(hello, `"a","b"`, "", 1),
		"a feature twice":      strings.Replace(hello, `"a","b"`, `"a","a"`, 1),
		"another size":         strings.Replace(hello, `"kind":"binary"`, `"kind":"binary","n":3`, 1),
		"discrete features":    strings.Replace(hello, "binary", "discrete", 1),
		"an unknown member":    strings.Replace(hello, `"protocol"`, `"colour":1,"protocol"`, 1),
		"a field of specs":     strings.Replace(hello, `"protocol"`, `"parameters":{"seed":"1"},"protocol"`, 1),
		"a later field":        strings.Replace(hello, `"protocol"`, `"parameters":{"method":"1"},"protocol"`, 1),
		"a parameter's number": strings.Replace(hello, `"protocol"`, `"parameters":{"a":1},"protocol"`, 1),
		"an error":             `{"id":ID,"error":"no lamp"}`,
		"two answers":          hello + hello,
		"no JSON":              "hello",
	} {
		_, err := speaking(t, answer).queryEnv(t.Context())
		if !errors.Is(err, envs.ErrEnvFailed) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v, want ErrWorld and a remedy", name, err)
		}
	}
}

// TestWorld goes through an episode.
func TestWorld(t *testing.T) {
	c := speaking(t, hello,
		`{"id":ID,"observation":"10"}`,
		`{"id":ID,"observation":"11","terminated":false,"truncated":false}`,
		`{"id":ID,"observation":"10","terminated":true,"truncated":true}`, `{"id":ID,"observation":"00"}`,
		`{"id":ID,"observation":"00","terminated":false,"truncated":true}`, `{"id":ID,"observation":"11"}`,
		`{"id":ID,"observation":"1"}`)
	w, seen := enter(t, c)
	if s, err := w.Reset(t.Context()); s != 0 || err != nil {
		t.Fatalf("begins in %d, %v", s, err)
	}
	for i, want := range []envs.StepResult{{State: 1}, {State: 0, End: envs.Terminated, NextStart: 2},
		{State: 2, End: envs.Truncated, NextStart: 1}} {
		if o, err := w.Step(t.Context(), i%2); o != want || err != nil {
			t.Errorf("step %d: %+v, %v, want %+v", i, o, err, want)
		}
	}
	if _, err := w.Step(t.Context(), 0); !errors.Is(err, envs.ErrEnvFailed) {
		t.Errorf("an observation of one bit: %v", err)
	}
	if _, err := w.Step(t.Context(), 0); !errors.Is(err, envs.ErrEnvFailed) {
		t.Errorf("a step after a failure: %v", err)
	}
	if seen.States() != 3 {
		t.Errorf("%d states were seen", seen.States())
	}
}

func enter(t *testing.T, c Command) (envs.RunningEnv, *envs.ObservedStates) {
	t.Helper()
	program := NewProgram(c)
	env, err := program.QueryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	built, err := envs.NewEnv(env)
	if err != nil {
		t.Fatal(err)
	}
	w, err := program.Launch(t.Context(), env, built.(envs.GrowingEnv).Observed(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.(*runningEnv).Close() }) // what it says then is of no interest
	return w, built.(envs.GrowingEnv).Observed()
}

// openReset opens the environment of a program, and resets it.
func openReset(t *testing.T, c Command) *runningEnv {
	t.Helper()
	env, err := c.queryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	built, _ := envs.NewEnv(env)
	w, err := c.open(t.Context(), env, built.(envs.GrowingEnv).Observed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := openReset(t, speaking(t, hello, `{"id":ID,"observation":"10"}`))
	failed := make(chan error)
	go func() {
		_, err := w.Step(ctx, 0) // the program waits for ever
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want it cancelled", err)
	}
}

// endsWith is a context that is cancelled once a program has ended.
type endsWith struct {
	context.Context
	program *process
}

func (e endsWith) Err() error {
	if e.program.hasEnded(0) {
		return context.Canceled
	}
	return nil
}

// TestCancelledTogether: a program that the same signal ends has not failed.
func TestCancelledTogether(t *testing.T) {
	w := openReset(t, speaking(t, hello, `{"id":ID,"observation":"10"}`, "\x1f"))
	if _, err := w.Step(endsWith{t.Context(), w.process}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want it cancelled", err)
	}
}

func TestAnotherEnvironment(t *testing.T) {
	program := NewProgram(speaking(t, hello))
	env, err := program.QueryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := program.CheckEnv(t.Context(), env); err != nil {
		t.Error(err)
	}
	other := env.Clone()
	x := *env.External
	x.Version, other.External = "2", &x
	if err := program.CheckEnv(t.Context(), other); err == nil || !strings.Contains(err.Error(), "version 1, not 2") {
		t.Errorf("%v", err)
	}
}

func TestObserve(t *testing.T) {
	discrete := schema.External{Observes: schema.Discrete, Size: 300}
	binary := schema.External{Observes: schema.Binary, Size: 3, Features: []string{"a", "b", "c"}}
	real := schema.External{Observes: schema.Real, Size: 2, Features: []string{"a", "b"}}
	for _, c := range []struct {
		x    schema.External
		text string
		want string // bytes, "-" for an error
	}{
		{discrete, "258", "\x02\x01\x00\x00"}, {discrete, "0", "\x00\x00\x00\x00"},
		{discrete, "300", "-"}, {discrete, "-1", "-"}, {discrete, "1.5", "-"}, {discrete, "null", "-"},
		{discrete, `"1"`, "-"}, {discrete, "[1]", "-"},
		{discrete, "1e300", "-"},
		{binary, `"011"`, "\x06"}, {binary, `"01"`, "-"}, {binary, `"0110"`, "-"}, {binary, `"012"`, "-"},
		{binary, "[0,1,1]", "-"}, {binary, "null", "-"},
		{real, "[1,-0.0]", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x00"},
		{real, "[1]", "-"}, {real, "[1,2,3]", "-"}, {real, "[1,null]", "-"}, {real, "[1,1e999]", "-"},
		{real, `[1,"2"]`, "-"}, {real, "null", "-"}, {real, "1", "-"},
	} {
		o := observer{declared: c.x}
		got, err := o.read(json.RawMessage(c.text), nil)
		if c.want == "-" && err == nil || c.want != "-" && (err != nil || string(got) != c.want) {
			t.Errorf("%s %s: %x, %v, want %x", c.x.Observes, c.text, got, err, c.want)
		}
	}
}

// TestTraceback: of a traceback the place of the fault is kept, without marks and without what was said already.
func TestTraceback(t *testing.T) {
	var tail stderrTail
	_, _ = tail.Write([]byte(`Traceback (most recent call last):
  File "podtrack_adapter/loop.py", line 230, in answers
    members, payload = session.perform(request)
                       ~~~~~~~~~~~~~~~^^^^^^^^^
  File "/home/me/motor.py", line 12, in step
    if self.n > 50: raise RuntimeError("motor broke")
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: motor broke
`))
	const place = `File "/home/me/motor.py", line 12, in step / if self.n > 50: raise RuntimeError("motor broke")`
	if got := tail.lastLines(`it says "RuntimeError: motor broke"`); got != place {
		t.Errorf("%s, want %s", got, place)
	}
	if got, want := tail.lastLines("exit status 1"), place+" / RuntimeError: motor broke"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSlowToExit: the error of a program that ignores the end of its input names it, and says what to do.
func TestSlowToExit(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh", "sleep")
	program := Command{
		Words:   []string{"sh", "-c", "read request; echo '" + strings.ReplaceAll(hello, "ID", "1") + "'; exec sleep 600"},
		Timeout: time.Minute,
	}
	p, err := program.startAs(t.Context(), envs.ErrEnvFailed)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = p.hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.close()
	if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), p.name+": it is still running") ||
		schema.Remedy(err) == "" {
		t.Errorf("%v, remedy %q", err, schema.Remedy(err))
	}
}
