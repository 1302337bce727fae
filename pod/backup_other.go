//go:build !amd64

package pod

// backup is [backupLines].
var backup = backupLines
