package external

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// saying returns the answer to hello of a program that uses extensions.
func saying(extensions string) string {
	return strings.Replace(hello, `"protocol"`, `"extensions":[`+extensions+`],"protocol"`, 1)
}

const (
	usesSteps  = `"steps"`
	usesFrames = `"steps","frames"`
	usesParts  = `"steps","frames","parts"`
	first      = `{"id":ID,"observation":"10"}`
)

// TestStepAhead takes steps ahead: their results are those of steps taken alone.
func TestStepAhead(t *testing.T) {
	for name, answer := range map[string]string{
		"lists":  `{"id":ID,"observations":["11","10","00","01"],"ends":[0,1,0]}`,
		"frames": `{"id":ID,"steps":3,"bytes":7}` + "\x1e" + "\x00\x01\x00\x03\x01\x00\x02",
	} {
		uses := usesFrames
		if name == "lists" {
			uses = usesSteps
		}
		w, seen := enter(t, speaking(t, saying(uses), first, strings.ReplaceAll(answer, "\x1e", `\n`)))
		if _, err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		batched := w.(collect.BatchedEnv)
		n, err := batched.StepAhead(t.Context(), []uint8{0, 1, 1, 0})
		if n != 3 || err != nil {
			t.Fatalf("%s: %d steps, %v", name, n, err)
		}
		if seen.States() != 1 {
			t.Errorf("%s: %d states before a step was used", name, seen.States())
		}
		for i, want := range []envs.StepResult{{State: 1}, {State: 0, End: envs.Terminated, NextStart: 2}, {State: 3}} {
			if o, err := w.Step(t.Context(), []int{0, 1, 1}[i]); o != want || err != nil {
				t.Errorf("%s, step %d: %+v, %v, want %+v", name, i, o, err, want)
			}
		}
	}
}

// TestWrongBatches: each way in which a batch can be wrong has an error of its own with a remedy, and no step of it
// is used.
func TestWrongBatches(t *testing.T) {
	for name, c := range map[string]struct{ uses, answer, want string }{
		"no steps":           {usesSteps, `{"id":ID,"observations":[],"ends":[]}`, "0 steps, but 3 were requested"},
		"too many steps":     {usesSteps, `{"id":ID,"observations":["11","11","11","11"],"ends":[0,0,0,0]}`, "4 steps"},
		"few observations":   {usesSteps, `{"id":ID,"observations":["11"],"ends":[0,0]}`, "1 observations;"},
		"none at a reset":    {usesSteps, `{"id":ID,"observations":["11"],"ends":[1]}`, "1 of which ended"},
		"a wrong end":        {usesSteps, `{"id":ID,"observations":["11"],"ends":[3]}`, "ends an episode by 3"},
		"a negative end":     {usesSteps, `{"id":ID,"observations":["11"],"ends":[-1]}`, "violates the protocol"},
		"an observation":     {usesSteps, `{"id":ID,"observations":["12"],"ends":[0]}`, "characters other than 0 and 1"},
		"a single answer":    {usesSteps, `{"id":ID,"observation":"11","terminated":false,"truncated":false}`, "no obs"},
		"rewards":            {usesSteps, `{"id":ID,"observations":["11"],"ends":[0],"rewards":[1]}`, "does not declare"},
		"a frame, no frames": {usesSteps, `{"id":ID,"steps":1,"bytes":2}`, "a payload of 2 bytes;"},
		"lists, frames":      {usesFrames, `{"id":ID,"observations":["11"],"ends":[0]}`, "it lacks the number of steps"},
		"a long payload":     {usesFrames, `{"id":ID,"steps":3,"bytes":1000}`, "a payload of 1000 bytes"},
		"negative length":    {usesFrames, `{"id":ID,"steps":3,"bytes":-4}`, "a payload of -4 bytes"},
		"a short payload":    {usesFrames, `{"id":ID,"steps":3,"bytes":5}\n` + "\x00\x00\x00\x01\x01", "have 3"},
		"a lesser length":    {usesFrames, `{"id":ID,"steps":2,"bytes":3}\n` + "\x00\x00\x01\x01", "no end of line follows"},
		"frame: wrong end":   {usesFrames, `{"id":ID,"steps":1,"bytes":2}\n` + "\x07\x01", "ends an episode by 7"},
		"frame: too many":    {usesFrames, `{"id":ID,"steps":4,"bytes":8}\n` + "\x00\x00\x00\x00\x01\x01\x01\x01", "4 steps"},
		"frame: none":        {usesFrames, `{"id":ID,"steps":0,"bytes":0}\n`, "0 steps, but 3 were requested"},
		"bits beyond":        {usesFrames, `{"id":ID,"steps":1,"bytes":2}\n` + "\x00\x04", "more bits than its 2"},
		"an end within":      {usesFrames, `{"id":ID,"steps":3,"bytes":6}\n` + "\x00\x00\x1f", "2 of the payload's 6"},
		"a part, no parts":   {usesFrames, `{"id":ID,"steps":1,"bytes":2,"more":true}\n` + "\x00\x01", "the extension"},
		"lists, in parts":    {usesSteps, `{"id":ID,"observations":["11"],"ends":[0],"more":true}`, "the extension"},
		"an empty part":      {usesParts, `{"id":ID,"steps":0,"bytes":0,"more":true}\n`, "a part without steps"},
		"an error":           {usesFrames, `{"id":ID,"error":"step 2: the lamp fell"}`, "the lamp fell"},
	} {
		w, seen := enter(t, speaking(t, saying(c.uses), first, c.answer))
		if _, err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		n, err := w.(collect.BatchedEnv).StepAhead(t.Context(), []uint8{0, 1, 1})
		if n > 0 || !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), c.want) || schema.Remedy(err) == "" {
			t.Errorf("%s: %d steps, %v, want %q", name, n, err, c.want)
		}
		if _, again := w.Step(t.Context(), 0); again == nil || seen.States() != 1 {
			t.Errorf("%s: after the error %v, %d states", name, again, seen.States())
		}
	}
}

// TestNumbersOfObservations: an observation with a number that no factors can be of is refused where it is read, with
// its feature and step, in each form of an answer.
func TestNumbersOfObservations(t *testing.T) {
	reals := strings.Replace(hello, `{"kind":"binary","features":["a","b"]}`, `{"kind":"real","features":["x"]}`, 1)
	const far, single = `feature "x" is -1.7e+308: beyond ±9.75e+288`, `,"terminated":false,"truncated":false}`
	for name, c := range map[string]struct{ uses, answer, want string }{
		"null": {usesSteps, `{"id":ID,"observations":[[0],[1],[null]],"ends":[1,0]}`,
			`has no number for feature "x", in step 1 of the answer`},
		"alone":       {"", `{"id":ID,"observation":[-1.7e308]` + single, far},
		"list":        {usesSteps, `{"id":ID,"observations":[[-1.7e308]],"ends":[0]}`, far},
		"second step": {usesSteps, `{"id":ID,"observations":[[0],[1],[-1.7e308]],"ends":[1,0]}`, "in step 1 of the answer"},
		"after a reset": {usesSteps, `{"id":ID,"observations":[[0],[1],[-1.7e308]],"ends":[0,1]}`,
			"in step 1 of the answer"},
		"frame": {usesFrames, `{"id":ID,"steps":1,"bytes":9}\n` + "\x00\xff\xff\xff\xff\xff\xff\xef\x7f",
			`feature "x" is 1.7976931348623157e+308: beyond ±9.75e+288 σ could overflow, in step 0 of the answer`},
		"frame: NaN": {usesFrames, `{"id":ID,"steps":1,"bytes":9}\n` + "\x00\x01\x00\x00\x00\x00\x00\xf0\x7f",
			`feature "x" is NaN`},
		"largest": {usesSteps, `{"id":ID,"observations":[[-9.745e288]],"ends":[0]}`, ""},
	} {
		w, _ := enter(t, speaking(t, strings.Replace(reals, `"protocol"`, `"extensions":[`+c.uses+`],"protocol"`, 1),
			`{"id":ID,"observation":[0]}`, c.answer))
		if _, err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c.uses != "" {
			_, err := w.(collect.BatchedEnv).StepAhead(t.Context(), []uint8{0, 1})
			wantFailed(t, name, err, c.want)
		} else {
			_, err := w.Step(t.Context(), 0)
			wantFailed(t, name, err, c.want)
		}
	}
}

// wantFailed fails the test unless err is that of a failed environment, has the text want and says what to do. No error
// is wanted where want is empty.
func wantFailed(t *testing.T, name string, err error, want string) {
	t.Helper()
	isFailure := errors.Is(err, envs.ErrEnvFailed) && strings.Contains(err.Error(), want) && schema.Remedy(err) != ""
	if want == "" && err != nil || want != "" && (err == nil || !isFailure) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

// TestPartWithAllSteps sends a request after parts that had all steps, and takes the last part, without steps, for no
// answer to it.
func TestPartWithAllSteps(t *testing.T) {
	const all = `{"id":ID,"steps":2,"bytes":5,"more":true}\n` + "\x00\x01\x03\x02\x00" +
		`\n{"id":ID,"steps":0,"bytes":0}\n`
	w, _ := enter(t, speaking(t, saying(usesParts), first, all, first))
	state, err := w.Reset(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.(collect.BatchedEnv).StepAhead(t.Context(), []uint8{0, 1}); n != 2 || err != nil {
		t.Fatalf("%d steps, %v", n, err)
	}
	for i := range 2 {
		if _, err := w.Step(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := w.Reset(t.Context()); again != state || err != nil {
		t.Errorf("state %d, %v, want %d", again, err, state)
	}
}

// TestParts takes steps from the parts of an answer: what is wrong in a later part is an error of its own, and the
// steps of those before it are used.
func TestParts(t *testing.T) {
	const part = `{"id":ID,"steps":2,"bytes":5,"more":true}\n` + "\x00\x01\x03\x02\x00"
	for name, c := range map[string]struct{ answer, want string }{
		"whole":          {part + `\n{"id":ID,"steps":2,"bytes":4}\n` + "\x00\x00\x01\x03", ""},
		"fewer":          {part + `\n{"id":ID,"steps":0,"bytes":0}\n`, ""},
		"too many":       {part + `\n{"id":ID,"steps":3,"bytes":6}\n` + "\x00\x00\x00\x01\x01\x01", "3 steps, but 2"},
		"empty":          {part + `\n{"id":ID,"steps":0,"bytes":0,"more":true}\n`, "a part without steps"},
		"another id":     {part + `\n{"id":77,"steps":1,"bytes":2}\n` + "\x00\x01", "is not the next line"},
		"a wrong end":    {part + `\n{"id":ID,"steps":1,"bytes":2}\n` + "\x09\x01", "ends an episode by 9"},
		"an error":       {part + `\n{"id":ID,"error":"the lamp fell"}`, "the lamp fell"},
		"lists":          {part + `\n{"id":ID,"observations":["11"],"ends":[0]}`, "it lacks the number of steps"},
		"a part of lots": {part + `\n{"id":ID,"steps":1,"bytes":99999999,"more":true}`, "a payload of 99999999 bytes"},
	} {
		w, seen := enter(t, speaking(t, saying(usesParts), first, c.answer))
		if _, err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		batched := w.(collect.BatchedEnv)
		if n, err := batched.StepAhead(t.Context(), []uint8{0, 1, 1, 0}); n != 2 || err != nil {
			t.Fatalf("%s: %d steps, %v", name, n, err)
		}
		for i, want := range []envs.StepResult{{State: 1}, {State: 2, End: envs.Terminated, NextStart: 3}} {
			if o, err := w.Step(t.Context(), i); o != want || err != nil {
				t.Errorf("%s, step %d: %+v, %v, want %+v", name, i, o, err, want)
			}
		}
		n, err := batched.StepAhead(t.Context(), []uint8{1, 0})
		if c.want == "" {
			if left := map[string]int{"whole": 2, "fewer": 0}[name]; err != nil || n != left {
				t.Errorf("%s: %d steps, %v", name, n, err)
			}
			continue
		}
		if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), c.want) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if seen.States() > 4 {
			t.Errorf("%s: %d states", name, seen.States())
		}
	}
}

// TestPartsLeft: a program whose answer was not read to its end is ended without a complaint.
func TestPartsLeft(t *testing.T) {
	w, _ := enter(t, speaking(t, saying(usesParts), first, `{"id":ID,"steps":1,"bytes":2,"more":true}\n`+"\x00\x01"+
		`\n{"id":ID,"steps":1,"bytes":2}\n`+"\x00\x03"))
	if _, err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := w.(collect.BatchedEnv).StepAhead(t.Context(), []uint8{0, 1}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := w.(*runningEnv).Close(); err != nil {
		t.Error(err)
	}
}

// TestWrongReals: what is no number in a payload is an error, and −0 is 0.
func TestWrongReals(t *testing.T) {
	const nan, infinite, minus0 = "\x00\x00\x00\x00\x00\x00\xf8\x7f", "\x00\x00\x00\x00\x00\x00\xf0\x7f",
		"\x00\x00\x00\x00\x00\x00\x00\x80"
	f := batchForm{declared: schema.External{Observes: schema.Real, Size: 1, Features: []string{"x"},
		Actions: []string{"a"}, Reward: true}, size: 8, actions: []uint8{0}, most: 1}
	for payload, want := range map[string]string{
		"\x00" + nan + minus0:          "a reward that is not a finite number",
		"\x00" + infinite + minus0:     "a reward that is not a finite number",
		"\x00" + minus0 + nan:          `feature "x" is NaN`,
		"\x01" + minus0 + minus0 + nan: `feature "x" is NaN`,
		"\x00" + minus0 + minus0:       "",
	} {
		b, err := f.readFrame([]byte(payload), 1)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %v, want %q", payload, err, want)
		}
		if err == nil && (!slices.Equal(b.observations, make([]byte, 8)) || 1/b.rewards[0] < 0) {
			t.Errorf("%x: %+v, want 0 in place of −0", payload, b)
		}
	}
}

// TestOtherDecision: a program that decides in another way than the agent would is found out at the step.
func TestOtherDecision(t *testing.T) {
	w, seen := enter(t, speaking(t, saying(usesFrames+`,"policies"`), first, `{"id":ID}`,
		`{"id":ID,"steps":2,"bytes":6}\n`+"\x00\x00\x01\x00\x03\x03"))
	s, err := w.Reset(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one := &schema.Option{Arity: 2, Policy: []int8{1}, Certificate: schema.Certificate{MaxSteps: 5}}
	n, err := w.(collect.BatchedEnv).WalkAhead(t.Context(), collect.Walk{Steps: 2, State: s, Executing: 0,
		Options: collect.OptionSet{Options: []*schema.Option{one}}, Stream: *rng.NewStream(0, 0, "test")})
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if o, err := w.Step(t.Context(), 1); o.State != 1 || err != nil {
		t.Error(o, err)
	}
	_, err = w.Step(t.Context(), 1)
	if !errors.Is(err, envs.ErrEnvFailed) ||
		!strings.Contains(err.Error(), `took action "off"; the policies and the draws imply "on"`) || seen.States() != 2 {
		t.Errorf("%v, %d states", err, seen.States())
	}
}

// TestWrongExtensions: only what was offered can be used, with what it needs.
func TestWrongExtensions(t *testing.T) {
	for uses, want := range map[string]string{
		`"steps","telepathy"`: `"telepathy", which was not offered`, `"frames"`: `"frames" without "steps"`,
		`"steps","policies"`:         `"policies" without "frames"`,
		`"steps","frames","weights"`: `"weights" without "policies"`, `"steps","parts"`: `"parts" without "frames"`,
		`"steps","steps"`: `"steps" twice`,
	} {
		_, err := speaking(t, saying(uses)).queryEnv(t.Context())
		if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), want) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v, want %s", uses, err, want)
		}
	}
	c := speaking(t, saying(usesSteps))
	c.Extensions = []string{}
	if _, err := c.queryEnv(t.Context()); err == nil || !strings.Contains(err.Error(), "not offered") {
		t.Error(err)
	}
}

// TestSilentPayload: a program that stops within a payload runs into the time limit, and one that is cancelled
// does not keep anybody.
func TestSilentPayload(t *testing.T) {
	answers := []string{saying(usesFrames), first, `{"id":ID,"steps":3,"bytes":6}\n` + "\x00\x00"}
	c := speaking(t, answers...)
	c.Timeout = time.Second
	for _, cancelled := range []bool{false, true}[:schematest.Size(1, 2)] {
		w, _ := enter(t, c)
		if _, err := w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if cancelled {
			time.AfterFunc(10*time.Millisecond, cancel)
		}
		begun := time.Now()
		_, err := w.(collect.BatchedEnv).StepAhead(ctx, []uint8{0, 1, 1})
		if !errors.Is(err, envs.ErrEnvFailed) || errors.Is(err, context.Canceled) != cancelled ||
			!strings.Contains(err.Error(), "bytes)") || schema.Remedy(err) == "" {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	}
}

// TestPace: batches grow to what takes a part of a second, and no program that takes long for a step is asked for
// many.
func TestPace(t *testing.T) {
	var p pace
	for range 20 {
		p.took(max(p.size, 1), time.Duration(max(p.size, 1))*10*time.Microsecond)
	}
	if p.size != 5000 {
		t.Errorf("%d steps of 10 µs, want 5000", p.size)
	}
	p.took(p.size, time.Duration(p.size)*20*time.Millisecond)
	if p.size != 2 {
		t.Errorf("%d steps of 20 ms, want 2", p.size)
	}
	p.took(1, time.Minute)
	if p.size != 1 {
		t.Errorf("%d steps of a minute, want 1", p.size)
	}
	if p.took(0, time.Second); p.size != 1 {
		t.Errorf("%d steps after none", p.size)
	}
	if p.took(1<<20, 0); p.size != maxBatch {
		t.Errorf("%d steps of no time, want %d", p.size, maxBatch)
	}
}
