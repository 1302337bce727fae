package tracker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// RecoverDamage runs f, and returns [ErrDamaged] if f returns a [pages.Damage], or panics because of damage: in
// package pages, in bbolt, or at an address of the mapping. If f panics because a context is done, it returns the
// context's error. Other panics continue.
func (s *Store) RecoverDamage(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if b, ok := p.(rows.StructureError); ok {
			err = s.wrapPageError(b.Err)
			return
		}
		if !isBoltPanic(p) {
			panic(p)
		}
		err = storeerr.Damaged("%s: the file's structure (%v)", s.path, p)
	}()
	err = f()
	if d := (*pages.Damage)(nil); errors.As(err, &d) && !errors.Is(err, ErrDamaged) {
		err = s.wrapPageError(err)
	}
	return err
}

// wrapPageError returns [ErrDamaged] for damage that package pages found. It wraps other errors, except those
// of contexts.
func (s *Store) wrapPageError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if d, ok := errors.AsType[*pages.Damage](err); ok {
		return storeerr.Damaged("%s: the file's structure (%v)", s.path, d)
	}
	return fmt.Errorf("read %s: %w", s.path, err)
}

// isBoltPanic reports whether a panic was raised by bbolt or is a fault at an address, which can
// only be in the mapping. The deferred function that recovers must call it.
func isBoltPanic(p any) bool {
	if _, ok := p.(interface{ Addr() uintptr }); ok {
		return true
	}
	return strings.HasPrefix(panickingFunction(), "go.etcd.io/bbolt")
}

// panickingFunction returns the innermost function outside the runtime that was running when the panic was raised.
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
