// Package storeerr has the errors that several packages below tracker return, with what
// to do about them; tracker exports them under the same names.
package storeerr

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrInvalid reports that something is not allowed.
var ErrInvalid = errors.New("not allowed")

// Errors about the contents of a store.
var (
	ErrDamaged = errors.New("damaged")
	ErrMissing = errors.New("not in the store")
	ErrPruned  = errors.New("pruned")
)

// What to do about them.
const (
	AdviceCheck   schema.Advice = "check the store for damage"
	AdviceMissing schema.Advice = "list what is in the store"
	AdviceRestore schema.Advice = "recompute what was pruned"
)

// Damaged returns an [ErrDamaged].
func Damaged(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDamaged), AdviceCheck)
}

// Missing returns an [ErrMissing].
func Missing(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrMissing), AdviceMissing)
}

// Pruned returns an [ErrPruned]. A pruned record is not damaged: it was dropped on purpose, and
// replay can restore it.
func Pruned(format string, args ...any) error {
	return schema.Advise(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrPruned), AdviceRestore)
}
