package sweep

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// runProgress is the progress of a run.
type runProgress struct {
	Iterations int32
	Exists     bool
	Failed     bool // in the last attempt
}

// Progress is the progress of each run of a shard in a store.
type Progress struct {
	plan  *Plan
	shard Shard
	ids   []schema.Digest // of the runs, in the plan's order, nil before the first scan
	at    []runProgress   // of each

	code    func(schema.Spec) *tracker.Code // nil: the code of complete runs is not compared
	codes   map[int]*tracker.Code           // what it returned, by the spec's index in the plan
	Changes []CodeChange                    // what scans have found to differ, each change once
}

// A CodeChange is a difference between the code of complete runs and the present code.
type CodeChange struct {
	provenance.Change
	First schema.Digest // one of these runs
	Runs  int
}

// CompareCode makes later scans compare the code of complete runs with what code returns for their specs. It is called
// once a spec, and only for specs of other programs' environments or stages.
func (p *Progress) CompareCode(code func(schema.Spec) *tracker.Code) {
	p.code, p.codes = code, map[int]*tracker.Code{}
}

// NewProgress returns a Progress that has no runs before its first [Progress.Scan].
func NewProgress(p *Plan, s Shard) *Progress { return &Progress{plan: p, shard: s} }

// list computes the IDs of the shard's runs, once: of a million that takes seconds.
func (p *Progress) list(ctx context.Context) error {
	if p.ids != nil {
		return nil
	}
	var ids []schema.Digest
	for i := p.shard.I; i < p.plan.Len(); i += p.shard.N {
		id, err := schema.RunID(p.plan.At(i), nil)
		if err == nil && len(ids)%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	p.ids, p.at = ids, make([]runProgress, len(ids))
	return nil
}

// Scan reads the state of a store's runs. A store that does not exist has none.
func (p *Progress) Scan(ctx context.Context, store *tracker.Store) error {
	if err := p.list(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(store.Path()); errors.Is(err, os.ErrNotExist) {
		return ctx.Err()
	}
	n := 0
	return store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		if n == len(p.ids) {
			return false, nil
		}
		err = p.scanRun(tx, n)
		n++
		return true, err
	})
}

// scanRun reads the state of the n-th run.
func (p *Progress) scanRun(tx *tracker.Tx, n int) error {
	a, err := tx.ReadAnnotation(p.ids[n])
	if err != nil || a.Created == 0 {
		return err // there is no such run
	}
	done, _, err := tx.ReadHead(p.ids[n])
	if err != nil {
		return err
	}
	p.at[n] = runProgress{Iterations: int32(done), Exists: true, Failed: a.Failure != ""}
	if p.code != nil && p.isComplete(n) {
		return p.compareCode(tx, n)
	}
	return nil
}

// compareCode compares the code of the n-th run, which is complete.
func (p *Progress) compareCode(tx *tracker.Tx, n int) error {
	at := p.planIndex(n) / p.plan.Seeds.Len()
	spec := p.plan.Specs[at]
	if spec.Env.External == nil && spec.Stages == nil {
		return nil
	}
	code, known := p.codes[at]
	if !known {
		code = p.code(spec)
		p.codes[at] = code
	}
	changes, err := replay.CompareCode(tx, p.ids[n], code)
	for _, change := range changes {
		i := slices.IndexFunc(p.Changes, func(c CodeChange) bool { return c.Change == change })
		if i < 0 {
			i = len(p.Changes)
			p.Changes = append(p.Changes, CodeChange{Change: change, First: p.ids[n]})
		}
		p.Changes[i].Runs++
	}
	return err
}

// isComplete reports whether the n-th run has all its iterations.
func (p *Progress) isComplete(n int) bool { return int(p.at[n].Iterations) >= p.plan.Iterations }

// planIndex returns the index of the n-th run in the plan.
func (p *Progress) planIndex(n int) int { return p.shard.I + n*p.shard.N }

// Remaining returns the plan's indices of the incomplete runs.
func (p *Progress) Remaining() (numbers []int) {
	for n := range p.ids {
		if !p.isComplete(n) {
			numbers = append(numbers, p.planIndex(n))
		}
	}
	return numbers
}

// Count counts runs by state.
type Count struct {
	Runs       int   `json:"runs"`
	Complete   int   `json:"complete"`
	Failed     int   `json:"failed"` // incomplete, and the last session failed
	Begun      int   `json:"begun"`  // exist, neither complete nor failed
	Missing    int   `json:"missing"`
	Iterations int64 `json:"iterations"`
	Wanted     int64 `json:"wanted"`
}

func (c *Count) add(at runProgress, wanted int) {
	c.Runs++
	c.Wanted += int64(wanted)
	c.Iterations += int64(min(int(at.Iterations), wanted))
	switch {
	case int(at.Iterations) >= wanted:
		c.Complete++
	case at.Failed:
		c.Failed++
	case at.Exists:
		c.Begun++
	default:
		c.Missing++
	}
}

// CountBySpec counts the runs, in all and of each spec of the plan.
func (p *Progress) CountBySpec() (all Count, bySpec []Count) {
	bySpec = make([]Count, len(p.plan.Specs))
	for n, at := range p.at {
		all.add(at, p.plan.Iterations)
		bySpec[p.planIndex(n)/p.plan.Seeds.Len()].add(at, p.plan.Iterations)
	}
	return all, bySpec
}
