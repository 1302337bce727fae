package tracker

import (
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
)

// follower takes over what one pass has found to be changed. A run of which nothing was damaged is
// mirrored row by row. Of other runs, what was recomputed stays where the row is still damaged.
type follower struct {
	*salvager
	from    *bbolt.Tx // of the snapshot
	altered map[schema.Digest]bool
	touched []schema.Digest // runs with changed rows
	keys    map[schema.Digest][]refKey
	wanted  map[schema.Digest]schema.Digest // records that changed rows name, with the run, or zero
	unused  map[schema.Digest]recordUse     // records that the index dropped
}
