package report

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
)

// UsageGroups lists the ways in which [MeasureUsage] can divide the space of records.
var UsageGroups = []string{"run", "tag", "kind"}

// Usage is the space that a store takes, and the part of it that the records of some runs take.
type Usage struct {
	File  int64          `json:"file"`  // bytes
	Free  int64          `json:"free"`  // bytes of the file in unused pages
	Other int64          `json:"other"` // bytes in rows, indexes, partly filled pages and orphaned records
	Store gc.RecordUsage `json:"store"` // of the records of all runs

	Removed gc.RecordUsage `json:"removed"` // of records that only removed runs refer to

	Runs  int            `json:"runs"`  // number of selected runs
	Total gc.RecordUsage `json:"total"` // of their records; exclusive to those that no other run refers to

	By    string      `json:"by"`
	Parts []UsagePart `json:"parts"` // the largest first; they overlap if runs share records or have several tags
}

// UsagePart is the space that the records of a run, a tag or a kind take.
type UsagePart struct {
	Run   *schema.Digest `json:"run,omitempty"`
	Short string         `json:"short,omitempty"`
	Name  string         `json:"name"`           // of the run, the tag, or the kind; "" for runs without a tag
	Runs  int            `json:"runs,omitempty"` // number with the tag
	gc.RecordUsage
}

// usageRun is the part of a run that a measurement needs.
type usageRun struct {
	id          schema.Digest
	short, name string
	tags        []string
}

// MeasureUsage measures the space that records take, divided by one of [UsageGroups]. args select
// runs as for [SelectSome]; without args all are selected. progress is called with the number of runs
// read; it may be nil.
func MeasureUsage(
	ctx context.Context, store *tracker.Store, args []string, by string, progress func(done, total int),
) (Usage, error) {
	var runs []usageRun
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		choose := SelectSomeAs[usageRun]
		if len(args) == 0 {
			choose = selectAs
		}
		runs, err = choose(tx, args, func(r Run) usageRun { return usageRun{r.ID, r.Short, r.Name, r.Tags} })
		return err
	})
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Runs: len(runs), By: by, Parts: []UsagePart{}}
	o := gc.UsageOptions{Progress: progress}
	u.Parts, o.Groups = groupUsage(runs, by)
	if len(args) > 0 {
		for _, r := range runs {
			o.Runs = append(o.Runs, r.id)
		}
	}
	measured, err := gc.MeasureUsage(ctx, store, o)
	if err != nil {
		return u, err
	}
	u.File, u.Free, u.Store, u.Total = measured.File, measured.Free, measured.Store, measured.Total
	u.Removed = measured.Removed
	u.Other = u.File - u.Free - u.Store.Stored - u.Removed.Stored
	for i, p := range measured.Parts {
		u.Parts[i].RecordUsage = p
	}
	if by == "kind" {
		for _, kind := range slices.Sorted(maps.Keys(measured.Kinds)) {
			u.Parts = append(u.Parts, UsagePart{Name: string(kind), RecordUsage: measured.Kinds[kind]})
		}
	}
	return u, u.Sort("-stored")
}

// groupUsage returns the parts by which runs are divided, and the runs of each.
func groupUsage(runs []usageRun, by string) (parts []UsagePart, groups [][]schema.Digest) {
	parts = []UsagePart{}
	switch by {
	case "run":
		for _, r := range runs {
			parts = append(parts, UsagePart{Run: &r.id, Short: r.short, Name: r.name})
			groups = append(groups, []schema.Digest{r.id})
		}
	case "tag":
		tagged := map[string][]schema.Digest{}
		for _, r := range runs {
			if len(r.tags) == 0 {
				tagged[""] = append(tagged[""], r.id)
			}
			for _, tag := range r.tags {
				tagged[tag] = append(tagged[tag], r.id)
			}
		}
		for _, tag := range slices.Sorted(maps.Keys(tagged)) {
			parts = append(parts, UsagePart{Name: tag, Runs: len(tagged[tag])})
			groups = append(groups, tagged[tag])
		}
	}
	return parts, groups
}

// usageKeys maps the keys that [Usage.Sort] takes to their order.
var usageKeys = map[string]func(a, b UsagePart) int{
	"runs":      func(a, b UsagePart) int { return cmp.Compare(a.Runs, b.Runs) },
	"name":      func(a, b UsagePart) int { return strings.Compare(a.Name, b.Name) },
	"records":   func(a, b UsagePart) int { return cmp.Compare(a.Records, b.Records) },
	"pruned":    func(a, b UsagePart) int { return cmp.Compare(a.Pruned, b.Pruned) },
	"stored":    func(a, b UsagePart) int { return cmp.Compare(a.Stored, b.Stored) },
	"exclusive": func(a, b UsagePart) int { return cmp.Compare(a.Exclusive, b.Exclusive) },
	"shared":    func(a, b UsagePart) int { return cmp.Compare(a.Shared, b.Shared) },
}

// UsageKeys returns the keys that [Usage.Sort] takes.
func UsageKeys() []string { return sortedKeys(usageKeys) }

// Sort sorts the parts by a list of keys, descending where a key begins with a minus. The sort is stable.
func (u Usage) Sort(list string) error {
	return sortByColumns(u.Parts, list, usageKeys, map[string]string{"run": "name", "tag": "name", "kind": "name"})
}
