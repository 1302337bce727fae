//go:build unix

package backup

import (
	"os"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker/internal/newfile"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestOwnerOfNewFile: a file that takes the place of another user's store gets its owner and its permissions. A copy
// elsewhere stays its maker's, who alone may read it.
func TestOwnerOfNewFile(t *testing.T) {
	if os.Geteuid() != 0 {
		schematest.SkipLacking(t, "only root can give a file away")
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 1)
	content, err := os.ReadFile(s.Path())
	OK(t, err)
	copied := s.Path() + ".copy"
	OK(t, os.WriteFile(copied, content, 0o600))
	OK(t, os.Chown(s.Path(), 12345, 12345))
	OK(t, os.Chmod(s.Path(), 0o664))
	_, err = Compact(t.Context(), s, nil)
	OK(t, err)
	like, err := os.Stat(s.Path())
	OK(t, err)
	_, err = newfile.Finish(copied, like, false)
	OK(t, err)
	for path, want := range map[string]struct {
		owner uint32
		mode  os.FileMode
	}{s.Path(): {12345, 0o664}, copied: {0, 0o600}} {
		info, err := os.Stat(path)
		OK(t, err)
		Equal(t, "owner of "+path, info.Sys().(*syscall.Stat_t).Uid, want.owner)
		Equal(t, "permissions of "+path, info.Mode().Perm(), want.mode)
	}
}
