//go:build !unix || aix || android || solaris

package tempfile

// SyncDir does nothing on systems that cannot sync a folder.
func SyncDir(string) error { return nil }
