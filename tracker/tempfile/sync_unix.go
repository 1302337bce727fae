//go:build unix && !aix && !android && !solaris

package tempfile

import "os"

// SyncDir syncs a folder, so that its entries survive a crash.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
