package tracker_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/fault"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestLocateRecords reads the records of a run, some of which were pruned and one of which never existed, after they
// were located: each answer is that of a transaction that looks up one record at a time.
func TestLocateRecords(t *testing.T) {
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 30)
	Extend(t, s, 3, 20) // which shares records
	PruneTo(t, s, tracker.Retention{}, id)
	missing := schema.Name([]byte("never there"))
	read := func(locate bool) (answers []string) {
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			its, err := tx.ReadIterations(id)
			OK(t, err)
			its[7].Records = append(its[7].Records, schema.Entry{Kind: schema.KindOption, Name: missing})
			Equal(t, "looked up before", countLookUps(tx, its) > 0, true)
			if locate {
				tx.LocateRecords(its)
				Equal(t, "looked up one by one afterwards", countLookUps(tx, its), 0)
			}
			for _, it := range its {
				for _, e := range it.Records {
					raw, stored, err := tx.RecordSizes(e.Name)
					record, readErr := tx.ReadRecord(e.Name)
					answers = append(answers, fmt.Sprintf("%d %d %v %s %v %v", raw, stored, err, record, readErr,
						[]bool{errors.Is(err, tracker.ErrPruned), errors.Is(err, tracker.ErrMissing)}))
				}
			}
			return nil
		}))
		return answers
	}
	Equal(t, "answers", fmt.Sprint(read(true)), fmt.Sprint(read(false)))
}

// countLookUps returns how many rows a transaction reads to find the places of the records of the iterations.
func countLookUps(tx *tracker.Tx, its []schema.Iteration) (n int) {
	fault.OnStep(func() { n++ })
	defer fault.OnStep(nil)
	for _, it := range its {
		for _, e := range it.Records {
			tx.Rows().HasRecord(e.Name)
		}
	}
	return n
}
