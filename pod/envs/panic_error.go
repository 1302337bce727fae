package envs

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

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
