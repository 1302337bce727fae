package tracker

import "github.com/podtrack/podtrack/schema"

// ResolveID resolves a reference to an ID, of which there need not be a run.
func (t *Tx) ResolveID(ref string) (schema.Digest, error) { return t.resolve(ref) }

// The largest texts of an annotation in bytes.
const (
	MaxNote    = maxNote
	MaxFailure = maxFailure
)
