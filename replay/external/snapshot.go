package external

import (
	"context"
	"encoding/base64"
	"encoding/json"
)

// save takes a snapshot. A run has no use for it: what a program restores cannot be
// proved without doing again what was done.
func (w *runningEnv) save(ctx context.Context) ([]byte, error) {
	a, err := w.exchange(ctx, `"do":"save"`)
	if err != nil {
		return nil, err
	}
	if a.State == nil {
		return nil, w.process.fail(AdviceProtocol, "an answer to save without a state")
	}
	snapshot, err := base64.StdEncoding.DecodeString(*a.State)
	if err != nil {
		return nil, w.process.fail(AdviceProtocol, "a saved state that is no base64: %w", err)
	}
	return snapshot, nil
}

// restore goes back, or elsewhere, to a snapshot.
func (w *runningEnv) restore(ctx context.Context, snapshot []byte) error {
	text, err := json.Marshal(base64.StdEncoding.EncodeToString(snapshot))
	if err == nil {
		_, err = w.exchange(ctx, `"do":"restore","state":`+string(text))
	}
	return err
}
