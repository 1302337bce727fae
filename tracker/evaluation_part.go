package tracker

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// partPrefix begins the keys of finished tasks of unfinished evaluations. The key of the evaluation's row and
// the task's number follow. They are rows of [rows.BucketPodtrack]. A compaction copies them; merges and
// repairs do not, since they can be computed again.
const partPrefix = "evaluating/"

// MaxPart is the largest number of episodes of a part, which has to fit a row.
const MaxPart = (rows.MaxRow - 64) / 4

// An evaluationPart has the steps of the episodes of one task, as u32.
type evaluationPart struct {
	Steps []byte `cbor:"steps"`
}

func isPartKey(key []byte) bool { return bytes.HasPrefix(key, []byte(partPrefix)) }

func partsPrefix(e Evaluation) []byte { return append([]byte(partPrefix), e.key()...) }

// PutEvaluationPart saves the steps of a task of an unfinished evaluation. It does nothing if another process
// has finished and recorded the evaluation.
func (t *Tx) PutEvaluationPart(e Evaluation, task int, steps []uint32) error {
	if len(steps) > MaxPart {
		return fmt.Errorf("a part of an evaluation with %d episodes: %w", len(steps), ErrInvalid)
	}
	if !t.rows.HasRun(e.Run) {
		return fmt.Errorf("a part of an evaluation of run %.7s, which does not exist: %w", e.Run, ErrInvalid)
	}
	if done, err := t.ReadEvaluation(e.Run, e.K, e.Digest); done != nil || err != nil {
		return err
	}
	p := evaluationPart{}
	for _, n := range steps {
		p.Steps = binary.LittleEndian.AppendUint32(p.Steps, n)
	}
	key := binary.BigEndian.AppendUint32(partsPrefix(e), uint32(task))
	return rows.Write(t.rows, rows.BucketPodtrack, key, p)
}

// ReadEvaluationParts returns the saved steps of an evaluation by task. It skips parts that are damaged or have
// another number of episodes; they are computed again.
func (t *Tx) ReadEvaluationParts(e Evaluation, tasks, episodes int) map[int][]uint32 {
	kept, prefix := map[int][]uint32{}, partsPrefix(e)
	for key, row := range t.rows.WithPrefix(rows.BucketPodtrack, prefix) {
		if len(key) != len(prefix)+4 {
			continue
		}
		task := binary.BigEndian.Uint32(key[len(prefix):])
		value, err := rows.Verify(rows.BucketPodtrack, key, row)
		if err != nil || task >= uint32(tasks) {
			continue
		}
		p, err := rows.Decode[evaluationPart](rows.BucketPodtrack, key, value)
		if err != nil || len(p.Steps) != 4*episodes {
			continue
		}
		steps := make([]uint32, episodes)
		for i := range steps {
			if steps[i] = binary.LittleEndian.Uint32(p.Steps[4*i:]); int64(steps[i]) > e.Spec.Limit {
				steps = nil
				break
			}
		}
		if steps != nil {
			kept[int(task)] = steps
		}
	}
	return kept
}

// RemoveEvaluationParts removes the parts of an evaluation, once it has a record.
func (t *Tx) RemoveEvaluationParts(e Evaluation) error { return t.removeParts(partsPrefix(e)) }

// RemoveAllEvaluationParts removes the parts of all evaluations of a run.
func (t *Tx) RemoveAllEvaluationParts(run schema.Digest) error {
	return t.removeParts(append([]byte(partPrefix), run[:]...))
}

func (t *Tx) removeParts(prefix []byte) error {
	for _, key := range t.rows.Keys(rows.BucketPodtrack, prefix) {
		if err := t.rows.Remove(rows.BucketPodtrack, key); err != nil {
			return err
		}
	}
	return nil
}

// validatePartRow validates the row of a part.
func validatePartRow(key, value []byte) error {
	p, err := rows.Decode[evaluationPart](rows.BucketPodtrack, key, value)
	if err == nil && len(p.Steps)%4 != 0 {
		return rows.DamagedError(rows.BucketPodtrack, key)
	}
	return err
}
