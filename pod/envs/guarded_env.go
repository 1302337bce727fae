package envs

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// buildEnv builds a registered environment. One that is not podtrack's own is guarded: its panics become [PanicError]s,
// which [CatchEnvPanic] turns into errors.
func buildEnv(b RegisteredEnv, e schema.Env) (Env, error) {
	if !isOwned(b.Name) {
		return b.Build(e)
	}
	env, err := Catch(func() (Env, error) { return b.Build(e) })
	if p, ok := err.(*PanicError); ok {
		err = fmt.Errorf("%w: %w", ErrEnvFailed, p)
	} else if err == nil && env == nil {
		err = fmt.Errorf("%w: its Build returned no environment", ErrEnvFailed)
	}
	if err != nil {
		return nil, fmt.Errorf("environment %q: %w", b.Name, err)
	}
	return &guardedEnv{env, b.Name}, nil
}

// guardedEnv wraps an environment from another module. It has the methods of all interfaces; [As] ensures that only
// those that the environment implements are called. A panic of one continues as a [PanicError] that names the
// environment.
type guardedEnv struct {
	env  Env
	name string
}

// rethrow panics again with a [PanicError] that names the environment, if its code panicked. Each method that calls
// the environment defers it.
func (g *guardedEnv) rethrow() {
	if value := recover(); value != nil {
		e := newPanicError(value)
		e.env = g.name
		panic(e)
	}
}

// can returns the environment as a T. It must be one, which [As] has checked.
func can[T any](g *guardedEnv) T {
	t, _ := As[T](g.env)
	return t
}

// The methods of [Env], and those of the interfaces in capabilities.go.

func (g *guardedEnv) States() int                  { defer g.rethrow(); return g.env.States() }
func (g *guardedEnv) Actions() []string            { defer g.rethrow(); return g.env.Actions() }
func (g *guardedEnv) Features() []string           { defer g.rethrow(); return g.env.Features() }
func (g *guardedEnv) Observe(s int, dst []float64) { defer g.rethrow(); g.env.Observe(s, dst) }
func (g *guardedEnv) Potential(e, w []float64)     { defer g.rethrow(); g.env.Potential(e, w) }
func (g *guardedEnv) Start() int                   { defer g.rethrow(); return can[SteppableEnv](g).Start() }
func (g *guardedEnv) Step(s, a int) int            { defer g.rethrow(); return can[SteppableEnv](g).Step(s, a) }
func (g *guardedEnv) Model() *Model                { defer g.rethrow(); return can[ModelEnv](g).Model() }
func (g *guardedEnv) Deterministic() bool          { defer g.rethrow(); return can[ModelEnv](g).Deterministic() }
func (g *guardedEnv) buildModel(ctx context.Context) error {
	defer g.rethrow()
	return can[modelBuilder](g).buildModel(ctx)
}
func (g *guardedEnv) StartStates() []int      { defer g.rethrow(); return can[Episodic](g).StartStates() }
func (g *guardedEnv) IsTerminal(s int) bool   { defer g.rethrow(); return can[Episodic](g).IsTerminal(s) }
func (g *guardedEnv) EpisodeLimit() int64     { defer g.rethrow(); return can[Episodic](g).EpisodeLimit() }
func (g *guardedEnv) Distances(s int) []int32 { defer g.rethrow(); return can[Metric](g).Distances(s) }
func (g *guardedEnv) StateName(s int) string {
	defer g.rethrow()
	return can[stateNamer](g).StateName(s)
}

// A PanicError is the panic of a function from another module: of a registered environment, a [Simulation], or a stage.
// It ends only the run in which it occurs. Panics of podtrack's own code remain panics.
type PanicError struct {
	Value any    // of the panic
	Place string // the file and line that panicked, "" if it is not known
	Stack []byte // of the goroutine, as [debug.Stack] returns it

	env string // the environment that panicked where no error can be returned, "" for others
}

func (p *PanicError) Error() string {
	if p.Place == "" {
		return fmt.Sprintf("it panicked: %v", p.Value)
	}
	return fmt.Sprintf("it panicked: %v (%s)", p.Value, p.Place)
}

// Detail returns the stack.
func (p *PanicError) Detail() string { return string(p.Stack) }

// newPanicError returns the error of a panic that was just recovered.
func newPanicError(value any) *PanicError {
	if e, ok := value.(*PanicError); ok {
		return e
	}
	return &PanicError{Value: value, Place: findPanic(), Stack: debug.Stack()}
}

// findPanic returns the file and line that panicked: those of the first frame below the runtime's.
func findPanic() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for panicking, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch inRuntime := strings.HasPrefix(f.Function, "runtime."); {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !inRuntime:
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return ""
}

// Catch calls a function of a user, and returns its panic as a [PanicError].
func Catch[T any](call func() (T, error)) (out T, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = newPanicError(value)
		}
	}()
	return call()
}

// CatchEnvPanic sets err to [ErrEnvFailed] and a [PanicError] if a function of a registered environment has panicked
// in the function that defers it. Other panics go on.
func CatchEnvPanic(err *error) {
	value := recover()
	e, ok := value.(*PanicError)
	switch {
	case ok && e.env != "":
		*err = fmt.Errorf("environment %q: %w: %w", e.env, ErrEnvFailed, e)
	case value != nil:
		panic(value)
	}
}
