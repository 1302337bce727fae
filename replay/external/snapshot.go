package external

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// saved is a world at rest, in a checkpoint.
type saved struct {
	Snapshot []byte `cbor:"snapshot"` // empty where actions have to be repeated
}

// Save implements [pod.World]. A program that takes no snapshots, or that has failed,
// leaves none.
func (w *world) Save() ([]byte, error) {
	var s saved
	if w.snapshot && w.process.failed == nil {
		snapshot, err := w.take()
		if err != nil {
			return nil, err
		}
		s.Snapshot = snapshot
	}
	return schema.Marshal(s)
}

// take takes a snapshot. One that fails, as when the program has no time for it any
// more, is none: actions can be repeated.
func (w *world) take() ([]byte, error) {
	a, err := w.process.ask(`"do":"save"`)
	if err != nil {
		return nil, nil
	}
	if a.State == nil {
		return nil, w.process.fail(hintProtocol, "an answer to save without a state")
	}
	snapshot, err := base64.StdEncoding.DecodeString(*a.State)
	if err != nil {
		return nil, w.process.fail(hintProtocol, "a saved state that is no base64: %w", err)
	}
	return snapshot, nil
}

// Restore implements [pod.World]. Without a snapshot it does nothing: see Repeats.
func (w *world) Restore(_ context.Context, b []byte) error {
	var s saved
	if err := schema.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("world: %w", err)
	}
	if len(s.Snapshot) == 0 {
		return nil
	}
	return w.put(s.Snapshot)
}

func (w *world) put(snapshot []byte) error {
	if !w.snapshot {
		return w.process.fail("give the program that took it", "it takes no snapshots, and has to go on from one")
	}
	text, err := json.Marshal(base64.StdEncoding.EncodeToString(snapshot))
	if err == nil {
		_, err = w.process.ask(`"do":"restore","state":` + string(text))
	}
	return err
}

// Repeats says whether what Save gave has no snapshot, so that the actions of the
// iteration have to be done again.
func (*world) Repeats(b []byte) bool {
	var s saved
	return schema.Unmarshal(b, &s) == nil && len(s.Snapshot) == 0
}
