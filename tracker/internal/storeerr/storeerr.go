// Package storeerr has the errors that several packages below tracker return, with their remedies; tracker
// exports them under the same names.
package storeerr

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrInvalid means that a store does not accept a value.
var ErrInvalid = errors.New("not allowed")

// Errors about the contents of a store.
var (
	ErrDamaged = errors.New("damaged")
	ErrMissing = errors.New("not in the store")
	ErrPruned  = errors.New("pruned") // dropped on purpose; replay can restore it
)

// Their remedies.
const (
	AdviceCheck   = "check the store for damage"
	AdviceMissing = "list what is in the store"
	AdviceRestore = "recompute what was pruned"
)

// Damaged returns [ErrDamaged] about the thing that format describes.
func Damaged(format string, args ...any) error {
	return schema.Hint(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDamaged), AdviceCheck)
}

// Missing returns [ErrMissing] about the thing that format describes.
func Missing(format string, args ...any) error {
	return schema.Hint(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrMissing), AdviceMissing)
}
