//go:build !unix

package cmdline

// CheckOpenFiles returns nil on systems that do not limit open files.
func CheckOpenFiles() error { return nil }

// CatchFileSizeSignal does nothing: this system has no such signal.
func CatchFileSizeSignal() {}
