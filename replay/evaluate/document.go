package evaluate

import "github.com/podtrack/podtrack/schema"

// Document is the output of podtrack evaluate --json. Parts that were not requested are nil.
type Document struct {
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	Report    *Report       `json:"evaluation,omitempty"`
	Summary   *Summary      `json:"summary,omitempty"` // of many tasks, only on the page
	Diffusion []Diffusion   `json:"diffusion,omitempty"`
}

// SummaryDocument is the output of podtrack evaluate --json about many tasks, or several runs.
type SummaryDocument struct {
	Summary Summary `json:"summary"`
}
