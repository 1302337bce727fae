package report

import (
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Replayed is what replays of a run in this store found and saved. Levels are the lowest of each stage; time, host and
// program are those of the oldest of these replays.
type Replayed struct {
	Iterations int                     `json:"iterations"`
	Time       time.Time               `json:"time"`
	Host       string                  `json:"host"`
	Program    string                  `json:"program"`
	Levels     map[string]schema.Level `json:"levels"` // by stage
}

// readReplayed returns what was saved of replays of a run, nil for nothing.
func readReplayed(tx *tracker.Tx, r Run) (*Replayed, error) {
	proofs, err := tx.ReadVerifiedProofs(r.ID)
	if err != nil || len(proofs) == 0 {
		return nil, err
	}
	oldest := proofs[0].Proof
	levels := map[string]schema.Level{}
	for _, p := range proofs {
		if p.Time < oldest.Time {
			oldest = p.Proof
		}
		for stage, level := range p.Levels {
			levels[stage] = replay.LowerLevel(level, levels[stage])
		}
	}
	return &Replayed{Iterations: len(proofs), Time: time.Unix(0, oldest.Time).UTC(), Host: oldest.Host,
		Program: oldest.Program, Levels: levels}, nil
}
