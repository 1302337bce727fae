package external

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

const (
	// batchTime is how long the steps of an answer should take.
	batchTime = 50 * time.Millisecond
	// programTime is how long a program may take steps before it answers with those it has taken.
	programTime = 2 * batchTime
	// batchGrowth bounds how many times as large as one batch the next can be.
	batchGrowth = 8
	maxBatch    = 1 << 14
	// maxBatchBytes bounds the observations of an answer.
	maxBatchBytes = 4 << 20
)

// pace is how many steps are requested at once. It follows the time that steps take, so that a program
// that takes long for each is not asked for many.
type pace struct{ size int }

// took adjusts the size to an answer with so many steps.
func (p *pace) took(steps int, d time.Duration) {
	fit := math.MaxInt
	if d > 0 {
		fit = int(min(float64(steps)*float64(batchTime)/float64(d), maxBatch))
	}
	p.size = max(1, min(fit, batchGrowth*max(steps, 1), maxBatch))
}

// BatchSize implements [collect.BatchedEnv].
func (w *runningEnv) BatchSize() int {
	if !w.uses(stepsExtension) {
		return 1
	}
	return max(1, min(w.pace.size, maxBatchBytes/w.textSize()))
}

// textSize returns about how many bytes the observations of a step take in an answer.
func (w *runningEnv) textSize() int {
	size := w.observations.ObservationSize()
	if !w.uses(framesExtension) {
		size = 24 * max(1, int(w.observer.declared.Size)) // the longest numbers
		if w.observer.declared.Observes != schema.Real {
			size = 16 + int(w.observer.declared.Size)
		}
	}
	return 2*size + 16
}

func (w *runningEnv) uses(extension string) bool { return slices.Contains(w.extensions, extension) }

// StepAhead implements [collect.BatchedEnv].
func (w *runningEnv) StepAhead(ctx context.Context, actions []uint8) (int, error) {
	if w.batch.more {
		return w.nextPart(ctx)
	}
	request := append(w.request[:0], `"do":"steps","seconds":`...)
	request = strconv.AppendFloat(request, programTime.Seconds(), 'g', -1, 64)
	request = append(request, `,"actions":[`...)
	for i, a := range actions {
		if i > 0 {
			request = append(request, ',')
		}
		request = strconv.AppendUint(request, uint64(a), 10)
	}
	w.request = append(request, ']')
	form := w.form(len(actions))
	form.actions = slices.Clone(actions)
	return w.takeAhead(ctx, form)
}

// form returns the form of an answer with up to so many steps.
func (w *runningEnv) form(most int) batchForm {
	return batchForm{declared: w.observer.declared, size: w.observations.ObservationSize(), most: most}
}

// aheadAnswer is an answer with steps of which parts may be missing.
type aheadAnswer struct {
	form  batchForm // of the rest
	begun time.Time
	steps int // so far
}

// takeAhead sends the request and keeps the steps that were taken, or the first part of them.
func (w *runningEnv) takeAhead(ctx context.Context, f batchForm) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := w.finishAnswer(ctx); err != nil {
		return 0, err
	}
	w.ahead = aheadAnswer{form: f, begun: time.Now()}
	return w.takePart(func() (answer, error) { return w.process.request(ctx, string(w.request)) })
}

// exchange sends a request once the answer to the last one is whole.
func (w *runningEnv) exchange(ctx context.Context, members string) (answer, error) {
	if err := w.finishAnswer(ctx); err != nil {
		return answer{}, err
	}
	return w.process.request(ctx, members)
}

// finishAnswer reads the last part of an answer. It has no steps if those before it had all that were requested.
func (w *runningEnv) finishAnswer(ctx context.Context) error {
	if w.batch.more && w.batch.left() == 0 {
		if _, err := w.nextPart(ctx); err != nil {
			return err
		}
	}
	if w.batch.left() > 0 {
		return w.process.fail("", "steps that were taken ahead are left")
	}
	return nil
}

// nextPart waits for the next part of an answer, and returns how many steps it has.
func (w *runningEnv) nextPart(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return w.takePart(func() (answer, error) { return w.process.readPart(ctx) })
}

// takePart keeps the steps of a part that read returns.
func (w *runningEnv) takePart(read func() (answer, error)) (int, error) {
	w.process.maxPayload = 0
	if w.uses(framesExtension) {
		w.process.maxPayload = w.ahead.form.maxBytes()
	}
	a, err := read()
	w.process.maxPayload = 0
	if err != nil {
		return 0, err
	}
	b, err := w.readBatch(a, w.ahead.form)
	if err != nil {
		return 0, w.process.fail(AdviceProtocol, "in the answer to request %d: %w", w.process.id, err)
	}
	w.batch, w.ahead.form = b, w.ahead.form.rest(len(b.ends))
	w.ahead.steps += len(b.ends)
	if !b.more {
		w.pace.took(w.ahead.steps, time.Since(w.ahead.begun))
	}
	return len(b.ends), nil
}

func (w *runningEnv) readBatch(a answer, f batchForm) (batch, error) {
	switch {
	case a.More && !w.uses(partsExtension):
		return batch{}, fmt.Errorf("a part, but its answer to hello does not name the extension %q", partsExtension)
	case !w.uses(framesExtension):
		return f.readLists(a, &w.observer)
	case a.Steps == nil || a.payload == nil:
		return batch{}, fmt.Errorf("it lacks the number of steps, or that of bytes, after which the payload follows")
	case a.More && *a.Steps == 0:
		return batch{}, fmt.Errorf("a part without steps, after which more is to come")
	}
	b, err := f.readFrame(a.payload, *a.Steps)
	b.more = a.More
	return b, err
}

// stepFromBatch returns the result of a step that was taken ahead.
func (w *runningEnv) stepFromBatch(action int) (o envs.StepResult, err error) {
	b := &w.batch
	if taken := int(b.actions[b.used]); taken != action {
		return o, w.process.fail(AdviceProtocol, "step %d of the answer to request %d took action %q, where %q follows "+
			"from the policies and the draws", b.used, w.process.id, w.observer.declared.Actions[taken],
			w.observer.declared.Actions[action])
	}
	return b.next(w.observations.ObservationSize(), w.intern)
}

// WalkAhead implements [collect.BatchedEnv].
func (w *runningEnv) WalkAhead(ctx context.Context, walk collect.Walk) (int, error) {
	if w.batch.more {
		return w.nextPart(ctx)
	}
	if !w.uses(policiesExtension) {
		return 0, nil
	}
	if err := w.sendPolicies(ctx, walk); err != nil {
		return 0, err
	}
	if !w.policies.knows(walk.State) {
		return 0, w.flushPolicies(ctx)
	}
	executing := schema.Primitive
	if walk.Executing != schema.Primitive {
		executing = walk.Executing - walk.Options.First
	}
	request := append(w.request[:0], `"do":"walk","seconds":`...)
	request = strconv.AppendFloat(request, programTime.Seconds(), 'g', -1, 64)
	request = fmt.Appendf(request, `,"steps":%d,"executing":%d,"executed":%d,"stop":%t`, walk.Steps, executing,
		walk.StepsInCall, w.policies.stopsAtUnknown)
	draws := walk.Steps
	if walk.OptionProbability > 0 {
		draws *= 2
		request = fmt.Appendf(request, `,"chance":%d`, int64(math.Ceil(float64(walk.OptionProbability*(1<<53)))))
	}
	request = append(request, `,"draws":"`...)
	numbers := make([]byte, 0, 8*draws)
	for range draws {
		numbers = binary.LittleEndian.AppendUint64(numbers, walk.Stream.Uint64())
	}
	request = append(base64.StdEncoding.AppendEncode(request, numbers), '"')
	w.request = append(request, w.policies.members...)
	n, err := w.takeAhead(ctx, w.form(walk.Steps))
	if err == nil {
		w.policies.members = w.policies.members[:0]
	}
	return n, err
}
