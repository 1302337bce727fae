package why

import (
	"context"
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// TestByNumber: an option's number leads to the audit that its direction leads to, with no more transactions.
func TestByNumber(t *testing.T) {
	run, number := performed(t, small(8, 0), 2), 0
	audit := func(ref report.Ref) (*Report, int) {
		transactions := 0
		counted := run.With(func(read func(*tracker.Tx) error) error {
			transactions++
			return run.View(read)
		})
		r, err := Explain(context.Background(), counted, Question{Ref: ref})
		ok(t, err)
		return r, transactions
	}
	for k := range run.Iterations {
		for _, p := range selected(t, run, k) {
			want, most := audit(report.Ref{K: k, J: p.J, Sign: p.Sign})
			got, transactions := audit(report.Ref{ByNumber: true, Number: number})
			if !reflect.DeepEqual(got, want) || *got.Number != number || transactions > most {
				t.Errorf("option %d: %+v in %d transactions, want %+v in %d", number, got, transactions, want, most)
			}
			number++
		}
	}
	_, err := Explain(context.Background(), run, Question{Ref: report.Ref{ByNumber: true, Number: number}})
	if _, _, want := report.FindOption(run, number); err == nil || err.Error() != want.Error() {
		t.Errorf("of an option that the run does not have: %v", err)
	}
}
