package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// dryRun prints the runs that the sweep would make, with an estimate of their cost from recorded
// runs.
func (s sweepRun) dryRun() error {
	store := s.store()
	forecasts, err := sweep.LoadForecasts(s.Context.Context, store, s.plan)
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; a dry run changes nothing", replay.ErrInterrupted),
			"rerun the command to start again")
	}
	if err != nil {
		return err
	}
	if err := s.checkStudy(store); err != nil {
		return err
	}
	var counts []sweep.Count
	var estimates []sweep.Estimate
	for _, f := range forecasts {
		counts, estimates = append(counts, f.Done), append(estimates, f.Estimate)
	}
	all := s.sum(counts)
	if all.Cores, err = s.flags.ParseParallel(); err != nil {
		return err
	}
	all.estimate(estimates)
	return s.answer(all, all, s.estimateText(all)).Print(s.Context)
}

// checkStudy returns an error if the store has another study of the name, for which the sweep would fail.
func (s sweepRun) checkStudy(store *tracker.Store) error {
	if s.plan.Study == nil {
		return nil
	}
	err := store.View(s.Context.Context, func(tx *tracker.Tx) error { return tx.CheckStudy(&s.plan.Plan) })
	if errors.Is(err, tracker.ErrNoStore) {
		return nil
	}
	return err
}

// estimate adds the estimated cost of the remaining runs. A spec without recorded runs counts as
// the mean of the others.
func (s *summary) estimate(known []sweep.Estimate) {
	mean, n := sweep.Estimate{}, 0
	for _, e := range known {
		if e.Runs > 0 {
			mean.Time, mean.Bytes, n = mean.Time+e.Time, mean.Bytes+e.Bytes, n+1
			s.Recorded += e.Runs
		}
	}
	if n == 0 || s.Complete == s.Runs {
		return
	}
	mean.Time, mean.Bytes = mean.Time/time.Duration(n), mean.Bytes/int64(n)
	var total, bytes float64
	for i := range s.Specs {
		one, e := &s.Specs[i], known[i]
		if one.Recorded = e.Runs; e.Runs == 0 {
			e = mean
		}
		left := float64(one.Wanted-one.Iterations) / float64(one.Wanted) * float64(one.Runs) // remaining work, in runs
		size := int64(left * float64(e.Bytes))
		one.Seconds, one.Bytes = seconds(time.Duration(left*float64(e.Time))), &size
		total, bytes = total+*one.Seconds, bytes+float64(size)
	}
	size := int64(bytes)
	s.Seconds, s.Bytes = &total, &size
}

func (s sweepRun) estimateText(all summary) string {
	text := s.progressText(all)
	left := all.Runs - all.Complete
	switch {
	case left == 0:
		return text + "; nothing is left to make"
	case all.Seconds == nil:
		return text + fmt.Sprintf(
			"; %s to make\nno estimate: none of these specs has run yet; run one seed of each first (--seeds %d)",
			cmdline.Plural(left, "run"), s.plan.Seeds.At(0))
	}
	wall := *all.Seconds / float64(min(all.Cores, max(left, 1)))
	text += fmt.Sprintf("; %s to make: about %s on %s, and %s more in the store\n", cmdline.Plural(left, "run"),
		durationText(&wall), cmdline.Plural(all.Cores, "core"), bytesText(all.Bytes))
	known := 0
	for _, one := range all.Specs {
		if one.Recorded > 0 {
			known++
		}
	}
	text += fmt.Sprintf("estimated from %s", cmdline.Plural(all.Recorded, "recorded run"))
	if known < len(all.Specs) {
		text += fmt.Sprintf(" of %d of the %d specs; the others are assumed to cost the mean of those", known, len(all.Specs))
	}
	if all.Cores != runtime.NumCPU() {
		text += "; --parallel says how many cores"
	}
	return text
}
