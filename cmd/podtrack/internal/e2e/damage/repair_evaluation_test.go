package damage

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
)

// TestRepairEvaluation: an evaluation whose record is damaged, or whose iteration has
// to be made again too, is computed again from what its row says was asked.
func TestRepairEvaluation(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, tx *bbolt.Tx){
		"its record": spoilLastRecord,
		"its record and an iteration before": func(t *testing.T, tx *bbolt.Tx) {
			spoilLastRecord(t, tx)
			b := tx.Bucket([]byte("iterations"))
			key, _ := b.Cursor().First()
			if err := b.Delete(key); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "podtrack.db")
			command := commandsOn(t, store)
			command(0, "run", "--env", "grid:four-rooms", "--steps", "500", "--iterations", "2", "--select", "top=2", "--name",
				"rooms")
			command(0, "evaluate", "rooms", "--task", "goal=goal", "--episodes", "20", "--seeds", "0-2", "--interrupt")
			e2e.ChangeStore(t, store, func(tx *bbolt.Tx) error { spoil(t, tx); return nil })
			e2e.Must(t, os.Rename(inPages(t, store, 16<<10), store)) // without what was there before
			command(1, "check")
			restored := regexp.MustCompile("(?m)^restored: run rooms, iteration 1, evaluation [0-9a-f]{12}$")
			if out := command(0, "repair"); !restored.MatchString(out) {
				t.Errorf("repair says\n%s", out)
			}
			command(0, "check")
			if out := command(0, "replay", "rooms"); !regexp.MustCompile(`1 +[0-9a-f]{12} +identical`).MatchString(out) {
				t.Errorf("replay says\n%s", out)
			}
		})
	}
}

// spoilLastRecord damages the record that was written last: that of an evaluation.
func spoilLastRecord(t *testing.T, tx *bbolt.Tx) {
	b := tx.Bucket([]byte("records"))
	key, _ := b.Cursor().Last()
	e2e.Must(t, b.Put(key, []byte{9, 4, 0, 0}))
}
