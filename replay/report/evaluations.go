package report

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Evaluation describes an evaluation of an iteration.
type Evaluation struct {
	Digest  schema.Digest         `json:"evaluation"`
	Record  schema.Digest         `json:"record"`
	Options int                   `json:"options"` // that were evaluated
	Spec    schema.EvaluationSpec `json:"task"`
}

// evaluations returns the evaluations of a run, by iteration.
func evaluations(tx *tracker.Tx, r Run) (map[int][]Evaluation, error) {
	all, err := tx.ReadEvaluations(r.ID)
	by := map[int][]Evaluation{}
	for _, at := range all {
		e, err := tracker.Load(tx, at.Record, schema.DecodeEvaluation)
		if err != nil {
			return by, r.failed(at.K, err)
		}
		by[at.K] = append(by[at.K], Evaluation{Digest: at.Digest, Record: at.Record, Options: e.Options, Spec: e.Spec})
	}
	return by, err
}
