package external

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

const (
	// batchTime is how long the steps of an answer should take.
	batchTime = 50 * time.Millisecond
	// programTime is how long a program may take steps before it must answer with the steps so far.
	programTime = 2 * batchTime
	// batchGrowth bounds the ratio of a batch's size to that of the previous one.
	batchGrowth = 8
	maxBatch    = 1 << 14
	// maxBatchBytes bounds the observations of an answer.
	maxBatchBytes = 4 << 20
)

// pace is the number of steps to request at once. It is adapted to the time of a step, so that slow programs get small
// requests.
type pace struct{ size int }

// took adjusts the size, given the number of steps in an answer and its time.
func (p *pace) took(steps int, d time.Duration) {
	fit := math.MaxInt
	if d > 0 {
		fit = int(min(float64(steps)*float64(batchTime)/float64(d), maxBatch))
	}
	p.size = max(1, min(fit, batchGrowth*max(steps, 1), maxBatch))
}

// BatchSize implements [collect.BatchedEnv].
func (r *runningEnv) BatchSize() int {
	if !r.uses(stepsExtension) {
		return 1
	}
	return max(1, min(r.pace.size, maxBatchBytes/r.textSize()))
}

// textSize returns the approximate size in bytes of a step's observations in an answer.
func (r *runningEnv) textSize() int {
	size := r.observations.ObservationSize()
	if !r.uses(framesExtension) {
		size = 24 * max(1, int(r.observer.declared.Size)) // the longest numbers
		if r.observer.declared.Observes != schema.Real {
			size = 16 + int(r.observer.declared.Size)
		}
	}
	return 2*size + 16
}

func (r *runningEnv) uses(extension string) bool { return slices.Contains(r.extensions, extension) }

// StepAhead implements [collect.BatchedEnv].
func (r *runningEnv) StepAhead(ctx context.Context, actions []uint8) (int, error) {
	if r.batch.more {
		return r.nextPart(ctx)
	}
	numbers := make([]int, len(actions)) // bytes would be base64
	for i, a := range actions {
		numbers[i] = int(a)
	}
	form := r.form(len(actions))
	form.actions = slices.Clone(actions)
	return r.takeAhead(ctx, form, object{"do", "steps", "seconds", programTime.Seconds(), "actions", numbers})
}

// form returns the form of an answer with up to that many steps.
func (r *runningEnv) form(most int) batchForm {
	return batchForm{declared: r.observer.declared, size: r.observations.ObservationSize(), most: most}
}

// aheadAnswer is an answer with steps whose last parts may not have been read yet.
type aheadAnswer struct {
	form  batchForm // of the rest
	begun time.Time
	steps int // so far
}

// takeAhead sends the request and keeps the steps that were taken, or the first part of them.
func (r *runningEnv) takeAhead(ctx context.Context, f batchForm, request object) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := r.finishAnswer(ctx); err != nil {
		return 0, err
	}
	r.ahead = aheadAnswer{form: f, begun: time.Now()}
	return r.takePart(func() (answer, error) { return r.process.ask(ctx, request) })
}

// hasAhead reports whether the program has taken steps that Step has not returned yet.
func (r *runningEnv) hasAhead() bool { return r.batch.left() > 0 || r.batch.more }

// exchange reads the rest of the last answer, and sends a request.
func (r *runningEnv) exchange(ctx context.Context, request object) (answer, error) {
	if err := r.finishAnswer(ctx); err != nil {
		return answer{}, err
	}
	return r.process.ask(ctx, request)
}

// finishAnswer reads the last part of an answer. It has no steps if those before it had all that were requested.
func (r *runningEnv) finishAnswer(ctx context.Context) error {
	if r.batch.more && r.batch.left() == 0 {
		if _, err := r.nextPart(ctx); err != nil {
			return err
		}
	}
	if r.batch.left() > 0 {
		return r.process.fail("", "steps that were taken ahead are still unused")
	}
	return nil
}

// nextPart waits for the next part of an answer, and returns how many steps it has.
func (r *runningEnv) nextPart(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return r.takePart(func() (answer, error) { return r.process.readPart(ctx) })
}

// takePart keeps the steps of a part that read returns.
func (r *runningEnv) takePart(read func() (answer, error)) (int, error) {
	r.process.maxPayload = 0
	if r.uses(framesExtension) {
		r.process.maxPayload = r.ahead.form.maxBytes()
	}
	a, err := read()
	r.process.maxPayload = 0
	if err != nil {
		return 0, err
	}
	b, err := r.readBatch(a, r.ahead.form)
	if err != nil {
		return 0, r.process.fail(AdviceProtocol, "in the answer to request %d: %w", r.process.id, err)
	}
	r.batch, r.ahead.form = b, r.ahead.form.rest(len(b.ends))
	r.ahead.steps += len(b.ends)
	if !b.more {
		r.pace.took(r.ahead.steps, time.Since(r.ahead.begun))
	}
	return len(b.ends), nil
}

func (r *runningEnv) readBatch(a answer, f batchForm) (batch, error) {
	switch {
	case a.More && !r.uses(partsExtension):
		return batch{}, fmt.Errorf("a part, but its answer to hello does not name the extension %q", partsExtension)
	case !r.uses(framesExtension):
		return f.readLists(a, &r.observer)
	case a.Steps == nil || a.payload == nil:
		return batch{}, fmt.Errorf("it lacks the number of steps or of bytes of its payload")
	case a.More && *a.Steps == 0:
		return batch{}, fmt.Errorf("a part without steps that is not the last")
	}
	b, err := f.readFrame(a.payload, *a.Steps)
	b.more = a.More
	return b, err
}

// stepFromBatch returns the result of a step that was taken ahead.
func (r *runningEnv) stepFromBatch(action int) (o envs.StepResult, err error) {
	b := &r.batch
	if taken := int(b.actions[b.used]); taken != action {
		return o, r.process.fail(AdviceProtocol, "step %d of the answer to request %d took action %q; the policies and "+
			"the draws imply %q", b.used, r.process.id, r.observer.declared.Actions[taken],
			r.observer.declared.Actions[action])
	}
	return b.next(r.observations.ObservationSize(), r.intern)
}

// WalkAhead implements [collect.BatchedEnv].
func (r *runningEnv) WalkAhead(ctx context.Context, walk collect.Walk) (int, error) {
	if r.batch.more {
		return r.nextPart(ctx)
	}
	if !r.uses(policiesExtension) {
		return 0, nil
	}
	if err := r.sendPolicies(ctx, walk); err != nil {
		return 0, err
	}
	if !r.policies.knows(walk.State) {
		return 0, r.flushPolicies(ctx)
	}
	executing := schema.Primitive
	if walk.Executing != schema.Primitive {
		executing = walk.Executing - walk.Options.First
	}
	request := object{"do", "walk", "seconds", programTime.Seconds(), "steps", walk.Steps, "executing", executing,
		"executed", walk.StepsInCall, "stop", r.policies.stopsAtUnknown}
	draws := walk.Steps
	if walk.OptionProbability > 0 {
		draws *= 2
		request = append(request, "chance", int64(math.Ceil(float64(walk.OptionProbability*(1<<53)))))
	}
	numbers := make([]byte, 0, 8*draws)
	for range draws {
		numbers = binary.LittleEndian.AppendUint64(numbers, walk.Stream.Uint64())
	}
	request = append(append(request, "draws", numbers), r.policies.unsent...)
	n, err := r.takeAhead(ctx, r.form(walk.Steps), request)
	if err == nil {
		r.policies.unsent = nil
	}
	return n, err
}
