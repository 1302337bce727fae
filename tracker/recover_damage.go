package tracker

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// recoverDamage runs f such that damage of which package pages tells, which makes bbolt
// panic, or at which a read of the mapping faults, becomes an [ErrDamaged]. A panic of the caller's own goes on.
func (s *Store) recoverDamage(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if b, ok := p.(structureError); ok {
			err = s.wrapPageError(b.err)
			return
		}
		if !isBoltPanic(p) {
			panic(p)
		}
		err = damagedError("%s: the file's structure (%v)", s.path, p)
	}()
	return f()
}

// isBoltPanic says whether a panic was raised by bbolt, or is a fault at an
// address, which only the mapping can give. It must be called by the deferred
// function that recovers.
func isBoltPanic(p any) bool {
	if _, ok := p.(interface{ Addr() uintptr }); ok {
		return true
	}
	return strings.HasPrefix(panickingFunction(), "go.etcd.io/bbolt")
}

// panickingFunction is the innermost function outside the runtime that was
// running when the panic was raised.
func panickingFunction() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	raised := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if raised && !inRuntime {
			return frame.Function
		}
		raised = raised || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
