// Package storeerr has the errors that several packages below tracker return; tracker
// exports them under the same names.
package storeerr

import "errors"

// ErrInvalid reports that something is not allowed.
var ErrInvalid = errors.New("not allowed")
