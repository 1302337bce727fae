package report

import (
	"github.com/podtrack/podtrack/schema"
)

// Evaluation describes an evaluation of an iteration.
type Evaluation struct {
	Digest  schema.Digest         `json:"evaluation"`
	Record  schema.Digest         `json:"record"`
	Options int                   `json:"options"` // that were evaluated
	Spec    schema.EvaluationSpec `json:"task"`
}
