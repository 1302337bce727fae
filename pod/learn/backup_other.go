//go:build !amd64

package learn

// backup is [backupLines].
var backup = backupLines
