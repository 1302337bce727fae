//go:build !amd64

package pod

// backup is [backupBlock].
var backup = backupBlock
