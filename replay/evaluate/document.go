package evaluate

import "github.com/podtrack/podtrack/schema"

// Document is podtrack evaluate --json; what was not asked for is nil.
type Document struct {
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	Report    *Report       `json:"evaluation,omitempty"`
	Diffusion []Diffusion   `json:"diffusion,omitempty"`
}
