package evaluate

import "github.com/podtrack/podtrack/schema"

// Document is the output of podtrack evaluate --json. Parts that were not requested are nil.
type Document struct {
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	Report    *Report       `json:"evaluation,omitempty"`
	Diffusion []Diffusion   `json:"diffusion,omitempty"`
}
