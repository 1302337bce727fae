package tracker

import (
	"iter"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// recordUse is how the rows of a store use a record.
type recordUse uint8

const (
	unreferenced recordUse = iota
	referenced             // named by iterations that do not retain it
	retained
)

// retentionRule is a [Retention] applied to the current state of a run.
type retentionRule struct {
	everything bool
	run        Run
	kinds      []schema.Kind
	wholeFrom  int  // iterations from this one on are retained whole
	unfinished bool // also retain what the run needs to continue
}

func (r retentionRule) retains(k int, kind schema.Kind) bool {
	return r.everything || k >= r.wholeFrom || slices.Contains(r.kinds, retentionKind(kind)) ||
		!r.run.IsPrunable(k, kind)
}

// references determines which rows name a record, and which of those retain it. It is for one
// transaction in which no row of a run changes.
type references struct {
	tx        *Tx
	overrides map[schema.Digest]Retention // of a dry run, instead of the rows
	excluded  map[schema.Digest]bool      // runs to ignore
	lastID    schema.Digest               // run of the cached rule
	last      *retentionRule
}

// ruleFor returns the rule of a run.
func (l *references) ruleFor(id schema.Digest) (retentionRule, error) {
	if l.last != nil && l.lastID == id {
		return *l.last, nil
	}
	r, err := l.readRule(id)
	if err == nil {
		l.lastID, l.last = id, &r
	}
	return r, err
}

func (l *references) readRule(id schema.Digest) (r retentionRule, err error) {
	keep, ok := l.overrides[id]
	if !ok {
		row, err := l.tx.ReadRetention(id)
		if row == nil || err != nil {
			return retentionRule{everything: true}, err
		}
		keep = *row
	}
	if r.run, err = l.tx.ReadRun(id); err != nil {
		return r, err
	}
	a, err := l.tx.ReadAnnotation(id)
	if err != nil {
		return r, err
	}
	done, _, err := l.tx.ReadHead(id)
	if err != nil {
		return r, err
	}
	r.unfinished = done < a.Target
	if r.unfinished {
		keep = keep.whileUnfinished(r.run.AccumulatesTransitions())
	}
	r.everything, r.kinds, r.wholeFrom = keep.KeepsEverything(), keep.Kinds, done-keep.Last
	return r, nil
}

// classify determines how all rows of the store use the records that are the keys of uses. A row
// that cannot be read may name any record, and is an error. What removed runs name is retained, so that
// they can be restored.
func (l *references) classify(uses map[schema.Digest]recordUse) error {
	for name := range uses {
		uses[name] = unreferenced
	}
	if len(uses) == 0 {
		return nil
	}
	for row, err := range l.tx.namingRows(nil, l.excluded) {
		if err == nil {
			err = l.classifyRow(uses, row)
		}
		if err != nil {
			return err
		}
	}
	l.tx.removedReferences(func(e schema.Entry) { raiseUse(uses, e.Name, retained) })
	return nil
}

// classifyRow raises the use of the records that a row names. Only iterations may name what they do not retain.
func (l *references) classifyRow(uses map[schema.Digest]recordUse, row NamingRow) error {
	for _, e := range row.Records {
		if before, asked := uses[e.Name]; !asked || before == retained {
			continue
		}
		use := retained
		if row.Bucket == rows.BucketIterations {
			r, err := l.ruleFor(row.run())
			if err != nil {
				return err
			}
			if !r.retains(*row.Iteration(), e.Kind) {
				use = referenced
			}
		}
		raiseUse(uses, e.Name, use)
	}
	return nil
}

// raiseUse raises the use of a record to u, if it is in uses.
func raiseUse(uses map[schema.Digest]recordUse, name schema.Digest, u recordUse) {
	if before, asked := uses[name]; asked {
		uses[name] = max(before, u)
	}
}

// namingBuckets lists the buckets whose rows name records.
var namingBuckets = []string{rows.BucketIterations, rows.BucketEvaluations, rows.BucketCheckpoints}

// A NamingRow is a row that names records.
type NamingRow struct {
	Bucket  string
	Key     []byte
	Records []schema.Entry
}

// NamingRows yields the rows that name records, of the run with that ID or of all runs, each with its error if it is
// damaged.
func (t *Tx) NamingRows(run []byte) iter.Seq2[NamingRow, error] { return t.namingRows(run, nil) }

func (t *Tx) namingRows(run []byte, excluded map[schema.Digest]bool) iter.Seq2[NamingRow, error] {
	return func(yield func(NamingRow, error) bool) {
		for _, bucket := range namingBuckets {
			for key, row := range t.rows.WithPrefix(bucket, run) {
				r := NamingRow{Bucket: bucket, Key: key}
				if excluded[r.run()] {
					continue
				}
				var err error
				r.Records, err = referencedRecords(bucket, key, row)
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// run returns the run of the row, cut or filled up with zeros if its key is damaged.
func (r NamingRow) run() (id schema.Digest) {
	copy(id[:], r.Key)
	return id
}

// Iteration returns the number of the iteration of the row, or nil for a checkpoint.
func (r NamingRow) Iteration() *int {
	k, ok := rows.PartNumber(r.Key[:min(len(r.Key), len(schema.Digest{})+4)])
	if !ok {
		return nil
	}
	return &k
}

// referencedRecords returns the records that a row of iterations, checkpoints or evaluations names.
func referencedRecords(bucket string, key, row []byte) ([]schema.Entry, error) {
	switch bucket {
	case rows.BucketIterations:
		it, err := rows.DecodeIteration(key, row)
		if _, ok := rows.PartNumber(key); !ok && err == nil {
			err = rows.DamagedError(bucket, key)
		}
		return it.Records, err
	case rows.BucketCheckpoints:
		c, err := decodeCheckpoint(key, row)
		return c.Records, err
	default:
		e, err := decodeEvaluationRow(key, row)
		return []schema.Entry{e.Entry()}, err
	}
}

// removedReferences calls visit with the records that rows of removed runs name. It skips what
// cannot be read: a damaged row of a removed run keeps nothing.
func (t *Tx) removedReferences(visit func(schema.Entry)) {
	for key, row := range t.rows.WithPrefix(rows.BucketRemoved, nil) {
		r, err := decodeRemoved(key, row)
		if err != nil || !slices.Contains(namingBuckets, r.bucket) {
			continue
		}
		named, err := referencedRecords(r.bucket, r.key, r.row)
		if err != nil {
			continue
		}
		for _, e := range named {
			visit(e)
		}
	}
}
